"""Forecasts of statistical models for the examples of a trial: each from everything before it, whichever series it is of."""

from __future__ import annotations

import math
import statistics
import time
from importlib import import_module
from typing import TypeAlias

import numpy
from numpy.typing import NDArray

from advisor.datasets.dataset import Series
from advisor.training.child.fitted import FittingError
from advisor.training.child.forecaster import OWN_SEASON, History
from advisor.training.ladder.forecasters import LIBRARY
from advisor.training.ladder.shares import is_moved

Rows: TypeAlias = NDArray[numpy.int64]
Floats: TypeAlias = NDArray[numpy.float64]

MOST_SERIES = 20
"""The most that are fitted one by one."""
TIMED = 0.5
"""Share of the time from which on the first forecasts tell what all will take."""


def forecasts(
    variant: str, series: Series, rows: Rows, horizon: int, most: float = math.inf, share: float | None = None
) -> Floats:
    """Forecasts (n, horizon) for these examples, each from everything before it.

    Args:
        most: seconds that they may take; loading the library does not count.
        share: the quantile to forecast, 0 to 1; None for the mean, which is taken for the median as well.

    Raises FittingError where they would take longer, or there are too many series; ValueError where a series is too short,
    or has no season that its model needs.
    """
    numbers = series.number[series.ends[rows] - 1]
    every = numpy.unique(numbers)
    if len(every) > MOST_SERIES:
        raise FittingError(f"It is fitted to each series, and {len(every):,} are too many for that.")
    if variant in OWN_SEASON:
        import_module(f"{LIBRARY}.models")  # seconds
    quantile = share if is_moved(share) else None
    found = numpy.empty((len(rows), horizon))
    fits: list[float] = []
    """Seconds of the first forecast of each series, for which its model is fitted."""
    spent, others, least = 0.0, 0, math.inf
    """Seconds of all; the number of the other forecasts, and the fewest seconds that one took."""
    for number in every:
        first = int(numpy.argmax(series.number == number))
        mine = numpy.flatnonzero(numbers == number)
        mine = mine[numpy.argsort(series.ends[rows[mine]], kind="stable")]
        history = History(variant, series.values[first:][series.number[first:] == number], series.seasons, quantile)
        for place in mine:
            if fits and spent >= TIMED * most:
                left = len(rows) - len(every) - others
                expected = spent + (len(every) - len(fits)) * statistics.fmean(fits) + (left * least if others else 0.0)
                if expected > most:
                    raise FittingError(f"Its forecasts would take about {expected:.0f} s for each part of the series.")
            begun = time.monotonic()
            found[place] = history.forecast(int(series.ends[rows[place]]) - first, horizon)
            took = time.monotonic() - begun
            spent += took
            if place == mine[0]:
                fits.append(took)
            else:
                others, least = others + 1, min(least, took)
    return found
