"""Autoencoders: squeeze an example through a narrow code and restore it; for compression, anomalies and generation.

Hinton and Salakhutdinov 2006, Reducing the dimensionality of data with neural networks; the variational one from
Kingma and Welling 2014 (arXiv:1312.6114).
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import torch
from torch import Generator, Tensor, nn
from torch.nn import functional

from advisor.networks.parts.layers import Crop, Following, Size, dense

Halves: TypeAlias = tuple[nn.Sequential, nn.Sequential]
"""Encoder and decoder."""


class Restored(NamedTuple):
    """The example as a variational autoencoder restores it, and the distribution of its code."""

    values: Tensor
    mean: Tensor
    log_variance: Tensor


class Autoencoder(nn.Module):
    """(batch, ...) -> the same shape."""

    def __init__(self, halves: Halves) -> None:
        super().__init__()
        self.encoder, self.decoder = halves

    def forward(self, examples: Tensor) -> Tensor:
        restored: Tensor = self.decoder(self.encoder(examples))
        return restored


class VariationalAutoencoder(nn.Module):
    """(batch, ...) -> Restored, with (batch, code) for mean and log variance.

    The encoder gives (batch, 2 * code). The code is drawn anew each time, by the reparametrisation of section 2.4.
    """

    def __init__(self, halves: Halves, code: int) -> None:
        super().__init__()
        self.encoder, self.decoder = halves
        self.code = code

    def forward(self, examples: Tensor) -> Restored:
        mean, log_variance = self.encoder(examples).chunk(2, dim=1)
        code = mean + torch.exp(0.5 * log_variance) * torch.randn_like(mean)
        return Restored(self.decoder(code), mean, log_variance)

    def sample(self, number: int, generator: Generator | None = None) -> Tensor:
        """(number, ...): the means that the decoder gives for random codes."""
        device = next(self.parameters()).device
        decoded: Tensor = self.decoder(torch.randn(number, self.code, generator=generator, device=device))
        return decoded


def dense_halves(shape: tuple[int, ...], units: tuple[int, ...], following: Following, squash: nn.Module) -> Halves:
    """Of an autoencoder of examples of this shape and a code of units[-1], which `squash` is applied to."""
    encoder, decoder = _dense_halves(shape, units, units[-1], following)
    return nn.Sequential(*encoder, squash), decoder


def dense_variational_halves(shape: tuple[int, ...], units: tuple[int, ...], following: Following) -> Halves:
    """Of a variational autoencoder of examples of this shape and a code of units[-1]."""
    return _dense_halves(shape, units, 2 * units[-1], following)


def _dense_halves(shape: tuple[int, ...], units: tuple[int, ...], encoded: int, following: Following) -> Halves:
    widths = (math.prod(shape), *units)
    encoder = nn.Sequential(nn.Flatten(), dense((*widths[:-1], encoded), following))
    return encoder, nn.Sequential(dense(widths[::-1], following), nn.Unflatten(1, shape))


def picture_halves(channels: tuple[int, ...], size: Size, following: Following) -> Halves:
    """Of an autoencoder of pictures: a convolution for each pair of channels halves them, a transposed one doubles them."""
    sizes = _sizes(size, len(channels))
    down: list[nn.Module] = []
    for before, after in pairwise(channels):
        down += [nn.Conv2d(before, after, 3, stride=2, padding=1), *following(after)]
    up: list[nn.Module] = []
    for (before, after), (smaller, larger) in zip(pairwise(channels[::-1]), pairwise(sizes[::-1]), strict=True):
        up += following(before) if up else []
        up.append(nn.ConvTranspose2d(before, after, 4, stride=2, padding=1))
        if larger != (2 * smaller[0], 2 * smaller[1]):
            up.append(Crop(larger))
    return nn.Sequential(*down), nn.Sequential(*up)


def picture_variational_halves(channels: tuple[int, ...], size: Size, code: int, following: Following) -> Halves:
    """Of a variational autoencoder of pictures, with a linear layer on either side of its code."""
    encoder, decoder = picture_halves(channels, size, following)
    smallest = (channels[-1], *_sizes(size, len(channels))[-1])
    values = smallest[0] * smallest[1] * smallest[2]
    return (
        nn.Sequential(encoder, nn.Flatten(), nn.Linear(values, 2 * code)),
        nn.Sequential(nn.Linear(code, values), nn.Unflatten(1, smallest), *following(channels[-1]), decoder),
    )


def _sizes(size: Size, number: int) -> list[Size]:
    """The picture, its half rounded up, and so on."""
    height, width = size
    return [(-(-height // 2**stage), -(-width // 2**stage)) for stage in range(number)]


def elbo(restored: Restored, examples: Tensor) -> Tensor:
    """The negative evidence lower bound per value, with a Gaussian decoder (Kingma and Welling 2014, equation 10)."""
    difference = functional.mse_loss(restored.values, examples, reduction="sum") / 2
    divergence = -0.5 * (1 + restored.log_variance - restored.mean**2 - restored.log_variance.exp()).sum()
    return (difference + divergence) / examples.numel()
