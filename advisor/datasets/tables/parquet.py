"""Tables in Parquet."""

from __future__ import annotations

from pathlib import Path

import numpy
import polars
from numpy.typing import NDArray
from polars import selectors
from polars.exceptions import PanicException, PolarsError

from advisor.datasets.delimited.header import refuse_names
from advisor.datasets.formats import unreadable
from advisor.datasets.tables.sample import TableSample
from advisor.errors import InputError
from advisor.wording import shorten

MOST_CELLS = 2_000_000
"""Rows times columns that are held to judge a table by."""
PLACES = 12

DAMAGED = (PolarsError, PanicException, OSError)
"""What polars raises of a file that is."""


def sample_of(path: Path) -> TableSample:
    """The rows that a table is judged by.

    Raises:
        InputError: the file is damaged, or has no rows or no columns.
    """
    try:
        scan = polars.scan_parquet(path, glob=False)
        schema = scan.collect_schema()
        rows = int(scan.select(polars.len()).collect().item())
        names = schema.names()
        refuse_names(names, path)
        if not rows or not names:
            raise unreadable(path, "the table has no rows", "Check that it was written to its end.")
        nested = frozenset(
            name for name, kind in schema.items() if kind.is_nested() or kind in (polars.Binary, polars.Object)
        )
        most = max(MOST_CELLS // len(names), 100)
        plain = selectors.by_name(*(name for name in names if name not in nested))
        if rows <= most:
            frame = _with_nested(scan.select(plain).collect(), names, rows)
            return TableSample(frame, rows, counted=True, whole=True, nested=nested)
        share = most // PLACES
        parts = [scan.slice(number * (rows - share) // (PLACES - 1), share) for number in range(PLACES)]
        read = polars.concat([part.select(plain).collect(engine="streaming") for part in parts])
        frame = _with_nested(read, names, share * PLACES)
    except DAMAGED as error:
        raise damaged(path, error) from None
    sampled = f"Read {share * PLACES:,} rows from {PLACES} places, evenly apart from the first to the last."
    return TableSample(frame, rows, counted=True, whole=False, sampled=sampled, nested=nested)


def _with_nested(frame: polars.DataFrame, names: list[str], rows: int) -> polars.DataFrame:
    """All columns in their order; what stands in those of lists and objects is not looked at."""
    none = polars.Series([None] * rows, dtype=polars.String)
    read = set(frame.columns)
    return polars.DataFrame([frame[name] if name in read else none.alias(name) for name in names])


def rows_of(path: Path, names: list[str], rows: NDArray[numpy.int64] | None) -> polars.DataFrame:
    """Columns of the whole table, or of some rows of it. Raises InputError."""
    try:
        scan = polars.scan_parquet(path, glob=False).select(selectors.by_name(*names))
        if rows is not None:
            index = "\0row"
            chosen = polars.LazyFrame({index: polars.Series(rows, dtype=polars.UInt32)})
            scan = scan.with_row_index(index).join(chosen, on=index, how="semi", maintain_order="left").drop(index)
        return scan.collect(engine="streaming")
    except DAMAGED as error:
        raise damaged(path, error) from None


def damaged(path: Path, error: BaseException) -> InputError:
    reason = shorten(str(error).partition("\n")[0], 120)
    return unreadable(path, f"this Parquet file is damaged ({reason})", "Copy or write it once more.")
