"""The declarations of autoencoders."""

from __future__ import annotations

from itertools import pairwise

from advisor.networks.description import Layout, NetworkSpec, flat_values, input_picture
from advisor.networks.family import (
    Family,
    Module,
    Units,
    activated,
    activation,
    check_gives_values,
    check_halvings,
    large_pictures,
)
from advisor.networks.parts.counting import Counts
from advisor.networks.parts.sizes import PICTURE_CODE_WIDTH


def encoder_widths(units: Units) -> Units:
    """The encoder, down to its code: (256, 64, 256) is written out whole, (256, 64) is mirrored."""
    written_out = len(units) % 2 == 1 and units == units[::-1]
    return units[: len(units) // 2 + 1] if written_out else units


def _check(spec: NetworkSpec, units: Units) -> None:
    check_gives_values(spec, "An autoencoder restores")
    if large_pictures(spec) is Layout.PICTURE:
        check_halvings(spec, units, len(units))


def _count(spec: NetworkSpec, units: Units, counts: Counts) -> None:
    variational = spec.network == "vae"
    if large_pictures(spec) is Layout.FLAT:
        widths = (flat_values(spec), *encoder_widths(units))
        counts.dense((*widths[:-1], widths[-1] * (2 if variational else 1)))
        counts.dense(widths[::-1])
        return
    shape = input_picture(spec)
    channels = (shape.colours, *units)
    for number, (before, after) in enumerate(pairwise(channels)):
        counts.convolution(before, after, 9, shape.side**2 // 4 ** (number + 1))
    for number, (before, after) in enumerate(pairwise(channels[::-1])):
        counts.convolution(before, after, 16, shape.side**2 // 4 ** (len(units) - number), 4)
    if variational:
        values = channels[-1] * (shape.side // 2 ** len(units)) ** 2
        counts.dense((values, 2 * PICTURE_CODE_WIDTH))
        counts.dense((PICTURE_CODE_WIDTH, values))


def _build(spec: NetworkSpec, units: Units) -> Module:
    from advisor.networks.families.autoencoder import network

    following = activated(spec.activation)
    variational = spec.network == "vae"
    if large_pictures(spec) is Layout.FLAT:
        values, units = (flat_values(spec),), encoder_widths(units)
        if variational:
            return network.VariationalAutoencoder(network.dense_variational_halves(values, units, following), units[-1])
        return network.Autoencoder(network.dense_halves(values, units, following, activation(spec.activation)))
    shape = input_picture(spec)
    channels = (shape.colours, *units)
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
