"""A U-Net from a description."""

from __future__ import annotations

from torch import nn

from advisor.networks.description import NetworkSpec, input_picture
from advisor.networks.families.unet.network import UNet
from advisor.networks.parts.activations import activated
from advisor.networks.spec import hidden_units


def build(spec: NetworkSpec) -> nn.Module:
    channels = (input_picture(spec).colours, *hidden_units(spec))
    return UNet(channels, spec.outputs, activated(spec.activation))
