"""The declaration of the diffusion model."""

from __future__ import annotations

from advisor.networks.description import Layout, NetworkSpec, flat_values, input_picture
from advisor.networks.family import Family, Module, Units, activated, activation, check_halvings, flat, pictures
from advisor.networks.parts.counting import Counts
from advisor.networks.parts.sizes import TIME_WIDTH


def layout(spec: NetworkSpec) -> Layout:
    return pictures(spec) if spec.modality in ("image", "video") else flat(spec)


def _check(spec: NetworkSpec, units: Units) -> None:
    if layout(spec) is Layout.PICTURE:
        check_halvings(spec, units, len(units) - 1)


def _count(spec: NetworkSpec, units: Units, counts: Counts) -> None:
    counts.dense((TIME_WIDTH, TIME_WIDTH))
    if layout(spec) is Layout.FLAT:
        counts.dense((flat_values(spec), *units, flat_values(spec)))
    else:
        shape = input_picture(spec)
        counts.unet((shape.colours, *units), shape.colours, shape.side)
        units += units[-2::-1]  # the stages of the way up
    for width in units:
        counts.dense((TIME_WIDTH, width))


def _build(spec: NetworkSpec, units: Units) -> Module:
    from advisor.networks.families.diffusion.network import Diffusion, FlatDenoiser, PictureDenoiser

    following, squash = activated(spec.activation), activation(spec.activation)
    if layout(spec) is Layout.FLAT:
        values = flat_values(spec)
        return Diffusion(FlatDenoiser((values, *units), following, squash), (values,))
    shape = input_picture(spec)
    return Diffusion(PictureDenoiser((shape.colours, *units), following, squash), (shape.colours, *shape.size))


FAMILIES = (
    Family(
        name="diffusion",
        hidden_units=(64, 128),  # channels per stage of pictures, units per layer of other examples
        layout=layout,
        count=_count,
        build=_build,
        check=_check,
        loss="noise_prediction",
        fixed_loss=True,
        own_losses=("noise_prediction",),
        restores=True,
    ),
)
