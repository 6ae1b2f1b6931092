"""AlexNet: the convolutional network that won ImageNet in 2012, in the form for a single card.

Krizhevsky, Sutskever and Hinton 2012, ImageNet classification with deep convolutional neural networks; with the channels
of Krizhevsky 2014 (arXiv:1404.5997), which leaves out the two groups and the normalisation of neighbouring channels. The
benchmark of Shi et al. 2016 had neither; dropout is left out too, since it adds hardly any arithmetic.
"""

from __future__ import annotations

from torch import Tensor, nn

from advisor.networks.benchmark.designs import alexnet_sides
from advisor.networks.layers import activation
from advisor.networks.spec import NetworkSpec, hidden_units, picture_of


class AlexNet(nn.Module):
    """(batch, colours, side, side) -> (batch, outputs): five convolutions, three poolings, three dense layers.

    61,100,840 weights and biases for 3x224x224 and 1000 classes.
    """

    def __init__(self, spec: NetworkSpec) -> None:
        super().__init__()
        shape = picture_of(spec)
        one, two, three, four, five, six, seven = hidden_units(spec)
        *_, last = alexnet_sides(shape.side)

        def act() -> nn.Module:
            return activation(spec.activation)

        self.stages = nn.Sequential(
            nn.Conv2d(shape.colours, one, 11, stride=4, padding=2), act(), nn.MaxPool2d(3, 2),
            nn.Conv2d(one, two, 5, padding=2), act(), nn.MaxPool2d(3, 2),
            nn.Conv2d(two, three, 3, padding=1), act(),
            nn.Conv2d(three, four, 3, padding=1), act(),
            nn.Conv2d(four, five, 3, padding=1), act(), nn.MaxPool2d(3, 2), nn.Flatten(),
        )  # fmt: skip
        self.dense = nn.Sequential(nn.Linear(five * last * last, six), act(), nn.Linear(six, seven), act())
        self.head = nn.Linear(seven, spec.outputs)

    def forward(self, pictures: Tensor) -> Tensor:
        result: Tensor = self.head(self.dense(self.stages(pictures)))
        return result
