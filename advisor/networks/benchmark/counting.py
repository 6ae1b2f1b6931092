"""What AlexNet and ResNet-50 hold and compute, layer by layer, without building them. No torch here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.networks.benchmark.designs import RESNET_BLOCKS, RESNET_EXPANSION, alexnet_sides, resnet_sides
from advisor.networks.spec import NetworkSpec, hidden_units, picture_of

if TYPE_CHECKING:
    from advisor.networks.counts import Counts


def count_alexnet(found: Counts, spec: NetworkSpec) -> None:
    """Adds the network's layers."""
    shape = picture_of(spec)
    one, two, three, four, five, six, seven = hidden_units(spec)
    first, pooled, again, last = alexnet_sides(shape.side)
    found.convolution(shape.colours, one, 11 * 11, first**2)
    found.convolution(one, two, 5 * 5, pooled**2)
    for before, after in ((two, three), (three, four), (four, five)):
        found.convolution(before, after, 3 * 3, again**2)
    found.dense((five * last**2, six, seven, spec.outputs))


def count_resnet50(found: Counts, spec: NetworkSpec) -> None:
    """Adds the network's layers."""
    shape = picture_of(spec)
    stages = hidden_units(spec)
    first, side, sides = resnet_sides(shape.side)
    before = stages[0]
    _normalised(found, shape.colours, before, 7 * 7, first**2)
    for inner, many, here in zip(stages, RESNET_BLOCKS, sides, strict=True):
        after = inner * RESNET_EXPANSION
        for _ in range(many):
            _normalised(found, before, inner, 1, side**2)
            _normalised(found, inner, inner, 3 * 3, here**2)
            _normalised(found, inner, after, 1, here**2)
            if before != after or side != here:
                _normalised(found, before, after, 1, here**2)
            before, side = after, here
    found.dense((before, spec.outputs))


def _normalised(found: Counts, before: int, after: int, taps: int, places: int) -> None:
    """A convolution with a batch normalisation, which has a scale and a shift for each channel in place of one bias."""
    found.convolution(before, after, taps, places)
    found.parameters += after
