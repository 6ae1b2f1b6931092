"""The declaration of the deconvolutional network."""

from __future__ import annotations

from advisor.networks.description import Layout, NetworkSpec, flat_values, output_picture
from advisor.networks.family import Answer, Family, Module, Units, activated, check_gives_values
from advisor.networks.parts.counting import Counts
from advisor.networks.parts.sizes import halvings


def _layout(spec: NetworkSpec) -> Layout:
    output_picture(spec)
    return Layout.PICTURE if _restores(spec) else Layout.FLAT


def _restores(spec: NetworkSpec) -> bool:
    return spec.modality == "image" and spec.inputs == spec.outputs


def _check(spec: NetworkSpec, units: Units) -> None:
    check_gives_values(spec, "A deconvolutional network gives")


def _count(spec: NetworkSpec, units: Units, counts: Counts) -> None:
    shape = output_picture(spec)
    channels = (*units, shape.colours)
    if _restores(spec):
        shrink = 2 ** sum(halvings(shape.side, len(units)))
        counts.convolution(shape.colours, units[0], shrink**2, (shape.side // shrink) ** 2)
        counts.enlarging(channels, shape.side)
    else:
        counts.spreading(flat_values(spec), channels, shape.side)


def _build(spec: NetworkSpec, units: Units) -> Module:
    from advisor.networks.families.deconvolutional.network import Deconvolutional, PictureDeconvolutional

    shape, following = output_picture(spec), activated(spec.activation)
    channels = (*units, shape.colours)
    if _restores(spec):
        return PictureDeconvolutional(shape.colours, channels, shape.size, following)
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
