"""Activations by name."""

from __future__ import annotations

from torch import nn

from advisor.networks.description import ACTIVATIONS
from advisor.networks.parts.layers import Following


def activation(name: str) -> nn.Module:
    """The activation of this name; `spec.check` has seen that there is one."""
    made: nn.Module = getattr(nn, ACTIVATIONS[name])()
    return made


def activated(name: str) -> Following:
    """An activation after each layer, and nothing else."""
    return lambda width: [activation(name)]
