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
from advisor.networks.parts.activations import activated, activation
from advisor.networks.parts.sizes import PICTURE_CODE_WIDTH
from advisor.networks.spec import hidden_units, layout


def build(spec: NetworkSpec) -> nn.Module:
    following = activated(spec.activation)
    variational = spec.network == "vae"
    if layout(spec) is Layout.FLAT:
        widths = (flat_values(spec), *encoder_widths(hidden_units(spec)))
        if variational:
            return VariationalAutoencoder(dense_variational_halves(widths, following), widths[-1])
        return Autoencoder(dense_halves(widths, following, activation(spec.activation)))
    shape = input_picture(spec)
    channels = (shape.colours, *hidden_units(spec))
    if variational:
        halves = picture_variational_halves(channels, shape.size, PICTURE_CODE_WIDTH, following)
        return VariationalAutoencoder(halves, PICTURE_CODE_WIDTH)
    return Autoencoder(picture_halves(channels, shape.size, following))
