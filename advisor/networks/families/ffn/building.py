"""A feed-forward network from a description."""

from __future__ import annotations

from torch import nn

from advisor.networks.description import NetworkSpec, flat_values
from advisor.networks.families.ffn.network import FeedForward
from advisor.networks.parts.activations import activated
from advisor.networks.spec import hidden_units


def build(spec: NetworkSpec) -> nn.Module:
    return FeedForward((flat_values(spec), *hidden_units(spec), spec.outputs), activated(spec.activation))
