"""Made-up examples in the shape that a network takes, for timing it and for trying that it learns."""

from __future__ import annotations

import torch
from torch import Generator, Tensor

from advisor.networks.names import UnbuildableError
from advisor.networks.recursive import even_trees
from advisor.networks.spec import (
    Layout,
    NetworkSpec,
    flat_values,
    foretells_tokens,
    layout,
    picture_of,
    reconstructs,
    why_not_timed,
)


def example_batch(spec: NetworkSpec, batch_size: int, generator: Generator) -> tuple[Tensor, Tensor]:
    """Inputs and targets of so many examples: random numbers of the right shape, type and range.

    Inputs are (batch, values), (batch, colours, side, side), (batch, steps, values), (batch, steps) or (batch, nodes, 3),
    see Layout. Targets suit the loss: class numbers (one per example, per token or per dot), zeros and ones, or numbers;
    the inputs themselves where the network learns from these alone.
    Raises UnbuildableError, as `build` does, and for a gnn, whose examples are joined by edges.
    """
    reason = why_not_timed(spec)
    if reason is not None:
        raise UnbuildableError(reason)
    if foretells_tokens(spec):
        steps = spec.sequence_length or 1
        tokens = torch.randint(spec.inputs, (batch_size, steps + 1), generator=generator)
        return tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous()
    inputs = _inputs(spec, batch_size, generator)
    return inputs, inputs if reconstructs(spec) else _targets(spec, batch_size, generator)


def _inputs(spec: NetworkSpec, batch_size: int, generator: Generator) -> Tensor:
    steps = spec.sequence_length or 1
    match layout(spec):
        case Layout.TOKENS:
            return torch.randint(spec.inputs, (batch_size, steps), generator=generator)
        case Layout.TREE:
            return even_trees(torch.randint(spec.inputs, (batch_size, steps), generator=generator))
        case Layout.STEPS:
            return torch.rand(batch_size, steps, spec.inputs, generator=generator)
        case Layout.PICTURE:
            shape = picture_of(spec)
            return torch.rand(batch_size, shape.colours, shape.side, shape.side, generator=generator)
        case _:
            return torch.rand(batch_size, flat_values(spec), generator=generator)


def _targets(spec: NetworkSpec, batch_size: int, generator: Generator) -> Tensor:
    if spec.network == "deconvolutional":
        shape = picture_of(spec)
        return torch.rand(batch_size, shape.colours, shape.side, shape.side, generator=generator)
    places = (picture_of(spec).side,) * 2 if spec.network == "unet" else ()
    match spec.loss:
        case "cross_entropy" | "dice_cross_entropy":
            return torch.randint(spec.outputs, (batch_size, *places), generator=generator)
        case "binary_cross_entropy":
            return torch.randint(2, (batch_size, spec.outputs, *places), generator=generator).float()
        case _:
            return torch.rand(batch_size, spec.outputs, *places, generator=generator)
