"""Notes and doubts on how the numbers of a column are written: signs, marks between thousands, words behind them."""

from __future__ import annotations

from collections.abc import Iterator

import polars

from advisor.datasets.dataset import Remark, Weight
from advisor.datasets.values import numbers as spelling
from advisor.wording import join_names, shorten

_NOTES = {
    r"\d_\d": "Underscores in its numbers stand between thousands",
    r"^\D*\(.*\)\D*$": "Its numbers in brackets are negative",
    r"\d\D*[-−–]$": "Its numbers with a minus behind them are negative",
}
"""Readings that are certain, by what such numbers look like."""
_MOST_WORDS = 4
_LOOKED_AT = 200


def notes_on(texts: polars.Series) -> str:
    """The readings of numbers that are worth a note, with their rows; empty where there are none."""
    found = []
    for pattern, note in _NOTES.items():
        fitting = texts.filter(texts.str.contains(pattern).fill_null(value=False))
        if len(fitting):
            found.append(f"{note} ({_rows(len(fitting))}, such as {fitting[0]!r}).")
    return " ".join(found)


def doubts_on(texts: polars.Series, numbers: polars.Series, style: str, *, comma_first: bool) -> Iterator[Remark]:
    """The doubts about texts that were read as these numbers: the size of numbers, or their sign, may be another."""
    name = repr(shorten(texts.name, 40))
    if spelling.may_be_other(texts, style, comma_first=comma_first):
        first, number = texts.drop_nulls()[0], numbers.drop_nulls()[0]
        what = f"All {numbers.count():,} numbers of {name} have three digits behind one mark: {first!r} is read as {number:.10g}."
        remedy = "If that is wrong by a factor of 1,000, write them without marks between thousands, and with a decimal point."
        yield Remark(what, Weight.WARNING, remedy, (texts.name,))
    negative, positive = spelling.sides_of(style)
    if negative:
        sides = spelling.count_sides(texts).items()
        shown = join_names([f"{side} ({_rows(rows)}, such as {first!r})" for side, (rows, first) in sides])
        others = f"numbers of {positive}" if positive else "numbers without such a word"
        what = f"Numbers of {name} name a side of an account, {shown}"
        what += f": those of {negative} are read as negative, {others} as positive."
        remedy = "If that is the wrong way round, so are all signs: write a minus instead of the word."
        yield Remark(what, Weight.WARNING, remedy, (texts.name,))


def doubts_on_words(texts: polars.Series) -> tuple[Remark, ...]:
    """The doubt about numbers in several units, or with unknown words behind them, which are read as words."""
    name = repr(shorten(texts.name, 40))
    marks = spelling.marks_in(texts.drop_nulls().head(_LOOKED_AT))
    if len(marks) > 1:
        what = f"The numbers of {name} are in several units ({join_names(marks[:5])}): it is read as words."
        return (Remark(what, Weight.WARNING, "Convert them to one unit to learn from their size.", (texts.name,)),)
    words = spelling.unknown_words(texts)
    if not words or len(words) > _MOST_WORDS:
        return ()
    shown = join_names([f"{word!r} ({_rows(rows)})" for word, rows in words.items()])
    what = f"The numbers of {name} have words behind them, {shown}: it is read as words."
    return (Remark(what, Weight.WARNING, "Write plain numbers to learn from their size.", (texts.name,)),)


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count:,} rows"
