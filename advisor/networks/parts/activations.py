"""Activations by name."""

from __future__ import annotations

from torch import nn

from advisor.networks.parts.layers import Following

_ACTIVATIONS: dict[str, type[nn.Module]] = {
    "relu": nn.ReLU,
    "leaky_relu": nn.LeakyReLU,
    "gelu": nn.GELU,
    "swish": nn.SiLU,
    "tanh": nn.Tanh,
    "sigmoid": nn.Sigmoid,
}


def activation(name: str) -> nn.Module:
    """The activation of this name; `spec.check` has seen that there is one."""
    return _ACTIVATIONS[name]()


def activated(name: str) -> Following:
    """An activation after each layer, and nothing else."""
    return lambda width: [activation(name)]
