"""Networks as torch builds, computes and keeps them: the oracle of what is counted."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import torch
from torch.autograd.graph import saved_tensors_hooks

from advisor.models.model import Model, Source
from advisor.models.tracing.trace import traced
from advisor.networks.builders import build
from advisor.networks.description import NetworkSpec
from advisor.networks.examples import example_batch


def examples_of(spec: NetworkSpec, number: int) -> torch.Tensor:
    return example_batch(spec, number, torch.Generator().manual_seed(0))[0]


def computed(spec: NetworkSpec, inputs: Callable[[int], Any] | None = None) -> Model:
    """The network as it is built, traced; an LSTM gate by gate, since its fused kernel has no formula in torch 2.13."""
    torch.manual_seed(0)
    with torch.backends.mkldnn.flags(enabled=False) if spec.network == "lstm" else nullcontext():
        layers = traced(lambda: build(spec), inputs or (lambda batch: (examples_of(spec, batch),)), contents=True)
    return Model(spec.network, spec.network, Source.BUILT, (), tuple(layers))


def bytes_kept(model: Model) -> int:
    """For the backward pass of one example, in 32 bits."""
    return 4 * model.kept + model.kept_bytes


def kept_by_autograd(network: torch.nn.Module, computation: Callable[[torch.nn.Module], Any], bits: int = 32) -> int:
    """Bytes that are really kept on a processor for the backward pass of a computation, weights left out."""
    own = {p.untyped_storage().data_ptr() for p in network.parameters()}
    kept: dict[int, int] = {}

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in own:
            kept[storage.data_ptr()] = storage.nbytes()
        return tensor.detach()  # an output that its own step keeps would never be given back

    half = torch.autocast("cpu", torch.bfloat16, enabled=bits == 16)
    with saved_tensors_hooks(keep, lambda tensor: tensor), half:
        result = computation(network)
    del result  # until now, so that nothing kept was given back
    return sum(kept.values())
