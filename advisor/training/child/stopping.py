"""Examples that are kept back from learning, to see when to stop."""

from __future__ import annotations

from typing import TypeAlias

import numpy
from numpy.typing import NDArray

from advisor.datasets.dataset import Examples, Task
from advisor.datasets.preparing.splits import inner_folds

Rows: TypeAlias = NDArray[numpy.int64]

EARLY_STOPPING_NEEDS = 100
"""Examples to learn from, below which none are kept back: so few would say little about when to stop."""
KEPT_BACK = 6
"""One in so many of the examples to learn from is kept back for early stopping."""


def kept_back(examples: Examples, training: Rows, seed: int) -> tuple[Rows, Rows | None]:
    """Rows to learn from, and rows that say when to stop: by time or group as all splits are, else the same share of each
    class, but of a very rare one none. None where they would be too few, or of a single class among those learned from.
    """
    if len(training) < EARLY_STOPPING_NEEDS:
        return training, None
    if examples.task is Task.CLASSIFY and examples.times is None and examples.groups is None:
        _, number, counts = numpy.unique(examples.targets[training], return_inverse=True, return_counts=True)
        often = numpy.flatnonzero(counts[number] >= KEPT_BACK // 2)
        by_class = numpy.lexsort((numpy.random.default_rng(seed).random(len(often)), number[often]))
        stopping = numpy.sort(training[often[by_class[KEPT_BACK // 2 :: KEPT_BACK]]])
        learning = numpy.setdiff1d(training, stopping)
    else:
        split = inner_folds(examples, training, KEPT_BACK, seed)[-1]
        learning, stopping = split.training, split.test
    if examples.task is Task.CLASSIFY:
        stopping = stopping[numpy.isin(examples.targets[stopping], examples.targets[learning])]
        if len(numpy.unique(examples.targets[stopping])) < 2:
            return training, None
    return learning, stopping
