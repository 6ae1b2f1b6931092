"""The feed-forward network: for tables and whatever has no order or neighbourhood to exploit.

Rumelhart, Hinton and Williams 1986, Learning representations by back-propagating errors.
"""

from __future__ import annotations

from torch import Tensor, nn

from advisor.networks.parts.layers import Following, dense


class FeedForward(nn.Module):
    """(batch, ...) -> (batch, widths[-1]): linear layers, from widths[0] values an example."""

    def __init__(self, widths: tuple[int, ...], following: Following) -> None:
        super().__init__()
        self.layers = dense(widths, following)

    def forward(self, values: Tensor) -> Tensor:
        result: Tensor = self.layers(values.flatten(1))
        return result
