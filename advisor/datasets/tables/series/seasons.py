"""Seasons of a series, as its values show them. Generated projects have this file as it stands."""

from __future__ import annotations

from typing import TypeAlias

import numpy
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[numpy.float64]

LEAST = 0.25
"""Autocorrelation at a season."""
NEAR = 0.75
"""Of the largest: a season may be as much weaker than its multiples, and may fade as much in twice its length."""
GAIN = 0.05
"""Autocorrelation by which a longer season must be better than the one within it, as a week is than a day."""
LONGEST = 0.3
"""Of the series."""
FEWEST_STEPS = 24
SEEN = 0.6
"""The share of a series that is looked at: the later part is for tests."""


def seasons(values: Floats, usual: int | None = None) -> tuple[int, ...]:
    """The steps after which values repeat, the shortest first, at most two: 24 and 168 of hours with days and weeks.

    Trends are taken away by differences. A season is the shortest lag at which the autocorrelation is nearly as large
    as anywhere, and still is at twice that lag, which cycles of changing length are not.

    Args:
        values: (steps,), NaN in gaps.
        usual: of the calendar, taken where the values show no other.
    """
    early = filled(values[: int(SEEN * len(values))])
    found = _found(early) if len(early) >= FEWEST_STEPS else ()
    if not found and usual is not None and len(early) >= 2 * usual:
        return (usual,)
    return found


def _found(values: Floats) -> tuple[int, ...]:
    alike = autocorrelation(numpy.diff(values))
    most = int(LONGEST * len(values))
    tops = [
        lag
        for lag in range(3, most)
        if alike[lag] >= max(LEAST, 3 / len(values) ** 0.5, alike[lag - 1], alike[lag + 1])
        and (2 * lag + 1 >= len(values) * SEEN or alike[2 * lag - 1 : 2 * lag + 2].max() >= NEAR * alike[lag])
    ]
    if not tops:
        return ()
    largest = max(alike[lag] for lag in tops)
    first = next(lag for lag in tops if alike[lag] >= NEAR * largest)
    longer = [lag for lag in tops if lag >= 2 * first and lag % first == 0 and alike[lag] >= alike[first] + GAIN]
    best = max((alike[lag] for lag in longer), default=0.0)
    second = next((lag for lag in longer if alike[lag] >= best - GAIN / 2), None)
    return (first,) if second is None else (first, second)


def autocorrelation(values: Floats) -> Floats:
    """Of each lag from 0 on, over the pairs that there are; zeros where nothing varies. (n,)"""
    off = values - values.mean()
    power = numpy.abs(numpy.fft.rfft(off, 2 * len(off))) ** 2
    together = numpy.fft.irfft(power)[: len(off)]
    total = together[0]
    if total <= 1e-12 * max(1.0, float(numpy.abs(values).max()) ** 2):
        return numpy.zeros(len(off))
    pairs = numpy.arange(len(off), 0, -1) / len(off)
    found: Floats = together / total / pairs
    return found


def filled(values: Floats) -> Floats:
    """Gaps as a line between their ends; what is missing at either end of the series is left out."""
    known = numpy.flatnonzero(numpy.isfinite(values))
    if not len(known):
        return values[:0]
    places = numpy.arange(known[0], known[-1] + 1)
    found: Floats = numpy.interp(places, known, values[known])
    return found
