"""The declaration of ResNet-50."""

from __future__ import annotations

from advisor.networks.description import NetworkSpec, input_picture
from advisor.networks.family import Family, Module, Units, activation, check_design, pictures
from advisor.networks.parts.counting import Counts

BLOCKS = (3, 4, 6, 3)
"""Blocks a stage (He et al. 2016, arXiv:1512.03385, table 1)."""
EXPANSION = 4
"""Channels that leave a block, for each channel within it."""
LEAST_SIDE = 33
"""Pixels along a side of the smallest picture that it can read."""
_UNITS = (64, 128, 256, 512)


def sides(side: int) -> tuple[int, int, tuple[int, ...]]:
    """Pixels along a side after the first convolution, after the pooling, and within each stage; halving rounds up."""
    first = -(-side // 2)
    pooled = -(-first // 2)
    stages = [pooled]
    for _ in BLOCKS[1:]:
        stages.append(-(-stages[-1] // 2))
    return first, pooled, tuple(stages)


def _check(spec: NetworkSpec, units: Units) -> None:
    why = "of a smaller one a single pixel would be left, and one example cannot be normalised."
    check_design(spec, units, _UNITS, LEAST_SIDE, why)


def _count(spec: NetworkSpec, units: Units, counts: Counts) -> None:
    shape = input_picture(spec)
    first, side, within = sides(shape.side)
    before = units[0]
    _count_normalised(counts, shape.colours, before, 7 * 7, first**2)
    for inner, many, here in zip(units, BLOCKS, within, strict=True):
        after = inner * EXPANSION
        for _ in range(many):
            _count_normalised(counts, before, inner, 1, side**2)
            _count_normalised(counts, inner, inner, 3 * 3, here**2)
            _count_normalised(counts, inner, after, 1, here**2)
            if before != after or side != here:
                _count_normalised(counts, before, after, 1, here**2)
            before, side = after, here
    counts.dense((before, spec.outputs))


def _count_normalised(counts: Counts, before: int, after: int, taps: int, places: int) -> None:
    """A convolution with a batch normalisation, which has a scale and a shift for each channel in place of one bias."""
    counts.convolution(before, after, taps, places)
    counts.parameters += after


def _build(spec: NetworkSpec, units: Units) -> Module:
    from advisor.networks.families.resnet50.network import ResNet50

    stages = [(inner, inner * EXPANSION, many) for inner, many in zip(units, BLOCKS, strict=True)]
    return ResNet50(input_picture(spec).colours, stages, spec.outputs, lambda: activation(spec.activation))


FAMILIES = (
    Family(
        name="resnet50",
        hidden_units=_UNITS,  # inner channels of the four stages; the first are those of the first convolution too
        layout=pictures,
        count=_count,
        build=_build,
        check=_check,
        advised=False,
    ),
)
