"""A table that was inspected, read again: all of it or an even sample, each column typed as the inspection found it."""

from __future__ import annotations

from pathlib import Path

import numpy
import polars
from numpy.typing import NDArray

from advisor.datasets.dataset import Column, Format, Inspection, Kind, Task
from advisor.datasets.delimited.dialect import Dialect
from advisor.datasets.delimited.records import blocks, frame_of
from advisor.datasets.formats import not_opened, unreadable
from advisor.datasets.tables import json_lines, parquet
from advisor.datasets.tables.delimited_sample import even_rows
from advisor.datasets.values import Style, as_texts, cleaned, converted, numbers_of


def read_frame(inspection: Inspection, most_rows: int, seed: int) -> polars.DataFrame:
    """At most so many rows in the order of the file; where there are more, one drawn from each of as many equal stretches.

    Columns by their kinds: Float64 for numbers, Boolean for yes or no, Categorical for categories, Datetime for dates,
    String for texts and identifiers; null where there is no value. The target of a classification is text, as the
    classes of the inspection are written. Columns of lists or objects are left out.

    Raises:
        InputError: the file can no longer be read as it was inspected, or a row of it is damaged.
    """
    path = Path(inspection.path)
    columns = [column for column in inspection.columns if column.kind is not Kind.NESTED]
    rows = chosen_rows(inspection.examples, most_rows, seed)
    try:
        raw = _few_of_many(path, inspection, most_rows, seed) if rows is not None else None
        if raw is None:
            raw = _raw(path, inspection, [column.name for column in columns], rows)
    except OSError as error:
        raise not_opened(path, error) from None
    styles = inspection.reading.get("styles", {})
    there = set(raw.columns)
    if inspection.format is not Format.JSON_LINES and not there.issuperset(column.name for column in columns):
        raise unreadable(path, "its columns changed since it was inspected", "Run `advisor inspect` again.")
    typed = [
        # In JSON, an object need not have all values.
        _typed(raw[column.name], column, styles.get(column.name, ""), inspection)
        if column.name in there
        else polars.Series(column.name, [None] * len(raw), dtype=polars.String)
        for column in columns
    ]
    return polars.DataFrame(typed)[:most_rows]


def _typed(raw: polars.Series, column: Column, style: str, inspection: Inspection) -> polars.Series:
    if column.name == inspection.target and inspection.task is Task.CLASSIFY and column.kind is Kind.YES_NO:
        # Classes keep their own words: yes and no do not become true and false, nor do 1 and 0.
        return as_texts(numbers_of(cleaned(raw), Style(style)) if style and raw.dtype == polars.String else raw)
    typed = converted(raw, column.kind, style)
    return as_texts(typed) if column.name == inspection.target and inspection.task is Task.CLASSIFY else typed


def chosen_rows(total: int, most: int, seed: int) -> NDArray[numpy.int64] | None:
    """Numbers of rows in ascending order, one drawn from each of `most` equal stretches; None where all are wanted."""
    if total <= most:
        return None
    edges = numpy.arange(most + 1, dtype=numpy.int64) * total // most
    draws = numpy.random.default_rng(seed).random(most)
    chosen: NDArray[numpy.int64] = edges[:-1] + (draws * numpy.diff(edges)).astype(numpy.int64)
    return chosen


def _few_of_many(path: Path, inspection: Inspection, most: int, seed: int) -> polars.DataFrame | None:
    """Rows of a large text table from many places of it; None where all of it must be read."""
    if inspection.format is not Format.DELIMITED:
        return None
    found = even_rows(path, Dialect(**inspection.reading["dialect"]), inspection.examples, most, seed)
    rows = None if found is None else chosen_rows(len(found), most, seed)
    return found if found is None or rows is None else found[rows]


def _raw(path: Path, inspection: Inspection, names: list[str], rows: NDArray[numpy.int64] | None) -> polars.DataFrame:
    if inspection.format is Format.PARQUET:
        return parquet.rows_of(path, names, rows)
    if inspection.format is Format.JSON_LINES:
        records = json_lines.all_records(path, dict(inspection.reading), rows)
        return json_lines.frame_of(records, path)[0]
    return _delimited(path, Dialect(**inspection.reading["dialect"]), names, rows)


def _delimited(path: Path, dialect: Dialect, names: list[str], rows: NDArray[numpy.int64] | None) -> polars.DataFrame:
    parts: list[polars.DataFrame] = []
    before = 0
    for block in blocks(path, dialect):
        part = frame_of(block.data, dialect)[names]
        after = before + len(part)
        if rows is not None:
            start, end = numpy.searchsorted(rows, [before, after])
            part = part[rows[start:end] - before]
        parts.append(part)
        before = after
    if not parts:
        raise unreadable(path, "no row is left in it", "Check that it was written to its end.")
    return polars.concat(parts)
