"""Activation checkpointing of a whole network: less is kept for the backward pass, and computed once more there.

Chen et al. 2016, Training Deep Nets with Sublinear Memory Cost (arXiv:1604.06174): a chain of n layers in about sqrt(n)
segments keeps the inputs of the segments only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from torch import nn
from torch.utils.checkpoint import checkpoint

_FEWEST_LAYERS = 2
"""With weights, in a chain; of a shorter one there is nothing to save."""


def recompute(network: nn.Module, *whole: type[nn.Module]) -> bool:
    """Change the network in place, so that its segments are computed again; weights and results stay as they are.

    Returns False where it has fewer than two segments, and so stays as it is: the last one is never worth computing again,
    since the backward pass needs it right after the forward pass has made it.

    Args:
        whole: modules of which each is a segment, besides the parts of lists of modules and the chains of layers.
    """
    blocks = list(_blocks(network, whole))
    if sum(map(_segments, blocks)) < 2:
        return False
    segments = [segment for block in blocks for segment in _divide(block)]
    segments[-1].again = False
    return True


class _Segment:
    """A part of the network that keeps nothing but its input."""

    def __init__(self, forward: Callable[..., Any]) -> None:
        self._forward = forward
        self.again = True

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        if not self.again:
            return self._forward(*inputs, **options)
        return checkpoint(self._forward, *inputs, use_reentrant=False, **options)


def _blocks(module: nn.Module, whole: tuple[type[nn.Module], ...]) -> Iterator[nn.Module]:
    """The outermost chains and whole blocks, in the order in which they are computed."""
    if isinstance(module, whole) or (isinstance(module, nn.Sequential) and len(_layers(module)) >= _FEWEST_LAYERS):
        yield module
    else:
        for child in module.children():
            if isinstance(module, nn.ModuleList) and _is_block(child):
                yield child
            else:
                yield from _blocks(child, whole)


def _is_block(module: nn.Module) -> bool:
    """True for several layers together, such as those of a transformer, which are called as one."""
    containers = (nn.Sequential, nn.ModuleList, nn.ModuleDict)
    return not isinstance(module, containers) and any(map(_has_weights, module.children()))


def _segments(block: nn.Module) -> int:
    """The number of segments that a block is divided into, or one more."""
    if not isinstance(block, nn.Sequential):
        return 1
    layers = len(_layers(block))
    return math.ceil(math.sqrt(layers)) if layers > _FEWEST_LAYERS else 1


def _divide(block: nn.Module) -> list[_Segment]:
    """Make the block compute itself in segments."""
    if not isinstance(block, nn.Sequential):
        whole = _Segment(block.forward)
        block.forward = whole
        return [whole]
    layers = _layers(block)
    number = _segments(block)
    length = math.ceil(len(layers) / number)
    parts = [layers[begin : begin + length] for begin in range(0, len(layers), length)]
    segments = [_Segment(nn.Sequential(*(module for layer in part for module in layer))) for part in parts]
    block.forward = partial(_in_turn, segments)  # type: ignore[method-assign]
    return segments


def _layers(chain: nn.Sequential) -> list[list[nn.Module]]:
    """Each with the weightless modules around it: a boundary between a product and its activation would save nothing."""
    layers: list[list[nn.Module]] = [[]]
    for module in chain:
        if _has_weights(module) and any(map(_has_weights, layers[-1])):
            layers.append([])
        layers[-1].append(module)
    return layers


def _has_weights(module: nn.Module) -> bool:
    return any(True for _ in module.parameters())


def _in_turn(segments: Sequence[_Segment], values: Any) -> Any:
    for segment in segments:
        values = segment(values)
    return values
