"""How many rows of each class a whole file holds: of what is rare, a sample shows none or too few to tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import polars

from advisor.datasets.dataset import Format, Kind
from advisor.datasets.delimited.dialect import Dialect
from advisor.datasets.delimited.records import blocks
from advisor.datasets.tables.columns import Judged, judge
from advisor.datasets.tables.parquet import DAMAGED, damaged
from advisor.datasets.tables.sample import TableSample
from advisor.datasets.values import Style, as_texts, cleaned, numbers_of

ALWAYS_UP_TO = 2**26
"""Bytes of a text table that is read whole for it, in a third of a second."""
FOR_RARE_UP_TO = 2**28
"""Bytes of one that is read whole only where the sample shows a class in few rows: it takes a second or two."""
FEW_ROWS = 100
"""Of a class in the sample: how many there are in all would be off by more than a tenth."""
_MOST_ROWS = 50_000_000
"""Of a Parquet file, whose columns lie apart."""
_MOST_CLASSES = 1_000_000
_BLOCK = 2**22


@dataclass(frozen=True, slots=True)
class ClassCounts:
    """Of all rows of a file."""

    rows: Mapping[str, int]
    """Of each class."""
    missing: int
    """Rows without a class."""


def class_counts(path: Path, format_: Format, sample: TableSample, target: Judged) -> ClassCounts | None:
    """The rows of each class in the whole file; None where it takes too long to read, or its words are not those of the sample.

    Raises:
        InputError: a row has too many or too few fields.
        OSError
    """
    name = target.column.name
    if format_ is Format.PARQUET and sample.rows <= _MOST_ROWS:
        held = polars.scan_parquet(path, glob=False).select(polars.col(name).alias("value"))
        try:
            parts = iter([held.group_by("value").len("rows").collect(engine="streaming")])
        except DAMAGED as error:
            raise damaged(path, error) from None
    elif format_ is Format.DELIMITED and path.stat().st_size <= _most_bytes(target):
        parts = _of_text(path, Dialect(**sample.reading["dialect"]), name)
    else:
        return None
    found: dict[object, int] = {}
    for part in parts:
        if len(part) + len(found) > _MOST_CLASSES:
            return None
        for value, rows in part.iter_rows():
            found[value] = found.get(value, 0) + int(rows)
    texts = _as_classes(polars.Series(name, list(found), strict=False), target)
    counts: dict[str | None, int] = {}
    for text, rows in zip(texts.to_list(), found.values(), strict=True):
        counts[text] = counts.get(text, 0) + rows
    missing = counts.pop(None, 0)
    if not counts.keys() >= set(as_texts(target.values).drop_nulls().unique().to_list()):
        return None
    return ClassCounts({text: rows for text, rows in counts.items() if text is not None}, missing)


def with_all_classes(target: Judged, counts: ClassCounts) -> Judged:
    """The column with the classes of the whole file, those included that its sample does not show."""
    column = target.column
    if column.kind is Kind.CONSTANT and len(counts.rows) > 1:
        kind = judge(polars.Series(column.name, list(counts.rows))).kind
        if kind not in (Kind.YES_NO, Kind.WHOLE):  # each value stands there once, as it would in names of rows
            kind = Kind.CATEGORY
        return replace(target, column=replace(column, kind=kind, distinct=len(counts.rows), remark=""))
    return replace(target, column=replace(column, distinct=max(len(counts.rows), column.distinct)))


def _most_bytes(target: Judged) -> int:
    fewest = target.values.drop_nulls().alias("value").value_counts()["count"].min()
    rare = target.kind is Kind.CONSTANT or (isinstance(fewest, int) and fewest < FEW_ROWS)
    return FOR_RARE_UP_TO if rare else ALWAYS_UP_TO


def _of_text(path: Path, dialect: Dialect, name: str) -> Iterator[polars.DataFrame]:
    place = dialect.names.index(name)
    for block in blocks(path, dialect, _BLOCK):
        held = polars.read_csv(
            block.data, has_header=False, columns=[place], separator=dialect.delimiter, quote_char=dialect.quote or None,
            encoding="utf8-lossy", infer_schema=False,
        )  # fmt: skip
        yield held.to_series().alias("value").value_counts(name="rows")


def _as_classes(values: polars.Series, target: Judged) -> polars.Series:
    """The values as the sample has them."""
    if values.dtype == polars.String:
        texts = cleaned(values)
        return as_texts(numbers_of(texts, Style(target.style)) if target.style else texts)
    if values.dtype == polars.Duration:
        values = values.dt.total_microseconds()
    return as_texts(values.cast(polars.Float64) if values.dtype.is_numeric() else values)
