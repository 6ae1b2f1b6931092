"""Tables of any format: the rows by which one is judged, and those that are read again, typed as the inspection found them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import polars

from advisor.datasets.dataset import Column, Inspection, Kind, Remark, Task
from advisor.datasets.refusals import unreadable
from advisor.datasets.sampling import Positions, chosen_rows
from advisor.datasets.values.conversion import as_texts, class_texts, converted


class Rows(Protocol):
    """Access to the rows of a file, by what its format found out about it; subclasses need `read` alone."""

    def read(self, path: Path, names: Sequence[str], rows: Positions | None) -> polars.DataFrame:
        """Read these columns of all rows, or of those at ascending positions. Raises InputError, OSError."""
        ...

    def spread(self, path: Path, total: int, most: int, seed: int) -> polars.DataFrame | None:
        """Read `most` rows or more, evenly from all of the file without reading the rest; None where that saves nothing."""
        return None

    def value_counts(self, path: Path, name: str, *, rare: bool, rows: int) -> Iterator[polars.DataFrame] | None:
        """Count the values of a column in all `rows` of the file, in parts with the columns `value` and `rows`.

        None where that takes too long; a person waits longer where the sample shows a value in few rows (`rare`).
        """
        return None


@dataclass(frozen=True, slots=True)
class TableSample:
    """Rows in the order of the file, all of them or a sample; columns as texts or as the format typed them."""

    frame: polars.DataFrame
    rows: int
    """Of the whole file."""
    format: str
    access: Rows
    whole: bool = True
    """True where the frame is everything."""
    sampled: str = ""
    nested: frozenset[str] = frozenset()
    """Columns of lists or objects; the frame has them as texts."""
    unnamed: frozenset[str] = frozenset()
    """Columns that the file does not name."""
    comma_first: bool = False
    """True where `1,234` is likelier a little more than one than a thousand."""
    written: str = ""
    """The format with its details, where its name does not say it all."""
    delimiter: str = ","
    plain: bool = True
    """As `Inspection.plain`, as far as the format tells."""
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """The means to read a table again."""

    access: Rows
    styles: Mapping[str, str]
    """By column, the way its texts become values; see `values.conversion.converted`."""

    def read(self, inspection: Inspection, total: int, most: int, seed: int) -> polars.DataFrame:
        """At most so many of the `total` rows, in the order of the file; of more, one drawn from each of as many equal stretches.

        Columns by their kinds: Float64 for numbers, Boolean for yes or no, Categorical for categories, Datetime for dates,
        String for texts and identifiers; null where there is no value. The target of a classification is text, as the
        classes of the inspection are written. Columns of lists or objects are left out.

        Raises OSError, and InputError where the file can no longer be read as it was inspected, or a row is damaged.
        """
        path = Path(inspection.path)
        columns = [column for column in inspection.columns if column.kind is not Kind.NESTED]
        raw = self._raw(path, [column.name for column in columns], total, most, seed)
        if not {column.name for column in columns} <= set(raw.columns):
            raise unreadable(path, "its columns changed since it was inspected", "Run `advisor inspect` again.")
        typed = [_typed(raw[column.name], column, self.styles.get(column.name, ""), inspection) for column in columns]
        return polars.DataFrame(typed)[:most]

    def _raw(self, path: Path, names: list[str], total: int, most: int, seed: int) -> polars.DataFrame:
        rows = chosen_rows(total, most, seed)
        few = None if rows is None else self.access.spread(path, total, most, seed)
        if few is None:
            return self.access.read(path, names, rows)
        rows = chosen_rows(len(few), most, seed)
        return few if rows is None else few[rows]


def _typed(raw: polars.Series, column: Column, style: str, inspection: Inspection) -> polars.Series:
    if column.name == inspection.target and inspection.task is Task.CLASSIFY and column.kind is Kind.YES_NO:
        return class_texts(raw, style)
    typed = converted(raw, column.kind, style)
    return as_texts(typed) if column.name == inspection.target and inspection.task is Task.CLASSIFY else typed
