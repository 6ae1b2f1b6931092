"""The convolutional network: for pictures, and for series and texts whose neighbouring steps belong together.

LeCun et al. 1998, Gradient-based learning applied to document recognition; two narrow convolutions a stage from
Simonyan and Zisserman 2015 (arXiv:1409.1556), the average over all places instead of wide dense layers from Lin, Chen
and Yan 2014 (arXiv:1312.4400); over words Kim 2014 (arXiv:1408.5882).
"""

from __future__ import annotations

from itertools import pairwise

from torch import Tensor, nn

from advisor.networks.parts.layers import Following, Size, dropped


class PictureCnn(nn.Module):
    """(batch, channels[0], height, width) -> (batch, outputs).

    Each stage has two 3x3 convolutions and halves the picture while it is larger than one pixel.

    Args:
        dropout: the share of values that are left out at the end of each stage.
    """

    def __init__(
        self, channels: tuple[int, ...], size: Size, outputs: int, following: Following, dropout: float = 0.0
    ) -> None:
        super().__init__()
        side = min(size)
        stages: list[nn.Module] = []
        for before, after in pairwise(channels):
            stages += [nn.Conv2d(before, after, 3, padding=1), *following(after)]
            stages += [nn.Conv2d(after, after, 3, padding=1), *following(after)]
            if side > 1:
                stages.append(nn.MaxPool2d(2))
                side //= 2
            stages += dropped(dropout)
        self.stages = nn.Sequential(*stages)
        self.pool = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.head = nn.Linear(channels[-1], outputs)

    def forward(self, pictures: Tensor) -> Tensor:
        result: Tensor = self.head(self.pool(self.stages(pictures)))
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
