"""CSV and its like: a table in some dialect and encoding, then its rows, quotation marks, line ends or bytes made odd."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

from ..case import Case, Format
from . import values
from .made import Made, cases, valid
from .tables import Cells, changed, plain_tables, targets_of

_SUFFIXES = {",": ".csv", "\t": ".tsv", ";": ".csv", "|": ".psv", ":": ".csv", " ": ".csv"}
_ENCODINGS = ("utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "latin-1")
_ENDS = ("\n", "\n", "\r\n", "\r")


@st.composite
def tables(draw: st.DrawFn, *, plain: bool = False) -> Made:
    """One file: half of them valid tables of odd values, a tenth unchanged, the others of odd structure."""
    cells = draw(plain_tables())
    kind = 0 if plain else draw(st.integers(0, 9))
    if kind == 0:
        return Made("unchanged.csv", written(cells), targets_of(draw, cells), cells.rows, len(cells.names))
    if kind < 9:
        cells = changed(draw, cells)
    delimiter, end, encoding = (draw(st.sampled_from(few)) for few in ((*_SUFFIXES, ",", ",", ";"), _ENDS, _ENCODINGS))
    quoting = draw(st.sampled_from(("needed", "needed", "needed", "all", "none")))
    records = cells.records() if draw(st.integers(0, 9)) == 0 else [list(cells.names), *cells.records()]
    if kind >= 7:
        for _ in range(draw(st.integers(1, 2))):
            draw(st.sampled_from(_RECORDS_CHANGED))(draw, records)
    lines = [delimiter.join(_quoted(cell, delimiter, quoting) for cell in record) for record in records]
    if kind >= 8:
        draw(st.sampled_from(_LINES_CHANGED))(draw, lines)
    data = (end.join(lines) + draw(st.sampled_from((end, end, "", end * 3)))).encode(encoding, "replace")
    if kind == 9:
        data = draw(st.sampled_from(_BYTES_CHANGED))(draw, data)
    suffix = draw(st.sampled_from((*[_SUFFIXES[delimiter]] * 6, ".csv", "", ".edges", ".dat")))
    return Made(f"table{suffix}", data, targets_of(draw, cells))


def written(cells: Cells) -> bytes:
    records = [list(cells.names), *cells.records()]
    return "".join(",".join(_quoted(cell, ",", "needed") for cell in record) + "\n" for record in records).encode()


def _quoted(cell: str, delimiter: str, quoting: str) -> str:
    needed = any(mark in cell for mark in (delimiter, '"', "\n", "\r")) or not cell
    if quoting == "all" or (quoting == "needed" and needed):
        return '"' + cell.replace('"', '""') + '"'
    return cell


Records = list[list[str]]


def _place(draw: st.DrawFn, held: list[str] | Records) -> int:
    return draw(st.integers(0, max(len(held) - 1, 0)))


def _shorter_row(draw: st.DrawFn, records: Records) -> None:
    if records and records[row := _place(draw, records)]:
        del records[row][-1]


def _longer_row(draw: st.DrawFn, records: Records) -> None:
    if records:
        records[_place(draw, records)].append(draw(values.odd_cells))


def _blank_row(draw: st.DrawFn, records: Records) -> None:
    records.insert(_place(draw, records), draw(st.sampled_from(([], [""], [" "]))))


def _title(draw: st.DrawFn, records: Records) -> None:
    records[:0] = [
        [line]
        for line in draw(
            st.lists(st.sampled_from(("# comment", "sep=;", "sep=,", "Title", "", "%")), min_size=1, max_size=3)
        )
    ]


def _second_header(draw: st.DrawFn, records: Records) -> None:
    if records:
        records.insert(_place(draw, records), list(records[0]))


def _same_names(draw: st.DrawFn, records: Records) -> None:
    if records:
        records[0] = [records[0][0]] * len(records[0]) if records[0] else []


def _no_names(draw: st.DrawFn, records: Records) -> None:
    if records:
        records[0] = [draw(st.sampled_from(("", " ", "1")))] * len(records[0])


def _row_names(draw: st.DrawFn, records: Records) -> None:
    """As R writes it: a header of one name less than there are columns."""
    records[1:] = [[str(number), *record] for number, record in enumerate(records[1:])]


_RECORDS_CHANGED: tuple[Callable[[st.DrawFn, Records], None], ...] = (
    _shorter_row, _longer_row, _blank_row, _title, _second_header, _same_names, _no_names, _row_names, _row_names,
    _blank_row, _title,
)  # fmt: skip


def _open_quote(draw: st.DrawFn, lines: list[str]) -> None:
    if lines:
        place = _place(draw, lines)
        cut = draw(st.integers(0, min(len(lines[place]), 40)))
        lines[place] = (
            lines[place][:cut] + draw(st.sampled_from(('"', '""', '"""', ' "', '" ', "'"))) + lines[place][cut:]
        )


def _other_end(draw: st.DrawFn, lines: list[str]) -> None:
    if lines:
        lines[_place(draw, lines)] += draw(
            st.sampled_from(("\r", "\n", "\r\r\n", "\n\r", "\x0b", "\x0c", "\x85", "\u2028", "\x1e", "\x1a"))
        )


def _cut_line(draw: st.DrawFn, lines: list[str]) -> None:
    if lines:
        place = _place(draw, lines)
        lines[place] = lines[place][: draw(st.integers(0, min(len(lines[place]), 60)))]


def _other_delimiter(draw: st.DrawFn, lines: list[str]) -> None:
    if lines:
        place = _place(draw, lines)
        old, new = draw(st.permutations(",;\t| :"))[:2]
        lines[place] = lines[place].replace(old, new)


_LINES_CHANGED = (_open_quote, _open_quote, _other_end, _cut_line, _other_delimiter)


def _cut(draw: st.DrawFn, data: bytes) -> bytes:
    return data[: draw(st.integers(0, len(data)))]


def _other_encoding(draw: st.DrawFn, data: bytes) -> bytes:
    """The second part in another encoding."""
    cut = draw(st.integers(0, len(data)))
    text = data[cut:].decode("utf-8", "replace") + "ä€ö,\u3042\n"
    return data[:cut] + text.encode(
        draw(st.sampled_from(("cp1252", "utf-16-le", "shift_jis", "utf-8-sig", "utf-32"))), "replace"
    )


def _bytes_put_in(draw: st.DrawFn, data: bytes) -> bytes:
    cut = draw(st.integers(0, len(data)))
    piece = draw(
        st.one_of(
            st.binary(min_size=1, max_size=8),
            st.sampled_from((b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\x1b", b"\xf4\x90\x80\x80")),
        )
    )
    return data[:cut] + piece + data[cut:]


def _twice(draw: st.DrawFn, data: bytes) -> bytes:
    return data + data


_BYTES_CHANGED: tuple[Callable[[st.DrawFn, bytes], bytes], ...] = (_cut, _other_encoding, _bytes_put_in, _twice)


def _valid() -> list[Case]:
    return valid([Made("a.csv", b"a,b,y\n" + b"1,2,0\n3,4,1\n" * 20, rows=40, columns=3)])


DATA = {"csv": tables}
FORMATS = [Format("csv", _valid, lambda: cases(tables()))]
