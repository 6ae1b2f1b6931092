"""The declaration of AlexNet."""

from __future__ import annotations

from advisor.networks.description import NetworkSpec, input_picture
from advisor.networks.family import Family, Module, Units, activation, check_design, pictures
from advisor.networks.parts.counting import Counts

LEAST_SIDE = 63
"""Pixels along a side of the smallest picture that it can read."""
_UNITS = (64, 192, 384, 256, 256, 4096, 4096)


def sides(side: int) -> tuple[int, int, int, int]:
    """Pixels along a side after the first convolution, and after each of the three poolings."""
    first = (side + 2 * 2 - 11) // 4 + 1
    one = (first - 3) // 2 + 1
    two = (one - 3) // 2 + 1
    return first, one, two, (two - 3) // 2 + 1


def _check(spec: NetworkSpec, units: Units) -> None:
    check_design(spec, units, _UNITS, LEAST_SIDE, "its strides and poolings would leave nothing of a smaller one.")


def _count(spec: NetworkSpec, units: Units, counts: Counts) -> None:
    shape = input_picture(spec)
    one, two, three, four, five, six, seven = units
    first, pooled, again, last = sides(shape.side)
    counts.convolution(shape.colours, one, 11 * 11, first**2)
    counts.convolution(one, two, 5 * 5, pooled**2)
    for before, after in ((two, three), (three, four), (four, five)):
        counts.convolution(before, after, 3 * 3, again**2)
    counts.dense((five * last**2, six, seven, spec.outputs))


def _build(spec: NetworkSpec, units: Units) -> Module:
    from advisor.networks.families.alexnet.network import AlexNet

    shape = input_picture(spec)
    return AlexNet(shape.colours, units, sides(shape.side)[-1], spec.outputs, lambda: activation(spec.activation))


FAMILIES = (
    Family(
        name="alexnet",
        hidden_units=_UNITS,  # channels of the five convolutions, units of the two dense layers
        layout=pictures,
        count=_count,
        build=_build,
        check=_check,
        advised=False,
    ),
)
