"""AlexNet: the convolutional network that won ImageNet in 2012, in the form for a single card.

Krizhevsky, Sutskever and Hinton 2012, ImageNet classification with deep convolutional neural networks; with the channels
of Krizhevsky 2014 (arXiv:1404.5997), which leaves out the two groups and the normalisation of neighbouring channels. The
benchmark of Shi et al. 2016 had neither; dropout is left out too, since it adds hardly any arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor, nn


class AlexNet(nn.Module):
    """(batch, colors, side, side) -> (batch, outputs): five convolutions, three poolings, three dense layers.

    61,100,840 weights and biases for 3x224x224 and 1000 classes.

    Args:
        units: channels of the convolutions, then units of two dense layers.
        least_side: pixels along a side of the maps that the convolutions give.
    """

    def __init__(
        self, colors: int, units: tuple[int, ...], least_side: int, outputs: int, activated: Callable[[], nn.Module]
    ) -> None:
        super().__init__()
        one, two, three, four, five, six, seven = units
        self.stages = nn.Sequential(
            nn.Conv2d(colors, one, 11, stride=4, padding=2), activated(), nn.MaxPool2d(3, 2),
            nn.Conv2d(one, two, 5, padding=2), activated(), nn.MaxPool2d(3, 2),
            nn.Conv2d(two, three, 3, padding=1), activated(),
            nn.Conv2d(three, four, 3, padding=1), activated(),
            nn.Conv2d(four, five, 3, padding=1), activated(), nn.MaxPool2d(3, 2), nn.Flatten(),
        )  # fmt: skip
        self.dense = nn.Sequential(
            nn.Linear(five * least_side**2, six), activated(), nn.Linear(six, seven), activated()
        )
        self.head = nn.Linear(seven, outputs)

    def forward(self, pictures: Tensor) -> Tensor:
        result: Tensor = self.head(self.dense(self.stages(pictures)))
        return result
