"""Texts: a file of many, or a folder of classes, of any script, encoding, length and control character."""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

from ..case import Case, Format
from . import values
from .made import Entry, Made, cases, valid

_ENCODINGS = ("utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-be", "latin-1", "cp1252", "utf-7", "shift_jis")
_ENDS = ("\n", "\n", "\r\n", "\r", "\n\n", "\u2028", "\x0b")


@st.composite
def _text(draw: st.DrawFn) -> bytes:
    lines = values.texts(Random(draw(st.integers(0, 2**32))), draw(st.integers(0, 30)))
    for _ in range(draw(st.integers(0, 3))):
        odd = draw(
            st.one_of(
                values.odd_cells,
                st.sampled_from(("{", "[1,", "a,b,c", "1;2;3", "\x93NUMPY", "PAR1", "# title", "%PDF", "x" * 2**18)),
            )
        )
        lines.insert(draw(st.integers(0, len(lines))), odd)
    text = draw(st.sampled_from(_ENDS)).join(lines)
    data = text.encode(draw(st.sampled_from(_ENCODINGS)), "replace")
    if draw(st.integers(0, 4)) == 0:
        cut = draw(st.integers(0, len(data)))
        data = (
            data[:cut]
            + draw(st.one_of(st.just(b""), st.binary(min_size=1, max_size=6)))
            + data[cut + draw(st.integers(0, 2)) :]
        )
    return data


@st.composite
def texts(draw: st.DrawFn, *, plain: bool = False) -> Made:
    kind = 0 if plain else draw(st.integers(0, 9))
    if plain or kind == 9:
        return _plain(draw)
    if kind < 5:
        return Made(draw(st.sampled_from(("a.txt", "a.md", "a", "a.dat"))), draw(_text()))
    count = draw(st.sampled_from((1, 2, 5, 12)))
    files: list[tuple[bytes, Entry]] = [
        (label + b"/%d.txt" % number, draw(_text())) for label in (b"a", b"b") for number in range(min(count, 3))
    ]
    return Made("texts", tuple(files))


def _plain(draw: st.DrawFn) -> Made:
    count = draw(st.sampled_from((1, 2, 5, 12)))
    lines = [line.encode() for line in values.texts(Random(draw(st.integers(0, 2**32))), 2 * count)]
    named = [(b"ab"[row % 2 : row % 2 + 1] + b"/%d.txt" % row, line) for row, line in enumerate(lines)]
    return Made("texts", tuple(named), rows=2 * count)


def _valid() -> list[Case]:
    return valid([Made("a.txt", b"the cat sat\n" * 20)])


DATA = {"texts": texts}
FORMATS = [Format("texts", _valid, lambda: cases(texts()))]
