"""The U-Net: an answer for every pixel of a picture; for segmentation and restoration.

Ronneberger, Fischer and Brox 2015 (arXiv:1505.04597), with padded convolutions so that the answer is as large as the
picture.
"""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from advisor.networks.parts.layers import Following, dropped


class UNet(nn.Module):
    """(batch, channels[0], height, width) -> (batch, outputs, height, width).

    Down through the stages, halving the picture between them; up again, each stage joined with the one opposite.

    Args:
        dropout: the share of values that are left out at the end of each stage.
    """

    def __init__(self, channels: tuple[int, ...], outputs: int, following: Following, dropout: float = 0.0) -> None:
        super().__init__()
        way_up = list(pairwise(channels[:0:-1]))
        self.down = nn.ModuleList(_stage(before, after, following, dropout) for before, after in pairwise(channels))
        self.widen = nn.ModuleList(nn.ConvTranspose2d(below, here, 2, stride=2) for below, here in way_up)
        self.up = nn.ModuleList(_stage(2 * here, here, following, dropout) for _, here in way_up)
        self.halve = nn.MaxPool2d(2, ceil_mode=True)
        self.head = nn.Conv2d(channels[1], outputs, 1)

    def forward(self, pictures: Tensor) -> Tensor:
        here = self.down[0](pictures)
        opposite: list[Tensor] = []
        for stage in list(self.down)[1:]:
            opposite.append(here)
            here = stage(self.halve(here))
        for widen, stage in zip(self.widen, self.up, strict=True):
            beside = opposite.pop()
            height, width = beside.shape[2:]
            here = stage(torch.cat([beside, widen(here)[:, :, :height, :width]], dim=1))
        result: Tensor = self.head(here)
        return result


def _stage(before: int, after: int, following: Following, dropout: float) -> nn.Sequential:
    """Two 3x3 convolutions that keep the size."""
    return nn.Sequential(
        nn.Conv2d(before, after, 3, padding=1),
        *following(after),
        nn.Conv2d(after, after, 3, padding=1),
        *following(after),
        *dropped(dropout),
    )
