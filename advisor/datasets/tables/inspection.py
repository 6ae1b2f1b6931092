"""A table turned into an inspection: its columns, its target, what is odd about it, and the facts that follow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import chain
from pathlib import Path

import polars

from advisor.datasets import fingerprint
from advisor.datasets.dataset import UNSAID, Column, Inspection, Kind, Remark, Task, Weight
from advisor.datasets.tables.advice import advice
from advisor.datasets.tables.class_counts import class_counts, with_all_classes
from advisor.datasets.tables.columns import Judged, judge_all
from advisor.datasets.tables.examples import TableReading, joined
from advisor.datasets.tables.missing_words import with_kept_words
from advisor.datasets.tables.row_order import row_order
from advisor.datasets.tables.series.recognition import Arrangement, SeriesShape, has_memory, recognise
from advisor.datasets.tables.series.series import as_series
from advisor.datasets.tables.suspects import suspects
from advisor.datasets.tables.table import Table, TableSample
from advisor.datasets.tables.target import TargetView, find_column, may_be_classes, proposals, view
from advisor.datasets.values.conversion import plain_texts
from advisor.datasets.values.numbers import Style, is_of_numbers, numbers_of
from advisor.datasets.values.text_sizes import measure
from advisor.facts.vocabulary import Value
from advisor.wording import join_names, shorten

FEW_ROWS = 50
_MOST_COLUMNS_OF_EDGES = 4
_THREADS = 2
_CELLS_AT_ONCE = 2**20


def inspect_table(path: Path, sample: TableSample, target: str | None, task: Task | None) -> Inspection:
    """Inspect a table by a sample of its rows: examples, series or the edges of a graph; for a task if one is stated.

    Raises OSError, and InputError where there is no such target, or one that cannot be predicted, or a row is damaged.
    """
    columns = judged_columns(sample)
    found = find_column(columns, target, path) if target is not None else None
    typed = _typed(columns)
    if found is None and len(columns) <= _MOST_COLUMNS_OF_EDGES:
        from advisor.datasets.tables import graphs  # scipy's graphs take 0.2 s

        graph = graphs.inspect_edges(path, typed, [judged.column for judged in columns])
        if graph is not None:
            return graph
    counts = None
    if found is not None and not sample.whole and may_be_classes(found, task):
        counts = class_counts(path, sample, found)
        if counts is not None:
            before, found = found, with_all_classes(found, counts)
            columns = tuple(found if judged is before else judged for judged in columns)
    seen = view(found, path, task, whole=sample.whole, counts=counts) if found is not None else None
    table = Table(sample.access, {judged.column.name: judged.style for judged in columns if judged.style})
    inspection = _inspection(path, sample, columns, seen, typed, table)
    shape = recognise(typed, inspection.columns, inspection.target)
    if shape is None or (task in (Task.CLASSIFY, Task.REGRESS) and shape.kind is Arrangement.LONG):
        return inspection
    if task is None and shape.kind is Arrangement.LONG and _only_numbers_rows(typed, inspection, shape):
        return replace(inspection, remarks=(*inspection.remarks, _no_memory(shape)))
    return as_series(inspection, shape, table)


def _only_numbers_rows(typed: polars.DataFrame, inspection: Inspection, shape: SeriesShape) -> bool:
    """True for rows that a whole number orders, other than a year, where the target does not depend on its past."""
    time = next(column for column in inspection.columns if column.name == shape.time_column)
    counts = time.kind is not Kind.DATE and time.name.casefold() != "year"
    return counts and inspection.target is not None and len(shape.value_columns) > 1 and not has_memory(typed, shape)


def _no_memory(shape: SeriesShape) -> Remark:
    what = f"The rows are in the order of {shape.time_column!r}, but {shape.value_columns[0]!r} does not depend on its past"
    return Remark(
        f"{what}: each row is an example of its own.",
        remedy="To forecast it, add --set task.kind=forecast to recommend or try.",
    )


def judged_columns(sample: TableSample) -> tuple[Judged, ...]:
    """Every column of a sample, in the order of the file."""
    every = sample.frame.get_columns()
    at_once = max(1, min(_CELLS_AT_ONCE // max(len(sample.frame), 1), -(-len(every) // _THREADS)))

    def judged(start: int) -> list[Judged]:
        some = every[start : start + at_once]
        return judge_all(some, unnamed=sample.unnamed, nested=sample.nested, comma_first=sample.comma_first)

    with ThreadPoolExecutor(_THREADS) as pool:  # polars works outside of Python's lock
        found = list(chain.from_iterable(pool.map(judged, range(0, len(every), at_once))))
    return with_kept_words(found, {column.name: column for column in every})


def _typed(columns: Sequence[Judged]) -> polars.DataFrame:
    """The sample with the types of its kinds; whole numbers as such."""
    held = []
    for judged in columns:
        values = judged.values
        if judged.kind is Kind.WHOLE and values.dtype == polars.Float64:
            values = values.cast(polars.Int64)
        held.append(values.alias(judged.column.name))
    return polars.DataFrame(held)


def _inspection(
    path: Path,
    sample: TableSample,
    columns: Sequence[Judged],
    target: TargetView | None,
    typed: polars.DataFrame,
    table: Table,
) -> Inspection:
    """Inspect a table as rows that are examples of their own."""
    copies, leaks = suspects(columns, target) if target is not None else ((), ())
    order = row_order(columns, target)
    described = tuple(judged.column for judged in columns)
    left_out = {*copies, order.group_column, target.name if target else None}  # the answer, and the group of a row
    inputs = tuple(column.name for column in described if column.kind.usable and column.name not in left_out)
    suspected = {name for remark in leaks for name in remark.columns}
    trusted = [name for name in inputs if name not in suspected]
    size = path.stat().st_size
    modality = "text" if inputs and is_text_task(described, inputs) else "tabular"
    facts: dict[str, Value] = {"data.modality": modality, "data.examples": sample.rows, "data.bytes": size}
    if modality == "text":
        measured = measure(joined(typed.select(inputs)))
        facts |= {"data.inputs": measured.tokens, "data.sequence_length": measured.steps}
    elif inputs:
        facts |= {"data.inputs": len(inputs), "data.sparse_ids": order.sparse_ids}
    if target is not None:
        facts |= _facts_of_target(target)
    return Inspection(
        path=str(path),
        format=sample.format,
        modality=modality,
        examples=sample.rows,
        facts=facts,
        fingerprint=fingerprint.of_file(path, target.name if target else None),
        target=target.name if target else None,
        task=target.task if target else None,
        classes=target.classes if target else (),
        columns=described,
        inputs=inputs,
        time_column=order.time_column,
        group_column=order.group_column,
        remarks=tuple(
            _remarks(sample, columns, target, inputs, (*leaks, *order.remarks, *advice(columns, target, trusted)))
        ),
        sampled=sample.sampled,
        bytes=size,
        memory_bytes=round(typed.estimated_size() * sample.rows / max(len(typed), 1)),
        reading=TableReading(table),
        written=sample.written,
        delimiter=sample.delimiter,
        plain=sample.plain,
        spelt=dict(_spelt(sample, columns)),
    )


def _spelt(sample: TableSample, columns: Sequence[Judged]) -> Iterator[tuple[str, str]]:
    """Columns whose numbers are not written with digits and a decimal point alone, each with the first such text."""
    for judged in columns:
        if is_of_numbers(judged.style) and judged.style != Style.PLAIN:
            texts = plain_texts(sample.frame[judged.column.name]).str.strip_chars()
            odd = texts.filter(numbers_of(texts, Style.PLAIN).is_null() & judged.values.is_not_null())
            yield judged.column.name, odd[0] if len(odd) else ""


def _doubts(columns: Sequence[Judged], target: TargetView | None) -> Iterator[Remark]:
    """Readings of values that somebody should check; those of the target are warnings."""
    for judged in columns:
        ours = target is not None and judged.column.name == target.name
        for doubt in judged.doubts:
            yield replace(doubt, weight=Weight.WARNING) if ours else doubt


def is_text_task(columns: Sequence[Column], inputs: Sequence[str]) -> bool:
    """True where texts are all that a table's examples consist of: it is no table but texts with answers."""
    taken = set(inputs)
    return {column.kind for column in columns if column.name in taken} == {Kind.TEXT}


def _facts_of_target(target: TargetView) -> dict[str, Value]:
    facts: dict[str, Value] = {
        "task.kind": target.task.value,
        "task.outputs": len(target.classes) or 1,
        "data.labelled_fraction": round(target.labelled, 4),
    }
    if target.imbalance is not None:
        facts["data.imbalance"] = round(target.imbalance, 2)
    if target.task is Task.REGRESS and target.outliers is not None:
        facts["data.outliers"] = target.outliers
    return facts


def _remarks(
    sample: TableSample,
    columns: Sequence[Judged],
    target: TargetView | None,
    inputs: Sequence[str],
    others: Sequence[Remark],
) -> list[Remark]:
    """Warnings first, and then notes."""
    remarks = [*sample.remarks]
    if target is not None:
        remarks += target.remarks
        if not inputs:
            what = "No column is left to learn from."
            remarks.append(Remark(what, Weight.WARNING, "The table above says of each column why it was left out."))
    elif names := proposals(columns):
        shown = join_names([repr(shorten(name, 40)) for name in names], "or")
        remedy = f"Name the column with --target; it could be {shown}."
        remarks.append(Remark(UNSAID, remedy=remedy, columns=tuple(names)))
    remarks += others
    remarks += _doubts(columns, target)
    if sample.rows < FEW_ROWS:
        rows = "row is" if sample.rows == 1 else "rows are"
        what = f"{sample.rows} {rows} few: scores will depend on which of them are the test."
        remarks.append(Remark(what, Weight.WARNING, "A few hundred rows make a judgement possible."))
    return sorted(remarks, key=lambda remark: remark.weight is Weight.NOTE)
