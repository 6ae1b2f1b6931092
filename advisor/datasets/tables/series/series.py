"""Time series of a table: its inspection as such, and whole series or windows of them in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy
import polars
from numpy.typing import NDArray

from advisor.datasets import fingerprint
from advisor.datasets.dataset import UNSAID, Examples, Inspection, Kind, Remark, Series, Task, Weight
from advisor.datasets.refusals import unreadable
from advisor.datasets.sampling import drawn, spread
from advisor.datasets.tables.examples import target_numbers
from advisor.datasets.tables.series.recognition import Arrangement, SeriesShape
from advisor.datasets.tables.series.seasons import seasons
from advisor.datasets.tables.table import Table
from advisor.datasets.values.conversion import as_texts, seconds
from advisor.datasets.values.numbers import finite
from advisor.wording import shorten

_FACTS_OF_TABLES = frozenset({"task.kind", "task.outputs", "data.imbalance", "data.labelled_fraction"})
MOST_ROWS = 5_000_000
"""Rows that are read: a series cannot be sampled row by row."""
MOST_BYTES = 2**30
"""Of windows in memory."""
MOST_ADDED = 0.5
"""Steps without a row, by the number of rows, up to which they count as gaps."""


def as_series(inspection: Inspection, shape: SeriesShape, table: Table) -> Inspection:
    """The inspection of a table as one of the series in it. Its `examples` must be the rows of the table."""
    target, task, rows = inspection.target, inspection.task, inspection.examples
    examples, values, long = rows, len(shape.value_columns), shape.kind is Arrangement.LONG
    forecasts = long or target is None
    left_out = {"data.sparse_ids", *(_FACTS_OF_TABLES if forecasts else ())}
    facts = {name: value for name, value in inspection.facts.items() if name not in left_out}
    facts |= {"data.modality": "time_series", "data.sequence_length": shape.steps}
    if forecasts:
        if long:
            examples = max(1, rows - shape.series * shape.steps)
            target = target or (shape.value_columns[0] if values == 1 else None)
        else:
            examples = rows * (values - shape.steps)
        known = not long or target is not None
        task = Task.FORECAST if known else None
        facts |= {"task.kind": "forecast", "task.outputs": 1} if known else {}
    facts |= {"data.examples": examples, "data.inputs": values if long else 1}
    return replace(
        inspection,
        modality="time_series",
        examples=examples,
        facts=facts,
        fingerprint=inspection.fingerprint
        if target == inspection.target
        else fingerprint.of_file(Path(inspection.path), target),
        target=target,
        task=task,
        classes=() if forecasts else inspection.classes,
        inputs=shape.value_columns,
        time_column=shape.time_column,
        group_column=shape.group_column,
        remarks=(
            *_remarks(shape, target, forecasts),
            *(r for r in inspection.remarks if not _of_tables(r, shape, forecasts)),
        ),
        reading=SeriesReading(table, shape, rows),
    )


def _of_tables(remark: Remark, shape: SeriesShape, forecasts: bool) -> bool:
    """True for remarks that mean nothing of a series: the order of rows in time, or that no target is named."""
    of_order = remark.weight is Weight.NOTE and remark.columns == (shape.time_column,)
    return of_order or (forecasts and remark.what == UNSAID)


def _remarks(shape: SeriesShape, target: str | None, forecasts: bool) -> Iterator[Remark]:
    if shape.kind is Arrangement.WIDE:
        what = (
            f"Each row is a series of {len(shape.value_columns)} steps, from {shorten(shape.value_columns[0], 30)} to "
        )
        what += f"{shorten(shape.value_columns[-1], 30)}."
        yield Remark(what + (f" Forecasts look back on {shape.steps} of them." if forecasts else ""))
        return
    told_apart = f", of a series for each {shorten(shape.group_column, 30)}" if shape.group_column else ""
    yield Remark(
        f"The rows follow one another in time by {shorten(shape.time_column, 30)}{told_apart}. An example is a window of "
        f"{shape.steps} steps and the value that follows it; tests are later than the training.",
        columns=tuple(filter(None, (shape.time_column, shape.group_column))),
    )
    if target is None:
        names = ", ".join(shorten(name, 30) for name in shape.value_columns[:5])
        remedy = f"Name the one to predict with --target: {names}."
        yield Remark("Several values are measured over time.", Weight.WARNING, remedy)


@dataclass(frozen=True, slots=True)
class Steps:
    """All series, one after the other."""

    values: NDArray[numpy.float32]
    """(steps, values): gaps filled with what was last known, NaN before anything was."""
    answers: NDArray[numpy.float64]
    """(steps,): the value to predict as it was measured, NaN in gaps."""
    times: NDArray[numpy.float64]
    """NaN of a step that no row has."""
    position: NDArray[numpy.int64]
    """Of each step in its series."""

    @property
    def number(self) -> NDArray[numpy.int64]:
        """The series of each step."""
        numbers: NDArray[numpy.int64] = numpy.cumsum(self.position == 0) - 1
        return numbers


@dataclass(frozen=True, slots=True)
class SeriesReading:
    """A table that holds series."""

    table: Table
    shape: SeriesShape
    rows: int
    """Of the table."""
    horizon: int = 1
    """Steps that an example of a forecast predicts."""

    def load(self, inspection: Inspection, most_examples: int, seed: int) -> Examples:
        """Series as float32 (n, steps, values). Forecasts are windows with the value that follows, in the order of time.

        `times` are those of the values to predict: where the test is later than the training, no window of the training
        reaches a target of the test. Raises InputError where the series are too long or too short.
        """
        frame = self._frame(inspection, seed)
        if inspection.task is not Task.FORECAST:
            return _whole(frame, self.shape, inspection, most_examples, seed)
        return _windows(frame, self.shape, inspection, most_examples, self.horizon)

    def load_with_later(self, inspection: Inspection, later: polars.DataFrame, most_examples: int) -> Examples:
        """Forecasts whose values all lie in the rows of the inspection, then those whose values lie in the rows that follow.

        Args:
            later: with the columns of the series, in which a time is read as in the rows before.
            most_examples: of each.

        Raises InputError as `load` does, and LookupError where a row that should follow is not later than all before it.
        """
        time = self.shape.time_column
        assert time is not None  # noqa: S101 - rows follow one another
        named = [name for name in (*self.shape.value_columns, time, self.shape.group_column) if name is not None]
        earlier = self._frame(inspection, 0).select(named)
        last, begins = numpy.nanmax(seconds(earlier[time])), seconds(later[time])
        if early := int((begins <= last).sum()):
            raise LookupError(f"{early:,} of its {len(later):,} rows are not later than the last of the data")
        if not numpy.isfinite(begins).any():
            raise LookupError("none of its rows has a time")
        both = polars.concat([earlier, later.select(named).cast(earlier.schema)])
        return _windows(both, self.shape, inspection, most_examples, self.horizon, float(numpy.nanmin(begins)))

    def _frame(self, inspection: Inspection, seed: int) -> polars.DataFrame:
        if self.rows > MOST_ROWS:
            what = f"its {self.rows:,} rows are more than the {MOST_ROWS:,} that are read of series"
            raise unreadable(inspection.path, what, "Save its latest part to a file of its own.")
        return self.table.read(inspection, self.rows, MOST_ROWS, seed)


def _windows(
    frame: polars.DataFrame,
    shape: SeriesShape,
    inspection: Inspection,
    most_examples: int,
    horizon: int,
    cut: float | None = None,
) -> Examples:
    """Windows on both sides of the time `cut`, where there is one: none has values of both to predict."""
    time = shape.time_column
    steps = _rows_are_series(frame, shape) if time is None else rows_are_times(frame, shape, time)
    begun = numpy.isfinite(numpy.roll(steps.values[:, 0], 1))  # something was measured before
    known = numpy.isfinite(steps.answers)
    for ahead in range(1, horizon):
        later = numpy.roll(numpy.isfinite(steps.answers) & (steps.position >= ahead), -ahead)
        known &= later
    ends = numpy.flatnonzero((steps.position >= shape.steps) & begun & known)
    if not len(ends):
        what = f"no series in it is longer than the {shape.steps} steps that a forecast looks back on"
        remedy = "A longer history is needed."
        if horizon > 1:
            what += f" and the {horizon} that it looks ahead"
            remedy = "A longer history is needed, or a shorter --horizon."
        raise unreadable(inspection.path, what, remedy)
    ends = ends[numpy.argsort(steps.times[ends], kind="stable")]
    held = MOST_BYTES // (4 * shape.steps * steps.values.shape[1])
    sides = [ends]
    if cut is not None:
        sides = [ends[steps.times[ends + horizon - 1] < cut], ends[steps.times[ends] >= cut]]
    chosen = numpy.concatenate([side[spread(len(side), min(most_examples, max(held, 1)))] for side in sides])
    every = sum(map(len, sides))
    longest = numpy.flatnonzero(steps.number == numpy.bincount(steps.number).argmax())
    dated = any(column.name == time and column.kind is Kind.DATE for column in inspection.columns)
    found = seasons(steps.answers[longest], shape.season)
    return Examples(
        "time_series",
        Task.FORECAST,
        steps.values[chosen[:, None] + numpy.arange(-shape.steps, 0)],
        steps.answers[chosen[:, None] + numpy.arange(horizon)].astype(numpy.float32),
        times=steps.times[chosen],
        until=steps.times[chosen + horizon - 1] if horizon > 1 else None,
        left_out=f"{len(chosen):,} of {every:,} windows were taken, evenly over time." if len(chosen) < every else "",
        season=shape.season or (found[-1] if found else None),
        series=Series(steps.answers, steps.number, steps.times, chosen, found, dated),
    )


def rows_are_times(frame: polars.DataFrame, shape: SeriesShape, time: str) -> Steps:
    names = polars.repeat("", len(frame), eager=True) if shape.group_column is None else frame[shape.group_column]
    series = names.cast(polars.String).fill_null("").rank("dense").to_numpy().astype(numpy.int64)
    times = seconds(frame[time])
    order = numpy.lexsort((times, series))
    order = order[numpy.isfinite(times[order])]
    series, times = series[order], times[order]
    values = _numbers(frame, shape)[order]
    places = _places(times, series, weekends=shape.season == 5)
    row = numpy.searchsorted(places, numpy.arange(len(series) and places[-1] + 1), side="right") - 1
    there = numpy.isin(numpy.arange(len(row)), places)
    series, times, values = series[row], numpy.where(there, times[row], numpy.nan), values[row]
    values[~there] = numpy.nan
    starts = numpy.flatnonzero(numpy.diff(series, prepend=-1))
    position = numpy.arange(len(series)) - numpy.repeat(starts, numpy.diff(starts, append=len(series)))
    return Steps(_filled(values, position), values[:, 0], times, position)


def _places(times: NDArray[numpy.float64], series: NDArray[numpy.int64], *, weekends: bool) -> NDArray[numpy.int64]:
    """The place of each row where there is one for every regular time, so that steps without a row have places, too.

    Rows follow one another as they are where weekends are no gaps, and where times are too irregular to say what is missing.
    """
    gaps, same = numpy.diff(times), numpy.diff(series) == 0
    jumps = numpy.ones(len(gaps), numpy.int64)
    if same.any() and not weekends:
        distance = float(numpy.median(gaps[same]))
        found = numpy.maximum(1, numpy.rint(gaps[same] / distance)) if distance > 0 else jumps[same]
        if (found - 1).sum() <= MOST_ADDED * len(times):
            jumps[same] = found
    return numpy.concatenate([[0], numpy.cumsum(jumps)])


def _rows_are_series(frame: polars.DataFrame, shape: SeriesShape) -> Steps:
    """Every row one series; its steps are counted from 0."""
    values = _numbers(frame, shape).reshape(-1, 1)
    position = numpy.tile(numpy.arange(len(shape.value_columns)), len(frame))
    return Steps(_filled(values, position), values[:, 0], position.astype(numpy.float64), position)


def _numbers(frame: polars.DataFrame, shape: SeriesShape) -> NDArray[numpy.float64]:
    """(rows, values), NaN where there is none, or one larger than networks compute with."""
    columns = (polars.col(name).cast(polars.Float64, strict=False) for name in shape.value_columns)
    numbers = frame.select(columns).to_numpy()
    return numpy.where(numpy.abs(numbers) <= numpy.finfo(numpy.float32).max, numbers, numpy.nan)


def _filled(values: NDArray[numpy.float64], position: NDArray[numpy.int64]) -> NDArray[numpy.float32]:
    """Gaps filled with what was last known of the same series: nothing that comes later may be seen."""
    row = numpy.arange(len(values))[:, None]
    last = numpy.maximum.accumulate(numpy.where(numpy.isfinite(values), row, -1), axis=0)
    known = last >= row - position[:, None]
    filled = numpy.take_along_axis(values, numpy.maximum(last, 0), axis=0)
    return numpy.where(known, filled, numpy.nan).astype(numpy.float32)


def _whole(
    frame: polars.DataFrame, shape: SeriesShape, inspection: Inspection, most_examples: int, seed: int
) -> Examples:
    """Every row a series with a class or a number of its own."""
    column = frame[inspection.target or ""]
    task = inspection.task or Task.CLASSIFY
    labels = as_texts(column) if task is Task.CLASSIFY else finite(column.cast(polars.Float32, strict=False))
    known = frame.filter(labels.is_not_null())
    targets, classes = target_numbers(labels.drop_nulls(), inspection, task)
    chosen = drawn(targets, task, most_examples, seed)
    values = _numbers(known[chosen], shape).astype(numpy.float32)
    left_out = f"{len(chosen):,} of {len(frame):,} series were taken." if len(chosen) < len(frame) else ""
    return Examples("time_series", task, values[:, :, None], targets[chosen], classes, left_out=left_out)
