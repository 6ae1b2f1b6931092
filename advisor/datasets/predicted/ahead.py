"""The times of the steps that follow a series, where its last times say how they go on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import polars
from numpy.typing import NDArray

from advisor.datasets.dataset import Kind, Series
from advisor.datasets.intake import Intake, TakenColumn
from advisor.datasets.predicted.names import STEP, name_apart
from advisor.datasets.values.dates import dates_of

_LOOKED_AT = 400
"""Last steps that are looked at."""
_FEWEST = 3
_SLACK = 1e-6
"""Share of a distance by which distances may differ and count as equal: times are stored as floats."""
_DAY = 86_400
_FRIDAY = 4


def keys_ahead(
    intake: Intake, series: Series, names: Sequence[str], steps: int, say: Callable[[str, str], None]
) -> polars.DataFrame:
    """For each step that follows each series: the series by its name, the number of the step, and its time where that is known.

    Args:
        names: of the series; empty where there is one.
    """
    group, time = intake.group, intake.time
    assert time is not None  # noqa: S101 - the intake of a series
    each = numpy.split(series.times, numpy.flatnonzero(numpy.diff(series.number)) + 1)
    offset = _offset_seconds(series.zone)
    ahead = [times_ahead(times + offset, steps, dated=series.dated) for times in each]
    keys = []
    if names and group is not None:
        keys.append(polars.Series(group.name, [name for name in names for _ in range(steps)]))
    if any(times is not None for times in ahead):
        every = [numpy.full(steps, numpy.nan) if times is None else times for times in ahead]
        keys.append(_written(time.name, time, numpy.concatenate(every), series.zone))
    step = name_apart(STEP, "_ahead", {one.name for one in (group, time, intake.target) if one is not None})
    keys.append(polars.Series(step, list(range(1, steps + 1)) * len(each)))
    if unknown := sum(times is None for times in ahead):
        which = "its times are" if len(ahead) == 1 else f"the times of {unknown:,} of {len(ahead):,} series are"
        say("Forecasts without a time", f"Their steps are counted from 1: {which} too irregular to say when they are.")
    return polars.DataFrame(keys)


def times_ahead(times: NDArray[numpy.float64], steps: int, *, dated: bool) -> NDArray[numpy.float64] | None:
    """The next `steps` times; None where the last ones are not evenly apart, nor by months, nor by workdays.

    Args:
        times: of the steps of one series, NaN of one that no row has; seconds since 1970 where `dated`.
    """
    times = times[-_LOOKED_AT:]
    places = numpy.flatnonzero(numpy.isfinite(times))
    if len(places) < _FEWEST:
        return None
    known, gaps = times[places], numpy.diff(places)
    first = len(times) - places[-1]  # the last steps may have no row
    ahead = numpy.arange(first, first + steps)
    if dated and (by_month := _months_ahead(known, gaps, ahead)) is not None:
        return by_month  # first: from 30 November to 31 December to 31 January it is 31 days each
    if (even := _even(known, gaps)) is not None:
        following: NDArray[numpy.float64] = known[-1] + even * ahead
        return following
    return _workdays_ahead(known, gaps, ahead) if dated else None


def _even(known: NDArray[numpy.float64], gaps: NDArray[Any]) -> float | None:
    each = numpy.diff(known) / gaps
    distance = float((known[-1] - known[0]) / gaps.sum())
    return distance if distance > 0 and bool((numpy.abs(each - distance) <= _SLACK * distance).all()) else None


def _months_ahead(
    known: NDArray[numpy.float64], gaps: NDArray[Any], ahead: NDArray[Any]
) -> NDArray[numpy.float64] | None:
    """By whole months: always on the same day, or always on the last one of a month."""
    moments = numpy.round(known).astype("datetime64[s]")
    months = moments.astype("datetime64[M]")
    since = (moments - months.astype("datetime64[s]")).astype(numpy.int64)
    until = ((months + 1).astype("datetime64[s]") - moments).astype(numpy.int64)
    each, rest = numpy.divmod(numpy.diff(months.astype(numpy.int64)), gaps)
    if rest.any() or each[0] < 1 or (each != each[0]).any():
        return None
    following = months[-1] + each[0] * ahead
    if (until == until[0]).all():  # first: 28 February to 28 March are no ends
        return _seconds(following + 1) - float(until[0])
    if (since == since[0]).all() and since[0] < 28 * _DAY:
        return _seconds(following) + float(since[0])
    return None


def _workdays_ahead(
    known: NDArray[numpy.float64], gaps: NDArray[Any], ahead: NDArray[Any]
) -> NDArray[numpy.float64] | None:
    """From Monday to Friday at the same time of the day."""
    moments = numpy.round(known).astype("datetime64[s]")
    days = moments.astype("datetime64[D]")
    since = (moments - days.astype("datetime64[s]")).astype(numpy.int64)
    if (since != since[0]).any() or not numpy.is_busday(days).all():
        return None
    if (numpy.busday_count(days[:-1], days[1:]) != gaps).any():
        return None
    return _seconds(numpy.busday_offset(days[-1], ahead)) + float(since[0])


def _seconds(days: NDArray[Any]) -> NDArray[numpy.float64]:
    return days.astype("datetime64[s]").astype(numpy.int64).astype(numpy.float64)


def _offset_seconds(zone: str) -> int:
    """Seconds that "+02:00" is ahead of UTC; 0 for "Z" and the name of a place."""
    hours, _, minutes = zone.removeprefix("-").removeprefix("+").partition(":")
    if not minutes:
        return 0
    return (-60 if zone.startswith("-") else 60) * (60 * int(hours) + int(minutes))


def _written(name: str, column: TakenColumn, times: NDArray[numpy.float64], zone: str = "") -> polars.Series:
    """Times as they are written in the column that a model learned from, else by ISO 8601; null for NaN.

    Args:
        times: by the clocks of an offset, in UTC for the name of a place.
        zone: see `Series.zone`; such times are written with their offset.
    """
    known = polars.Series(name, times).fill_nan(None)
    if column.kind is not Kind.DATE:
        whole = bool((known == known.round()).all()) and float(known.abs().max() or 0) < 2**53  # type: ignore[arg-type]
        return known.cast(polars.Int64) if whole else known
    moments = (known * 1e6).round().cast(polars.Int64).cast(polars.Datetime("us"))
    if zone[:1] in ("+", "-", "Z"):
        return moments.dt.strftime(f"%Y-%m-%dT%H:%M:%S%.f{zone}")
    if zone:
        return moments.dt.replace_time_zone("UTC").dt.convert_time_zone(zone)
    at_midnight = bool((moments.dt.truncate("1d") == moments).all())
    if not column.style:
        return moments.cast(polars.Date) if at_midnight else moments
    if "%" in column.style:
        written = moments.dt.strftime(column.style)
        if dates_of(written, column.style).equals(moments, check_names=False):
            return written
    return (moments.cast(polars.Date) if at_midnight else moments).dt.to_string("iso:strict")
