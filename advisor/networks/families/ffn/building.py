"""A feed-forward network from a description."""

from __future__ import annotations

from torch import nn

from advisor.networks.description import NetworkSpec, flat_values
from advisor.networks.families.ffn.network import FeedForward
from advisor.networks.family import Units
from advisor.networks.parts.activations import activated


def build(spec: NetworkSpec, units: Units) -> nn.Module:
    return FeedForward((flat_values(spec), *units, spec.outputs), activated(spec.activation))
