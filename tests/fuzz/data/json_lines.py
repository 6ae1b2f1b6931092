"""JSON lines, and JSON lists of objects: typed values, then odd values, odd names, nesting, and broken syntax."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from ..case import Case, Format
from . import values
from .made import Made, cases, valid
from .tables import Cells, plain_tables, targets_of

Record = dict[str, Any]

_RAW = (
    "1e400", "-1e400", "NaN", "-Infinity", "9" * 400, "9" * 5000, "-0", "-0.0", "1E5", "1e-400", "0.1e1", '"\\ud800"',
    '"\\u0000"', '"\\udcff\\ud800"',
    "[" * 900 + "]" * 900, "[" * 100_000, '{"a":' * 900 + "1" + "}" * 900, "[1,2,[3]]", '{"a":1,"a":2}', "{}", "[]",
    '""', "null", "true",
    '{"":null}', '"' + "x" * 65_536 + '"', "01", "1.", ".5", "+1", "0x1F", "'a'", "undefined", "1,", "tru",
)  # fmt: skip
"""Values as they are written; the last ones are no JSON."""

odd_values = st.one_of(
    st.sampled_from(
        (*values.ODD, None, True, False, 0, -0.0, 1e308, 5e-324, 2**63, 2**64, 10**30, float("nan"), float("inf"))
    ),
    st.integers(),
    st.floats(),
    st.recursive(
        st.none() | st.booleans() | st.integers(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(values.odd_names, inner, max_size=3),
        max_leaves=6,
    ),
)


def _typed(cell: str) -> Any:
    try:
        return int(cell) if cell.lstrip("-").isdecimal() and str(int(cell)) == cell else float(cell)
    except ValueError:
        return cell or None


def records_of(cells: Cells) -> list[Record]:
    return [dict(zip(cells.names, map(_typed, record), strict=True)) for record in cells.records()]


@st.composite
def tables(draw: st.DrawFn, *, plain: bool = False) -> Made:
    """One file: a tenth unchanged, most of odd values, the others of broken lines or bytes."""
    cells = draw(plain_tables())
    records = records_of(cells)
    targets = targets_of(draw, cells)
    kind = 0 if plain else draw(st.integers(0, 9))
    if kind == 0:
        return Made("unchanged.jsonl", written(records).encode(), targets, cells.rows, len(cells.names))
    for _ in range(draw(st.integers(1, 3))):
        draw(st.sampled_from((_one_value, _one_value, _whole_column, _whole_column, _name, _lacking, _few)))(
            draw, records
        )
    text = written(records, ascii_only=draw(st.booleans()))
    if kind == 7:
        text = json.dumps(records)
    if kind in (7, 8):
        text = _raw_value(draw, text)
    data = text.encode(draw(st.sampled_from(("utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "latin-1"))), "replace")
    if kind == 9:
        data = _broken(draw, data)
    return Made(f"records{draw(st.sampled_from(('.jsonl', '.json', '.ndjson', '', '.txt')))}", data, targets)


def written(records: list[Record], *, ascii_only: bool = True) -> str:
    return "".join(json.dumps(record, ensure_ascii=ascii_only) + "\n" for record in records)


def _one_value(draw: st.DrawFn, records: list[Record]) -> None:
    record = records[draw(st.integers(0, len(records) - 1))] if records else {}
    if record:
        record[draw(st.sampled_from(sorted(record)))] = draw(odd_values)


def _whole_column(draw: st.DrawFn, records: list[Record]) -> None:
    if records and records[0]:
        name = draw(st.sampled_from(sorted(records[0])))
        chosen = draw(st.lists(odd_values, min_size=1, max_size=4))
        for row, record in enumerate(records):
            record[name] = chosen[row % len(chosen)]


def _name(draw: st.DrawFn, records: list[Record]) -> None:
    if records and records[0]:
        old, new = draw(st.sampled_from(sorted(records[0]))), draw(values.odd_names)
        for record in records[: draw(st.sampled_from((1, len(records))))]:
            record[new] = record.pop(old, None)


def _lacking(draw: st.DrawFn, records: list[Record]) -> None:
    """An object without values, or with other ones than the rest."""
    place = draw(st.integers(0, len(records)))
    records.insert(place, draw(st.dictionaries(values.odd_names, odd_values, max_size=3)))


def _few(draw: st.DrawFn, records: list[Record]) -> None:
    del records[draw(st.integers(0, 3)) :]


def _raw_value(draw: st.DrawFn, text: str) -> str:
    """One value, or one line, as Python would not write it."""
    raw = draw(st.sampled_from(_RAW))
    lines = text.split("\n")
    place = draw(st.integers(0, len(lines) - 1))
    colons = lines[place].split(": ")
    if len(colons) > 1 and draw(st.booleans()):
        part = draw(st.integers(1, len(colons) - 1))
        rest = colons[part]
        end = min((found for mark in (",", "}") if (found := rest.find(mark)) >= 0), default=len(rest))
        colons[part] = raw + rest[end:]
        lines[place] = ": ".join(colons)
    else:
        lines.insert(place, f'{{"y": {raw}}}')
    return "\n".join(lines)


def _broken(draw: st.DrawFn, data: bytes) -> bytes:
    cut = draw(st.integers(0, len(data)))
    if draw(st.booleans()):
        return data[:cut]
    piece = draw(
        st.one_of(
            st.binary(min_size=1, max_size=4), st.sampled_from((b"\n", b"\0", b"}", b"[", b"//x\n", b"\xed\xa0\x80"))
        )
    )
    return data[:cut] + piece + data[cut:]


def _valid() -> list[Case]:
    return valid([Made("a.jsonl", b'{"a": 1, "y": 0}\n{"a": 2, "y": 1}\n' * 20, rows=40, columns=2)])


DATA = {"json-lines": tables}
FORMATS = [Format("json-lines", _valid, lambda: cases(tables()))]
