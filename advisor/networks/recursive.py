"""The recursive network: reads a tree from its leaves to its root, merging two children at a time.

Socher et al. 2013, Recursive deep models for semantic compositionality over a sentiment treebank, section 4.1; the
function that merges may have hidden layers, without which it could not learn an exclusive or (Irsoy and Cardie 2014).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import torch
from torch import Tensor, nn

from advisor.networks.layers import activation, dense
from advisor.networks.spec import NetworkSpec, hidden_units

Tree: TypeAlias = "int | tuple[int, Tree, Tree]"
"""A leaf: the number of its token. Or a node: the number of its token (an operator, a category), left and right child."""


class Recursive(nn.Module):
    """(batch, nodes, 3) of numbers, see `packed` -> (batch, outputs), the answer of the root.

    All nodes whose children are known are merged at once, whatever tree of the batch they belong to, so there are as many
    steps as the highest tree has levels. A node's state is the merged states of its children and its own token.
    """

    def __init__(self, spec: NetworkSpec) -> None:
        super().__init__()
        width, *rest = hidden_units(spec)
        self.embedding = nn.Embedding(spec.inputs, width)
        self.merge = dense((2 * width, *rest, width), spec.activation)
        self.squash = activation(spec.activation)
        self.head = nn.Linear(width, spec.outputs)

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


def packed(trees: Sequence[Tree], nodes: int) -> Tensor:
    """int64 (batch, nodes, 3): token, left and right child of every node, children before parents, the root last.

    Children are counted from 1 in their own row; 0 stands for none. Smaller trees are filled up at the beginning with
    leaves that belong to nobody.

    Raises:
        ValueError: a tree has more nodes than that.
    """
    rows = []
    for tree in trees:
        row: list[tuple[int, int, int]] = []
        _append(row, tree)
        gap = nodes - len(row)
        if gap < 0:
            raise ValueError(f"A tree has {len(row)} nodes, more than the {nodes} that fit.")
        rows.append([(0, 0, 0)] * gap + [(token, *(c and c + gap for c in children)) for token, *children in row])
    return torch.tensor(rows, dtype=torch.int64)


def _append(row: list[tuple[int, int, int]], tree: Tree) -> int:
    """Writes the tree after what is there; the number of its root."""
    if isinstance(tree, int):
        row.append((tree, 0, 0))
    else:
        token, left, right = tree
        row.append((token, _append(row, left), _append(row, right)))
    return len(row)


def even_trees(tokens: Tensor) -> Tensor:
    """(batch, nodes) of tokens -> (batch, nodes, 3): trees that branch as evenly as they can, for timing."""
    nodes = tokens.shape[1]
    size = nodes - 1 + nodes % 2
    below = torch.arange(size, 0, -1)  # numbered from the root as 1: the children of i are 2i and 2i + 1
    inner = 2 * below < size
    children = [torch.where(inner, nodes + 1 - 2 * below - side, 0) for side in (0, 1)]
    nobodys = torch.zeros(nodes - size, dtype=torch.int64)
    places = [torch.cat([nobodys, child]).expand(len(tokens), -1) for child in children]
    return torch.stack([tokens, *places], dim=-1)
