"""The feed-forward network: for tables and whatever has no order or neighbourhood to exploit.

Rumelhart, Hinton and Williams 1986, Learning representations by back-propagating errors.
"""

from __future__ import annotations

from torch import Tensor, nn

from advisor.networks.layers import dense
from advisor.networks.spec import NetworkSpec, flat_values, hidden_units


class FeedForward(nn.Module):
    """(batch, values) -> (batch, outputs): linear layers with an activation between."""

    def __init__(self, spec: NetworkSpec) -> None:
        super().__init__()
        self.layers = dense((flat_values(spec), *hidden_units(spec), spec.outputs), spec.activation)

    def forward(self, values: Tensor) -> Tensor:
        result: Tensor = self.layers(values)
        return result
