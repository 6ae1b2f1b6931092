"""Autoencoders: squeeze an example through a narrow code and restore it; for compression, anomalies and generation.

Hinton and Salakhutdinov 2006, Reducing the dimensionality of data with neural networks; the variational one from
Kingma and Welling 2014 (arXiv:1312.6114).
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Generator, Tensor, nn

from advisor.networks.layers import activation, dense
from advisor.networks.sizes import PICTURE_CODE_WIDTH
from advisor.networks.spec import (
    Layout,
    NetworkSpec,
    Picture,
    encoder_widths,
    flat_values,
    hidden_units,
    layout,
    picture_of,
)


class Restored(NamedTuple):
    """What a variational autoencoder gives: the example again, and the distribution of its code."""

    values: Tensor
    mean: Tensor
    log_variance: Tensor


class Autoencoder(nn.Module):
    """(batch, values) or (batch, colours, side, side) -> the same shape."""

    def __init__(self, encoder: nn.Module, decoder: nn.Module) -> None:
        super().__init__()
        self.encoder, self.decoder = encoder, decoder

    def forward(self, examples: Tensor) -> Tensor:
        restored: Tensor = self.decoder(self.encoder(examples))
        return restored


class VariationalAutoencoder(nn.Module):
    """(batch, values) or (batch, colours, side, side) -> Restored, with (batch, code) for mean and log variance.

    The encoder gives (batch, 2 * code). The code is drawn anew each time, by the reparametrisation of section 2.4.
    """

    def __init__(self, encoder: nn.Module, decoder: nn.Module, code: int) -> None:
        super().__init__()
        self.encoder, self.decoder, self.code = encoder, decoder, code

    def forward(self, examples: Tensor) -> Restored:
        mean, log_variance = self.encoder(examples).chunk(2, dim=1)
        code = mean + torch.exp(0.5 * log_variance) * torch.randn_like(mean)
        return Restored(self.decoder(code), mean, log_variance)

    def sample(self, number: int, generator: Generator | None = None) -> Tensor:
        """(number, values) or (number, colours, side, side): the means that the decoder gives for codes by chance."""
        decoded: Tensor = self.decoder(torch.randn(number, self.code, generator=generator))
        return decoded


def build_autoencoder(spec: NetworkSpec) -> nn.Module:
    if layout(spec) is Layout.PICTURE:
        shape, channels = _stages(spec)
        return Autoencoder(_halving(channels, spec.activation), _doubling(channels, shape, spec.activation))
    widths = (flat_values(spec), *encoder_widths(hidden_units(spec)))
    code = activation(spec.activation)
    return Autoencoder(nn.Sequential(dense(widths, spec.activation), code), dense(widths[::-1], spec.activation))


def build_vae(spec: NetworkSpec) -> nn.Module:
    if layout(spec) is Layout.FLAT:
        *widths, code = (flat_values(spec), *encoder_widths(hidden_units(spec)))
        encoder = dense((*widths, 2 * code), spec.activation)
        return VariationalAutoencoder(encoder, dense((code, *widths[::-1]), spec.activation), code)
    shape, channels = _stages(spec)
    side = shape.side // 2 ** (len(channels) - 1)
    dots = channels[-1] * side * side
    encoder = nn.Sequential(_halving(channels, spec.activation), nn.Flatten(), nn.Linear(dots, 2 * PICTURE_CODE_WIDTH))
    decoder = nn.Sequential(
        nn.Linear(PICTURE_CODE_WIDTH, dots),
        nn.Unflatten(1, (channels[-1], side, side)),
        activation(spec.activation),
        _doubling(channels, shape, spec.activation),
    )
    return VariationalAutoencoder(encoder, decoder, PICTURE_CODE_WIDTH)


def _stages(spec: NetworkSpec) -> tuple[Picture, tuple[int, ...]]:
    shape = picture_of(spec)
    return shape, (shape.colours, *hidden_units(spec))


def _halving(channels: tuple[int, ...], function: str) -> nn.Sequential:
    """(batch, colours, side, side) -> (batch, channels[-1], side / 2**stages, side / 2**stages)."""
    layers: list[nn.Module] = []
    for before, after in pairwise(channels):
        layers += [nn.Conv2d(before, after, 3, stride=2, padding=1), activation(function)]
    return nn.Sequential(*layers)


def _doubling(channels: tuple[int, ...], shape: Picture, function: str) -> nn.Sequential:
    """The way back; no activation after the last layer."""
    layers: list[nn.Module] = []
    for before, after in pairwise(channels[::-1]):
        layers += [nn.ConvTranspose2d(before, after, 4, stride=2, padding=1), activation(function)]
    return nn.Sequential(*layers[:-1])
