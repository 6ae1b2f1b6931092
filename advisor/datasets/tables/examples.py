"""Rows of a table as examples: those with a target, with their groups and times."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy
import polars
from numpy.typing import NDArray

from advisor.datasets.dataset import Examples, Inspection, Task
from advisor.datasets.refusals import unlearnable
from advisor.datasets.sampling import class_numbers, drawn, evened, floor_of_a_class
from advisor.datasets.tables.columns import INFINITE
from advisor.datasets.tables.table import Table
from advisor.datasets.values.conversion import as_texts, seconds
from advisor.datasets.values.numbers import finite
from advisor.datasets.values.repeated_rows import groups_of_copies

_MOST_BYTES = 2**27
"""Bytes of a file that are read to find examples of rare classes."""
_MOST_CELLS = 5_000_000
"""Cells that are read to find examples of rare classes."""


@dataclass(frozen=True, slots=True)
class TableReading:
    """A table whose rows are examples of their own."""

    table: Table

    def load(self, inspection: Inspection, most_examples: int, seed: int) -> Examples:
        """The columns of the inputs, typed by what they hold, or their texts joined; rows without a target are left out."""
        task = inspection.task or Task.CLASSIFY
        if not inspection.inputs:
            remedy = "`advisor inspect` says of each column why it was left out."
            raise unlearnable(inspection.path, "no column is left to learn from", remedy)
        frame = self.table.read(inspection, inspection.examples, _rows_to_read(inspection, most_examples), seed)
        target = _readable_target(frame, inspection, task)
        known = frame.filter(target.is_not_null())
        target = target.drop_nulls()
        if known.is_empty():
            raise unlearnable(
                inspection.path, "no row has a value for the target", "Name another column with --target."
            )
        targets, classes = target_numbers(target, inspection, task)
        chosen = drawn(targets, task, most_examples, seed)
        every, known, targets = targets, known[chosen], targets[chosen]
        inputs = known.select(inspection.inputs)
        groups = (
            groups_of_copies(inputs) if inspection.group_column is None else groups_of(known[inspection.group_column])
        )
        return Examples(
            inspection.modality,
            task,
            joined(inputs) if inspection.modality == "text" else inputs,
            targets,
            classes,
            groups=groups,
            times=None if inspection.time_column is None else times_of(known[inspection.time_column]),
            left_out=_left_out(
                inspection,
                rows_read=len(frame),
                with_target=len(target),
                chosen=len(chosen),
                evened=task is Task.CLASSIFY and evened(every, targets),
                repeated=inspection.group_column is None and groups is not None,
            ),
        )


def joined(inputs: polars.DataFrame) -> list[str]:
    """The texts of each row as one."""
    parts = [polars.col(name).cast(polars.String).fill_null("") for name in inputs.columns]
    return inputs.select(polars.concat_str(parts, separator="\n").alias("text"))["text"].to_list()


def _rows_to_read(inspection: Inspection, most_examples: int) -> int:
    """Enough rows for as many as wanted to have a target and for the rarest class to suffice; cells are bounded."""
    labelled, imbalance = (inspection.facts.get(name) for name in ("data.labelled_fraction", "data.imbalance"))
    with_target = most_examples / max(float(labelled), 0.01) if isinstance(labelled, int | float) else most_examples
    rarest = 1.0 if not isinstance(imbalance, int | float) else 1 + float(imbalance)
    for_rarest = floor_of_a_class(most_examples, len(inspection.classes)) * rarest
    size = inspection.facts.get("data.bytes")
    bytes_a_row = size / max(inspection.examples, 1) if isinstance(size, int | float) else 0.0
    most = min(_MOST_CELLS / max(len(inspection.columns), 1), _MOST_BYTES / max(bytes_a_row, 1.0))
    return math.ceil(max(with_target, min(for_rarest, most)))


def _readable_target(frame: polars.DataFrame, inspection: Inspection, task: Task) -> polars.Series:
    """Classes as text, numbers as floats; null where there is none."""
    column = frame[inspection.target or ""]
    if task is Task.CLASSIFY:
        return as_texts(column)
    if column.dtype == polars.Categorical:  # numbers that seem to be names, and are said to be quantities
        column = column.cast(polars.String)
    return finite(column.cast(polars.Float32, strict=False))


def target_numbers(target: polars.Series, inspection: Inspection, task: Task) -> tuple[NDArray[Any], tuple[str, ...]]:
    """Numbers of classes, (n,), with the classes; or numbers to predict, float64 (n, 1)."""
    if task is Task.CLASSIFY:
        return class_numbers(target.to_list(), inspection.classes)
    return target.to_numpy().astype(numpy.float64).reshape(-1, 1), ()


def groups_of(column: polars.Series) -> NDArray[numpy.int64]:
    """A number for each group; a row without one is a group of its own."""
    names = column.cast(polars.String)
    numbers = names.rank("dense").cast(polars.Int64)
    own = polars.Series(numpy.arange(len(column)) + len(column) + 1)
    result: NDArray[numpy.int64] = numbers.zip_with(names.is_not_null(), own).to_numpy()
    return result


def times_of(column: polars.Series) -> NDArray[numpy.float64]:
    """Rows without a time come first, so that no test rests on them."""
    times = seconds(column)
    return numpy.where(numpy.isfinite(times), times, -math.inf)


def _left_out(
    inspection: Inspection, *, rows_read: int, with_target: int, chosen: int, evened: bool, repeated: bool
) -> str:
    sentences = []
    if with_target < rows_read:
        missing = rows_read - with_target
        rows, were = ("1 row has", "was") if missing == 1 else (f"{missing:,} rows have", "were")
        column = next((one for one in inspection.columns if one.name == inspection.target), None)
        infinite = " or an infinite one" if column is not None and INFINITE in column.remark else ""
        sentences.append(f"{rows} no value for the target{infinite} and {were} left out.")
    if rows_read < inspection.examples or chosen < with_target:
        how = ", but more of those of rare classes" if evened else ""
        sentences.append(
            f"{chosen:,} of about {inspection.examples:,} rows were taken, evenly from all of the file{how}."
        )
    if repeated:
        sentences.append("Rows with the same inputs count as one group: no copy of a training row is in the test.")
    return " ".join(sentences)
