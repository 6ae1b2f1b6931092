"""The parts that several families share."""

from __future__ import annotations

from itertools import pairwise

from torch import nn

from advisor.networks.sizes import halvings

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


def doubling(values: int, channels: tuple[int, ...], side: int, function: str) -> nn.Sequential:
    """(batch, values) -> (batch, channels[-1], side, side).

    A linear layer makes the smallest maps, of channels[0]; a transposed convolution for each further number doubles them,
    the last ones as often as the side of the result can be halved. No activation after the last.
    """
    doubled = halvings(side, len(channels) - 1)[::-1]
    least = side // 2 ** sum(doubled)
    layers: list[nn.Module] = [nn.Linear(values, channels[0] * least**2), nn.Unflatten(1, (channels[0], least, least))]
    for (before, after), double in zip(pairwise(channels), doubled, strict=True):
        layers.append(activation(function))
        kernel, stride = (4, 2) if double else (3, 1)
        layers.append(nn.ConvTranspose2d(before, after, kernel, stride=stride, padding=1))
    return nn.Sequential(*layers)
