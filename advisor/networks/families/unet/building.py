"""A U-Net from a description."""

from __future__ import annotations

from torch import nn

from advisor.networks.description import NetworkSpec, input_picture
from advisor.networks.families.unet.network import UNet
from advisor.networks.family import Units
from advisor.networks.parts.activations import activated


def build(spec: NetworkSpec, units: Units) -> nn.Module:
    channels = (input_picture(spec).colours, *units)
    return UNet(channels, spec.outputs, activated(spec.activation))
