"""Training on the nodes of one graph: all of it is computed, the loss looks at some of its nodes.

Kipf and Welling 2017 (arXiv:1609.02907), section 3.1.
"""

from __future__ import annotations

from torch import Tensor

from advisor.networks.builders import Loss
from advisor.networks.families.gnn.network import Graph, MessagePassing
from advisor.training.loop.objectives import Batch, Objective


class WholeGraph(Objective):
    """Batches of node numbers (batch,) and their targets. Take all known nodes in one batch: fewer cost as much."""

    def __init__(self, network: MessagePassing, graph: Graph, loss: Loss) -> None:
        super().__init__(network)
        self._graph, self._loss = graph, loss

    def loss(self, batch: Batch) -> Tensor:
        nodes, targets = batch
        return self._loss(self.module(self._graph)[nodes], targets)
