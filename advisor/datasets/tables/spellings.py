"""Notes and doubts on how the numbers of a column are written: signs, marks between thousands, words behind them."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import polars

from advisor.datasets.dataset import Remark, Weight
from advisor.datasets.values import numbers as spelling
from advisor.datasets.values.dates import unread_dates
from advisor.wording import join_names, shorten

_NOTES = {
    r"^\W*[A-Za-z]{2,}\.?\s*[-+(]?\d": "Letters in front of its numbers are read as a currency",
    r"\d\D*[+＋]$": "Its numbers with a plus behind them are positive",
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
    mark, _, bare = spelling.without_mark(texts)
    if spelling.is_currency(mark) and len(bare):
        found.append(
            f"Its numbers without {mark!r} are read as if they had it ({_rows(len(bare))}, such as {bare[0]!r})."
        )
    return " ".join(found)


def doubts_on(texts: polars.Series, numbers: polars.Series, style: str, *, comma_first: bool) -> Iterator[Remark]:
    """The doubts about texts that were read as these numbers: the size of numbers, or their sign, may be another."""
    name = repr(shorten(texts.name, 40))
    if spelling.may_be_other(texts, style, comma_first=comma_first):
        first, number = texts.drop_nulls()[0], numbers.drop_nulls()[0]
        what = f"All {numbers.count():,} numbers of {name} have three digits behind one mark: {first!r} is read as {number:.10g}."
        remedy = "If that is wrong by a factor of 1,000, write them without marks between thousands, and with a decimal point."
        if "_" in first:
            remedy = "If they are names rather than amounts, write a letter in front of each; if not, leave out the underscore."
        yield Remark(what, Weight.WARNING, remedy, (texts.name,))
    yield from _doubts_on_digits(texts, numbers)
    yield from _doubts_on_units(texts, numbers, spelling.mark_of(style))
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
    mark, marked, bare = spelling.without_mark(texts)
    if spelling.is_ratio(mark) and len(bare):
        what = (
            f"Numbers of {name} have {mark!r} behind them ({_rows(len(marked))}, such as {marked[0]!r}) and others have"
        )
        what += f" none ({_rows(len(bare))}, such as {bare[0]!r}), which may be of another size: it is read as words."
        return (Remark(what, Weight.WARNING, "Write all of them in one way to learn from their size.", (texts.name,)),)
    if len(plus := spelling.unsure_plus(texts)):
        what = f"Numbers of {name} with a plus behind them ({_rows(len(plus))}, such as {plus[0]!r}) may mean that much or more"
        remedy = "Write plain numbers to learn from their size."
        return (Remark(f"{what}: it is read as words.", Weight.WARNING, remedy, (texts.name,)),)
    words = spelling.unknown_words(texts)
    if not words or len(words) > _MOST_WORDS:
        return ()
    shown = join_names([f"{word!r} ({_rows(rows)})" for word, rows in words.items()])
    what = f"The numbers of {name} have words behind them, {shown}: it is read as words."
    return (Remark(what, Weight.WARNING, "Write plain numbers to learn from their size.", (texts.name,)),)


def doubt_on_dates(lost: polars.Series, known: int) -> Remark:
    """The doubt about texts that are no dates, in a column that is read as dates."""
    what = f"{len(lost):,} of {known:,} dates of {shorten(lost.name, 40)!r} {'is no date' if len(lost) == 1 else 'are no dates'}"
    what += f" and {'counts' if len(lost) == 1 else 'count'} as missing, such as {shorten(lost[0], 30)!r}."
    return Remark(what, Weight.WARNING, "Correct them, or leave the field empty where nothing is known.", (lost.name,))


def doubts_on_unread_dates(texts: polars.Series) -> tuple[Remark, ...]:
    """The doubt about texts that look like dates and are read as words, since they are not all of one format."""
    unread = unread_dates(texts)
    if unread is None:
        return ()
    some = "none of {:,} can" if len(unread) == texts.count() else f"{len(unread):,} of {{:,}} cannot"
    what = f"The texts of {shorten(texts.name, 40)!r} look like dates, but {some.format(texts.count())} be read as dates of one"
    what += f" format, such as {shorten(unread[0], 40)!r}: it is read as words."
    remedy = "Write all of them as 2023-01-31, or 2023-01-31 14:00+05:30 with a time, to learn from them as dates."
    return (Remark(what, Weight.WARNING, remedy, (texts.name,)),)


def _doubts_on_units(texts: polars.Series, numbers: polars.Series, mark: str) -> Iterator[Remark]:
    """Report numbers without the unit of others, and percentages that count as missing among numbers without a sign."""
    name = repr(shorten(texts.name, 40))
    if mark and not spelling.is_currency(mark) and not spelling.is_ratio(mark):
        _, marked, bare = spelling.without_mark(texts)
        if len(bare):
            few, many = (f"{_rows(len(some))} {'has' if len(some) == 1 else 'have'}" for some in (bare, marked))
            what = f"In {name} {few} a number without the unit {mark!r}, such as {bare[0]!r}, and {many} one with it"
            what += f": all are read as {mark!r}."
            yield Remark(what, Weight.WARNING, "Write the unit of every number, or of none.", (texts.name,))
    lost = texts.filter(numbers.is_null() & texts.is_not_null())
    if spelling.is_ratio(mark) and len(lost):
        lost, there = lost.filter(spelling.numbers_of(lost, spelling.Style.PLAIN).is_not_null()), f"have {mark!r}"
    else:
        lost, there = lost.filter(lost.str.contains("[%‰％]")), "have no such sign"
    if len(lost):
        what = (
            f"{_rows(len(lost))} of {name}, such as {lost[0]!r}, {'counts' if len(lost) == 1 else 'count'} as missing:"
        )
        what += f" the other numbers {there}, and the size may be another."
        yield Remark(what, Weight.WARNING, "Write all of them in one way.", (texts.name,))


def _doubts_on_digits(texts: polars.Series, numbers: polars.Series) -> Iterator[Remark]:
    """Report numbers with so many digits that a float rounds them."""
    large = texts.filter((numbers.abs() >= spelling.LONG).fill_null(value=False))
    rounded = large.filter(polars.Series([_is_rounded(text) for text in large], dtype=polars.Boolean))
    if len(rounded):
        what = f"{_rows(len(rounded))} of {shorten(texts.name, 40)!r} {'has' if len(rounded) == 1 else 'have'} a number with more"
        what += f" digits than are kept (about 16), such as {rounded[0]!r}: it is rounded."
        remedy = "If they are names rather than amounts, write a letter in front of each."
        yield Remark(what, Weight.WARNING, remedy, (texts.name,))


def _is_rounded(text: str) -> bool:
    """True for digits with a decimal point that a float does not keep."""
    try:
        return Decimal(text) not in (Decimal(float(text)), Decimal(repr(float(text))))
    except ArithmeticError:
        return False


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count:,} rows"
