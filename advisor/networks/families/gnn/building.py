"""A graph neural network from a description."""

from __future__ import annotations

from torch import nn

from advisor.networks.description import NetworkSpec
from advisor.networks.families.gnn.network import MessagePassing
from advisor.networks.family import Units
from advisor.networks.parts.activations import activated


def build(spec: NetworkSpec, units: Units) -> nn.Module:
    return MessagePassing((spec.inputs, *units), spec.outputs, activated(spec.activation))
