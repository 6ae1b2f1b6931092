"""The U-Net: an answer for every dot of a picture; for segmentation and restoration.

Ronneberger, Fischer and Brox 2015 (arXiv:1505.04597), with padded convolutions so that the answer is as large as the
picture.
"""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from advisor.networks.layers import activation
from advisor.networks.spec import NetworkSpec, hidden_units, picture_of


class UNet(nn.Module):
    """(batch, colours, side, side) -> (batch, outputs, side, side).

    Down through the stages, halving the picture between them; up again, each stage joined with the one opposite.
    """

    def __init__(self, spec: NetworkSpec) -> None:
        super().__init__()
        shape = picture_of(spec)
        channels = hidden_units(spec)
        self.down = nn.ModuleList(
            _stage(before, after, spec.activation) for before, after in pairwise((shape.colours, *channels))
        )
        way_up = list(pairwise(channels[::-1]))
        self.widen = nn.ModuleList(nn.ConvTranspose2d(below, here, 2, stride=2) for below, here in way_up)
        self.up = nn.ModuleList(_stage(2 * here, here, spec.activation) for _, here in way_up)
        self.halve = nn.MaxPool2d(2)
        self.head = nn.Conv2d(channels[0], spec.outputs, 1)

    def forward(self, pictures: Tensor) -> Tensor:
        here = self.down[0](pictures)
        opposite: list[Tensor] = []
        for stage in list(self.down)[1:]:
            opposite.append(here)
            here = stage(self.halve(here))
        for widen, stage in zip(self.widen, self.up, strict=True):
            here = stage(torch.cat([opposite.pop(), widen(here)], dim=1))
        result: Tensor = self.head(here)
        return result


def _stage(before: int, after: int, function: str) -> nn.Sequential:
    """Two 3x3 convolutions that keep the size."""
    return nn.Sequential(
        nn.Conv2d(before, after, 3, padding=1),
        activation(function),
        nn.Conv2d(after, after, 3, padding=1),
        activation(function),
    )
