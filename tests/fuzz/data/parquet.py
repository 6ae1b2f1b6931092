"""Parquet: tables of every type, as polars writes them, then numbers in their footer and page headers changed."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from random import Random
from typing import Any

import polars
from hypothesis import strategies as st

from ..case import Case, Format
from . import values
from .json_lines import Record, records_of
from .made import Made, cases, valid
from .tables import Cells, plain_tables, targets_of
from .thrift import BINARY, LIST, STRUCT, WHOLE, Field, Reader, every
from .thrift import written as written_structure

Column = Callable[[Random, int], polars.Series]


def _of(kind: Any, *choices: Any) -> Column:
    """A column of this type that takes these values in any order, and half of the time has gaps."""

    def column(draw: Random, rows: int) -> polars.Series:
        some = draw.sample(choices, draw.randint(1, len(choices)))
        gaps = draw.choice((0.0, 0.0, 0.2, 0.95, 1.0))
        return polars.Series(
            [None if draw.random() < gaps else _whole(draw.choice(some)) for _ in range(rows)], dtype=kind, strict=False
        )

    return column


def _whole(value: Any) -> Any:
    """The value without halves of characters, which no Parquet holds."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


_FLOATS = (0.0, -0.0, 1.5, float("nan"), float("inf"), float("-inf"), 1e308, -1e308, 5e-324)
_COLUMNS: tuple[Column, ...] = (
    _of(polars.Float64, *_FLOATS),
    _of(polars.Float64, *_FLOATS[:3], 1e300),
    _of(polars.Float32, 0.0, 1.5, float("nan"), float("inf"), 3e38),
    _of(polars.Int8, -128, 127, 0, 1),
    _of(polars.Int64, -(2**63), 2**63 - 1, 0, 1, 2**53 + 1),
    _of(polars.UInt64, 2**64 - 1, 0, 1, 2**63),
    _of(polars.UInt8, 0, 1, 255),
    _of(polars.Int128, 2**126, -(2**126), 0),
    _of(polars.Boolean, True, False),
    _of(polars.String, *values.TEXTS[:-4], "a", "b", *values.NUMBERS[:10]),
    _of(polars.String, *values.DATES),
    _of(polars.String, "x" * 65_536, "", "word " * 300),
    _of(polars.Binary, b"", b"\xff\0", b"abc"),
    _of(polars.Date, date(1, 1, 1), date(9999, 12, 31), date(1970, 1, 1), date(2020, 2, 29)),
    _of(polars.Datetime("us"), datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999_999), datetime(2020, 1, 1)),
    _of(polars.Datetime("ns"), datetime(1678, 1, 1), datetime(2262, 1, 1), datetime(2020, 1, 1)),
    _of(
        polars.Datetime("ms", "Europe/Berlin"),
        datetime(2020, 3, 29, 4),
        datetime(2020, 10, 25, 2),
        datetime(1900, 1, 1),
    ),
    _of(polars.Time, time(0), time(23, 59, 59, 999_999), time(12)),
    _of(polars.Duration("us"), timedelta(0), timedelta(days=99_999), timedelta(days=-99_999)),
    _of(polars.Duration("ns"), timedelta(0), timedelta(days=99_999), timedelta(microseconds=1)),
    _of(polars.Decimal(38, 10), Decimal(0), Decimal("9" * 28), Decimal("-1.5")),
    _of(polars.Decimal(5, 2), Decimal("999.99"), Decimal("-0.01")),
    _of(polars.Categorical, "a", "b", "", "\0"),
    _of(polars.Enum(["", "a", "ä"]), "a", "ä", ""),
    _of(polars.Null, None),
    _of(polars.List(polars.Int64), [], [1], [1, None, 2**62]),
    _of(polars.List(polars.List(polars.String)), [[]], [["a"], []], []),
    _of(polars.Array(polars.Float32, 2), [1.0, 2.0], [float("nan"), 0.0]),
    _of(polars.Struct({"a": polars.Int8, "b": polars.List(polars.String)}), {"a": 1, "b": []}, {"a": None, "b": ["x"]}),
)
"""Makers of a column of each type, of values at its ends."""


@st.composite
def _frames(draw: st.DrawFn, cells: Cells) -> polars.DataFrame:
    """A table of plain columns and some of any type; in a fifth of cases of the latter alone."""
    frame = polars.DataFrame(records_of(cells), infer_schema_length=None)
    seed = Random(draw(st.integers(0, 2**32)))
    chosen = draw(st.lists(st.integers(0, len(_COLUMNS) - 1), max_size=4))
    names = [
        draw(st.sampled_from((f"odd_{place}", f"odd_{place}", draw(values.odd_names)))) for place in range(len(chosen))
    ]
    rows = len(frame)
    for name, column in zip(names, chosen, strict=True):
        frame = frame.with_columns(_COLUMNS[column](seed, rows).alias(name.encode("utf-8", "replace").decode()))
    if chosen and draw(st.integers(0, 4)) == 0:
        frame = frame.drop(frame.columns[: -len(chosen)])
    return frame.head(draw(st.integers(0, 2))) if draw(st.integers(0, 15)) == 0 else frame


def packed(frame: polars.DataFrame, **options: Any) -> bytes:
    file = io.BytesIO()
    frame.write_parquet(file, **options)
    return file.getvalue()


def written(records: list[Record]) -> bytes:
    return packed(polars.DataFrame(records, infer_schema_length=None))


@st.composite
def tables(draw: st.DrawFn, *, plain: bool = False) -> Made:
    """One file: a tenth unchanged, four tenths of odd types, the others with odd footers, pages or bytes."""
    cells = draw(plain_tables())
    kind = 0 if plain else draw(st.integers(0, 9))
    if kind == 0:
        data = written(records_of(cells))
        return Made("unchanged.parquet", data, targets_of(draw, cells), cells.rows, len(cells.names))
    frame = draw(_frames(cells))
    data = packed(
        frame,
        compression=draw(st.sampled_from(("uncompressed", "uncompressed", "snappy", "gzip", "zstd", "lz4", "brotli"))),
        row_group_size=draw(st.sampled_from((None, 1, 2, 7, 1000))),
        data_page_size=draw(st.sampled_from((None, 1, 64))),
        statistics=draw(st.sampled_from((True, False, "full"))),
    )
    if kind in (5, 6):
        data = _changed_footer(draw, data)
    elif kind == 7:
        data = _changed_page(draw, data)
    elif kind == 8:
        place = draw(st.integers(4, max(len(data) - 9, 4)))
        piece = draw(st.binary(min_size=1, max_size=3))
        data = data[:place] + piece + data[place + len(piece) :]
    elif kind == 9:
        data = _changed_end(draw, data)
    targets = tuple(dict.fromkeys((frame.columns[-1], draw(st.sampled_from(frame.columns))))) if frame.columns else ()
    return Made(draw(st.sampled_from(("t.parquet", "t.parquet", "t.pq", "t"))), data, targets)


_NUMBERS = (0, 1, 2, 3, 5, 7, 8, -1, 100, 10_000, 2**31 - 1, 2**31, 2**40, 2**63 - 1, -(2**63))


def _split(data: bytes) -> tuple[bytes, list[Field]]:
    """The pages, and the footer as values."""
    size = int.from_bytes(data[-8:-4], "little")
    return data[: -8 - size], Reader(data, len(data) - 8 - size).structure()


def _joined(pages: bytes, footer: list[Field]) -> bytes:
    end = written_structure(footer)
    return pages + end + struct.pack("<I", len(end)) + b"PAR1"


def _changed_footer(draw: st.DrawFn, data: bytes) -> bytes:
    """Counts, places, types, names or statistics of the footer changed; fields and members left out or doubled."""
    pages, footer = _split(data)
    for _ in range(draw(st.integers(1, 2))):
        _change_one(draw, footer)
    return _joined(pages, footer)


def _change_one(draw: st.DrawFn, fields: list[Field]) -> None:
    field = draw(st.sampled_from(every(fields)))
    if field.kind in WHOLE and isinstance(field.value, int):
        field.value = draw(st.one_of(st.sampled_from(_NUMBERS), st.just(field.value + 1), st.just(field.value - 1)))
    elif field.kind == BINARY and isinstance(field.value, bytes):
        field.value = draw(
            st.sampled_from((b"", b"\xff" * 8, b"\0", field.value + b"x", field.value[:-1], b"y", b"x" * 70_000))
        )
    elif field.kind in (LIST, STRUCT) and isinstance(field.value, list) and field.value:
        place = draw(st.integers(0, len(field.value) - 1))
        if draw(st.booleans()):
            del field.value[place]
        else:
            field.value.insert(place, field.value[place])


def _changed_page(draw: st.DrawFn, data: bytes) -> bytes:
    """A value of one page header changed; places in the footer stay right where its length does."""
    _, footer = _split(data)
    offsets = [field.value for field in every(footer) if field.number in (9, 11) and field.kind == WHOLE[2]]
    places = [value for value in offsets if isinstance(value, int) and 4 <= value < len(data)]
    if not places:
        return data
    place = draw(st.sampled_from(places))
    reader = Reader(data, place)
    try:
        header = reader.structure()
    except (IndexError, ValueError):
        return data
    _change_one(draw, header)
    return _compact(data, place, reader.place, written_structure(header))


def _compact(data: bytes, start: int, end: int, header: bytes) -> bytes:
    """The header in place of another; where it is longer, what follows is moved, and the footer's places with it."""
    pages, footer = _split(data)
    more = len(header) - (end - start)
    for field in every(footer):
        if (
            field.number in (2, 9, 10, 11)
            and field.kind == WHOLE[2]
            and isinstance(field.value, int)
            and start < field.value < len(pages)
        ) or (field.number == 7 and field.kind == WHOLE[2] and isinstance(field.value, int)):
            field.value += more
    return _joined(pages[:start] + header + pages[end:], footer)


def _changed_end(draw: st.DrawFn, data: bytes) -> bytes:
    size = draw(st.sampled_from((0, 1, len(data), 2**31 - 1, 2**32 - 1)))
    cut = draw(st.integers(0, len(data)))
    return draw(
        st.sampled_from(
            (
                data[:-8] + struct.pack("<I", size) + b"PAR1",
                data[:cut],
                data[:cut] + data[-8:],
                data[:-4] + b"PARE",
                data + data,
                b"PAR1" + data[-8:],
            )
        )
    )


def _valid() -> list[Case]:
    return valid([Made("a.parquet", packed(polars.DataFrame({"a": range(40), "y": [0, 1] * 20})), rows=40, columns=2)])


DATA = {"parquet": tables}
FORMATS = [Format("parquet", _valid, lambda: cases(tables()), accepted_share=0.4)]
