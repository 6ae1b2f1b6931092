"""The declarations of autoencoders."""

from __future__ import annotations

import math

from advisor.models.tape import Tape, Value
from advisor.networks.description import Layout, NetworkSpec, flat_values, input_picture
from advisor.networks.family import (
    Family,
    Module,
    Units,
    activation,
    after_layers,
    check_gives_values,
    check_halvings,
    large_pictures,
)
from advisor.networks.parts import shapes
from advisor.networks.parts.sizes import PICTURE_CODE_WIDTH


def encoder_widths(units: Units) -> Units:
    """The encoder, down to its code: (256, 64, 256) is written out whole, (256, 64) is mirrored."""
    written_out = len(units) % 2 == 1 and units == units[::-1]
    return units[: len(units) // 2 + 1] if written_out else units


def _check(spec: NetworkSpec, units: Units) -> None:
    check_gives_values(spec, "An autoencoder restores")
    if large_pictures(spec) is Layout.PICTURE:
        check_halvings(spec, units, len(units))


def _count(spec: NetworkSpec, units: Units, tape: Tape, x: Value) -> None:
    count = _count_dense if large_pictures(spec) is Layout.FLAT else _count_pictures
    count(spec, units, tape, x)


def _count_dense(spec: NetworkSpec, units: Units, tape: Tape, x: Value) -> None:
    following = shapes.after_layers(tape, spec)
    *widths, code = encoder_widths(units)
    variational = spec.network == "vae"
    with tape.within("encoder"):
        encoded = shapes.dense(tape, x, (*widths, 2 * code if variational else code), following)
        encoded = _drawn(tape, encoded) if variational else tape.activation(spec.activation, encoded)
    with tape.within("decoder"):
        shapes.dense(tape, encoded, (*widths[::-1], x.size), following)


def _count_pictures(spec: NetworkSpec, units: Units, tape: Tape, x: Value) -> None:
    following = shapes.after_layers(tape, spec, 2)
    colors = x.shape[0]
    with tape.within("encoder"):
        for number, after in enumerate(units):
            with tape.within(number):
                x = following(tape.convolution("convolution", x, after, 3, stride=2))
        smallest = x.shape
        if spec.network == "vae":
            x = _drawn(tape, tape.linear("code", tape.view(x, x.size), 2 * PICTURE_CODE_WIDTH))
    with tape.within("decoder"):
        if spec.network == "vae":
            x = tape.linear("smallest", x, math.prod(smallest))
            x = following(tape.view(x, *smallest))
        for number, after in enumerate((*units[-2::-1], colors)):
            with tape.within(number):
                x = tape.enlarging("convolution", following(x) if number else x, after, 4, 2)


def _drawn(tape: Tape, encoded: Value) -> Value:
    """A code from its mean and log variance: the mean, and noise times the deviation."""
    code = encoded.size // 2
    deviation = tape.activation("exp", tape.moved(encoded, code, name="halve"))
    return tape.add(tape.view(encoded, code), tape.multiply(deviation, tape.given(code)))


def _build(spec: NetworkSpec, units: Units) -> Module:
    from advisor.networks.families.autoencoder import network

    variational = spec.network == "vae"
    if large_pictures(spec) is Layout.FLAT:
        following = after_layers(spec)
        values, units = (flat_values(spec),), encoder_widths(units)
        if variational:
            return network.VariationalAutoencoder(network.dense_variational_halves(values, units, following), units[-1])
        return network.Autoencoder(network.dense_halves(values, units, following, activation(spec.activation)))
    shape, following = input_picture(spec), after_layers(spec, 2)
    channels = (shape.colors, *units)
    if variational:
        halves = network.picture_variational_halves(channels, shape.size, PICTURE_CODE_WIDTH, following)
        return network.VariationalAutoencoder(halves, PICTURE_CODE_WIDTH)
    return network.Autoencoder(network.picture_halves(channels, shape.size, following))


FAMILIES = (
    Family(
        name="autoencoder",
        hidden_units=(256, 64, 256),  # encoder, code and decoder; of pictures channels per stage
        layout=large_pictures,
        count=_count,
        build=_build,
        check=_check,
        loss="mse",
        restores=True,
    ),
    Family(
        name="vae",
        hidden_units=(256, 64, 256),  # as above
        layout=large_pictures,
        count=_count,
        build=_build,
        check=_check,
        loss="elbo",
        fixed_loss=True,
        own_losses=("elbo",),
        restores=True,
    ),
)
