"""Earlier values of a series, at any distance: what a forecast must beat, and what boosting of differences looks at."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy
from numpy.typing import NDArray

from advisor.datasets.dataset import Examples, Series

Rows: TypeAlias = NDArray[numpy.int64]
Floats: TypeAlias = NDArray[numpy.float64]

MOST_LAGS = 48
"""Of the steps just before a forecast."""
CYCLES = 2
"""Seasons back that are looked at."""


def repeated(examples: Examples, rows: Rows, back: int) -> Floats:
    """Each value to predict as it was `back` steps before, or as many more as it takes for it to be known; (n, steps).

    Where nothing was measured then, it is as the last value.
    """
    horizon = examples.targets.shape[1]
    ahead = numpy.arange(horizon)
    found = earlier(examples, rows, back * (ahead // back + 1) - ahead)
    last = earlier(examples, rows, numpy.ones(horizon, numpy.int64))
    return numpy.where(numpy.isfinite(found), found, last)


def usual_back(examples: Examples, training: Rows) -> int:
    """One step or one season: whichever repeats the training examples better."""
    known = examples.series.seasons if examples.series is not None else ()
    within = () if examples.series is not None else (1, numpy.asarray(examples.inputs).shape[1])
    backs = {1, *known, *([examples.season] if examples.season else [])}
    if within:
        backs = {back for back in backs if within[0] <= back <= within[1]}

    def error(back: int) -> float:
        return float(numpy.nanmean((repeated(examples, training, back) - examples.targets[training]) ** 2))

    return min(sorted(backs), key=error)


def missed(examples: Examples, training: Rows, back: int, share: float) -> tuple[float, ...]:
    """The quantile of by how much repeated values are too low in the training, for each step ahead.

    Args:
        back: as for `repeated`.
        share: of the errors that lie below, 0 to 1.
    """
    off = examples.targets[training] - repeated(examples, training, back)
    return tuple(numpy.nanquantile(off, share, axis=0).tolist())


def usual_error(examples: Examples, training: Rows) -> float:
    """The mean distance of a value from the one a season before, or one step, in the training: the unit of MASE.

    Hyndman and Koehler 2006 (Another look at measures of forecast accuracy, International Journal of Forecasting 22).
    """
    known = examples.series.seasons if examples.series is not None else ()
    off = repeated(examples, training, known[0] if known else 1)[:, 0] - examples.targets[training, 0]
    return float(numpy.nanmean(numpy.abs(off))) or 1.0


def earlier(examples: Examples, rows: Rows, back: Rows) -> Floats:
    """The value so many steps before the first one to predict, gaps as what was known last; (n, backs), NaN before any."""
    if examples.series is None:
        windows = numpy.asarray(examples.inputs)
        found: Floats = windows[rows][:, -back, 0].astype(numpy.float64)
        return found
    series = examples.series
    return _at(series, series.ends[rows], back)


def _at(series: Series, ends: Rows, back: Rows) -> Floats:
    places = ends[:, None] - back
    # The series of an example is that of the step before it: the first step to predict may lie behind the end of it.
    own = series.number[ends - 1][:, None]
    inside = (places >= 0) & (series.number[numpy.maximum(places, 0)] == own)
    known = numpy.maximum.accumulate(numpy.where(numpy.isfinite(series.values), numpy.arange(len(series.values)), 0))
    last = known[numpy.maximum(places, 0)]
    inside &= series.number[last] == own
    return numpy.where(inside, series.values[last], numpy.nan)


def lagged(examples: Examples, rows: Rows, back: int) -> tuple[Floats, Floats]:
    """Inputs (n, values) for a model of how far off the repeated values will be, and these (n, steps).

    Inputs are the last steps and those of earlier seasons, by how much they differ from the last step; by how much the last
    steps differed from those `back` steps before them, so that a trend is followed; the last step itself, and the day of the
    year, weekday and time of day where there are dates. NaN where nothing was measured. Nothing of the first value to predict
    or later is looked at, and where a series begins changes nothing if it has `reach` steps.
    """
    series = examples.series
    assert series is not None  # noqa: S101 - of a forecast
    horizon = examples.targets.shape[1]
    base, level = repeated(examples, rows, back), earlier(examples, rows, numpy.array([1]))
    recent = numpy.arange(1, min(MOST_LAGS, numpy.asarray(examples.inputs).shape[1]) + 1)
    ends = series.ends[rows]
    parts: list[NDArray[Any]] = [level, earlier(examples, rows, recent[1:]) - level, base - level]
    if back > 1:
        parts.append(earlier(examples, rows, recent) - earlier(examples, rows, recent + back))
    for season in series.seasons:
        ago = numpy.array([season * cycle - step for cycle in range(1, CYCLES + 1) for step in (-1, 0, 1)])
        parts.append(earlier(examples, rows, numpy.maximum(ago, 1)) - level)
    if series.dated:
        parts.append(_calendar(series, ends))
    windows = numpy.asarray(examples.inputs)[rows]
    if windows.shape[2] > 1:  # other values, measured at the same times
        parts.append(windows[:, :, 1:].reshape(len(rows), -1))
    assert base.shape[1] == horizon  # noqa: S101
    return numpy.hstack(parts).astype(numpy.float64), base


def reach(examples: Examples, back: int) -> int:
    """Steps before a forecast that `lagged` looks back on."""
    window: int = numpy.asarray(examples.inputs).shape[1]
    seasons = examples.series.seasons if examples.series is not None else ()
    return max(window, min(MOST_LAGS, window) + back, *(CYCLES * season + 1 for season in seasons))


def to_learn_from(inputs: Floats) -> Floats:
    """Inputs of training examples, with 0 in columns that are NaN throughout, which trees cannot be fitted to.

    A column that is always the same is never asked for, whatever other examples have there.
    """
    return numpy.where(numpy.isfinite(inputs).any(axis=0), inputs, 0.0)


def _calendar(series: Series, ends: Rows) -> Floats:
    """Day of the year, weekday and hours since midnight of the last step that has a time before each end; (n, 3)."""
    timed = numpy.maximum.accumulate(numpy.where(numpy.isfinite(series.times), numpy.arange(len(series.times)), 0))
    moments = series.times[timed[ends - 1]].astype("datetime64[s]")
    days = moments.astype("datetime64[D]")
    of_year = days - days.astype("datetime64[Y]")
    weekday = (days.astype(numpy.int64) + 3) % 7
    hours = (moments - days).astype(numpy.int64) / 3600
    return numpy.stack([of_year.astype(numpy.int64), weekday, hours], axis=1).astype(numpy.float64)
