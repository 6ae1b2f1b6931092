"""A forward pass of any module on fake tensors: what each part computes, and what autograd keeps of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.autograd.function import BackwardCFunction
from torch.autograd.graph import saved_tensors_hooks
from torch.nn import functional
from torch.nn.parameter import is_lazy
from torch.utils.flop_counter import FlopCounterMode

from advisor.models.model import WHOLE, Layer
from advisor.models.style import normalization_of
from advisor.models.tracing.operations import FORMULAS, Operation, Uncounted, tensors

BATCHES = (2, 3)
"""Traced with both, so that what does not grow with the batch drops out; one example is too few for batch normalisation."""

Inputs = Callable[[int], Any]
"""A batch of so many examples, as the module's arguments: in their order, or by their names."""


@dataclass
class _Counts:
    calls: int = 0
    multiply_adds: int = 0
    kept: int = 0
    kept_bytes: int = 0
    moved: int = 0
    shape: tuple[int, ...] = ()


@dataclass(frozen=True)
class Pass:
    """One pass of a batch."""

    counts: Mapping[str, _Counts]
    """By the name of the innermost module at work."""
    uncounted: Counter[Operation]
    backward: int | None
    """Multiply-adds of the backward pass, where weights are frozen and there is one."""
    reached: frozenset[str] | None
    """Names of the parameters to which a gradient comes from what the network gives; None where that cannot be told."""


@dataclass(frozen=True)
class Network:
    """A module that is ready to be counted."""

    module: nn.Module
    own: Mapping[str, tuple[int, int]]
    """Parameters of each part alone, and those of them that are frozen."""


@dataclass
class _Books:
    """Of one pass, by the name of the innermost module at work."""

    module: nn.Module
    flops: FlopCounterMode
    counts: dict[str, _Counts] = field(default_factory=dict)
    place: list[str] = field(default_factory=list)
    seen: dict[int, Any] = field(default_factory=dict)
    counted: int = 0

    def here(self) -> _Counts:
        return self.counts.setdefault(self.place[-1] if self.place else "", _Counts())

    def settle(self) -> None:
        """Give what was computed since the last time to the module at work."""
        total = self.flops.get_total_flops()
        self.here().multiply_adds += (total - self.counted) // 2
        self.counted = total

    def keep(self, tensor: Tensor) -> Tensor:
        if tensor.layout is not torch.strided:
            return tensor
        storage = tensor.untyped_storage()
        if isinstance(tensor, nn.Parameter) or storage._cdata in self.seen:
            return tensor
        self.seen[storage._cdata] = storage  # held, so that no other gets its place
        if tensor.dtype.is_floating_point:
            self.here().kept += storage.nbytes() // tensor.element_size()
        else:
            self.here().kept_bytes += storage.nbytes()
        return tensor

    def enter(self, name: str) -> Callable[..., None]:
        def enter(*_: Any) -> None:
            self.settle()
            self.place.append(name)
            self.here().calls += 1

        return enter

    def leave(self, module: nn.Module, given: Any, result: Any) -> None:
        self.settle()
        given_back = list(tensors(result))
        here = self.here()
        if next(module.children(), None) is None:  # else its parts have moved them
            here.moved += sum(tensor.numel() for tensor in (*tensors(given), *given_back))
        here.shape = tuple(given_back[0].shape[1:]) if given_back else ()
        self.place.pop()


def traced(build: Callable[[], nn.Module], inputs: Inputs, *, contents: bool = False) -> list[Layer]:
    """The parts of a network, for one example: those that only lend their weights, then others in the order in which they
    are met first.

    Args:
        build: makes the module; called where new tensors have no content.
        inputs: makes its arguments; called where new tensors have no content, on the CPU.
        contents: tensors have contents after all, for modules that look at them to decide what they compute.

    Raises whatever the module raises. Attention on the CPU counts as on a GPU, with all pairs, and dropout keeps what it
    keeps there: a byte a value, and a seed in attention.
    """
    with prepared(build, inputs, contents=contents) as network:
        few, more = (run(network.module, inputs(batch)) for batch in BATCHES)
        return layers_of(network, [(few, more)])


@contextmanager
def prepared(build: Callable[[], nn.Module], inputs: Inputs, *, contents: bool) -> Iterator[Network]:
    """The network in training, while new tensors have no contents unless they shall.

    Lazy parts, such as LazyLinear, get their sizes by a pass of a batch.
    """
    with nullcontext() if contents else torch.device("meta"):
        module = build()
        if any(is_lazy(one) for one in (*module.parameters(), *module.buffers())):
            given = inputs(BATCHES[0])
            with torch.no_grad():
                module(**given) if isinstance(given, Mapping) else module(*given)
        module.train()  # which may freeze weights
    own = _own(module)  # before tied weights come apart
    with nullcontext() if contents else FakeTensorMode(allow_non_fake_inputs=True):
        if not contents:
            _put_on_the_cpu(module)
        yield Network(module, own)


def _put_on_the_cpu(module: nn.Module) -> None:
    """Module.to_empty, for parts that have several names or share weights too."""
    moved: dict[int, Tensor] = {}
    for part in module.modules():
        for name, tensor in [
            *part.named_parameters(recurse=False, remove_duplicate=False),
            *part.named_buffers(recurse=False),
        ]:
            if id(tensor) not in moved:
                empty = torch.empty_like(tensor, device="cpu")
                moved[id(tensor)] = (
                    nn.Parameter(empty, tensor.requires_grad) if isinstance(tensor, nn.Parameter) else empty
                )
            setattr(part, name, moved[id(tensor)])


def _own(module: nn.Module) -> dict[str, tuple[int, int]]:
    """The parameters of each part but those of the parts in it, and how many of them are frozen; tied ones belong to the
    first that has them."""
    met: set[int] = set()
    found = {}
    for name, part in module.named_modules():
        new = {id(one): one for one in part.parameters(recurse=False) if id(one) not in met}
        met |= new.keys()
        frozen = sum(one.numel() for one in new.values() if not one.requires_grad)
        found[name] = sum(one.numel() for one in new.values()), frozen
    return found


def layers_of(network: Network, passes: Sequence[tuple[Pass, Pass]]) -> list[Layer]:
    """The parts of a network, each with the most that it took in any of the pairs of passes, of 2 and of 3 examples."""
    pairs = [(few.counts, more.counts) for few, more in passes]
    met = dict.fromkeys(name for _, more in pairs for name in more)
    lent = [name for name, (parameters, _) in network.own.items() if parameters and name not in met]
    kinds = {name: type(part).__name__ for name, part in network.module.named_modules()}
    layers = []
    for name in [*lent, *met]:
        alike = [pair for pair in pairs if _calls(pair[0], name) == _calls(pair[1], name)] or pairs
        found = [_layer(name, kinds.get(name, ""), few, more) for few, more in alike]
        most = max(found, key=lambda layer: (layer.multiply_adds, layer.kept, layer.shape))
        counts = {count: max(0, *(getattr(layer, count) for layer in found)) for count in COUNTS}
        parameters, frozen = network.own.get(name, (0, 0))
        layers.append(replace(most, parameters=parameters, active=parameters, frozen=frozen, **counts))
    return layers


def _calls(counts: Mapping[str, _Counts], name: str) -> int:
    return counts[name].calls if name in counts else 0


COUNTS = ("multiply_adds", "kept", "kept_bytes", "moved", "more_in_half")


def _layer(name: str, kind: str, smaller: Mapping[str, _Counts], larger: Mapping[str, _Counts]) -> Layer:
    few, more = smaller.get(name, _Counts()), larger.get(name, _Counts())
    return Layer(
        name or WHOLE,
        kind,
        more.shape,
        multiply_adds=more.multiply_adds - few.multiply_adds,
        kept=more.kept - few.kept,
        kept_bytes=more.kept_bytes - few.kept_bytes,
        moved=more.moved - few.moved,
        more_in_half=more.kept - few.kept if _stays_in_full(kind) else 0,
    )


def _stays_in_full(kind: str) -> bool:
    """True for normalisations whose values autocast leaves in 32 bits on a graphics card, however the module calls itself."""
    return normalization_of([Layer("", kind, ())]) in ("layer_norm", "rms_norm", "group_norm")


def run(module: nn.Module, inputs: Any) -> Pass:
    """Count one forward pass in training, and the backward pass where weights are frozen."""
    unmet = Uncounted()
    frozen = any(not parameter.requires_grad for parameter in module.parameters())
    with unmet, _dropout_as_on_a_gpu(), FlopCounterMode(display=False, custom_mapping=FORMULAS) as flops:
        books = _Books(module, flops)
        books.seen = {
            t.untyped_storage()._cdata: t
            for t in (*module.parameters(), *module.buffers())
            if t.layout is torch.strided
        }
        with _watched(books), saved_tensors_hooks(books.keep, lambda tensor: tensor):
            result = module(**inputs) if isinstance(inputs, Mapping) else module(*inputs)
            books.settle()
        reached = _reached(module, result)
        met = Counter(unmet.met)
        backward = _backward(result, flops) if frozen else None
        if unmet.met != met:
            backward = None
    del result  # until now, so that nothing kept for it was given back
    return Pass(books.counts, met, backward, reached)


def _reached(module: nn.Module, result: Any) -> frozenset[str] | None:
    """The parameters at the ends of the way back; None where nothing is given.

    None, too, where a function written in Python is on the way: it may have ways of its own, as activation checkpointing.
    """
    given = list(tensors(result))
    names = {id(one): name for name, one in module.named_parameters()}
    reached = {names[id(one)] for one in given if id(one) in names}
    met = {one.grad_fn for one in given if one.grad_fn is not None}
    waiting = list(met)
    while waiting:
        node = waiting.pop()
        if isinstance(node, BackwardCFunction):
            return None
        variable = getattr(node, "variable", None)
        if id(variable) in names:
            reached.add(names[id(variable)])
        new = {one for one, _ in node.next_functions if one is not None} - met
        met |= new
        waiting += new
    return frozenset(reached) if given else None


def _backward(result: Any, flops: FlopCounterMode) -> int | None:
    """Multiply-adds of the backward pass from all that the network gives; None where there is no way back."""
    before = flops.get_total_flops()
    sums = [tensor.sum() for tensor in tensors(result) if tensor.requires_grad]
    if not sums:
        return 0
    try:
        torch.autograd.backward(sums)
    except Exception:  # somebody else's code raises anything
        return None
    return (flops.get_total_flops() - before) // 2


@contextmanager
def _watched(books: _Books) -> Iterator[None]:
    with ExitStack() as stack:
        for name, part in books.module.named_modules():
            stack.callback(part.register_forward_pre_hook(books.enter(name)).remove)
            stack.callback(part.register_forward_hook(books.leave).remove)
        yield


@contextmanager
def _dropout_as_on_a_gpu() -> Iterator[None]:
    plain = functional.dropout

    def dropout(values: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
        return torch.native_dropout(values, p, training)[0] if training and p else values

    attention = functional.scaled_dot_product_attention

    def attending(
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attn_mask: Tensor | None = None,
        dropout_p: float = 0.0,
        *more: Any,
        **named: Any,
    ) -> Tensor:
        return attention(query, key, value, attn_mask, 0.0, *more, **named)

    functional.dropout = dropout  # type: ignore[assignment]
    functional.scaled_dot_product_attention = attending
    try:
        yield
    finally:
        functional.dropout, functional.scaled_dot_product_attention = plain, attention
