"""A graph neural network from a description."""

from __future__ import annotations

from torch import nn

from advisor.networks.description import NetworkSpec
from advisor.networks.families.gnn.network import MessagePassing
from advisor.networks.parts.activations import activated
from advisor.networks.spec import hidden_units


def build(spec: NetworkSpec) -> nn.Module:
    return MessagePassing((spec.inputs, *hidden_units(spec)), spec.outputs, activated(spec.activation))
