"""A table described as the time series in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from advisor.datasets import fingerprint
from advisor.datasets.dataset import UNSAID, Inspection, Remark, Task, Weight
from advisor.datasets.tables.series.recognition import Arrangement, SeriesShape
from advisor.datasets.tables.series.windows import SeriesReading
from advisor.datasets.tables.table import Table
from advisor.facts.vocabulary import Value
from advisor.wording import shorten

_FACTS_OF_TABLES = frozenset({"task.kind", "task.outputs", "data.imbalance", "data.labelled_fraction"})


def as_series(inspection: Inspection, shape: SeriesShape, table: Table) -> Inspection:
    """The inspection of a table as one of the series in it. Its `examples` must be the rows of the table."""
    rows = inspection.examples
    facts: dict[str, Value] = dict(inspection.facts)
    facts.pop("data.sparse_ids", None)
    facts |= {"data.modality": "time_series", "data.sequence_length": shape.steps}
    target, task, examples = inspection.target, inspection.task, rows
    forecasts = shape.kind is Arrangement.LONG or target is None
    if forecasts:
        facts = {name: value for name, value in facts.items() if name not in _FACTS_OF_TABLES}
        if shape.kind is Arrangement.WIDE:
            examples = rows * (len(shape.value_columns) - shape.steps)
        else:
            examples = max(1, rows - shape.series * shape.steps)
            target = target or (shape.value_columns[0] if len(shape.value_columns) == 1 else None)
        known = shape.kind is Arrangement.WIDE or target is not None
        task = Task.FORECAST if known else None
        facts |= {"task.kind": "forecast", "task.outputs": 1} if known else {}
    facts |= {
        "data.examples": examples,
        "data.inputs": len(shape.value_columns) if shape.kind is Arrangement.LONG else 1,
    }
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
