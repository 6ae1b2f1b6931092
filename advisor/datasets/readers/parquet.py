"""Parquet: tables whose columns lie apart, typed by the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars
from polars import selectors
from polars.exceptions import PanicException, PolarsError

from advisor.datasets.dataset import Inspection, Task
from advisor.datasets.delimited.pieces import LONGEST_LINE
from advisor.datasets.parquet_pages import has_impossible_pages
from advisor.datasets.reader import Beginning, Evidence, Reader, named_or
from advisor.datasets.refusals import misnamed, refuse_names, refuse_width, unreadable
from advisor.datasets.sampling import Positions
from advisor.datasets.tables.inspection import inspect_table
from advisor.datasets.tables.table import Rows, TableSample
from advisor.errors import InputError
from advisor.wording import shorten

FORMAT = "Parquet"
SUFFIXES = frozenset({".parquet", ".pq"})
MAGIC = b"PAR1"
_ENDS = (MAGIC, b"PARE")
"""The last bytes of a whole file: plain, or with an encrypted footer."""

MOST_CELLS = 2_000_000
"""Rows times columns that are held to judge a table by."""
PLACES = 12
MOST_TEXT = 2**28
"""Bytes of texts that are held to judge a table by."""
_MOST_COUNTED = 50_000_000
"""Rows up to which those of each class are counted."""
_DAMAGED = (PolarsError, PanicException, OSError)
"""Errors that polars raises on damaged files."""


@dataclass(frozen=True, slots=True)
class ParquetRows(Rows):
    """Access to the rows of a Parquet file."""

    def read(self, path: Path, names: Sequence[str], rows: Positions | None) -> polars.DataFrame:
        try:
            scan = polars.scan_parquet(path, glob=False).select(selectors.by_name(*names))
            if rows is not None:
                index = "\0row"
                chosen = polars.LazyFrame({index: polars.Series(rows, dtype=polars.UInt32)})
                scan = scan.with_row_index(index).join(chosen, on=index, how="semi", maintain_order="left").drop(index)
            return scan.collect(engine="streaming")
        except _DAMAGED as error:
            raise _damaged(path, error) from None

    def value_counts(self, path: Path, name: str, *, rare: bool, rows: int) -> Iterator[polars.DataFrame] | None:
        if rows > _MOST_COUNTED:
            return None
        held = polars.scan_parquet(path, glob=False).select(polars.col(name).alias("value"))
        try:
            return iter([held.group_by("value").len("rows").collect(engine="streaming")])
        except _DAMAGED as error:
            raise _damaged(path, error) from None


def recognise(beginning: Beginning) -> Evidence:
    return named_or(SUFFIXES, beginning, MAGIC)


def inspect(path: Path, target: str | None, task: Task | None) -> Inspection:
    return inspect_table(path, sample_of(path), target, task)


def sample_of(path: Path) -> TableSample:
    """Read the rows that a table is judged by. Raises InputError where the file is damaged, or has no rows or no columns."""
    _check_whole(path)
    try:
        scan = polars.scan_parquet(path, glob=False)
        schema = scan.collect_schema()
        rows = int(scan.select(polars.len()).collect().item())
        names = schema.names()
        refuse_width(len(names), path)
        refuse_names(names, path)
        if not rows or not names:
            raise unreadable(path, "the table has no rows", "Check that it was written to its end.")
        nested = frozenset(
            name for name, kind in schema.items() if kind.is_nested() or kind in (polars.Binary, polars.Object)
        )
        held = scan.select(selectors.by_name(*(name for name in names if name not in nested)))
        parts = _parts_within_texts(held, rows, max(MOST_CELLS // len(names), 100), path)
        frame = polars.concat([held.slice(*part).collect(engine="streaming") for part in parts])
        read = sum(count for _, count in parts)
        frame = _with_nested(frame, names, read)
    except _DAMAGED as error:
        raise _damaged(path, error) from None
    if read == rows:
        return TableSample(frame, rows, FORMAT, ParquetRows(), nested=nested)
    sampled = f"Read {read:,} rows from {PLACES} places, evenly apart from the first to the last."
    return TableSample(frame, rows, FORMAT, ParquetRows(), whole=False, sampled=sampled, nested=nested)


def _check_whole(path: Path) -> None:
    """Raise InputError for a file of another format, and for one that is cut off or promises what it cannot hold."""
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise misnamed(path, FORMAT)
        file.seek(-len(MAGIC), 2)
        if file.read() not in _ENDS:
            raise unreadable(path, "this Parquet file is cut off: its end is missing", "Copy or write it once more.")
    if has_impossible_pages(path):
        what = "this Parquet file is damaged: a page in it promises what it cannot hold"
        raise unreadable(path, what, "Copy or write it once more.")


def _parts(rows: int, most: int) -> list[tuple[int, int]]:
    """The first row and the number of rows of each part that is read: all rows, or so many from all over."""
    if rows <= most:
        return [(0, rows)]
    share = most // PLACES
    return [(number * (rows - share) // (PLACES - 1), share) for number in range(PLACES)]


def _parts_within_texts(held: polars.LazyFrame, rows: int, most: int, path: Path) -> list[tuple[int, int]]:
    """The parts to read, of fewer rows where their texts take too much: a small file can unpack to very long ones.

    Raises InputError where a single row is too long.
    """
    each = (selectors.string().str.len_bytes(), (selectors.categorical() | selectors.enum()).cat.len_bytes())
    lengths = held.select(*(one.cast(polars.Int64) for one in each))
    if not lengths.collect_schema():
        return _parts(rows, most)
    lengths = lengths.select(bytes=polars.sum_horizontal(polars.all()))
    most = min(most, rows)
    while True:
        parts = _parts(rows, most)
        longest, total = _longest_and_total(lengths, parts)
        if longest > LONGEST_LINE:
            what = f"the texts of a row take {longest // 2**20:,} MiB"
            raise unreadable(path, what, f"They may take {LONGEST_LINE // 2**20} MiB: cut them shorter.")
        if total <= MOST_TEXT or most <= PLACES:
            return parts
        most = max(PLACES, min(most // 2, most * MOST_TEXT // total))


def _longest_and_total(lengths: polars.LazyFrame, parts: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Bytes of the texts of the longest row in these parts, and of all rows in them."""
    both = (polars.max("bytes").alias("longest"), polars.sum("bytes").alias("total"))
    seen = polars.concat([lengths.slice(*part).select(both).collect(engine="streaming") for part in parts])
    return max(seen["longest"].to_list()), sum(seen["total"].to_list())


def _with_nested(frame: polars.DataFrame, names: list[str], rows: int) -> polars.DataFrame:
    """All columns in their order; those of lists and objects without their values."""
    none = polars.Series([None] * rows, dtype=polars.String)
    read = set(frame.columns)
    return polars.DataFrame([frame[name] if name in read else none.alias(name) for name in names])


def _damaged(path: Path, error: BaseException) -> InputError:
    reason = shorten(str(error).partition("\n")[0], 120)
    return unreadable(path, f"this Parquet file is damaged ({reason})", "Copy or write it once more.")


READER = Reader(FORMAT, SUFFIXES, inspect, recognise, sample=sample_of)
