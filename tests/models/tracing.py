"""What a module has and does, seen by running it on fake tensors: nothing is computed, no memory is filled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.autograd.graph import saved_tensors_hooks
from torch.utils.flop_counter import FlopCounterMode, sdpa_flop_count

_BATCHES = (2, 3)
"""What is kept once, however many examples there are, cancels out between them."""


@dataclass(frozen=True, slots=True)
class Traced:
    """A module in training."""

    parameters: int
    multiply_adds: int
    """Of one example."""
    kept: int
    """Bytes of one example that wait for the backward pass."""


def trace(module: torch.nn.Module, inputs: Callable[[int], Mapping[str, torch.Tensor]]) -> Traced:
    """A module on the meta device, trained with as many examples as `inputs` is asked for."""
    parameters = count_parameters(module)  # before tied ones come apart
    with FakeTensorMode(allow_non_fake_inputs=True), patch.object(torch.nn.functional, "dropout", _dropout):
        module.to_empty(device="cpu").train()
        few, more = (_once(module, inputs(batch)) for batch in _BATCHES)
    return Traced(parameters, more[0] - few[0], more[1] - few[1])


def count_parameters(module: torch.nn.Module) -> int:
    """Tied ones once."""
    return sum(one.numel() for one in module.parameters())


def _dropout(values: torch.Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> torch.Tensor:
    """As on accelerators, where a byte a value is kept; torch's for the CPU keeps a number."""
    return torch.native_dropout(values, p, training)[0] if training and p else values


def _once(module: torch.nn.Module, inputs: Mapping[str, torch.Tensor]) -> tuple[int, int]:
    """Multiply-adds, and the bytes that autograd saves, each storage once and no weights."""
    own = {tensor.untyped_storage()._cdata for tensor in (*module.parameters(), *module.buffers())}
    saved: dict[int, torch.UntypedStorage] = {}

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if not isinstance(tensor, torch.nn.Parameter) and storage._cdata not in own:
            saved[storage._cdata] = storage  # alive, or its address is used again
        return tensor

    counter = FlopCounterMode(display=False, custom_mapping=FORMULAS)
    with counter, saved_tensors_hooks(pack, lambda tensor: tensor):
        result = module(**inputs)
    del result
    return counter.get_total_flops() // 2, sum(storage.nbytes() for storage in saved.values())


def _attention(query, key, value, *args, out_shape=None, **options) -> int:  # type: ignore[no-untyped-def]
    return int(sdpa_flop_count(query, key, value))


FORMULAS: dict[Any, Callable[..., int]] = {torch.ops.aten._scaled_dot_product_flash_attention_for_cpu: _attention}
"""Of operations that torch counts as none."""
