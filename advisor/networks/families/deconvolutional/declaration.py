"""The declaration of the deconvolutional network."""

from __future__ import annotations

from advisor.networks.description import Layout, NetworkSpec, Picture, UnbuildableError, flat_values, square_picture
from advisor.networks.family import Answer, Family, Units
from advisor.networks.parts.counting import Counts
from advisor.networks.parts.sizes import halvings


def made_picture(spec: NetworkSpec) -> Picture:
    """The picture that the network gives. Raises UnbuildableError where the outputs are no square."""
    return square_picture(spec.outputs, "a deconvolutional cannot be built for")


def layout(spec: NetworkSpec) -> Layout:
    made_picture(spec)
    return Layout.PICTURE if _restores(spec) else Layout.FLAT


def _restores(spec: NetworkSpec) -> bool:
    return spec.modality == "image" and spec.inputs == spec.outputs


def _check(spec: NetworkSpec, units: Units) -> None:
    if "cross_entropy" in (spec.loss, spec.loss.removeprefix("dice_")):
        raise UnbuildableError(
            f"A deconvolutional network gives values, for which the loss {spec.loss} has no meaning."
        )


def _count(spec: NetworkSpec, units: Units) -> Counts:
    found = Counts()
    shape = made_picture(spec)
    channels = (*units, shape.colours)
    if layout(spec) is Layout.PICTURE:
        shrink = 2 ** sum(halvings(shape.side, len(units)))
        found.convolution(shape.colours, units[0], shrink**2, (shape.side // shrink) ** 2)
        found.enlarging(channels, shape.side)
    else:
        found.spreading(flat_values(spec), channels, shape.side)
    return found


FAMILIES = (
    Family(
        name="deconvolutional",
        hidden_units=(256, 128, 64),  # channels per stage, from the smallest maps to the picture
        layout=layout,
        count=_count,
        check=_check,
        loss="mse",
        restores_pictures=_restores,
        answer=Answer.PICTURE,
    ),
)
