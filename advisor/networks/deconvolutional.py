"""The deconvolutional network: spreads a few values over more and more places until they are a picture.

Transposed convolutions from Zeiler et al. 2010, Deconvolutional networks; a picture from a class and other properties as
in Dosovitskiy, Springenberg and Brox 2015 (arXiv:1411.5928).
"""

from __future__ import annotations

from torch import Tensor, nn

from advisor.networks.layers import doubling
from advisor.networks.spec import Layout, NetworkSpec, flat_values, hidden_units, layout, picture_of


class Deconvolutional(nn.Module):
    """(batch, values) -> (batch, colours, side, side) of as many values as there are outputs.

    Values may be a class (one of them 1, the others 0), properties, or a code. Of pictures with as many outputs as inputs
    it restores the picture itself, (batch, colours, side, side), from the few maps that its first layer makes of it.
    """

    def __init__(self, spec: NetworkSpec) -> None:
        super().__init__()
        shape = picture_of(spec)
        values = spec.inputs if layout(spec) is Layout.PICTURE else flat_values(spec)
        self.spread = doubling(values, (*hidden_units(spec), shape.colours), shape.side, spec.activation)

    def forward(self, values: Tensor) -> Tensor:
        picture: Tensor = self.spread(values.flatten(1))
        return picture
