"""The folds of a run, the same for every candidate: a few a rung, repeated with new draws where examples are few.

A candidate is scored on those of a rung; a training that the clock has cut is repeated, or does not count.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy
from numpy.typing import NDArray

from advisor.datasets.dataset import Examples
from advisor.datasets.preparing.splits import Split, inner_folds
from advisor.training.ladder.trial_record import Status, Trial

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
        self._widest = width

    @property
    def width(self) -> int:
        """Folds of a rung."""
        return min(self._widest, len(self._splits))

    @property
    def rungs(self) -> int:
        return max(1, len(self._splits) // self.width)

    @property
    def apart(self) -> list[tuple[int, int]]:
        """The first folds, by rung and place, of which no two score the same row."""
        known: set[int] = set()
        found = []
        for number, split in enumerate(self._splits[: self.rungs * self.width]):
            if not known.isdisjoint(split.test.tolist()):
                break
            known.update(split.test.tolist())
            found.append(divmod(number, self.width))
        return found

    @property
    def held_out_share(self) -> float:
        return float(numpy.mean([len(split.test) / len(split.training) for split in self._splits]))

    def keep(self, judges: Callable[[Rows], bool]) -> int:
        """Leave out, for all candidates alike, the folds whose rows judge nothing; how many that are."""
        kept = [split for split in self._splits if judges(split.test)]
        left_out, self._splits = len(self._splits) - len(kept), kept
        return left_out

    @property
    def scored(self) -> list[Rows]:
        """The rows that each fold of all rungs scores."""
        return [split.test for split in self._splits]

    def of(self, rung: int) -> list[Split]:
        return self._splits[rung * self.width : (rung + 1) * self.width]


def _distinct(examples: Examples, rows: Rows, wanted: int, seed: int) -> list[Split]:
    """So many folds, dividing anew as often as that gives other folds: by time there is one way only.

    Folds by time come the latest first, which learn from most and are most like the test; the earliest may be left out.
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


@dataclass(frozen=True, slots=True)
class Once:
    """One training and what it scored."""

    score: float
    loss: float | None = None
    """See `Trial.losses`."""
    epochs: int | None = None
    cut: bool = False
    """True if the clock ended it."""
    hurried: bool = False
    """See `Trial.hurried`."""


def on_folds(
    made: Trial, fit: Callable[[int], Once], width: int, until: float, clock: Callable[[], float] = time.monotonic
) -> Trial:
    """The trial, scored on as many of the folds as there is time for: one in any case, whole trainings if there are any.

    Args:
        made: without scores.
        fit: trains on the fold of this place.
        until: a time of the clock, past which no fold is expected to end.
    """
    whole: dict[int, Once] = {}
    cut: dict[int, Once] = {}
    seconds: list[float] = []
    first = clock()

    def take(place: int) -> None:
        begun = clock()
        once = fit(place)
        seconds.append(clock() - begun)
        if once.cut:
            cut[place] = once
        else:
            whole[place] = once
            cut.pop(place, None)

    for place in range(width):
        if seconds and clock() + min(seconds) > until:
            break
        take(place)
    for place in list(cut) if whole else ():  # where all were cut, another would be cut as well
        if clock() + max(seconds) > until:
            break
        take(place)
    kept = dict(sorted((whole or cut).items()))
    losses = tuple(once.loss for once in kept.values() if once.loss is not None)
    return replace(
        made,
        scores=tuple(once.score for once in kept.values()),
        losses=losses if len(losses) == len(kept) else (),
        folds=() if list(kept) == list(range(len(kept))) else tuple(kept),
        seconds=clock() - first,
        epochs=max((once.epochs for once in kept.values() if once.epochs is not None), default=None),
        status=Status.DONE if len(whole) == width else Status.SHORT if whole else Status.CUT,
        hurried=any(once.hurried for once in kept.values()),
    )
