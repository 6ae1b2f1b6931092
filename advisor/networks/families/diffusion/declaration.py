"""The declaration of the diffusion model."""

from __future__ import annotations

from advisor.models.tape import Tape, Value
from advisor.networks.description import Layout, NetworkSpec, flat_values, input_picture
from advisor.networks.family import Family, Module, Units, activation, after_layers, check_halvings, flat, pictures
from advisor.networks.parts import shapes
from advisor.networks.parts.sizes import TIME_WIDTH


def layout(spec: NetworkSpec) -> Layout:
    return pictures(spec) if spec.modality in ("image", "video") else flat(spec)


def _check(spec: NetworkSpec, units: Units) -> None:
    if layout(spec) is Layout.PICTURE:
        check_halvings(spec, units, len(units) - 1)


def _count(spec: NetworkSpec, units: Units, tape: Tape, x: Value) -> None:
    squash = shapes.activated(tape, spec.activation)
    noisy = tape.add(x, tape.given(*x.shape))
    with tape.within("code"):
        code = squash(tape.linear("mix", tape.given(TIME_WIDTH), TIME_WIDTH))
    if layout(spec) is Layout.PICTURE:
        following = shapes.after_layers(tape, spec, 2, dropout=False)

        def stage(maps: Value, width: int) -> Value:
            """Two convolutions; the step is told between them."""
            told = tape.linear("told", code, width)
            maps = following(tape.add(tape.convolution("first", maps, width, 3), told))
            maps = tape.dropout(maps, spec.dropout)
            return squash(tape.convolution("second", maps, width, 3))

        shapes.unet(tape, noisy, units, x.shape[0], stage)
        return
    following = shapes.after_layers(tape, spec)
    for number, width in enumerate(units):
        with tape.within("layers", number):
            noisy = following(tape.add(tape.linear("linear", noisy, width), tape.linear("told", code, width)))
    tape.linear("head", noisy, x.size)


def _build(spec: NetworkSpec, units: Units) -> Module:
    from advisor.networks.families.diffusion.network import Diffusion, FlatDenoiser, PictureDenoiser

    squash = activation(spec.activation)
    if layout(spec) is Layout.FLAT:
        values = flat_values(spec)
        return Diffusion(FlatDenoiser((values, *units), after_layers(spec), squash), (values,))
    shape = input_picture(spec)
    following = after_layers(spec, 2, dropout=False)
    denoiser = PictureDenoiser((shape.colors, *units), following, squash, spec.dropout)
    return Diffusion(denoiser, (shape.colors, *shape.size))


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
