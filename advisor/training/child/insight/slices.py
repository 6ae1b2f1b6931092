"""Parts of the data in which the winner errs more than elsewhere: values and ranges of single columns."""

from __future__ import annotations

import numpy

from advisor.datasets.preparing.raw_columns import ColumnPart, parts_of_column, some_of
from advisor.training.child.insight.subject import LONGEST_NAME, Subject, mean_of, reach
from advisor.training.child.scoring import Floats
from advisor.training.ladder.insight import Slice, Slices
from advisor.training.ladder.intervals import wilson
from advisor.wording import shorten

FEWEST_RANGES, MOST_RANGES, MOST_CATEGORIES = 2, 5, 20
"""Parts of a column of numbers, by how many examples there are, and of one of categories."""
FEWEST = 10
"""Examples of a slice."""
LARGEST = 0.9
"""Share of all examples."""
CLEARLY = 1.25
"""Times the error elsewhere."""
MOST_FOUND = 5
CHANCES = 1000
MOST_COUNTED = 20_000_000
"""Examples times slices up to which that many draws are made; fewer of more."""


def slices(subject: Subject) -> Slices:
    """The slices whose error is larger than that of the others by more than the largest of all would be by chance.

    Chance deals the errors out anew (Westfall and Young 1993, of the maximum, which makes up for many looks); where examples
    depend on each other, it also turns the signs of what whole units are off, and the slices must stand out from both.
    """
    held_out = some_of(subject.examples, subject.split.test)
    ranges = int(numpy.clip(len(held_out) // (FEWEST + 1), FEWEST_RANGES, MOST_RANGES))
    parts = [
        (column, part)
        for column in subject.columns
        for part in parts_of_column(held_out, column, ranges, MOST_CATEGORIES)
        if FEWEST <= len(part.rows) <= LARGEST * len(held_out)
    ]
    errors = subject.errors
    if not parts or not numpy.ptp(errors) > 0:
        return Slices((), len(parts), len(errors))
    inside = numpy.zeros((len(parts), len(errors)))
    for place, (_, part) in enumerate(parts):
        inside[place, part.rows] = 1.0
    counts = inside.sum(axis=1)
    centred = inside - (counts / len(errors))[:, None]
    spread = numpy.sqrt((centred**2).sum(axis=1))
    found = centred @ (errors - errors.mean()) / spread
    limit = _limit(subject, centred / spread[:, None])
    worst = []
    for place in numpy.argsort(-found, kind="stable"):
        column, part = parts[place]
        mean = float(errors[part.rows].mean())
        elsewhere = float(errors[inside[place] == 0].mean())
        if found[place] > limit and mean >= CLEARLY * elsewhere:
            worst.append(_slice(subject, column, part, elsewhere, len(parts)))
    return Slices(tuple(worst[:MOST_FOUND]), len(parts), len(errors))


def _limit(subject: Subject, scaled: Floats) -> float:
    """The value that the largest of all slices stays below in 95 % of draws in which errors have nothing to do with them.

    Args:
        scaled: of each slice what its errors weigh (slices, n).
    """
    errors = subject.errors - subject.errors.mean()
    many = int(numpy.clip(MOST_COUNTED / scaled.size, 100, CHANCES))
    draw = numpy.random.default_rng(subject.seed)
    chances = [numpy.stack([draw.permutation(errors) for _ in range(many)])]
    if subject.units is not None:
        signs = draw.choice([-1.0, 1.0], size=(many, int(subject.unit_of.max()) + 1))
        chances.append(signs[:, subject.unit_of] * errors)
    return max(float(numpy.percentile((dealt @ scaled.T).max(axis=1), 95)) for dealt in chances)


def _slice(subject: Subject, column: str, part: ColumnPart, elsewhere: float, looks: int) -> Slice:
    errors, unit_of = subject.errors[part.rows], subject.unit_of[part.rows]
    units = len(numpy.unique(unit_of))
    mean, error = mean_of(errors, unit_of)
    wide = reach(units, looks) * error
    low, high = max(0.0, mean - wide), mean + wide
    if subject.truth.ndim == 1:  # of few units that are all wrong the error has no spread
        least = wilson(mean, units)
        low, high = min(low, least[0]), min(1.0, max(high, least[1]))
    return Slice(shorten(column, LONGEST_NAME), part.values, len(part.rows), mean, low, high, elsewhere)
