"""A convolutional network from a description."""

from __future__ import annotations

from torch import nn

from advisor.networks.description import Layout, NetworkSpec, input_picture
from advisor.networks.families.cnn.network import PictureCnn, SequenceCnn
from advisor.networks.family import Units
from advisor.networks.parts.activations import activated
from advisor.networks.parts.sizes import EMBEDDING_WIDTH
from advisor.networks.spec import layout


def build(spec: NetworkSpec, units: Units) -> nn.Module:
    following = activated(spec.activation)
    if layout(spec) is Layout.PICTURE:
        shape = input_picture(spec)
        return PictureCnn((shape.colours, *units), shape.size, spec.outputs, following)
    tokens = layout(spec) is Layout.TOKENS
    channels = (EMBEDDING_WIDTH if tokens else spec.inputs, *units)
    steps = spec.sequence_length or 1
    return SequenceCnn(channels, steps, spec.outputs, following, tokens=spec.inputs if tokens else None)
