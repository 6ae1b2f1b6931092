"""The deconvolutional network: spreads a few values over more and more places until they are a picture.

Transposed convolutions from Zeiler et al. 2010, Deconvolutional networks; a picture from a class and other properties as
in Dosovitskiy, Springenberg and Brox 2015 (arXiv:1411.5928).
"""

from __future__ import annotations

from torch import Tensor, nn

from advisor.networks.parts.layers import Following, Size, enlarging, shrinkage, spreading


class Deconvolutional(nn.Module):
    """(batch, ...) -> (batch, channels[-1], height, width).

    The values may be a class (one of them 1, the others 0), properties, or a code.
    """

    def __init__(self, values: int, channels: tuple[int, ...], size: Size, following: Following) -> None:
        super().__init__()
        self.spread = spreading(values, channels, size, following)

    def forward(self, values: Tensor) -> Tensor:
        picture: Tensor = self.spread(values.flatten(1))
        return picture


class PictureDeconvolutional(nn.Module):
    """(batch, colors, height, width) -> (batch, channels[-1], height, width).

    A convolution makes the smallest maps, which are as many times smaller than the picture as they are doubled afterwards.
    """

    def __init__(self, colors: int, channels: tuple[int, ...], size: Size, following: Following) -> None:
        super().__init__()
        shrink = shrinkage(channels, size)
        reader = nn.Conv2d(colors, channels[0], kernel_size=shrink, stride=shrink)
        self.spread = nn.Sequential(reader, *enlarging(channels, size, following))

    def forward(self, pictures: Tensor) -> Tensor:
        picture: Tensor = self.spread(pictures)
        return picture
