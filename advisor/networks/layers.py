"""The parts that several families share."""

from __future__ import annotations

from itertools import pairwise

from torch import nn

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


def dense(widths: tuple[int, ...], function: str) -> nn.Sequential:
    """(batch, widths[0]) -> (batch, widths[-1]): linear layers with the activation between, none after the last."""
    layers: list[nn.Module] = []
    for width, following in pairwise(widths):
        layers += [nn.Linear(width, following), activation(function)]
    return nn.Sequential(*layers[:-1])
