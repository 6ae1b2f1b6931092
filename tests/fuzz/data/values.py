"""Cells that programs stumble over: as text, as they stand in tables of text, in JSON and in Parquet."""

from __future__ import annotations

from datetime import date
from random import Random

from hypothesis import strategies as st

NUMBERS = (
    "0", "-0", "+7", "1e400", "-1e400", "1e308", "-1.7976931348623157e308", "5e-324", "1e-400", "nan", "NaN", "-nan",
    "inf",
    "-Infinity", "+inf", "9" * 16, "9223372036854775807", "9223372036854775808", "-9223372036854775809", "9" * 400,
    "18446744073709551616", "0x1F", "0b1", "1_000", "1,000", "1.234,5", "1 234", "1\u00a0234", "12,34,567", "1e5",
    "1E+5", ".5", "5.",
    "1.", ".", "-", "--5", "1-2", "007", "1/2", "50%", "€ 5", "$1,000.00", "\u0663\u0664", "\uff11\uff12", "\u22125",
    "½", "1e", "e5", "1e5e5",
    "4503599627370497.5", "1.0000000000000002", "340282366920938463463374607431768211456", "1d5", "1f", "NULL",
    "None", "true",
)  # fmt: skip
DATES = (
    "0000-99-99", "0000-00-00", "0001-01-01", "9999-12-31", "10000-01-01", "-0001-01-01", "2020-02-30", "1970-01-01",
    "1900-02-29", "2020-01-01T25:61:61", "2020-01-01T00:00:00Z", "2020-01-01T00:00:00+99:99",
    "2020-01-01 00:00:00.999999999",
    "31/12/1999", "12/31/99", "01.02.03", "20200131", "99999999", "2020-W01-1", "2020-01", "Feb 30, 2020",
    "1 Jan 2020", "12:00",
    "24:00:00", "1e9", "2262-04-11 23:47:16.854775807", "294277-01-10", "2020-13", "2020-1-1", "20200101T000000",
    "29 Feb 2021",
)  # fmt: skip
TEXTS = (
    "", " ", "\t", "\u00a0", "\u200b", "\ufeff", "\ufffd", "\ufffe", "\0", "a\0b", "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07", "\x08\x08", "\x7f", "\x85",
    "\u2028", "\u2029", "\u202eevil", "\u0301", "e\u0301", "👩‍👩‍👧‍👦", "🏳️‍🌈", "\U0010ffff", "ß", "İ", "ǅ", "ﬃ", "日本語",
    "שלום", "العربية", "ไทย",
    "'", '"', '""', "'''", "`", "\\", "\\n", "\r", "\n", "\r\n", ",", ";", "|", "\x1f", "=1+1", "=cmd|' /C calc'!A0",
    "+1", "-1", "@SUM(1)",
    "<script>alert(1)</script>", "[red]x[/red]", "[/]", "{{7*7}}", "{0}", "%s", "%n", "$(id)", "`id`",
    "../../etc/passwd", "*", "^.*$", "#", "%",
    "NA", "N/A", "null", "nan", "yes", "no", "TRUE", "-", "?", "sep=;", "__class__", "constructor", "column_1",
    "\ud800", "\udcff", "x" * 300,
    "x" * 65_536, "word " * 2_000, "a" * 15 + "\u0301" * 400, "550e8400-e29b-41d4-a716-446655440000",
)  # fmt: skip
NAMES = (
    "", " ", "y", "Y", "target", "label", "id", "ID", "user_id", "date", "time", "source", "weight", "column_1",
    "column_2", "index", "\0row", "value",
    "rows", "count", "literal", "key", "answer", "answers", "*", "^y$", "^.*$", "2020-01-01", "2020", "2021", "t0",
    "t1", "1", "-1", "1.5", "#", "\ufeffy",
    "a b", "a\nb", "a,b", '"', "'", "\x1b[31m", "\u202ex", "👩‍👩‍👧‍👦", "\ud800", "--target", "-1", "x" * 300,
    "__index_level_0__", "nan", "NA", "true",
)  # fmt: skip
ODD = NUMBERS + DATES + TEXTS

odd_cells = st.one_of(
    st.sampled_from(NUMBERS),
    st.sampled_from(DATES),
    st.sampled_from(TEXTS),
    st.text(max_size=12),
    st.integers().map(str),
    st.floats().map(repr),
    st.datetimes().map(str),
)
"""One cell of a table of text."""
odd_names = st.one_of(st.sampled_from(NAMES), st.sampled_from(NAMES), st.text(max_size=8))


_WORDS = (
    "the", "cat", "sat", "on", "a", "mat", "and", "looked", "at", "two", "dogs", "that", "slept", "under", "an", "old", "tree",
    "near", "our", "house",
)  # fmt: skip


def numbers(draw: Random, rows: int) -> list[str]:
    return [f"{draw.gauss(50, 20):.3f}" for _ in range(rows)]


def wholes(draw: Random, rows: int) -> list[str]:
    return [str(draw.randrange(1000)) for _ in range(rows)]


def classes(draw: Random, rows: int) -> list[str]:
    names = draw.choice((["red", "green", "blue"], ["yes", "no"], ["0", "1"], ["1", "2", "3", "4", "5"], ["ä", "ö"]))
    return [draw.choice(names) for _ in range(rows)]


def days(draw: Random, rows: int) -> list[str]:
    start = draw.randrange(700_000, 738_000)
    shuffled = draw.sample(range(rows), rows) if draw.random() < 0.3 else range(rows)
    return [date.fromordinal(start + day).isoformat() for day in shuffled]


def texts(draw: Random, rows: int) -> list[str]:
    words = _WORDS
    return [" ".join(draw.choice(words) for _ in range(draw.randrange(3, 15))) for _ in range(rows)]


def identifiers(draw: Random, rows: int) -> list[str]:
    return [f"p{draw.randrange(max(rows // draw.choice((1, 3)), 1)):04}" for _ in range(rows)]


def constants(draw: Random, rows: int) -> list[str]:
    return [draw.choice(("", "0", "same"))] * rows


KINDS = (numbers, wholes, classes, days, texts, identifiers, constants)
"""Makers of a column of cells, plain and valid."""
