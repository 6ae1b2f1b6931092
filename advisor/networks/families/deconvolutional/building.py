"""A deconvolutional network from a description."""

from __future__ import annotations

from torch import nn

from advisor.networks.description import Layout, NetworkSpec, flat_values
from advisor.networks.families.deconvolutional.declaration import made_picture
from advisor.networks.families.deconvolutional.network import Deconvolutional, PictureDeconvolutional
from advisor.networks.family import Units
from advisor.networks.parts.activations import activated
from advisor.networks.spec import layout


def build(spec: NetworkSpec, units: Units) -> nn.Module:
    shape, following = made_picture(spec), activated(spec.activation)
    channels = (*units, shape.colours)
    if layout(spec) is Layout.PICTURE:
        return PictureDeconvolutional(shape.colours, channels, shape.size, following)
    return Deconvolutional(flat_values(spec), channels, shape.size, following)
