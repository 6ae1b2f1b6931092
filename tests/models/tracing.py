"""A second count of modules on fake tensors, as transformers runs them: tied weights once, dropout as on accelerators."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any
from unittest.mock import patch

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.autograd.graph import saved_tensors_hooks
from torch.utils.flop_counter import FlopCounterMode, sdpa_flop_count

_BATCHES = (2, 3)
"""Traced with both, so that things kept once, however many examples there are, cancel out."""


@dataclass
class Part:
    """Of a module in training, for one example."""

    multiply_adds: int = 0
    kept: int = 0
    """Numbers that wait for the backward pass."""
    kept_bytes: int = 0
    """Bytes of other things that wait for it."""
    moved: int = 0
    """Values that modules without parts of their own read and write."""

    def less(self, other: Part) -> Part:
        return Part(*(getattr(self, one.name) - getattr(other, one.name) for one in fields(Part)))


@dataclass(frozen=True, slots=True)
class Traced:
    """A module in training."""

    parameters: int
    parts: Mapping[str, Part]
    """Of the upper two levels, for one example."""

    @property
    def multiply_adds(self) -> int:
        return sum(part.multiply_adds for part in self.parts.values())

    @property
    def kept(self) -> int:
        """Bytes, with numbers of 32 bits."""
        return sum(4 * part.kept + part.kept_bytes for part in self.parts.values())


def trace(module: torch.nn.Module, inputs: Callable[[int], Mapping[str, Any]]) -> Traced:
    """A module on the meta device, trained with as many examples as `inputs` is asked for."""
    parameters = count_parameters(module)  # before tied ones come apart
    with FakeTensorMode(allow_non_fake_inputs=True), patch.object(torch.nn.functional, "dropout", _dropout):
        module.to_empty(device="cpu").train()
        few, more = (_once(module, inputs(batch)) for batch in _BATCHES)
    return Traced(parameters, {name: part.less(few.get(name, Part())) for name, part in more.items()})


def part_of(name: str) -> str:
    """The part of the upper two levels that a module or a parameter of this name belongs to."""
    return ".".join(itertools.takewhile(lambda one: not one.isdecimal(), name.split(".")[:2]))


def count_parameters(module: torch.nn.Module) -> int:
    """Tied ones once."""
    return sum(one.numel() for one in module.parameters())


def _dropout(values: torch.Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> torch.Tensor:
    """As on accelerators, where a byte a value is kept; torch's for the CPU keeps a number."""
    return torch.native_dropout(values, p, training)[0] if training and p else values


def _once(module: torch.nn.Module, inputs: Mapping[str, Any]) -> dict[str, Part]:
    """The counts of one pass; autograd's tensors once a storage, and without weights."""
    saved = {tensor.untyped_storage()._cdata: tensor for tensor in (*module.parameters(), *module.buffers())}
    parts: dict[str, Part] = {}
    place = [""]
    settled = 0

    def here() -> Part:
        return parts.setdefault(place[-1], Part())

    def settle() -> None:
        nonlocal settled
        here().multiply_adds += (counter.get_total_flops() - settled) // 2
        settled = counter.get_total_flops()

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if not isinstance(tensor, torch.nn.Parameter) and storage._cdata not in saved:
            saved[storage._cdata] = tensor.detach()  # alive, or its address is used again
            if tensor.is_floating_point():
                here().kept += storage.nbytes() // tensor.element_size()
            else:
                here().kept_bytes += storage.nbytes()
        return tensor

    def watch(name: str, part: torch.nn.Module) -> None:
        def enter(*_: object) -> None:
            settle()
            place.append(part_of(name))

        def leave(_: object, given: Any, result: Any) -> None:
            settle()
            if not any(True for _ in part.children()):
                here().moved += sum(tensor.numel() for tensor in _tensors((given, result)))
            place.pop()

        part.register_forward_pre_hook(enter)
        part.register_forward_hook(leave)

    for name, part in module.named_modules():
        part._forward_pre_hooks.clear()
        part._forward_hooks.clear()
        watch(name, part)
    counter = FlopCounterMode(display=False, custom_mapping=FORMULAS)
    with counter, saved_tensors_hooks(pack, lambda tensor: tensor):
        result = module(**inputs)
        settle()
    del result
    return parts


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for one in value:
            yield from _tensors(one)


def _attention(query, key, value, *args, out_shape=None, **options) -> int:  # type: ignore[no-untyped-def]
    return int(sdpa_flop_count(query, key, value))


FORMULAS: dict[Any, Callable[..., int]] = {torch.ops.aten._scaled_dot_product_flash_attention_for_cpu: _attention}
"""Of operations that torch counts as none."""
