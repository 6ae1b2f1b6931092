"""An autoencoder from a description."""

from __future__ import annotations

from torch import nn

from advisor.networks.description import Layout, NetworkSpec, flat_values, input_picture
from advisor.networks.families.autoencoder.declaration import encoder_widths
from advisor.networks.families.autoencoder.network import (
    Autoencoder,
    VariationalAutoencoder,
    dense_halves,
    dense_variational_halves,
    picture_halves,
    picture_variational_halves,
)
from advisor.networks.family import Units
from advisor.networks.parts.activations import activated, activation
from advisor.networks.parts.sizes import PICTURE_CODE_WIDTH
from advisor.networks.spec import layout


def build(spec: NetworkSpec, units: Units) -> nn.Module:
    following = activated(spec.activation)
    variational = spec.network == "vae"
    if layout(spec) is Layout.FLAT:
        values, units = (flat_values(spec),), encoder_widths(units)
        if variational:
            return VariationalAutoencoder(dense_variational_halves(values, units, following), units[-1])
        return Autoencoder(dense_halves(values, units, following, activation(spec.activation)))
    shape = input_picture(spec)
    channels = (shape.colours, *units)
    if variational:
        halves = picture_variational_halves(channels, shape.size, PICTURE_CODE_WIDTH, following)
        return VariationalAutoencoder(halves, PICTURE_CODE_WIDTH)
    return Autoencoder(picture_halves(channels, shape.size, following))
