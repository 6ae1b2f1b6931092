"""Trees as rows of numbers, as a recursive network takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import torch
from torch import Tensor

Tree: TypeAlias = "int | tuple[int, Tree, Tree]"
"""A leaf: the number of its token. Or a node: the number of its token (an operator, a category), left and right child."""


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
