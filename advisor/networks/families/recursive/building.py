"""A recursive network from a description."""

from __future__ import annotations

from torch import nn

from advisor.networks.description import NetworkSpec
from advisor.networks.families.recursive.network import Recursive
from advisor.networks.family import Units
from advisor.networks.parts.activations import activated, activation


def build(spec: NetworkSpec, units: Units) -> nn.Module:
    following, squash = activated(spec.activation), activation(spec.activation)
    return Recursive(spec.inputs, units, spec.outputs, following, squash)
