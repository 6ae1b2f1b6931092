"""Layers that several families share."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import TypeAlias

from torch import Tensor, nn

from advisor.networks.parts.sizes import groups, halvings

Following: TypeAlias = Callable[[int], list[nn.Module]]
"""The modules that follow a layer of this width: its activation, and normalisation and dropout where they are wanted."""
Size: TypeAlias = tuple[int, int]
"""Height and width of a picture in pixels."""


def after_layers(
    activation: Callable[[], nn.Module], normalization: str = "none", dropout: float = 0.0, *, places: int = 0
) -> Following:
    """Normalisation, activation and dropout, those that are wanted, in this order.

    Args:
        normalization: none, batch_norm, layer_norm or group_norm.
        dropout: the share of values that are left out while training.
        places: axes beside that of the channels: 0 of rows of values, 1 of series, 2 of pictures, 3 of films.
    """
    return lambda width: [*normalized(normalization, width, places), activation(), *dropped(dropout)]


def normalized(normalization: str, width: int, places: int) -> list[nn.Module]:
    """The normalisation of this name, if it is one."""
    match normalization:
        case "batch_norm":
            return [{2: nn.BatchNorm2d, 3: nn.BatchNorm3d}.get(places, nn.BatchNorm1d)(width)]
        case "layer_norm" if places == 0:
            return [nn.LayerNorm(width)]
        case "layer_norm":
            return [nn.GroupNorm(1, width)]
        case "group_norm":
            return [nn.GroupNorm(groups(width), width)]
        case _:
            return []


def dropped(share: float) -> list[nn.Module]:
    """Dropout of this share of the values, if there is any."""
    return [nn.Dropout(share)] if share else []


def dense(widths: tuple[int, ...], following: Following) -> nn.Sequential:
    """(batch, widths[0]) -> (batch, widths[-1]): linear layers, each but the last with the modules that follow it."""
    layers: list[nn.Module] = []
    for before, after in pairwise(widths[:-1]):
        layers += [nn.Linear(before, after), *following(after)]
    return nn.Sequential(*layers, nn.Linear(widths[-2], widths[-1]))


def spreading(values: int, channels: tuple[int, ...], size: Size, following: Following) -> nn.Sequential:
    """(batch, values) -> (batch, channels[-1], height, width).

    A linear layer makes the smallest maps, of channels[0]; a transposed convolution for each further number doubles them,
    the last ones as often as the picture can be halved. Nothing follows the last.
    """
    shrink = shrinkage(channels, size)
    height, width = size[0] // shrink, size[1] // shrink
    smallest = nn.Linear(values, channels[0] * height * width), nn.Unflatten(1, (channels[0], height, width))
    return nn.Sequential(*smallest, *enlarging(channels, size, following))


def shrinkage(channels: tuple[int, ...], size: Size) -> int:
    """The side of the picture divided by that of the smallest maps."""
    return int(2 ** sum(halvings(math.gcd(*size), len(channels) - 1)))


def enlarging(channels: tuple[int, ...], size: Size, following: Following) -> list[nn.Module]:
    """From the smallest maps to a picture of this size."""
    layers: list[nn.Module] = []
    doubled = halvings(math.gcd(*size), len(channels) - 1)[::-1]
    for (before, after), double in zip(pairwise(channels), doubled, strict=True):
        kernel, stride = (4, 2) if double else (3, 1)
        layers += [*following(before), nn.ConvTranspose2d(before, after, kernel, stride=stride, padding=1)]
    return layers


class Crop(nn.Module):
    """(batch, channels, ...) -> (batch, channels, height, width): the upper left part."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.size = size

    def forward(self, maps: Tensor) -> Tensor:
        height, width = self.size
        return maps[..., :height, :width]
