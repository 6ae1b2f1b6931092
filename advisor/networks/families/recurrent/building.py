"""A recurrent network from a description."""

from __future__ import annotations

from torch import nn

from advisor.networks.description import Layout, NetworkSpec
from advisor.networks.families.recurrent.network import Recurrent, lstm, relu_rnn, rnn
from advisor.networks.family import Units
from advisor.networks.spec import layout, predicts_tokens


def build(spec: NetworkSpec, units: Units) -> nn.Module:
    """Of the activations an rnn knows tanh and relu, and takes tanh for the others."""
    tokens = layout(spec) is Layout.TOKENS
    layer = lstm if spec.network == "lstm" else relu_rnn if spec.activation == "relu" else rnn
    return Recurrent(
        layer,
        (units[0] if tokens else spec.inputs, *units),
        spec.outputs,
        tokens=spec.inputs if tokens else None,
        every_step=predicts_tokens(spec),
    )
