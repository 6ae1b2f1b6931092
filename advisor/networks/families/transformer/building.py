"""A transformer from a description."""

from __future__ import annotations

from torch import nn

from advisor.networks.description import Layout, NetworkSpec, input_picture
from advisor.networks.families.transformer.declaration import heads, layers_for, patch_size, wider
from advisor.networks.families.transformer.network import Patches, Transformer
from advisor.networks.family import Units
from advisor.networks.parts.activations import activation
from advisor.networks.spec import layout, predicts_tokens


def build(spec: NetworkSpec, units: Units) -> nn.Module:
    width = units[0]
    reader, steps = _reader(spec, width)
    every_step = predicts_tokens(spec)
    return Transformer(
        reader,
        steps,
        width,
        wider(units),
        heads(width),
        layers_for(width),
        spec.outputs,
        activation("gelu" if spec.activation == "gelu" else "relu"),
        every_step=every_step,
        causal=every_step,
    )


def _reader(spec: NetworkSpec, width: int) -> tuple[nn.Module, int]:
    """The module that turns an example into steps of this width, and how many steps there are."""
    match layout(spec):
        case Layout.PICTURE:
            shape = input_picture(spec)
            size = patch_size(shape.side)
            return Patches(shape.colours, width, size), (shape.side // size) ** 2
        case Layout.TOKENS:
            return nn.Embedding(spec.inputs, width), spec.sequence_length or 1
        case _:
            return nn.Linear(spec.inputs, width), spec.sequence_length or 1
