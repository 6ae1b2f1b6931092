"""The declaration of AlexNet."""

from __future__ import annotations

from advisor.models.tape import Tape, Value
from advisor.networks.description import NetworkSpec, input_picture
from advisor.networks.family import Family, Module, Units, activation, check_design, pictures
from advisor.networks.parts import shapes

LEAST_SIDE = 63
"""Pixels along a side of the smallest picture that it can read."""
_UNITS = (64, 192, 384, 256, 256, 4096, 4096)
_KERNELS = (11, 5, 3, 3, 3)
_POOLED = (0, 1, 4)
"""Convolutions with a pooling after them."""


def sides(side: int) -> tuple[int, int, int, int]:
    """Pixels along a side after the first convolution, and after each of the three poolings."""
    first = (side + 2 * 2 - 11) // 4 + 1
    one = (first - 3) // 2 + 1
    two = (one - 3) // 2 + 1
    return first, one, two, (two - 3) // 2 + 1


def _check(spec: NetworkSpec, units: Units) -> None:
    check_design(spec, units, _UNITS, LEAST_SIDE, "its strides and poolings would leave nothing of a smaller one.")


def _count(spec: NetworkSpec, units: Units, tape: Tape, x: Value) -> None:
    *channels, six, seven = units
    for number, (after, kernel) in enumerate(zip(channels, _KERNELS, strict=True)):
        with tape.within("stages", number):
            stride, padding = (4, 2) if number == 0 else (1, kernel // 2)
            x = tape.convolution("convolution", x, after, kernel, stride=stride, padding=padding)
            x = tape.activation(spec.activation, x)
            if number in _POOLED:
                x = tape.pooled(x, 3, 2)
    x = tape.view(x, x.size)
    shapes.dense(tape, x, (six, seven, spec.outputs), shapes.activated(tape, spec.activation))


def _build(spec: NetworkSpec, units: Units) -> Module:
    from advisor.networks.families.alexnet.network import AlexNet

    shape = input_picture(spec)
    return AlexNet(shape.colors, units, sides(shape.side)[-1], spec.outputs, lambda: activation(spec.activation))


FAMILIES = (
    Family(
        name="alexnet",
        hidden_units=_UNITS,  # channels of the five convolutions, units of the two dense layers
        layout=pictures,
        count=_count,
        build=_build,
        check=_check,
        advised=False,
        normalizations=("none",),
        dropout=0.0,
    ),
)
