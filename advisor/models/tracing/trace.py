"""A forward pass of any module on fake tensors: what each part computes, and what autograd keeps of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.autograd.graph import saved_tensors_hooks
from torch.nn import functional
from torch.utils.flop_counter import FlopCounterMode, sdpa_flop_count

from advisor.models.model import WHOLE, Layer
from advisor.models.style import normalization_of

_BATCHES = (2, 3)
"""Traced with both, so that what does not grow with the batch drops out; one example is too few for batch normalisation."""

Inputs = Callable[[int], Any]
"""A batch of so many examples, as the module's arguments: in their order, or by their names."""


@dataclass
class _Counts:
    multiply_adds: int = 0
    kept: int = 0
    kept_bytes: int = 0
    moved: int = 0
    shape: tuple[int, ...] = ()


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

        return enter

    def leave(self, module: nn.Module, given: Any, result: Any) -> None:
        self.settle()
        tensors = list(_tensors(result))
        here = self.here()
        if next(module.children(), None) is None:  # else its parts have moved them
            here.moved += sum(tensor.numel() for tensor in (*_tensors(given), *tensors))
        here.shape = tuple(tensors[0].shape[1:]) if tensors else ()
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
    with nullcontext() if contents else torch.device("meta"):
        module = build()
    own = _own(module)  # before tied weights come apart
    with nullcontext() if contents else FakeTensorMode(allow_non_fake_inputs=True):
        if not contents:
            _put_on_the_cpu(module)
        module.train()
        smaller, larger = (_counts(module, inputs(batch)) for batch in _BATCHES)
    lent = [name for name, parameters in own.items() if parameters and name not in larger]
    kinds = {name: type(part).__name__ for name, part in module.named_modules()}
    return [_layer(name, kinds.get(name, ""), own.get(name, 0), smaller, larger) for name in [*lent, *larger]]


def _put_on_the_cpu(module: nn.Module) -> None:
    """Module.to_empty, for parts that have several names or share weights too."""
    moved: dict[int, Tensor] = {}
    for part in module.modules():
        for name, tensor in [*part.named_parameters(recurse=False), *part.named_buffers(recurse=False)]:
            if id(tensor) not in moved:
                empty = torch.empty_like(tensor, device="cpu")
                moved[id(tensor)] = (
                    nn.Parameter(empty, tensor.requires_grad) if isinstance(tensor, nn.Parameter) else empty
                )
            setattr(part, name, moved[id(tensor)])


def _own(module: nn.Module) -> dict[str, int]:
    """The parameters of each part but those of the parts in it; tied ones belong to the first that has them."""
    met: set[nn.Parameter] = set()
    found = {}
    for name, part in module.named_modules():
        new = set(part.parameters(recurse=False)) - met
        met |= new
        found[name] = sum(parameter.numel() for parameter in new)
    return found


def _layer(
    name: str, kind: str, parameters: int, smaller: Mapping[str, _Counts], larger: Mapping[str, _Counts]
) -> Layer:
    few, more = smaller.get(name, _Counts()), larger.get(name, _Counts())
    return Layer(
        name or WHOLE,
        kind,
        more.shape,
        parameters=parameters,
        active=parameters,
        multiply_adds=more.multiply_adds - few.multiply_adds,
        kept=more.kept - few.kept,
        kept_bytes=more.kept_bytes - few.kept_bytes,
        moved=more.moved - few.moved,
        more_in_half=more.kept - few.kept if _stays_in_full(kind) else 0,
    )


def _stays_in_full(kind: str) -> bool:
    """True for normalisations whose values autocast leaves in 32 bits on a graphics card, however the module calls itself."""
    return normalization_of([Layer("", kind, ())]) in ("layer_norm", "rms_norm", "group_norm")


def _counts(module: nn.Module, inputs: Any) -> dict[str, _Counts]:
    with _dropout_as_on_a_gpu(), FlopCounterMode(display=False, custom_mapping=FORMULAS) as flops:
        books = _Books(module, flops)
        books.seen = {t.untyped_storage()._cdata: t for t in (*module.parameters(), *module.buffers())}
        with _watched(books), saved_tensors_hooks(books.keep, lambda tensor: tensor):
            result = module(**inputs) if isinstance(inputs, Mapping) else module(*inputs)
            books.settle()
    del result  # until now, so that nothing kept for it was given back
    return books.counts


@contextmanager
def _watched(books: _Books) -> Iterator[None]:
    with ExitStack() as stack:
        for name, part in books.module.named_modules():
            stack.callback(part.register_forward_pre_hook(books.enter(name)).remove)
            stack.callback(part.register_forward_hook(books.leave).remove)
        yield


def _tensors(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _tensors(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _tensors(one)


def _attention(query: Any, key: Any, value: Any, *_: Any, out_shape: Any = None, **__: Any) -> int:
    return int(sdpa_flop_count(query, key, value))  # type: ignore[no-untyped-call]


def _recurrent(steps: Any, inward: Any, onward: Any, *_: Any, **__: Any) -> int:
    """Every weight once for each step of each example; steps are (steps, batch, values)."""
    return int(2 * steps[0] * steps[1] * (inward[0] * inward[1] + onward[0] * onward[1]))


FORMULAS: dict[Any, Callable[..., int]] = {
    torch.ops.aten._scaled_dot_product_flash_attention_for_cpu: _attention,
    torch.ops.aten.mkldnn_rnn_layer: _recurrent,
}
"""Of operations for which torch 2.13 has none, and would count nothing."""


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
