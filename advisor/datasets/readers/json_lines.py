"""Tables of JSON objects, one a line; a smaller file may also be a list of them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import polars

from advisor.datasets import encodings
from advisor.datasets.dataset import Inspection, Task
from advisor.datasets.delimited.pieces import COUNTED_UP_TO, LONGEST_LINE, PIECE, READ_WHOLE, breaks_before, pieces
from advisor.datasets.reader import Beginning, Evidence, Reader
from advisor.datasets.refusals import refuse_names, refuse_width, unreadable
from advisor.datasets.sampling import Positions, spread
from advisor.datasets.tables.inspection import inspect_table
from advisor.datasets.tables.table import Rows, TableSample
from advisor.datasets.values.numbers import LONG
from advisor.errors import InputError
from advisor.wording import shorten

Record: TypeAlias = "dict[str, Any]"

FORMAT = "JSON lines"
SUFFIXES = frozenset({".jsonl", ".ndjson", ".json"})
_PROSE = frozenset({".txt", ".md"})
"""Names of texts, which may begin with a bracket and be no JSON."""
LARGEST_WIDE = 2 * READ_WHOLE
"""Bytes of a file in UTF-16, whose lines are not found without reading it whole."""
LARGEST_LIST = 2**27
"""Bytes of a file that is one list."""
MOST_VALUES = 5_000_000
"""Of such a list: each takes up to forty times its bytes in memory."""
MOST_CELLS = 20_000_000
"""Objects times names that are held to judge a table by."""
_A_LINE_EACH = "Write one JSON object a line instead: then parts of it are read."
_BLOCK = 2**22
_STRAY_SHARE = 0.02


@dataclass(frozen=True, slots=True)
class JsonRows(Rows):
    """Access to the objects of a file."""

    encoding: str
    is_list: bool = False
    """True where the file is one list of objects."""

    def read(self, path: Path, names: Sequence[str], rows: Positions | None) -> polars.DataFrame:
        if self.is_list:
            records = _list(path, self.encoding, path.stat().st_size)
            records = records if rows is None else [records[row] for row in rows.tolist() if row < len(records)]
        else:
            records = [record for _, record in objects(path, self.encoding, rows)]
        frame, _ = _frame_of(records, path)
        lacking = [  # an object need not have all values
            polars.Series(name, [None] * len(frame), dtype=polars.String) for name in names if name not in frame.columns
        ]
        return frame.with_columns(lacking)


def recognise(beginning: Beginning) -> Evidence:
    if beginning.text is None:
        return Evidence.NONE
    if beginning.suffix in SUFFIXES:
        return Evidence.NAME
    begins = beginning.suffix not in _PROSE and beginning.text.lstrip()[:1] in ("{", "[")
    return Evidence.FIRST_CHARACTER if begins else Evidence.NONE


def inspect(path: Path, target: str | None, task: Task | None) -> Inspection:
    return inspect_table(path, sample_of(path), target, task)


def sample_of(path: Path) -> TableSample:
    """Read the objects that a table is judged by.

    Raises OSError, and InputError where something is no object, or the file is cut off; the line is named.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        start = file.read(2**16)
    encoding = encodings.recognise(start) or "utf-8"
    if encodings.decoded(start, encoding).lstrip().startswith("["):
        return _of_all(_list(path, encoding, size), path, JsonRows(encoding, is_list=True))
    if size > LARGEST_WIDE and encodings.width(encoding) > 1:
        what = f"this is JSON of more than {LARGEST_WIDE // 2**20} MiB in {encoding}, which is not read in parts"
        raise unreadable(path, what, "Save it as UTF-8.")
    if size <= READ_WHOLE or encodings.width(encoding) > 1:
        return _of_all([record for _, record in objects(path, encoding)], path, JsonRows(encoding))
    return _of_large(path, size, encoding)


def _of_all(records: Sequence[Record], path: Path, access: JsonRows) -> TableSample:
    """All objects, or an even sample where each lacks most of very many names: the cells of a table would be too many."""
    kept = _within_cells(records)
    few = len(kept) < len(records)
    sampled = f"Looked at {len(kept):,} of {len(records):,} rows, evenly from all of the file." if few else ""
    frame, nested = _frame_of(kept, path)
    written, plain = ("JSON: a list of objects", False) if access.is_list else ("", True)
    return TableSample(
        frame, len(records), FORMAT, access, not few, sampled, nested=nested, written=written, plain=plain
    )


def _within_cells(records: Sequence[Record]) -> Sequence[Record]:
    """All of them, or as many, evenly apart, as make a table of `MOST_CELLS`."""
    names = len({name for record in records for name in record})
    return [records[place] for place in spread(len(records), max(MOST_CELLS // max(names, 1), 1)).tolist()]


def _of_large(path: Path, size: int, encoding: str) -> TableSample:
    records: list[Record] = []
    read = 0
    for text, record in objects(path, encoding):
        records.append(record)
        read += len(text.encode("utf-8", "replace"))
        if read > PIECE:
            break
    first = len(records)
    for place, data in pieces(path, size, encoding, start=read):
        lines = data[data.find(b"\n") + 1 : data.rfind(b"\n") + 1]
        for text in encodings.decoded(lines, encoding).split("\n"):
            if text.strip():
                records.append(_object(text, path, f"the line near byte {place:,}"))
        read += len(lines)
    rows, how = round(size * len(records) / read), "the number of rows is estimated from bytes"
    if size <= COUNTED_UP_TO:
        rows, how = breaks_before(path, size, encoding) + (not _ends_with_a_break(path, size)), "all rows were counted"
    kept = _within_cells(records)
    frame, nested = _frame_of(kept, path)
    sampled = f"Read the first {first:,} rows and {len(records) - first:,} more from all over the file; {how}."
    if len(kept) < len(records):
        sampled += f" Looked at {len(kept):,} of them, evenly apart."
    return TableSample(frame, rows, FORMAT, JsonRows(encoding), whole=False, sampled=sampled, nested=nested)


def _ends_with_a_break(path: Path, size: int) -> bool:
    with path.open("rb") as file:
        file.seek(size - 1)
        return file.read() == b"\n"


def objects(path: Path, encoding: str, rows: Positions | None = None) -> Iterator[tuple[str, Record]]:
    """Parse each line, in the order of the file; only the rows with these numbers, where they are given.

    Raises InputError.
    """
    wanted = None if rows is None else set(rows.tolist())
    row = 0
    for number, text in enumerate(_lines(path, encoding), start=1):
        if not text.strip():
            continue
        if wanted is None or row in wanted:
            yield text, _object(text, path, f"line {number:,}")
        row += 1


def _lines(path: Path, encoding: str) -> Iterator[str]:
    kept, number = "", 1
    with path.open("rb") as file:
        for text in encodings.blocks(file, encoding, _BLOCK):
            *lines, kept = (kept + text).removeprefix("\ufeff").split("\n")
            number += len(lines)
            yield from lines
            if len(kept) > LONGEST_LINE:
                what = f"line {number:,} is longer than {LONGEST_LINE // 2**20} MiB"
                raise unreadable(path, what, "Write one JSON object a line.")
    if kept:
        yield kept


def _object(text: str, path: Path, where: str) -> Record:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        remedy = "Write one JSON object a line. Where the file is cut off, write it once more."
        reason = f"{shorten(text.strip(), 40)!r} ({error.msg} at character {error.pos + 1})"
        raise unreadable(path, f"{where} is no JSON: {reason}", remedy) from None
    except (ValueError, RecursionError) as error:
        raise _too_much(error, path, where) from None
    if not isinstance(value, dict):
        what = f"{where} is no object with named values: {shorten(text.strip(), 40)!r}"
        raise unreadable(path, what, 'Write one object a line, such as {"size": 3, "colour": "red"}.')
    return value


def _too_much(error: Exception, path: Path, where: str) -> InputError:
    """The refusal of JSON that may be right, but is more than Python's reader takes."""
    if isinstance(error, RecursionError):
        return unreadable(
            path, f"{where} holds lists or objects too deep within others", "Write objects of plain values."
        )
    most = sys.get_int_max_str_digits()
    return unreadable(path, f"{where} holds a number of more than {most:,} digits", "Write fewer digits, or a text.")


def _marks(text: str) -> int:
    """About the number of values."""
    return sum(map(text.count, "{[,"))


def _without_texts(text: str) -> str:
    """JSON without what stands between quotation marks."""
    return "".join(text.replace("\\\\", "").replace('\\"', "").split('"')[::2])


def _list(path: Path, encoding: str, size: int) -> list[Record]:
    if size > LARGEST_LIST:
        what = f"this is one JSON list of more than {LARGEST_LIST // 2**20} MiB, which cannot be read in parts"
        raise unreadable(path, what, _A_LINE_EACH)
    text = encodings.decoded(path.read_bytes(), encoding)
    if _marks(text) > MOST_VALUES and (count := _marks(_without_texts(text))) > MOST_VALUES:
        what = f"this is one JSON list of about {count:,} values, which cannot be read in parts"
        raise unreadable(path, what, _A_LINE_EACH)
    try:
        values = json.loads(text)
    except json.JSONDecodeError as error:
        what = f"this JSON list cannot be read (line {error.lineno:,}: {error.msg})"
        raise unreadable(path, what, "Where the file is cut off, write it once more.") from None
    except (ValueError, RecursionError) as error:
        raise _too_much(error, path, "this JSON list") from None
    if not values or not all(isinstance(value, dict) for value in values):
        raise unreadable(
            path, "this JSON list does not consist of objects with named values", "Write one object a row."
        )
    return list(values)


def _frame_of(records: Sequence[Record], path: Path) -> tuple[polars.DataFrame, frozenset[str]]:
    """The objects as a frame, and the columns that hold lists or objects; a value that an object lacks is null."""
    names = list(dict.fromkeys(name for record in records for name in record))
    if not records or not names:
        raise unreadable(path, "it holds no named values", "Write one JSON object a line.")
    refuse_width(len(names), path)
    refuse_names([_text(name) for name in names], path)
    columns = {_text(name): [record.get(name) for record in records] for name in names}
    nested = frozenset(name for name, values in columns.items() if _are_nested(values))
    return polars.DataFrame([_series(name, values) for name, values in columns.items()]), nested


def _are_nested(values: Sequence[Any]) -> bool:
    """True where more than a few stray ones are lists or objects."""
    found = sum(isinstance(value, dict | list) for value in values)
    return found > _STRAY_SHARE * sum(value is not None for value in values)


def _series(name: str, values: list[Any]) -> polars.Series:
    """The narrowest type that holds all values: yes or no, numbers, else texts; lists and objects are null."""
    values = [None if isinstance(value, dict | list) else value for value in values]
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return polars.Series(name, values, dtype=polars.Boolean)
    known = [value for value in values if value is not None]
    if kinds == {int} and 2 * sum(abs(value) >= LONG for value in known) >= len(known):
        return polars.Series(name, [None if value is None else str(value) for value in values], dtype=polars.String)
    if kinds and kinds <= {int, float}:
        return polars.Series(name, [None if value is None else _float(value) for value in values], dtype=polars.Float64)
    return polars.Series(name, [None if value is None else _text(value) for value in values], dtype=polars.String)


def _float(value: float) -> float | None:
    try:
        return float(value)
    except OverflowError:  # a whole number beyond all floats
        return None


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()  # half a character, which JSON can spell, is no text
    return json.dumps(value)


READER = Reader(FORMAT, SUFFIXES, inspect, recognise, sample=sample_of)
