"""A diffusion model from a description."""

from __future__ import annotations

from torch import nn

from advisor.networks.description import Layout, NetworkSpec, flat_values, input_picture
from advisor.networks.families.diffusion.network import Diffusion, FlatDenoiser, PictureDenoiser
from advisor.networks.family import Units
from advisor.networks.parts.activations import activated, activation
from advisor.networks.spec import layout


def build(spec: NetworkSpec, units: Units) -> nn.Module:
    following, squash = activated(spec.activation), activation(spec.activation)
    if layout(spec) is Layout.FLAT:
        values = flat_values(spec)
        return Diffusion(FlatDenoiser((values, *units), following, squash), (values,))
    shape = input_picture(spec)
    return Diffusion(PictureDenoiser((shape.colours, *units), following, squash), (shape.colours, *shape.size))
