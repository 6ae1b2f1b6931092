"""ResNet-50: fifty layers with weights, and a way around every three of them.

He, Zhang, Ren and Sun 2016, Deep residual learning for image recognition (arXiv:1512.03385), table 1; with the stride of
a block in its 3x3 convolution and not in the first (Goyal et al. 2017, arXiv:1706.02677, section 5.1), as it is timed
everywhere today: 4.09e9 multiply-adds for 224 x 224 pixels, where the paper counts 3.8e9.
"""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor, nn


class ResNet50(nn.Module):
    """(batch, colors, side, side) -> (batch, outputs).

    25,557,032 weights and biases for 3x224x224 and 1000 classes. Of each stage `stages` has the channels within its blocks,
    those that leave them, and the number of blocks.
    """

    def __init__(
        self, colors: int, stages: list[tuple[int, int, int]], outputs: int, activated: Callable[[], nn.Module]
    ) -> None:
        super().__init__()
        before = stages[0][0]
        self.stem = nn.Sequential(
            nn.Conv2d(colors, before, 7, stride=2, padding=3, bias=False),
            nn.BatchNorm2d(before),
            activated(),
            nn.MaxPool2d(3, 2, padding=1),
        )
        blocks: list[nn.Module] = []
        for number, (inner, after, many) in enumerate(stages):
            for block in range(many):
                stride = 2 if number and not block else 1
                blocks.append(Bottleneck(before, inner, after, stride, activated))
                before = after
        self.blocks = nn.Sequential(*blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.head = nn.Linear(before, outputs)

    def forward(self, pictures: Tensor) -> Tensor:
        result: Tensor = self.head(self.blocks(self.stem(pictures)))
        return result


class Bottleneck(nn.Module):
    """(batch, before, side, side) -> (batch, after, side / stride, side / stride).

    Fewer channels, a 3x3 convolution, more channels again; what came in is added, through a 1x1 convolution where the
    shape has changed.
    """

    def __init__(self, before: int, inner: int, after: int, stride: int, activated: Callable[[], nn.Module]) -> None:
        super().__init__()
        self.way = nn.Sequential(
            *_convolution(before, inner, 1), activated(),
            *_convolution(inner, inner, 3, stride), activated(),
            *_convolution(inner, after, 1),
        )  # fmt: skip
        same = before == after and stride == 1
        self.around = nn.Identity() if same else nn.Sequential(*_convolution(before, after, 1, stride))
        self.function = activated()

    def forward(self, pictures: Tensor) -> Tensor:
        result: Tensor = self.function(self.way(pictures) + self.around(pictures))
        return result


def _convolution(before: int, after: int, size: int, stride: int = 1) -> tuple[nn.Module, nn.Module]:
    """With the batch normalisation that takes the place of its biases."""
    kernel = nn.Conv2d(before, after, size, stride=stride, padding=size // 2, bias=False)
    return kernel, nn.BatchNorm2d(after)
