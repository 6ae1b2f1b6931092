"""The part of a table that was read to judge it, and the means to read more, whatever its format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import polars

from advisor.datasets.dataset import Remark
from advisor.datasets.sampling import Positions


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
    remarks: tuple[Remark, ...] = ()
