"""Counts of the rows of each class in a whole file: of what is rare, a sample shows none or too few to tell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import polars

from advisor.datasets.dataset import Kind
from advisor.datasets.tables.columns import Judged, judge
from advisor.datasets.tables.table import TableSample
from advisor.datasets.values.conversion import as_texts, class_texts

FEW_ROWS = 100
"""Of a class in the sample: how many there are in all would be off by more than a tenth."""
_MOST_CLASSES = 1_000_000


@dataclass(frozen=True, slots=True)
class ClassCounts:
    """Of all rows of a file."""

    rows: Mapping[str, int]
    """Of each class."""
    missing: int
    """Rows without a class."""


def class_counts(path: Path, sample: TableSample, target: Judged) -> ClassCounts | None:
    """Count the rows of each class in the whole file.

    None where that takes too long, or the words in it are not those of the sample.
    Raises OSError, and InputError where a row has too many or too few fields.
    """
    parts = sample.access.value_counts(path, target.column.name, rare=_seems_rare(target), rows=sample.rows)
    if parts is None:
        return None
    found: Counter[object] = Counter()
    for part in parts:
        if len(part) + len(found) > _MOST_CLASSES:
            return None
        found.update(dict(part.iter_rows()))
    texts = class_texts(polars.Series(target.column.name, list(found), strict=False), target.style)
    counts: Counter[str | None] = Counter()
    for text, rows in zip(texts.to_list(), found.values(), strict=True):
        counts[text] += rows
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


def _seems_rare(target: Judged) -> bool:
    """True where the sample shows a class in few rows."""
    fewest = target.values.drop_nulls().alias("value").value_counts()["count"].min()
    return target.kind is Kind.CONSTANT or (isinstance(fewest, int) and fewest < FEW_ROWS)
