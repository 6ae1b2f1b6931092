"""A recursive network from a description."""

from __future__ import annotations

from torch import nn

from advisor.networks.description import NetworkSpec
from advisor.networks.families.recursive.network import Recursive
from advisor.networks.parts.activations import activated, activation
from advisor.networks.spec import hidden_units


def build(spec: NetworkSpec) -> nn.Module:
    following, squash = activated(spec.activation), activation(spec.activation)
    return Recursive(spec.inputs, hidden_units(spec), spec.outputs, following, squash)
