"""The graph neural network: every node hears from its neighbours, several rounds long; an answer for each node.

Messages along edges as in Kipf and Welling 2017 (arXiv:1609.02907); the node itself and the mean of its neighbours weighed
apart as in GraphSAGE (Hamilton, Ying and Leskovec 2017, arXiv:1706.02216, section 3.1).
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor, nn

from advisor.networks.layers import activation
from advisor.networks.spec import NetworkSpec, hidden_units


class Graph(NamedTuple):
    """One graph, or several side by side."""

    values: Tensor
    """float32 (nodes, values)."""
    edges: Tensor
    """int64 (2, edges): from the first node to the second. An edge that goes both ways stands there twice."""


class MessagePassing(nn.Module):
    """Graph -> (nodes, outputs). As many rounds as there are hidden layers: so many edges away does a node see."""

    def __init__(self, spec: NetworkSpec) -> None:
        super().__init__()
        units = hidden_units(spec)
        self.rounds = nn.ModuleList(nn.Linear(2 * before, after) for before, after in pairwise((spec.inputs, *units)))
        self.squash = activation(spec.activation)
        self.head = nn.Linear(units[-1], spec.outputs)

    def forward(self, graph: Graph) -> Tensor:
        values, edges = graph
        for mix in self.rounds:
            values = self.squash(mix(torch.cat([values, mean_of_neighbours(values, edges)], dim=1)))
        result: Tensor = self.head(values)
        return result


def mean_of_neighbours(values: Tensor, edges: Tensor) -> Tensor:
    """(nodes, values) -> the same shape: the mean over the nodes from which an edge comes; zeros where none does."""
    source, target = edges
    total = torch.zeros_like(values).index_add(0, target, values[source])
    heard = torch.zeros(len(values), device=values.device).index_add(0, target, values.new_ones(len(target)).float())
    return total / heard.clamp(min=1)[:, None].to(values.dtype)
