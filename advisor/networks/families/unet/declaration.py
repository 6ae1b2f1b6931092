"""The declaration of the U-Net."""

from __future__ import annotations

from advisor.networks.description import NetworkSpec, input_picture
from advisor.networks.family import Answer, Family, Units, check_halvings, pictures
from advisor.networks.parts.counting import Counts


def _check(spec: NetworkSpec, units: Units) -> None:
    check_halvings(spec, units, len(units) - 1)


def _count(spec: NetworkSpec, units: Units) -> Counts:
    found = Counts()
    shape = input_picture(spec)
    found.unet((shape.colours, *units), spec.outputs, shape.side)
    return found


FAMILIES = (
    Family(
        name="unet",
        hidden_units=(32, 64, 128, 256),  # channels per stage
        layout=pictures,
        count=_count,
        modality="image",
        check=_check,
        answer=Answer.PIXELS,
    ),
)
