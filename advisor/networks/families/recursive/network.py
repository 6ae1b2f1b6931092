"""The recursive network: reads a tree from its leaves to its root, merging two children at a time.

Socher et al. 2013, Recursive deep models for semantic compositionality over a sentiment treebank, section 4.1; the
function that merges may have hidden layers, without which it could not learn an exclusive or (Irsoy and Cardie 2014).
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor, nn

from advisor.networks.parts.layers import Following, dense


class Recursive(nn.Module):
    """(batch, nodes, 3) of numbers -> (batch, outputs), the answer of the root.

    A row of the batch is a tree: token, left and right child of every node, children before parents, the root last. Children
    are counted from 1 in their own row; 0 stands for none. Smaller trees are filled up at the beginning with leaves that
    belong to nobody.

    All nodes whose children are known are merged at once, whatever tree of the batch they belong to, so there are as many
    steps as the highest tree has levels. A node's state is the merged states of its children and its own token.

    Args:
        widths: of a node's state, then of the hidden layers of the function that merges two of them.
    """

    def __init__(
        self, tokens: int, widths: tuple[int, ...], outputs: int, following: Following, squash: nn.Module
    ) -> None:
        super().__init__()
        width, *rest = widths
        self.embedding = nn.Embedding(tokens, width)
        self.merge = dense((2 * width, *rest, width), following)
        self.squash = squash
        self.head = nn.Linear(width, outputs)

    def forward(self, trees: Tensor) -> Tensor:
        tokens, left, right = trees.unbind(-1)
        words = self.embedding(tokens)
        nobody = words.new_zeros(len(trees), 1, words.shape[-1])
        states = torch.cat([nobody, self.squash(words)], dim=1)
        for rows, places in _levels(left, right):
            children = [states[rows, child[rows, places]] for child in (left, right)]
            merged = self.squash(self.merge(torch.cat(children, dim=-1)) + words[rows, places])
            states = states.index_put((rows, places + 1), merged.to(states.dtype))
        result: Tensor = self.head(states[:, -1])
        return result


def _levels(left: Tensor, right: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
    """Rows and places of the nodes that can be merged, those nearest to the leaves first."""
    inner = left > 0
    known = torch.cat([torch.ones_like(inner[:, :1]), ~inner], dim=1)
    while True:
        ready = ~known[:, 1:] & known.gather(1, left) & known.gather(1, right)
        rows, places = ready.nonzero(as_tuple=True)
        if len(rows) == 0:
            return
        yield rows, places
        known[:, 1:] |= ready
