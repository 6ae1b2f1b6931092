"""The declaration of ResNet-50."""

from __future__ import annotations

from advisor.models.tape import Tape, Value
from advisor.networks.description import NetworkSpec, input_picture
from advisor.networks.family import Family, Module, Units, activation, check_design, pictures
from advisor.networks.parts import shapes

BLOCKS = (3, 4, 6, 3)
"""Blocks a stage (He et al. 2016, arXiv:1512.03385, table 1)."""
EXPANSION = 4
"""Channels that leave a block, for each channel within it."""
LEAST_SIDE = 33
"""Pixels along a side of the smallest picture that it can read."""
_UNITS = (64, 128, 256, 512)


def _check(spec: NetworkSpec, units: Units) -> None:
    why = "of a smaller one a single pixel would be left, and one example cannot be normalised."
    check_design(spec, units, _UNITS, LEAST_SIDE, why)


def _count(spec: NetworkSpec, units: Units, tape: Tape, x: Value) -> None:
    following = shapes.activated(tape, spec.activation)
    with tape.within("stem"):
        x = tape.pooled(following(_convolved(tape, "convolution", x, units[0], 7, 2)), 3, 2, padding=1)
    for stage, (inner, many) in enumerate(zip(units, BLOCKS, strict=True)):
        for number in range(many):
            stride = 2 if stage and not number else 1
            with tape.within("stages", stage, number):
                way = following(_convolved(tape, "reduce", x, inner, 1))
                way = following(_convolved(tape, "look", way, inner, 3, stride))
                way = _convolved(tape, "widen", way, inner * EXPANSION, 1)
                around = x if x.shape == way.shape else _convolved(tape, "around", x, inner * EXPANSION, 1, stride)
                x = following(tape.add(way, around))
    tape.linear("head", tape.mean(x, x.shape[0]), spec.outputs)


def _convolved(tape: Tape, name: str, x: Value, after: int, kernel: int, stride: int = 1) -> Value:
    """A convolution, with the batch normalisation that takes the place of its biases."""
    return tape.norm(f"{name}_norm", tape.convolution(name, x, after, kernel, stride=stride, bias=False), "batch")


def _build(spec: NetworkSpec, units: Units) -> Module:
    from advisor.networks.families.resnet50.network import ResNet50

    stages = [(inner, inner * EXPANSION, many) for inner, many in zip(units, BLOCKS, strict=True)]
    return ResNet50(input_picture(spec).colors, stages, spec.outputs, lambda: activation(spec.activation))


FAMILIES = (
    Family(
        name="resnet50",
        hidden_units=_UNITS,  # inner channels of the four stages; the first are those of the first convolution too
        layout=pictures,
        count=_count,
        build=_build,
        check=_check,
        advised=False,
        normalizations=("none",),
        own_normalization="batch_norm",
        dropout=0.0,
    ),
)
