"""Examples that are kept back from learning, to see when to stop."""

from __future__ import annotations

from collections.abc import Sequence
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
BLOCKS = 3
"""Stretches of time that say together when to stop: one alone says much of its own season. On later rows of 16 tables with
a time the squared error was 0.8 % above that of the best number of rounds (the median; 3.4 % where the last stretch alone
says when), less on 13 of them and more on 2 (benchmarks/trials/stopping.py).
"""


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
    return _told_apart(examples, learning, stopping) or (training, None)


def _told_apart(examples: Examples, learning: Rows, stopping: Rows) -> tuple[Rows, Rows] | None:
    """Without rows of classes that are not learned; None where the others are of a single class."""
    if examples.task is Task.CLASSIFY:
        stopping = stopping[numpy.isin(examples.targets[stopping], examples.targets[learning])]
        if len(numpy.unique(examples.targets[stopping])) < 2:
            return None
    return learning, stopping


def divisions(examples: Examples, training: Rows, seed: int, most: int = BLOCKS) -> list[tuple[Rows, Rows]]:
    """As `kept_back`, in the order of time up to so many times: the last stretches, each with what comes before it; else once.

    Empty where too few could be kept back.
    """
    learning, stopping = kept_back(examples, training, seed)
    if stopping is None:
        return []
    found = [(learning, stopping)]
    while examples.times is not None and len(found) < most:
        rest = KEPT_BACK - len(found)
        before = found[0][0]
        if len(before) < EARLY_STOPPING_NEEDS:
            break
        split = inner_folds(examples, before, rest, seed)[-1]
        one = _told_apart(examples, split.training, split.test)
        if one is None:
            break
        found.insert(0, one)
    return found


def best_rounds(losses: Sequence[NDArray[numpy.float64]]) -> int:
    """The number of rounds after which losses are least on average, each as a share of its own least; from 0.

    Args:
        losses: by the number of rounds, (1 + rounds,) each; one that was ended earlier stays at its last.
    """
    longest = max(map(len, losses))
    whole = [numpy.append(one, numpy.full(longest - len(one), one[-1])) for one in losses]
    return int(numpy.argmin(sum(one / max(one.min(), numpy.finfo(float).tiny) for one in whole)))
