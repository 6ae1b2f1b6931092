"""The declaration of the U-Net."""

from __future__ import annotations

from advisor.models.tape import Tape, Value
from advisor.networks.description import NetworkSpec, input_picture
from advisor.networks.family import Answer, Family, Module, Units, after_layers, check_halvings, pictures
from advisor.networks.parts import shapes


def _check(spec: NetworkSpec, units: Units) -> None:
    check_halvings(spec, units, len(units) - 1)


def _count(spec: NetworkSpec, units: Units, tape: Tape, x: Value) -> None:
    following = shapes.after_layers(tape, spec, 2, dropout=False)

    def stage(maps: Value, width: int) -> Value:
        for name in ("first", "second"):
            maps = following(tape.convolution(name, maps, width, 3))
        return tape.dropout(maps, spec.dropout)

    shapes.unet(tape, x, units, spec.outputs, stage)


def _build(spec: NetworkSpec, units: Units) -> Module:
    from advisor.networks.families.unet.network import UNet

    following = after_layers(spec, 2, dropout=False)
    return UNet((input_picture(spec).colors, *units), spec.outputs, following, spec.dropout)


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
