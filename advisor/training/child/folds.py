"""The folds of a run, the same for every candidate: a few a rung, repeated with new draws where examples are few."""

from __future__ import annotations

from typing import TypeAlias

import numpy
from numpy.typing import NDArray

from advisor.datasets.dataset import Examples
from advisor.datasets.preparing.splits import Split, inner_folds

Rows: TypeAlias = NDArray[numpy.int64]

PARTS = 5
"""Folds that the examples are divided into at a time; a fifth judges what was learned from four."""
_SIZES = ((600, 5, 8), (3_000, 3, 6), (20_000, 2, 5))
"""Examples up to which a rung has so many folds, and so many rungs: few examples say little, so they are asked often."""
_LARGE = (1, 5)


class Folds:
    """Rungs of folds over the examples that are not held out."""

    def __init__(self, examples: Examples, rows: Rows, seed: int) -> None:
        width, rungs = next(((w, r) for most, w, r in _SIZES if len(rows) <= most), _LARGE)
        self._splits = _distinct(examples, rows, width * rungs, seed)
        if examples.times is not None and width > 1:  # there is one way to divide them: all of its folds at once
            width = len(self._splits)
        self.width = min(width, len(self._splits))
        self.rungs = max(1, len(self._splits) // self.width)
        self.held_out_share = float(numpy.mean([len(split.test) / len(split.training) for split in self._splits]))

    def of(self, rung: int) -> list[Split]:
        return self._splits[rung * self.width : (rung + 1) * self.width]


def _distinct(examples: Examples, rows: Rows, wanted: int, seed: int) -> list[Split]:
    """So many folds, dividing anew as often as that gives other folds: by time there is one way only.

    Folds by time come the latest first, which learn from most.
    """
    found: list[Split] = []
    seen: set[bytes] = set()
    repeat = 0
    while len(found) < wanted:
        divided = inner_folds(examples, rows, PARTS, seed * 1000 + repeat)
        if examples.times is not None:
            divided.reverse()
        fresh = [split for split in divided if split.test.tobytes() not in seen]
        if not fresh:
            break
        seen.update(split.test.tobytes() for split in fresh)
        found += fresh
        repeat += 1
    return found[:wanted]
