"""The declaration of the U-Net."""

from __future__ import annotations

from advisor.networks.description import NetworkSpec, input_picture
from advisor.networks.family import Answer, Family, Module, Units, activated, check_halvings, pictures
from advisor.networks.parts.counting import Counts


def _check(spec: NetworkSpec, units: Units) -> None:
    check_halvings(spec, units, len(units) - 1)


def _count(spec: NetworkSpec, units: Units, counts: Counts) -> None:
    shape = input_picture(spec)
    counts.unet((shape.colours, *units), spec.outputs, shape.side)


def _build(spec: NetworkSpec, units: Units) -> Module:
    from advisor.networks.families.unet.network import UNet

    return UNet((input_picture(spec).colours, *units), spec.outputs, activated(spec.activation))


FAMILIES = (
    Family(
        name="unet",
        hidden_units=(32, 64, 128, 256),  # channels per stage
        layout=pictures,
        count=_count,
        build=_build,
        modality="image",
        check=_check,
        answer=Answer.PIXELS,
    ),
)
