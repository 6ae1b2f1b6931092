"""CSV, TSV and other text tables: read by the dialect in which they were written; of a large one, pieces from all over it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy
import polars

from advisor.datasets import encodings
from advisor.datasets.dataset import Inspection, Remark, Task, Weight
from advisor.datasets.delimited import dialect as dialects
from advisor.datasets.delimited import escapes
from advisor.datasets.delimited.dialect import Dialect
from advisor.datasets.delimited.pieces import (
    COUNTED_UP_TO,
    LONGEST_LINE,
    PIECE,
    PLACES,
    READ_WHOLE,
    breaks_before,
    pieces,
)
from advisor.datasets.delimited.records import (
    Block,
    blocks,
    frame_of,
    plain,
    quotes_fit,
    structure,
    without_blanks,
    without_surplus,
)
from advisor.datasets.reader import Beginning, Evidence, Reader
from advisor.datasets.refusals import only_a_header, ragged
from advisor.datasets.sampling import Positions
from advisor.datasets.tables.inspection import inspect_table
from advisor.datasets.tables.table import Rows, TableSample

FORMAT = "delimited text"
SUFFIXES = frozenset({".csv", ".tsv", ".tab", ".psv"})
_PARSED_UP_TO = 2**28
_GUESSED_FROM = 2**18
_FEWEST_LINES = 10
_FEWEST_PLACES = 8
_MOST_READ = 2**25
_MANY_PLACES = 2000
_VALUES_COUNTED_UP_TO = 2**26
"""Bytes of a file that is read whole to count the rows of each class, in a third of a second."""
_VALUES_COUNTED_FOR_RARE_UP_TO = 2**28
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
        size = path.stat().st_size
        places = min(most, _MANY_PLACES)
        piece = round((2 + 1.3 * most / places) * size / total) + 1
        if size < 4 * READ_WHOLE or 4 * piece * places > size:
            return None  # it is better read to its end: too small, or too much is wanted of it
        shift = round(numpy.random.default_rng(seed).random() * size / places)
        parts = _pieces_of_rows(path, size, self.dialect, piece=piece, places=places, shift=shift)
        frame = frame_of(b"".join(part.data for part in parts), self.dialect)
        return frame if len(frame) >= most else None

    def value_counts(self, path: Path, name: str, *, rare: bool, rows: int) -> Iterator[polars.DataFrame] | None:
        most = _VALUES_COUNTED_FOR_RARE_UP_TO if rare else _VALUES_COUNTED_UP_TO
        return self._counted(path, name) if path.stat().st_size <= most else None

    def _counted(self, path: Path, name: str) -> Iterator[polars.DataFrame]:
        place = self.dialect.names.index(name)
        for block in blocks(path, self.dialect, _BLOCK):
            held = polars.read_csv(
                block.data, has_header=False, columns=[place], separator=self.dialect.delimiter,
                quote_char=self.dialect.quote or None, encoding="utf8-lossy", infer_schema=False,
            )  # fmt: skip
            held = escapes.all_shown(held, self.dialect.delimiter) if self.dialect.escaped else held
            yield held.to_series().alias("value").value_counts(name="rows")


def recognise(beginning: Beginning) -> Evidence:
    if beginning.text is None:
        return Evidence.NONE
    if beginning.suffix in SUFFIXES:
        return Evidence.NAME
    return Evidence.STRUCTURE if dialects.looks_like_a_table(beginning.text) else Evidence.NONE


def inspect(path: Path, target: str | None, task: Task | None) -> Inspection:
    return inspect_table(path, sample_of(path), target, task)


def sample_of(path: Path) -> TableSample:
    """Read the rows that a table is judged by: all of a small file, pieces from all over a large one.

    Raises OSError, and InputError for rows of different lengths, only a header, columns of the same name.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        start = file.read(_GUESSED_FROM)
        while (
            len(start) < min(size, LONGEST_LINE) and start.count(b"\n") + start.count(b"\r") < _FEWEST_LINES
        ):  # very many columns
            start += file.read(min(len(start), LONGEST_LINE - len(start)))
    encoding = _encoding(path, start, size)
    dialect = dialects.recognise(encodings.decoded(start, encoding), encoding, path, complete=size <= len(start))
    if size > READ_WHOLE:
        return _of_large(path, size, dialect)
    frame = frame_of(b"".join(block.data for block in blocks(path, dialect)), dialect)
    if frame.is_empty():
        raise only_a_header(path)
    return _table(dialect, frame, len(frame))


def _table(dialect: Dialect, frame: polars.DataFrame, rows: int, sampled: str = "") -> TableSample:
    names = enumerate(dialect.names, start=1)
    lines = "The first line is" if dialect.skip == 1 else f"The first {dialect.skip} lines are"
    return TableSample(
        frame,
        rows,
        FORMAT,
        DelimitedRows(dialect),
        whole=not sampled,
        sampled=sampled,
        unnamed=frozenset(name for place, name in names if not dialect.header or name.startswith(f"column_{place}")),
        comma_first=dialect.delimiter == ";",
        written=f"{FORMAT}: {dialect.words}",
        delimiter=dialect.delimiter,
        plain=dialect == Dialect(dialect.encoding, dialect.delimiter, dialect.names) and "utf-8" in dialect.encoding,
        remarks=(
            *((Remark(f"{lines} not part of the table and left out."),) if dialect.skip else ()),
            *((Remark(dialect.uneven, Weight.WARNING),) if dialect.uneven else ()),
            *((_on_escapes(dialect.first_escape),) if dialect.escaped else ()),
        ),
    )


def _on_escapes(line: int) -> Remark:
    what = f"Backslashes are read as escapes, as Spark and MySQL write them, the first on line {line:,}"
    what += ': \\" is a quotation mark within a value. Without that, the rows do not divide alike.'
    remedy = "If backslashes are part of the values, double the quotation marks within quoted fields, as RFC 4180 says."
    return Remark(what, Weight.WARNING, remedy)


def _encoding(path: Path, start: bytes, size: int) -> str:
    """The encoding of the beginning; where that is plain ASCII, later pieces may show another."""
    encoding = encodings.recognise(start) or "latin-1"
    if encoding != "utf-8" or not start.isascii() or size <= len(start):
        return encoding
    later = b"".join(data for _, data in pieces(path, size)) if size > READ_WHOLE else path.read_bytes()
    found = encodings.recognise(later)
    return found if found in ("cp1252", "latin-1") else encoding


def _of_large(path: Path, size: int, dialect: Dialect) -> TableSample:
    """Read pieces evenly apart, each as large as the others: a sorted file must not be judged by its beginning."""
    parts = list(_pieces_of_rows(path, size, dialect))
    frame = frame_of(b"".join(part.data for part in parts), dialect)
    read, lines = sum(len(part.data) for part in parts), sum(part.lines for part in parts)
    rows, counted = _rows(path, size, dialect, read, lines, len(frame))
    how = "all rows were counted" if counted else "the number of rows is estimated from bytes"
    start = _counted(parts[0].data, dialect)
    more = f"{len(frame) - start:,} more from {len(parts) - 1} other places, evenly apart"
    return _table(dialect, frame, rows, f"Read the first {start:,} rows and {more}; {how}.")


def _pieces_of_rows(
    path: Path, size: int, dialect: Dialect, *, piece: int = 0, places: int = 0, shift: int = 0
) -> Iterator[Block]:
    """Read rows of the beginning, and then whole rows from evenly apart places, each piece with room for several rows."""
    beginning = next(blocks(path, dialect, piece or PIECE), None)
    if beginning is None:
        raise only_a_header(path)
    yield beginning
    row = len(beginning.data) // max(_counted(beginning.data, dialect), 1)
    piece = piece or min(max(PIECE, 4 * row), _MOST_READ // _FEWEST_PLACES)
    places = places or max(_FEWEST_PLACES, min(PLACES, _MOST_READ // piece))
    for place, data in pieces(path, size, dialect.encoding, start=piece + shift, piece=piece, places=places):
        text = plain(encodings.decoded(data, dialect.encoding), dialect)
        ended = text if place + len(data) < size or text.endswith(b"\n") else text + b"\n"
        rows = _whole_rows(ended, dialect, path, place)
        if rows is not None:
            yield rows


def _whole_rows(piece: bytes, dialect: Dialect, path: Path, place: int) -> Block | None:
    """Cut out the rows that lie wholly within a piece; none where quotation marks leave open where one begins.

    Raises InputError where a row has too few or too many fields.
    """
    start = piece.find(b"\n") + 1
    quoted = bool(dialect.quote) and dialect.quote.encode() in piece
    for _ in range(50 if quoted else 1):
        if start == 0:
            return None
        rows = piece[start:]
        found = structure(rows, dialect)
        if not len(found.ends):
            return None
        rows = rows[: int(found.ends[-1]) + 1]
        rows, found = without_surplus(rows, found, dialect)
        wrong = numpy.flatnonzero((found.fields != len(dialect.names)) & (found.fields != 0))
        if not len(wrong) and (not quoted or quotes_fit(rows, dialect)):
            return Block(without_blanks(rows, found), 0, rows.count(b"\n"))
        if not quoted:
            before = int(found.ends[wrong[0] - 1]) + 1 if wrong[0] else 0
            lines = piece.count(b"\n", 0, start) + rows.count(b"\n", 0, before)
            line = _breaks(path, dialect, place) + lines + 1
            raise ragged(path, line, int(found.fields[wrong[0]]), len(dialect.names))
        start = piece.find(b"\n", start) + 1
    return None


def _rows(path: Path, size: int, dialect: Dialect, read: int, lines: int, sampled: int) -> tuple[int, bool]:
    """The number of rows, counted (True) or estimated from the bytes, lines and rows of the sample."""
    if size <= COUNTED_UP_TO:
        ending = _ending(path, size, dialect)
        all_lines = _breaks(path, dialect, size) + ending - dialect.skip - dialect.header
        if lines == sampled:
            return all_lines, True
        if size <= _PARSED_UP_TO:  # line breaks within quotation marks: rows are not lines
            return sum(_counted(block.data, dialect) for block in blocks(path, dialect)), True
        return round(all_lines * sampled / lines), False
    return round(size * sampled / (read * encodings.width(dialect.encoding))), False


def _breaks(path: Path, dialect: Dialect, until: int) -> int:
    return breaks_before(path, until, dialect.encoding, dialect.line_end)


def _counted(data: bytes, dialect: Dialect) -> int:
    return int(numpy.count_nonzero(structure(data, dialect).fields))


def _ending(path: Path, size: int, dialect: Dialect) -> int:
    """The number to add to the line breaks: 1 for a last line without one, less for blank lines at the end."""
    with path.open("rb") as file:
        file.seek(max(0, size - 4096))
        text = encodings.decoded(file.read(), dialect.encoding).replace("\r\n", "\n").replace("\r", "\n")
    return 1 - (len(text) - len(text.rstrip("\n")))


READER = Reader("CSV, TSV and other delimited text", SUFFIXES, inspect, recognise, sample=sample_of)
