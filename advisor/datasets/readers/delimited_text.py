"""CSV, TSV and other text tables: read by the dialect in which they were written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy
import polars

from advisor.datasets.dataset import Inspection, Remark, Task
from advisor.datasets.delimited.dialect import Dialect, looks_like_a_table
from advisor.datasets.delimited.records import blocks, frame_of
from advisor.datasets.delimited.sample import even_rows, sample_of
from advisor.datasets.reader import Beginning, Evidence, Reader
from advisor.datasets.refusals import only_a_header
from advisor.datasets.sampling import Positions
from advisor.datasets.tables.inspection import inspect_table
from advisor.datasets.tables.sample import Rows, TableSample

FORMAT = "delimited text"
SUFFIXES = frozenset({".csv", ".tsv", ".tab", ".psv"})

COUNTED_UP_TO = 2**26
"""Bytes of a file that is read whole to count the rows of each class, in a third of a second."""
COUNTED_FOR_RARE_UP_TO = 2**28
"""Bytes of one that is read whole only where the sample shows a class in few rows: it takes a second or two."""
_BLOCK = 2**22


@dataclass(frozen=True, slots=True)
class DelimitedRows(Rows):
    """Access to the rows of a text table."""

    dialect: Dialect

    def read(self, path: Path, names: Sequence[str], rows: Positions | None) -> polars.DataFrame:
        parts: list[polars.DataFrame] = []
        before = 0
        for block in blocks(path, self.dialect):
            part = frame_of(block.data, self.dialect)[names]
            after = before + len(part)
            if rows is not None:
                start, end = numpy.searchsorted(rows, [before, after])
                part = part[rows[start:end] - before]
            parts.append(part)
            before = after
        if not parts:
            raise only_a_header(path)
        return polars.concat(parts)

    def spread(self, path: Path, total: int, most: int, seed: int) -> polars.DataFrame | None:
        return even_rows(path, self.dialect, total, most, seed)

    def value_counts(self, path: Path, name: str, *, rare: bool, rows: int) -> Iterator[polars.DataFrame] | None:
        most = COUNTED_FOR_RARE_UP_TO if rare else COUNTED_UP_TO
        return self._counted(path, name) if path.stat().st_size <= most else None

    def _counted(self, path: Path, name: str) -> Iterator[polars.DataFrame]:
        place = self.dialect.names.index(name)
        for block in blocks(path, self.dialect, _BLOCK):
            held = polars.read_csv(
                block.data, has_header=False, columns=[place], separator=self.dialect.delimiter,
                quote_char=self.dialect.quote or None, encoding="utf8-lossy", infer_schema=False,
            )  # fmt: skip
            yield held.to_series().alias("value").value_counts(name="rows")


def recognise(beginning: Beginning) -> Evidence:
    if beginning.text is None:
        return Evidence.NONE
    if beginning.suffix in SUFFIXES:
        return Evidence.NAME
    return Evidence.STRUCTURE if looks_like_a_table(beginning.text) else Evidence.NONE


def inspect(path: Path, target: str | None, task: Task | None) -> Inspection:
    found = sample_of(path)
    dialect = found.dialect
    sample = TableSample(
        found.frame,
        found.rows,
        FORMAT,
        DelimitedRows(dialect),
        whole=not found.sampled,
        sampled=found.sampled,
        unnamed=frozenset(
            name
            for place, name in enumerate(dialect.names, start=1)
            if not dialect.header or name.startswith(f"column_{place}")
        ),
        comma_first=dialect.delimiter == ";",
        written=f"{FORMAT}: {dialect.words}",
        remarks=_left_out(dialect),
    )
    return inspect_table(path, sample, target, task)


def _left_out(dialect: Dialect) -> tuple[Remark, ...]:
    if not dialect.skip:
        return ()
    lines = "The first line is" if dialect.skip == 1 else f"The first {dialect.skip} lines are"
    return (Remark(f"{lines} not part of the table and left out."),)


READER = Reader("CSV, TSV and other delimited text", SUFFIXES, inspect, recognise)
