"""A table turned into an inspection: its columns, its target, what is odd about it, and the facts that follow."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import polars

from advisor.datasets import fingerprint
from advisor.datasets.dataset import UNSAID, Column, Inspection, Kind, Remark, Task, Weight
from advisor.datasets.tables.class_counts import class_counts, with_all_classes
from advisor.datasets.tables.columns import Judged, judge
from advisor.datasets.tables.examples import TableReading, joined
from advisor.datasets.tables.row_order import RowOrder, row_order
from advisor.datasets.tables.series.recognition import Arrangement, recognise
from advisor.datasets.tables.series.series import as_series
from advisor.datasets.tables.suspects import Suspects, suspects
from advisor.datasets.tables.table import Table, TableSample
from advisor.datasets.tables.target import TargetView, find_column, may_be_classes, proposals, view
from advisor.datasets.values.conversion import Style
from advisor.datasets.values.words import measure
from advisor.facts.vocabulary import Value
from advisor.wording import join_names, shorten

FEW_ROWS = 50
_MOST_COLUMNS_OF_EDGES = 4
_THREADS = 2


@dataclass(frozen=True, slots=True)
class _Findings:
    """Findings about one table, before they are put together."""

    path: Path
    sample: TableSample
    columns: tuple[Judged, ...]
    target: TargetView | None
    suspects: Suspects
    order: RowOrder

    @property
    def inputs(self) -> tuple[str, ...]:
        """Columns that a model is given: all that hold something, but neither the answer nor the group of a row."""
        left_out = {*self.suspects.copies, self.order.group_column, self.target.name if self.target else None}
        return tuple(
            judged.column.name for judged in self.columns if judged.kind.usable and judged.column.name not in left_out
        )


def inspect_table(path: Path, sample: TableSample, target: str | None, task: Task | None) -> Inspection:
    """Inspect a table by a sample of its rows: examples, series or the edges of a graph; for a task if one is stated.

    Raises:
        InputError: there is no such target, or one that cannot be predicted, or a row is damaged.
        OSError
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
    known = suspects(columns, seen) if seen is not None else Suspects()
    findings = _Findings(path, sample, columns, seen, known, row_order(columns, seen))
    table = Table(sample.access, {judged.column.name: judged.style for judged in columns if judged.style})
    inspection = _inspection(findings, typed, table)
    shape = recognise(typed, inspection.columns, inspection.target)
    if shape is None or (task in (Task.CLASSIFY, Task.REGRESS) and shape.kind is Arrangement.LONG):
        return inspection
    return as_series(inspection, shape, table)


def judged_columns(sample: TableSample) -> tuple[Judged, ...]:
    """Every column of a sample, in the order of the file."""

    def judged(raw: polars.Series) -> Judged:
        named, nested = raw.name not in sample.unnamed, raw.name in sample.nested
        return judge(raw, named=named, nested=nested, comma_first=sample.comma_first)

    with ThreadPoolExecutor(_THREADS) as pool:  # polars works outside of Python's lock
        return tuple(pool.map(judged, sample.frame.iter_columns()))


def _typed(columns: Sequence[Judged]) -> polars.DataFrame:
    """The sample with the types of its kinds; whole numbers as such."""
    held = []
    for judged in columns:
        values = judged.values
        if judged.kind is Kind.WHOLE and values.dtype == polars.Float64:
            values = values.cast(polars.Int64)
        held.append(values.alias(judged.column.name))
    return polars.DataFrame(held)


def _inspection(findings: _Findings, typed: polars.DataFrame, table: Table) -> Inspection:
    path, sample, target = findings.path, findings.sample, findings.target
    inputs = findings.inputs
    columns = tuple(judged.column for judged in findings.columns)
    size = path.stat().st_size
    modality = "text" if inputs and is_text_task(columns, inputs) else "tabular"
    facts: dict[str, Value] = {"data.modality": modality, "data.examples": sample.rows, "data.bytes": size}
    if modality == "text":
        measured = measure(joined(typed.select(inputs)))
        facts |= {"data.inputs": measured.tokens, "data.sequence_length": measured.steps}
    elif inputs:
        facts |= {"data.inputs": len(inputs), "data.sparse_ids": findings.order.sparse_ids}
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
        columns=columns,
        inputs=inputs,
        time_column=findings.order.time_column,
        group_column=findings.order.group_column,
        remarks=tuple(_remarks(findings)),
        sampled=sample.sampled,
        bytes=size,
        memory_bytes=round(typed.estimated_size() * sample.rows / max(len(typed), 1)),
        reading=TableReading(table),
        written=sample.written,
        delimiter=sample.delimiter,
        plain=sample.plain and not {Style.COMMA, Style.GROUPED} & set(table.styles.values()),
    )


def is_text_task(columns: Sequence[Column], inputs: Sequence[str]) -> bool:
    """True where texts are all that a table's examples consist of: it is no table but texts with answers."""
    return {column.kind for column in columns if column.name in inputs} == {Kind.TEXT}


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


def _remarks(findings: _Findings) -> list[Remark]:
    """Warnings first, and then notes."""
    remarks = [*findings.sample.remarks]
    if findings.target is not None:
        remarks += findings.target.remarks
        if not findings.inputs:
            what = "No column is left to learn from."
            remarks.append(Remark(what, Weight.WARNING, "The table above says of each column why it was left out."))
    else:
        names = proposals(findings.columns)
        if names:
            shown = join_names([repr(shorten(name, 40)) for name in names], "or")
            remarks.append(
                Remark(UNSAID, remedy=f"Name the column with --target; it could be {shown}.", columns=tuple(names))
            )
    remarks += [*findings.suspects.remarks, *findings.order.remarks]
    if findings.sample.rows < FEW_ROWS:
        rows = "row is" if findings.sample.rows == 1 else "rows are"
        what = f"{findings.sample.rows} {rows} few: scores will depend on which of them are the test."
        remarks.append(Remark(what, Weight.WARNING, "A few hundred rows make a judgement possible."))
    return sorted(remarks, key=lambda remark: remark.weight is Weight.NOTE)
