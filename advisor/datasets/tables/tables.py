"""A table turned into an inspection: its columns, its target, what is odd about it, and the facts that follow."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import polars

from advisor.datasets import fingerprint
from advisor.datasets.dataset import UNSAID, Format, Inspection, Kind, Remark, Task, Weight
from advisor.datasets.delimited.dialect import Dialect
from advisor.datasets.readers import texts
from advisor.datasets.series import series
from advisor.datasets.tables import delimited_sample, json_lines, parquet
from advisor.datasets.tables.class_counts import class_counts, with_all_classes
from advisor.datasets.tables.columns import Judged, judge
from advisor.datasets.tables.row_order import RowOrder, row_order
from advisor.datasets.tables.sample import TableSample
from advisor.datasets.tables.suspects import Suspects, suspects
from advisor.datasets.tables.target import TargetView, find_column, may_be_classes, proposals, view
from advisor.facts.vocabulary import Value
from advisor.wording import join_names, shorten

FEW_ROWS = 50
_MOST_COLUMNS_OF_EDGES = 4
_THREADS = 2
_SAMPLES = {
    Format.DELIMITED: delimited_sample.sample_of,
    Format.JSON_LINES: json_lines.sample_of,
    Format.PARQUET: parquet.sample_of,
}


@dataclass(frozen=True, slots=True)
class _Findings:
    """What was found out about one table, before it is put together."""

    path: Path
    sample: TableSample
    columns: tuple[Judged, ...]
    target: TargetView | None
    suspects: Suspects
    order: RowOrder

    @property
    def inputs(self) -> tuple[str, ...]:
        """Columns that a model is given: all that hold something, but not the answer and not whom a row belongs to."""
        left_out = {*self.suspects.copies, self.order.group_column, self.target.name if self.target else None}
        return tuple(
            judged.column.name for judged in self.columns if judged.kind.usable and judged.column.name not in left_out
        )


def inspect_table(path: Path, format_: Format, target: str | None, task: Task | None = None) -> Inspection:
    """What a CSV, TSV, Parquet or JSON lines file is; with a task, where the target allows it, for this one.

    Raises:
        InputError: it cannot be read, or there is no such target, or one that cannot be learnt.
        OSError
    """
    sample = _SAMPLES[format_](path)
    columns = judged_columns(sample)
    found = find_column(columns, target, path) if target is not None else None
    typed = _typed(columns)
    if found is None and len(columns) <= _MOST_COLUMNS_OF_EDGES:
        from advisor.datasets.series import graphs  # scipy's graphs take 0.3 s

        graph = graphs.inspect_edges(path, typed, [judged.column for judged in columns])
        if graph is not None:
            return graph
    counts = None
    if found is not None and not sample.whole and may_be_classes(found, task):
        counts = class_counts(path, format_, sample, found)
        if counts is not None:
            before, found = found, with_all_classes(found, counts)
            columns = tuple(found if judged is before else judged for judged in columns)
    seen = view(found, path, task, whole=sample.whole, counts=counts) if found is not None else None
    known = suspects(columns, seen) if seen is not None else Suspects()
    findings = _Findings(path, sample, columns, seen, known, row_order(columns, seen))
    inspection = _inspection(findings, format_, typed)
    shape = series.recognise(typed, inspection.columns, inspection.target)
    if shape is None or (task in (Task.CLASSIFY, Task.REGRESS) and shape.kind is series.Arrangement.LONG):
        return inspection
    return series.as_series(inspection, shape)


def judged_columns(sample: TableSample) -> tuple[Judged, ...]:
    """Every column of a sample, in the order of the file."""
    dialect = Dialect(**sample.reading["dialect"]) if "dialect" in sample.reading else None

    def judged(place: int) -> Judged:
        raw = sample.frame.to_series(place)
        named = dialect is None or (dialect.header and not raw.name.startswith(f"column_{place + 1}"))
        comma_first = dialect is not None and dialect.delimiter == ";"
        return judge(raw, named=named, nested=raw.name in sample.nested, comma_first=comma_first)

    with ThreadPoolExecutor(_THREADS) as pool:  # polars works outside of Python's lock
        return tuple(pool.map(judged, range(sample.frame.width)))


def _typed(columns: Sequence[Judged]) -> polars.DataFrame:
    """The sample with the types of its kinds; whole numbers as such."""
    held = []
    for judged in columns:
        values = judged.values
        if judged.kind is Kind.WHOLE and values.dtype == polars.Float64:
            values = values.cast(polars.Int64)
        held.append(values.alias(judged.column.name))
    return polars.DataFrame(held)


def _inspection(findings: _Findings, format_: Format, typed: polars.DataFrame) -> Inspection:
    path, sample, target = findings.path, findings.sample, findings.target
    inputs = findings.inputs
    columns = tuple(judged.column for judged in findings.columns)
    size = path.stat().st_size
    modality = "text" if inputs and texts.is_text_task(columns, inputs) else "tabular"
    facts: dict[str, Value] = {"data.modality": modality, "data.examples": sample.rows, "data.bytes": size}
    if modality == "text":
        measured = texts.measure(texts.joined(typed.select(inputs)))
        facts |= {"data.inputs": measured.tokens, "data.sequence_length": measured.steps}
    elif inputs:
        facts |= {"data.inputs": len(inputs), "data.sparse_ids": findings.order.sparse_ids}
    if target is not None:
        facts |= _facts_of_target(target)
    styles = {judged.column.name: judged.style for judged in findings.columns if judged.style}
    return Inspection(
        path=str(path),
        format=format_,
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
        reading=sample.reading | {"styles": styles},
    )


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
    """Warnings first, and then what is merely worth knowing."""
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
        what = f"{findings.sample.rows} {rows} few: scores will depend on which of them judge."
        remarks.append(Remark(what, Weight.WARNING, "A few hundred rows make a judgement possible."))
    return sorted(remarks, key=lambda remark: remark.weight is Weight.NOTE)
