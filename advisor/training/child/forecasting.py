"""Forecasts of statistical models for the examples of a trial: each from everything before it, whichever series it is of."""

from __future__ import annotations

import statistics
import time
from typing import TypeAlias

import numpy
from numpy.typing import NDArray

from advisor.datasets.dataset import Series
from advisor.training.child.fitted import FittingError
from advisor.training.child.forecaster import History

Rows: TypeAlias = NDArray[numpy.int64]
Floats: TypeAlias = NDArray[numpy.float64]

MOST_SERIES = 20
"""The most that are fitted one by one."""
TIMED, PATIENCE = 20, 10
"""Forecasts after which the time of all is known, and times what a fold may take that is too much."""


def forecasts(variant: str, series: Series, rows: Rows, horizon: int, seconds: float = numpy.inf) -> Floats:
    """Forecasts (n, horizon) for these examples, each from everything before it.

    Args:
        seconds: that it should take; FittingError where it would be many times as much.

    Raises ValueError where a series is too short, or has no season that its model needs.
    """
    numbers = series.number[series.ends[rows] - 1]
    every = numpy.unique(numbers)
    if len(every) > MOST_SERIES:
        raise FittingError(f"It is fitted to each series, and {len(every):,} are too many for that.")
    found = numpy.empty((len(rows), horizon))
    took: list[float] = []
    for number in every:
        first = int(numpy.argmax(series.number == number))
        mine = numpy.flatnonzero(numbers == number)
        mine = mine[numpy.argsort(series.ends[rows[mine]], kind="stable")]
        history = History(variant, series.values[first:][series.number[first:] == number], series.seasons)
        for place in mine:
            begun = time.monotonic()
            found[place] = history.forecast(int(series.ends[rows[place]]) - first, horizon)
            took.append(time.monotonic() - begun)
            expected = took[0] * len(every) + statistics.fmean(took[1:] or [0.0]) * len(rows)
            if len(took) == TIMED and expected > PATIENCE * seconds:
                raise FittingError(f"Its forecasts would take about {expected:.0f} s for each part of the series.")
    return found
