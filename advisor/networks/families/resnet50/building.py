"""ResNet-50 from a description."""

from __future__ import annotations

from torch import nn

from advisor.networks.description import NetworkSpec, input_picture
from advisor.networks.families.resnet50.network import ResNet50
from advisor.networks.family import Units
from advisor.networks.parts.activations import activation


def build(spec: NetworkSpec, units: Units) -> nn.Module:
    colours = input_picture(spec).colours
    return ResNet50(colours, units, spec.outputs, lambda: activation(spec.activation))
