"""AlexNet from a description."""

from __future__ import annotations

from torch import nn

from advisor.networks.description import NetworkSpec, input_picture
from advisor.networks.families.alexnet.declaration import sides
from advisor.networks.families.alexnet.network import AlexNet
from advisor.networks.family import Units
from advisor.networks.parts.activations import activation


def build(spec: NetworkSpec, units: Units) -> nn.Module:
    shape = input_picture(spec)
    least_side = sides(shape.side)[-1]
    return AlexNet(shape.colours, units, least_side, spec.outputs, lambda: activation(spec.activation))
