"""The declaration of the deconvolutional network."""

from __future__ import annotations

from advisor.models.tape import Tape, Value
from advisor.networks.description import Layout, NetworkSpec, flat_values, output_picture
from advisor.networks.family import Answer, Family, Module, Units, after_layers, check_gives_values
from advisor.networks.parts import shapes


def _layout(spec: NetworkSpec) -> Layout:
    output_picture(spec)
    return Layout.PICTURE if _restores(spec) else Layout.FLAT


def _restores(spec: NetworkSpec) -> bool:
    return spec.modality == "image" and spec.inputs == spec.outputs


def _check(spec: NetworkSpec, units: Units) -> None:
    check_gives_values(spec, "A deconvolutional network gives")


def _count(spec: NetworkSpec, units: Units, tape: Tape, x: Value) -> None:
    shape, following = output_picture(spec), shapes.after_layers(tape, spec, 2)
    channels = (*units, shape.colors)
    if _restores(spec):
        shrink = shapes.shrinkage(channels, shape.side)
        x = tape.convolution("reader", x, units[0], shrink, stride=shrink, padding=0)
        shapes.enlarging(tape, x, channels, shape.side, following)
    else:
        shapes.spreading(tape, x, channels, shape.side, following)


def _build(spec: NetworkSpec, units: Units) -> Module:
    from advisor.networks.families.deconvolutional.network import Deconvolutional, PictureDeconvolutional

    shape, following = output_picture(spec), after_layers(spec, 2)
    channels = (*units, shape.colors)
    if _restores(spec):
        return PictureDeconvolutional(shape.colors, channels, shape.size, following)
    return Deconvolutional(flat_values(spec), channels, shape.size, following)


FAMILIES = (
    Family(
        name="deconvolutional",
        hidden_units=(256, 128, 64),  # channels per stage, from the smallest maps to the picture
        layout=_layout,
        count=_count,
        build=_build,
        check=_check,
        loss="mse",
        restores_pictures=_restores,
        answer=Answer.PICTURE,
    ),
)
