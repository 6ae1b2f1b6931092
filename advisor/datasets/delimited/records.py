"""Rows of a text table as bytes: where they end, whether they all have as many fields, and as a frame of texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy
import polars
from numpy.typing import NDArray

from advisor.datasets import encodings
from advisor.datasets.delimited import escapes
from advisor.datasets.delimited.dialect import Dialect
from advisor.datasets.delimited.pieces import LONGEST_LINE
from advisor.datasets.refusals import line_too_long, ragged, unreadable

BLOCK = 16 * 2**20
_NEWLINE, _RETURN = 10, 13


@dataclass(frozen=True, slots=True)
class Block:
    """Whole rows in UTF-8, each with its line break at the end."""

    data: bytes
    line: int
    """The number of its first line in the file, from 1."""
    lines: int
    """Of the file that it takes; blank ones are left out of the data."""


@dataclass(frozen=True, slots=True)
class Structure:
    """The ends of rows (positions of their line breaks) and the number of fields in each; blank ones have none."""

    ends: NDArray[numpy.int64]
    fields: NDArray[numpy.int64]


def structure(data: bytes, dialect: Dialect) -> Structure:
    """Find the ends of rows; line breaks and delimiters within quotation marks do not count."""
    array = numpy.frombuffer(data, numpy.uint8)
    ends = numpy.flatnonzero(array == _NEWLINE)
    marks = numpy.flatnonzero(array == ord(dialect.delimiter))
    if dialect.quote and dialect.quote.encode() in data:
        quotes = numpy.flatnonzero(array == ord(dialect.quote))
        ends = ends[numpy.searchsorted(quotes, ends) % 2 == 0]
        marks = marks[numpy.searchsorted(quotes, marks) % 2 == 0]
    fields = numpy.diff(numpy.searchsorted(marks, ends), prepend=0) + 1
    sizes = numpy.diff(ends, prepend=-1)
    short = numpy.flatnonzero(sizes <= 2)
    blank = short[(sizes[short] == 1) | (array[ends[short] - 1] == 13)]
    fields[blank] = 0
    return Structure(ends, fields)


def quotes_fit(rows: bytes, dialect: Dialect) -> bool:
    """True where every quotation mark opens or closes a field; rows that begin within a quoted field fail this."""
    array = numpy.frombuffer(b"\n" + rows + b"\n", numpy.uint8)
    mark = ord(dialect.quote)
    quotes = numpy.flatnonzero(array == mark)
    around = [ord(dialect.delimiter), _NEWLINE, mark]
    opened, closed = array[quotes[0::2] - 1], array[quotes[1::2] + 1]
    return bool(numpy.isin(opened, around).all() and numpy.isin(closed, [*around, 13]).all())


def blocks(path: Path, dialect: Dialect, size: int = BLOCK) -> Iterator[Block]:
    """Read the rows of a file without its header, in blocks of about `size` bytes.

    Raises InputError where a row has too many or too few fields, or a quotation mark is never closed; the line is named.
    """
    line = 1
    left = dialect.skip
    header = dialect.header
    rest = b""
    awaited = 0  # bytes from which to look for the end of a row again: each look doubles what it sees
    for data in chain(_texts(path, dialect, size), (b"",)):
        rest += data
        while left and b"\n" in rest:
            rest = rest[rest.index(b"\n") + 1 :]
            left, line = left - 1, line + 1
        if (left or not rest or (data and len(rest) < awaited)) and len(rest) <= LONGEST_LINE:
            continue
        found = structure(rest, dialect)
        start = 0
        if header and len(found.ends):
            start, header = int(found.ends[0]) + 1, False
            line += rest.count(b"\n", 0, start)
            found = Structure(found.ends[1:] - start, found.fields[1:])
        if not len(found.ends):
            rest = rest[start:]
            awaited = 2 * len(rest)
            if len(rest) > LONGEST_LINE:
                raise line_too_long(path, line, LONGEST_LINE)
            continue
        awaited = 0
        end = start + int(found.ends[-1]) + 1
        rows = rest[start:end]
        lines = rows.count(b"\n")
        rows, found = without_surplus(rows, found, dialect)
        check(rows, found, dialect, path, line)
        yield Block(without_blanks(rows, found), line, lines)
        line += lines
        rest = rest[end:]
    if rest.strip():
        what = f"the quotation mark opened on line {line:,} is never closed"
        raise unreadable(path, what, "The file may be cut off. Close the quotation mark, or write the file once more.")


def _texts(path: Path, dialect: Dialect, size: int) -> Iterator[bytes]:
    """The file in UTF-8 with plain line breaks; the last line has one, too."""
    last = b"\n"
    with path.open("rb") as file:
        if (
            dialect.encoding.startswith("utf-8")
            and dialect.line_end == "\n"
            and not (dialect.runs or dialect.spaced or dialect.escaped)
        ):
            first = file.read(size)
            data = first.removeprefix(b"\xef\xbb\xbf")
            while data:
                last = data[-1:]
                yield data
                data = file.read(size)
        else:
            begun = False
            kept = ""  # the beginning of a line whose end is still to come
            for text in encodings.blocks(file, dialect.encoding, size):
                whole, mark, cut = (kept + text.replace("\r", dialect.carriage)).rpartition("\n")
                data = plain(whole + mark if begun else (whole + mark).removeprefix("\ufeff"), dialect)
                begun = begun or bool(whole + mark)
                kept = cut
                if len(kept) > LONGEST_LINE:  # whoever divides into rows refuses it
                    data, kept, begun = data + plain(kept, dialect), "", True
                if data:
                    yield data
            if kept:
                yield plain(kept if begun else kept.removeprefix("\ufeff"), dialect)
                last = b""
    if last != b"\n":
        yield b"\n"


def plain(text: str, dialect: Dialect) -> bytes:
    """Bring whole lines of the file into the form that this module reads."""
    text = text.replace("\r", dialect.carriage)
    if dialect.escaped:
        text = escapes.hidden(text, dialect.delimiter)
    if dialect.runs:
        text = re.sub(r"(?m)^[ \t]+|[ \t]+(?=\r?$)", "", text)
        text = re.sub(r"[ \t]+", " ", text)
    if dialect.spaced:
        text = re.sub(re.escape(dialect.delimiter) + ' +"', dialect.delimiter + '"', text)
    return text.encode("utf-8", "replace")


def check(rows: bytes, found: Structure, dialect: Dialect, path: Path, line: int) -> None:
    """Raise InputError for the first row that has another number of fields than there are columns."""
    width = len(dialect.names)
    wrong = numpy.flatnonzero((found.fields != width) & (found.fields != 0))
    if not len(wrong):
        return
    first = int(wrong[0])
    start = int(found.ends[first - 1]) + 1 if first else 0
    number = line + rows.count(b"\n", 0, start)
    backslash = b'\\"' in rows[start : int(found.ends[first])]
    raise ragged(path, number, int(found.fields[first]), width, backslash=backslash)


def without_surplus(rows: bytes, found: Structure, dialect: Dialect) -> tuple[bytes, Structure]:
    """The rows without delimiters at their ends behind which nothing stands, where they have more fields than columns."""
    surplus = found.fields - len(dialect.names)
    if not (surplus > 0).any():
        return rows, found
    array = numpy.frombuffer(rows, numpy.uint8)
    last = found.ends - 1
    last = last - (array[last] == _RETURN)
    kept, left = numpy.ones(len(array), bool), surplus > 0
    cut = numpy.zeros(len(surplus), numpy.int64)
    while left.any():
        left &= (surplus > cut) & (array[last - cut] == ord(dialect.delimiter))
        kept[(last - cut)[left]] = False
        cut += left
    for row in numpy.flatnonzero((cut > 0) & (cut < surplus)):  # there is something behind one of them
        kept[last[row] - cut[row] + 1 : last[row] + 1] = True
    whole = array[kept].tobytes()
    return whole, structure(whole, dialect)


def without_blanks(rows: bytes, found: Structure) -> bytes:
    """The rows without blank lines between them."""
    filled = found.fields != 0
    if filled.all():
        return rows
    kept = numpy.repeat(filled, numpy.diff(found.ends, prepend=-1))
    return bytes(numpy.frombuffer(rows, numpy.uint8)[kept].tobytes())


def frame_of(data: bytes, dialect: Dialect) -> polars.DataFrame:
    """Rows as a frame in which every column is text, as it stands there; an empty field is null."""
    schema: dict[str, Any] = dict.fromkeys(dialect.names, polars.String)
    if not data:
        return polars.DataFrame(schema=schema)
    frame = polars.read_csv(
        data, has_header=False, schema=schema, separator=dialect.delimiter, quote_char=dialect.quote or None,
        encoding="utf8-lossy", infer_schema=False,
    )  # fmt: skip
    return escapes.all_shown(frame, dialect.delimiter) if dialect.escaped else frame
