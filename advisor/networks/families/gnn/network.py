"""The graph neural network: every node hears from its neighbours, several rounds long; an answer for each node.

Messages along edges as in Kipf and Welling 2017 (arXiv:1609.02907); the node itself and the mean of its neighbours weighed
apart as in GraphSAGE (Hamilton, Ying and Leskovec 2017, arXiv:1706.02216, section 3.1).
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor, nn

from advisor.networks.parts.layers import Following


class Graph(NamedTuple):
    """One graph, or several side by side."""

    values: Tensor
    """float32 (nodes, values)."""
    edges: Tensor
    """int64 (2, edges): from the first node to the second. An edge that goes both ways stands there twice."""


class MessagePassing(nn.Module):
    """Graph -> (nodes, outputs). One round for each pair of widths: so many edges away does a node see."""

    def __init__(self, widths: tuple[int, ...], outputs: int, following: Following) -> None:
        super().__init__()
        self.rounds = nn.ModuleList(Round(before, after, following) for before, after in pairwise(widths))
        self.head = nn.Linear(widths[-1], outputs)

    def forward(self, graph: Graph) -> Tensor:
        values, edges = graph
        for listen in self.rounds:
            values = listen(values, edges)
        result: Tensor = self.head(values)
        return result


class Round(nn.Module):
    """(nodes, before), edges -> (nodes, after), from each node itself and the mean of its neighbours."""

    def __init__(self, before: int, after: int, following: Following) -> None:
        super().__init__()
        self.mix = nn.Sequential(nn.Linear(2 * before, after), *following(after))

    def forward(self, values: Tensor, edges: Tensor) -> Tensor:
        result: Tensor = self.mix(torch.cat([values, mean_of_neighbours(values, edges)], dim=1))
        return result


def mean_of_neighbours(values: Tensor, edges: Tensor) -> Tensor:
    """(nodes, values) -> the same shape: the mean over the nodes from which an edge comes; zeros where none does."""
    source, target = edges
    total = torch.zeros_like(values).index_add(0, target, values[source])
    heard = torch.zeros(len(values), device=values.device).index_add(0, target, values.new_ones(len(target)).float())
    return total / heard.clamp(min=1)[:, None].to(values.dtype)
