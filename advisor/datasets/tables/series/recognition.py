"""Recognition of time series in tables: regular times beside measured values, or a column for each time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy
import polars
from numpy.typing import NDArray

from advisor.datasets.dataset import Column, Kind
from advisor.datasets.values.conversion import seconds
from advisor.datasets.values.dated_names import looks_dated, times_of

FEWEST_ROWS = 30
FEWEST_STEPS = 8
"""Columns of a wide table that make a series."""
MOST_VALUES = 50
"""Columns of numbers beside the time; a table of more describes examples."""
FEW_CODES = 12
"""Different whole numbers of a column up to which it looks like a code (weekday, season) and not like a measured value."""
REGULAR = 0.7
"""Share of about equal distances from which times are those of a series: of weekdays it is 0.8."""
SMOOTH = 0.6
"""The largest distance between neighbouring steps, as a share of that between any two."""
MOST_OWN_TIMES = 0.7
"""Share of different times among the rows of several series; they share most, and a weekday does not tell series apart."""
DEFAULT_HISTORY = 32
MOST_LAGS, CHANCE = 60, 3.5
"""Steps back to which a value is compared with its past; standard errors by which chance alone seldom relates any of them."""

_TIMES = frozenset(
    {"t", "time", "timestamp", "date", "datetime", "step", "period", "ds", "year", "month", "week", "day", "hour"}
)
_STEP = re.compile(r"(t|time|step|hour|day|week|month|quarter|year|h|d|w|m|q|y)[ _-]?(\d{1,6})", re.IGNORECASE)
_DAY, MOST_OF_A_DAY = 86_400, 96
"""Seconds, and steps of a day up to which days are looked for: a quarter of an hour."""
_SECONDS_AND_SEASONS = ((3_600, 24), (86_400, 7), (604_800, 52), (2_629_800, 12), (7_889_400, 4))
"""Steps of about so many seconds (an hour, a day, a week, a month, a quarter) repeat after so many steps."""


class Arrangement(StrEnum):
    """The arrangement of series in a table."""

    LONG = "long"  # a row for each time, of one series or of several that a column tells apart
    WIDE = "wide"  # a row for each series, a column for each time


@dataclass(frozen=True, slots=True)
class SeriesShape:
    """The series in a table."""

    kind: Arrangement
    value_columns: tuple[str, ...]
    """Long: the measured values, the one to predict first. Wide: the columns in the order of time."""
    steps: int
    """Of history that an example has."""
    time_column: str | None = None
    group_column: str | None = None
    season: int | None = None
    """Steps after which values may repeat: 24 of hours, 12 of months."""
    series: int = 1
    """Long: their number, as far as the sample shows."""


def recognise(frame: polars.DataFrame, columns: Sequence[Column], target: str | None) -> SeriesShape | None:
    """The series in a table, by rows of it in their order, or None where its rows are examples of their own.

    Times at about regular distances beside measured numbers make a series. Columns of texts, categories or codes such as
    a weekday, and a target of classes beside a time, make a table.
    """
    return None if len(frame) < 2 else _wide(frame, columns, target) or _long(frame, columns, target)


def _long(frame: polars.DataFrame, columns: Sequence[Column], target: str | None) -> SeriesShape | None:
    if len(frame) < FEWEST_ROWS:
        return None
    for time in columns:
        if time.name == target or not _counts_time(time):
            continue
        times = seconds(frame[time.name])
        others = [column for column in columns if column is not time and column.kind not in (Kind.CONSTANT, Kind.EMPTY)]
        for group in (
            None,
            *(column for column in others if _may_tell_apart(column, len(frame)) and column.name != target),
        ):
            values = _measured_values([column for column in others if column is not group], target)
            if not values:
                continue
            names = None if group is None else frame[group.name].cast(polars.String).fill_null("")
            series = _regular_series(times, names)
            if series is not None:
                length, count, repeats = series
                season = repeats if time.kind is Kind.DATE else None
                named, steps = group.name if group else None, _history(season, length)
                return SeriesShape(Arrangement.LONG, values, steps, time.name, named, season, count)
    return None


def has_memory(frame: polars.DataFrame, shape: SeriesShape) -> bool:
    """True where the first measured value depends on its own past: some autocorrelation is more than chance would give.

    Rows that a counter merely numbers have none. Deviations are from the mean of each series.
    """
    measured = frame[shape.value_columns[0]].cast(polars.Float64, strict=False).to_numpy()
    group = shape.group_column
    names = [""] * len(frame) if group is None else frame[group].cast(polars.String).fill_null("").to_list()
    series = numpy.unique(names, return_inverse=True)[1]
    order = numpy.lexsort(
        (seconds(frame[shape.time_column]) if shape.time_column else numpy.arange(len(frame)), series)
    )
    off, series = measured[order], series[order]
    for one in numpy.unique(series):
        off[series == one] -= numpy.nanmean(off[series == one])
    off = numpy.nan_to_num(off)
    total = float((off**2).sum())
    if total == 0:
        return False
    for lag in range(1, min(MOST_LAGS, len(off) // 3) + 1):
        pairs = series[lag:] == series[:-lag]
        if abs((off[lag:] * off[:-lag])[pairs].sum()) / total > CHANCE / numpy.sqrt(len(off)):
            return True
    return False


def _regular_series(times: NDArray[numpy.float64], names: polars.Series | None) -> tuple[int, int, int | None] | None:
    """Tell whether the rows, in the order of time within each series, are at about equal distances.

    Returns the rows of a middling series, the number of series, and their season, if the times are seconds.
    """
    if not numpy.isfinite(times).all():
        return None
    if names is None:
        if (numpy.diff(times) <= 0).any() and (numpy.diff(times) >= 0).any():  # neither up nor down
            return None
        series, lengths = numpy.zeros(len(times), numpy.int64), numpy.array([len(times)])
    else:
        _, series, lengths = numpy.unique(names.to_numpy().astype(str), return_inverse=True, return_counts=True)
        if len(lengths) < 2 or len(numpy.unique(times)) > MOST_OWN_TIMES * len(times):
            return None
    length = int(numpy.median(lengths))
    order = numpy.lexsort((times, series))
    gaps = numpy.diff(times[order])[numpy.diff(series[order]) == 0]
    if length < FEWEST_STEPS or not len(gaps) or (gaps == 0).any():
        return None
    distance = float(numpy.median(gaps))
    regular, threefold = ((numpy.abs(gaps / distance - times_as_long) < 0.15).mean() for times_as_long in (1, 3))
    if regular < REGULAR:
        return None
    return length, len(lengths), _season(distance, weekends=threefold > 0.1)


def _measured_values(columns: Sequence[Column], target: str | None) -> tuple[str, ...]:
    """The columns that are measured over time, the target first; none where a column describes rows instead."""
    if len(columns) > MOST_VALUES:
        return ()
    for column in columns:
        is_code = column.kind is Kind.WHOLE and column.distinct <= FEW_CODES
        if is_code or column.kind not in (Kind.NUMBER, Kind.WHOLE, Kind.IDENTIFIER):
            return ()
    names = [column.name for column in columns if column.kind is not Kind.IDENTIFIER or column.name == target]
    if target is not None and target not in names:
        return ()
    return tuple(sorted(names, key=lambda name: name != target))


def _counts_time(column: Column) -> bool:
    counts = column.kind in (Kind.WHOLE, Kind.NUMBER, Kind.IDENTIFIER) and column.name.casefold() in _TIMES
    return column.kind is Kind.DATE or counts


def _may_tell_apart(column: Column, rows: int) -> bool:
    named = column.kind in (Kind.CATEGORY, Kind.YES_NO, Kind.WHOLE, Kind.IDENTIFIER, Kind.TEXT)
    return named and 2 <= column.distinct <= rows / FEWEST_STEPS


def _wide(frame: polars.DataFrame, columns: Sequence[Column], target: str | None) -> SeriesShape | None:
    others = [column for column in columns if column.name != target]
    dated = _dated_columns(others)
    steps = dated or _step_columns(others)
    beside = [column for column in columns if column.name not in steps and column.name != target and column.kind.usable]
    if len(steps) < FEWEST_STEPS or len(beside) > 2:
        return None
    values = frame.select(polars.col(name).cast(polars.Float64, strict=False) for name in steps).to_numpy()
    if not dated and not _is_smooth(values):
        return None
    history = len(steps) if target is not None else min(DEFAULT_HISTORY, len(steps) // 2)
    return SeriesShape(Arrangement.WIDE, steps, history)


def _dated_columns(columns: Sequence[Column]) -> tuple[str, ...]:
    """Columns of numbers whose names are dates at about regular distances, in the order of time."""
    kinds = (Kind.NUMBER, Kind.WHOLE, Kind.YES_NO, Kind.CONSTANT)
    dated = [column.name for column in columns if column.kind in kinds and looks_dated(column.name)]
    times = times_of(dated)
    if times is None or len(times) < FEWEST_STEPS:
        return ()
    order = numpy.argsort(times)
    gaps = numpy.diff(numpy.array(times)[order])
    regular = (numpy.abs(gaps / numpy.median(gaps) - 1) < 0.15).mean()
    return tuple(dated[place] for place in order) if regular >= REGULAR else ()


def _step_columns(columns: Sequence[Column]) -> tuple[str, ...]:
    """Columns of numbers whose names count steps without a gap (t0, t1 ... or the years), in that order."""
    counted: dict[str, list[tuple[int, str]]] = {}
    for column in columns:
        if column.kind not in (Kind.NUMBER, Kind.WHOLE, Kind.CONSTANT):
            continue
        name = column.name.strip()
        step = _STEP.fullmatch(name)
        if step is not None:
            counted.setdefault(step[1].casefold(), []).append((int(step[2]), column.name))
        elif re.fullmatch(r"(19|20)\d\d", name):
            counted.setdefault("", []).append((int(name), column.name))
    longest = max((sorted(steps) for steps in counted.values()), key=len, default=[])
    if not longest or longest[-1][0] - longest[0][0] != len(longest) - 1:
        return ()
    return tuple(name for _, name in longest)


def _is_smooth(values: NDArray[numpy.float64]) -> bool:
    """True where neighbouring steps are nearer to each other than any two steps, as in a series but not in a list of features."""
    neighbours = numpy.abs(numpy.diff(values, axis=1))
    anyone = numpy.abs(values - numpy.roll(values, values.shape[1] // 2, axis=1))
    near, far = neighbours[numpy.isfinite(neighbours)], anyone[numpy.isfinite(anyone)]
    return bool(len(near) and len(far) and near.mean() < SMOOTH * far.mean())


def _season(distance: float, *, weekends: bool) -> int | None:
    """By the seconds between two times; a week of working days has five, with threefold distances over weekends."""
    season = next((season for length, season in _SECONDS_AND_SEASONS if abs(distance / length - 1) < 0.1), None)
    of_a_day = round(_DAY / distance) if 0 < distance < _DAY / 2 else 0
    if season is None and 2 < of_a_day <= MOST_OF_A_DAY and abs(of_a_day * distance / _DAY - 1) < 0.01:
        return of_a_day
    return 5 if season == 7 and weekends else season


def _history(season: int | None, length: int) -> int:
    """Two seasons or 32 steps, but a quarter of a series at most, so that there are windows to learn from."""
    return max(2, min(2 * season if season else DEFAULT_HISTORY, length // 4))
