"""The convolutional network: for pictures, and for series and texts whose neighbouring steps belong together.

LeCun et al. 1998, Gradient-based learning applied to document recognition; two narrow convolutions a stage from
Simonyan and Zisserman 2015 (arXiv:1409.1556), the average over all places instead of wide dense layers from Lin, Chen
and Yan 2014 (arXiv:1312.4400); over words Kim 2014 (arXiv:1408.5882). Large pictures meet the residual network of 18
layers of He et al. 2016 (arXiv:1512.03385), with normalisation and activation before each convolution (He et al. 2016,
arXiv:1603.05027), films the same in three dimensions (R3D, Tran et al. 2018, arXiv:1711.11248).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TypeAlias

from torch import Tensor, nn

from advisor.networks.parts.layers import Following, Size, dropped
from advisor.networks.parts.sizes import FILM_STEM, LARGE_SIDE

Convolution: TypeAlias = type[nn.Conv2d] | type[nn.Conv3d]


class PictureCnn(nn.Module):
    """(batch, channels[0], height, width) -> (batch, outputs).

    Each stage has two 3x3 convolutions and halves the picture while it is larger than one pixel. Of large pictures each has two
    residual blocks, and all but the first halve the picture.

    Args:
        dropout: the share of values that are left out at the end of each stage.
    """

    def __init__(
        self, channels: tuple[int, ...], size: Size, outputs: int, following: Following, dropout: float = 0.0
    ) -> None:
        super().__init__()
        if min(size) >= LARGE_SIDE:
            stem = (nn.Conv2d(channels[0], channels[1], 7, stride=2, padding=3), nn.MaxPool2d(3, stride=2, padding=1))
            self.stages = nn.Sequential(*stem, *_residual(channels[1:], nn.Conv2d, following, dropout))
        else:
            self.stages = nn.Sequential(*_plain(channels, min(size), following, dropout))
        self.pool = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.head = nn.Linear(channels[-1], outputs)

    def forward(self, pictures: Tensor) -> Tensor:
        result: Tensor = self.head(self.pool(self.stages(pictures)))
        return result


def _plain(channels: tuple[int, ...], side: int, following: Following, dropout: float) -> Iterator[nn.Module]:
    for before, after in pairwise(channels):
        yield from (nn.Conv2d(before, after, 3, padding=1), *following(after))
        yield from (nn.Conv2d(after, after, 3, padding=1), *following(after))
        if side > 1:
            yield nn.MaxPool2d(2)
            side //= 2
        yield from dropped(dropout)


def _residual(
    channels: tuple[int, ...], convolution: Convolution, following: Following, dropout: float
) -> Iterator[nn.Module]:
    for number, (before, after) in enumerate(pairwise((channels[0], *channels))):
        yield Residual(before, after, 2 if number else 1, convolution, following)
        yield Residual(after, after, 1, convolution, following)
        yield from dropped(dropout)
    yield from following(channels[-1])


class Residual(nn.Module):
    """(batch, before, places...) -> (batch, after, places / stride...): two convolutions add to the picture or film."""

    def __init__(self, before: int, after: int, stride: int, convolution: Convolution, following: Following) -> None:
        super().__init__()
        first = convolution(before, after, 3, stride=stride, padding=1)
        again = convolution(after, after, 3, padding=1)
        self.branch = nn.Sequential(*following(before), first, *following(after), again)
        same = before == after and stride == 1
        self.shortcut = nn.Identity() if same else convolution(before, after, 1, stride=stride)

    def forward(self, seen: Tensor) -> Tensor:
        result: Tensor = self.shortcut(seen) + self.branch(seen)
        return result


class FilmCnn(nn.Module):
    """(batch, frames, values) of square frames -> (batch, outputs), looking along time as well as along height and width.

    Each stage has two residual blocks, and all but the first halve frames, height and width.

    Args:
        dropout: the share of values that are left out at the end of each stage.
    """

    def __init__(
        self,
        colors: int,
        side: int,
        channels: tuple[int, ...],
        outputs: int,
        following: Following,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.frame = (colors, side, side)
        frames, height, width = FILM_STEM
        padding = (frames // 2, height // 2, width // 2)
        stem = nn.Conv3d(colors, channels[0], FILM_STEM, stride=(1, 2, 2), padding=padding)
        self.stages = nn.Sequential(stem, *_residual(channels, nn.Conv3d, following, dropout))
        self.pool = nn.Sequential(nn.AdaptiveAvgPool3d(1), nn.Flatten())
        self.head = nn.Linear(channels[-1], outputs)

    def forward(self, films: Tensor) -> Tensor:
        frames = films.reshape(*films.shape[:2], *self.frame).transpose(1, 2)
        result: Tensor = self.head(self.pool(self.stages(frames)))
        return result


class SequenceCnn(nn.Module):
    """(batch, steps, channels[0]), or (batch, steps) of tokens -> (batch, outputs).

    Each stage looks at three neighbouring steps and halves their number, as long as there is more than one.

    Args:
        tokens: number of different tokens, each of which is given channels[0] numbers; None for steps of values.
        padded: whether token 0 only fills up short texts: then the largest values of all steps count, not their mean.
    """

    def __init__(
        self,
        channels: tuple[int, ...],
        steps: int,
        outputs: int,
        following: Following,
        dropout: float = 0.0,
        *,
        tokens: int | None = None,
        padded: bool = False,
    ) -> None:
        super().__init__()
        padding = 0 if padded else None
        self.embedding = nn.Identity() if tokens is None else nn.Embedding(tokens, channels[0], padding_idx=padding)
        stages: list[nn.Module] = []
        for before, after in pairwise(channels):
            stages += [nn.Conv1d(before, after, 3, padding=1), *following(after)]
            if steps > 1:
                stages.append(nn.MaxPool1d(2))
                steps //= 2
            stages += dropped(dropout)
        self.stages = nn.Sequential(*stages)
        self.pool = nn.Sequential(nn.AdaptiveMaxPool1d(1) if padded else nn.AdaptiveAvgPool1d(1), nn.Flatten())
        self.head = nn.Linear(channels[-1], outputs)

    def forward(self, examples: Tensor) -> Tensor:
        steps = self.embedding(examples).transpose(1, 2)
        result: Tensor = self.head(self.pool(self.stages(steps)))
        return result
