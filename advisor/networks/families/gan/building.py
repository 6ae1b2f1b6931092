"""A pair of adversaries from a description."""

from __future__ import annotations

from torch import nn

from advisor.networks.description import Layout, NetworkSpec, flat_values, input_picture
from advisor.networks.families.gan.network import Adversaries, dense_players, picture_players
from advisor.networks.family import Units
from advisor.networks.parts.activations import activated
from advisor.networks.spec import layout


def build(spec: NetworkSpec, units: Units) -> nn.Module:
    following = activated(spec.activation)
    if layout(spec) is Layout.FLAT:
        return Adversaries(*dense_players((flat_values(spec),), units, following))
    shape = input_picture(spec)
    return Adversaries(*picture_players((shape.colours, *units), shape.size, following))
