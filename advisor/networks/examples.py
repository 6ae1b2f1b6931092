"""Made-up examples in the shape that a network takes, for timing it and for trying that it learns."""

from __future__ import annotations

import torch
from torch import Generator, Tensor

from advisor.networks.description import Layout, NetworkSpec, UnbuildableError
from advisor.networks.family import Answer
from advisor.networks.registry import family
from advisor.networks.spec import example_shape, layout, picture_of, predicts_tokens, reconstructs, why_not_timed


def example_batch(spec: NetworkSpec, batch_size: int, generator: Generator) -> tuple[Tensor, Tensor]:
    """Inputs and targets of so many examples: random numbers of the right shape, type and range.

    Inputs are (batch, values), (batch, colors, side, side), (batch, steps, values), (batch, steps) or (batch, nodes, 3),
    see Layout. Targets suit the loss: class numbers (one per example, per token or per pixel), zeros and ones, or numbers;
    the inputs themselves where the network learns from these alone.
    Raises UnbuildableError, as `build` does, and for a gnn, whose examples are joined by edges.
    """
    reason = why_not_timed(spec)
    if reason is not None:
        raise UnbuildableError(reason)
    if predicts_tokens(spec):
        steps = spec.sequence_length or 1
        tokens = torch.randint(spec.inputs, (batch_size, steps + 1), generator=generator)
        return tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous()
    inputs = _inputs(spec, batch_size, generator)
    return inputs, inputs if reconstructs(spec) else _targets(spec, batch_size, generator)


def _inputs(spec: NetworkSpec, batch_size: int, generator: Generator) -> Tensor:
    shape = (batch_size, *example_shape(spec))
    match layout(spec):
        case Layout.TOKENS:
            return torch.randint(spec.inputs, shape, generator=generator)
        case Layout.TREE:
            return _even_trees(torch.randint(spec.inputs, shape[:2], generator=generator))
        case _:
            return torch.rand(shape, generator=generator)


def _targets(spec: NetworkSpec, batch_size: int, generator: Generator) -> Tensor:
    answer = family(spec.network).answer
    if answer is Answer.PICTURE:
        shape = picture_of(spec)
        return torch.rand(batch_size, shape.colors, shape.side, shape.side, generator=generator)
    places = picture_of(spec).size if answer is Answer.PIXELS else ()
    match spec.loss:
        case "cross_entropy" | "dice_cross_entropy":
            return torch.randint(spec.outputs, (batch_size, *places), generator=generator)
        case "binary_cross_entropy":
            return torch.randint(2, (batch_size, spec.outputs, *places), generator=generator).float()
        case _:
            return torch.rand(batch_size, spec.outputs, *places, generator=generator)


def _even_trees(tokens: Tensor) -> Tensor:
    """(batch, nodes) of tokens -> (batch, nodes, 3): trees that branch as evenly as they can, see families.recursive.network."""
    nodes = tokens.shape[1]
    size = nodes - 1 + nodes % 2
    below = torch.arange(size, 0, -1)  # numbered from the root as 1: the children of i are 2i and 2i + 1
    inner = 2 * below < size
    children = [torch.where(inner, nodes + 1 - 2 * below - side, 0) for side in (0, 1)]
    nobodys = torch.zeros(nodes - size, dtype=torch.int64)
    places = [torch.cat([nobodys, child]).expand(len(tokens), -1) for child in children]
    return torch.stack([tokens, *places], dim=-1)
