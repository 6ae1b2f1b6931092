"""Words such as None and NA in columns of other words: taken for missing, or for values where the table shows that."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

import polars

from advisor.datasets.dataset import Kind, Remark, Weight
from advisor.datasets.tables.columns import Judged, judge
from advisor.datasets.values.kept_words import kept_by, style_of
from advisor.datasets.values.missing import cleaned
from advisor.datasets.values.null_words import MISSING
from advisor.wording import join_names, shorten

_SAID = frozenset({"None", "none", "NONE", "nil", "Null"})
"""Words that people choose for a class of their own, as `no disorder`."""
_CODES = frozenset({"NA", "na"})
_NUMBERS = (Kind.NUMBER, Kind.WHOLE, Kind.DATE)
_WORDS = (Kind.CATEGORY, Kind.TEXT, Kind.IDENTIFIER, Kind.YES_NO, Kind.EMPTY, Kind.CONSTANT)
_SIGNS = ("+", "++", "+++", "+/-", "0")
_MANY_NAMES = 20
_FEWEST_CODES = 2
_MOSTLY = 0.9
_NINES = re.compile(r"-?9{2,}(\.0|\.9+)?")
_FEWEST_NINES = 2


def with_kept_words(columns: Sequence[Judged], raw: Mapping[str, polars.Series]) -> tuple[Judged, ...]:
    """The columns, in which words such as None are values where the table does not use them for what is missing.

    Each such word is reported with its number of rows, whichever it was taken for.
    """
    lost = {judged.column.name: dict(_lost(judged, raw[judged.column.name])) for judged in columns}
    elsewhere = {word for judged in columns if judged.kind in _NUMBERS for word in lost[judged.column.name]}
    decided = []
    for judged in columns:
        of_column = lost[judged.column.name]
        if judged.kind in _WORDS and of_column:
            judged = _decided(judged, raw[judged.column.name], of_column, elsewhere)
        elif judged.kind in (Kind.NUMBER, Kind.WHOLE):
            judged = replace(judged, doubts=(*judged.doubts, *_nines(judged)))
        decided.append(judged)
    return tuple(decided)


def judge_classes(raw: polars.Series) -> tuple[Judged, tuple[str, ...]]:
    """A column of texts that are classes, and the words in it that are values though they may stand for missing ones."""
    judged = judge(raw)
    decided = _decided(judged, raw, lost, ()) if (lost := dict(_lost(judged, raw))) else judged
    return decided, kept_by(decided.style)


def _nines(judged: Judged) -> Iterator[Remark]:
    """The least or greatest number, where it is -999 or the like in several rows and far from all others."""
    numbers = judged.values
    for extreme in (numbers.min(), numbers.max()):
        if not isinstance(extreme, float) or not _NINES.fullmatch(f"{extreme:.10g}"):
            continue
        others, rows = numbers.filter(numbers != extreme), int((numbers == extreme).sum())
        low, high = others.min(), others.max()
        if rows < _FEWEST_NINES or not isinstance(low, float) or not isinstance(high, float):
            continue
        if min(abs(extreme - low), abs(extreme - high)) > high - low:
            what = f"{judged.quoted} is {extreme:.10g} in {rows:,} rows, far from all other values ({low:.6g} to {high:.6g})."
            remedy = "It counts as a number: leave the field empty where it stands for a missing value."
            yield Remark(what, Weight.WARNING, remedy, (judged.column.name,))


def _lost(judged: Judged, raw: polars.Series) -> Iterator[tuple[str, int]]:
    """The words of a column of texts that count as missing, and their rows."""
    if raw.dtype not in (polars.String, polars.Categorical, polars.Enum) or judged.kind is Kind.NESTED:
        return
    if judged.values.null_count() == raw.null_count() and judged.kind is not Kind.EMPTY:
        return
    bare = raw.cast(polars.String).str.strip_chars().drop_nulls().alias("word")
    words = bare.filter(bare.is_in(polars.Series(MISSING[1:]).implode()))
    yield from words.value_counts(sort=True, name="rows").iter_rows()


def _decided(judged: Judged, raw: polars.Series, lost: Mapping[str, int], elsewhere: Collection[str]) -> Judged:
    others = judged.values.drop_nulls()
    gaps = len(raw) - len(others) - sum(lost.values())
    kept = [
        word
        for word in lost
        if word not in elsewhere and judged.kind is not Kind.YES_NO and _is_value(word, others, lost, gaps)
    ]
    doubts = (*judged.doubts, *_remarks(judged, lost, kept))
    if not kept:
        return replace(judged, doubts=doubts)
    again = judge(cleaned(raw.cast(polars.String), kept), kept=kept)
    return replace(again, style=style_of(kept), doubts=doubts)


def _is_value(word: str, others: polars.Series, lost: Mapping[str, int], gaps: int) -> bool:
    """True where the other values, or what the column uses for missing ones, show that the word is a value."""
    if others.is_empty() or others.dtype != polars.String:
        return False
    different = others.unique()
    if word == "-":
        return different.is_in(_SIGNS).all()
    if float(different.str.contains(r"\pL").mean() or 0) < _MOSTLY:  # type: ignore[arg-type]
        return False  # numbers as names
    if word in _CODES:
        codes = bool(different.str.contains(f"^{'[A-Z]' if word.isupper() else '[a-z]'}{{2}}$").all())
        return gaps > 0 or (codes and len(different) >= _FEWEST_CODES)
    if word in _SAID:
        return gaps > 0 or set(lost) <= _SAID
    names = word.isalpha() and len(different) >= _MANY_NAMES and lost[word] <= len(others) / len(different) + 1
    shape = "^[A-Z' -]+$" if word.isupper() else "^[A-Z][a-z]" if word.istitle() else "^[a-z' -]+$"
    return names and different.str.contains(shape).mean() == 1.0


def _remarks(judged: Judged, lost: Mapping[str, int], kept: Sequence[str]) -> Iterator[Remark]:
    for words, are, remedy in (
        (
            kept,
            "a value of its own" if len(kept) == 1 else "values of their own",
            "Leave the field empty where nothing is known.",
        ),
        ([word for word in lost if word not in kept], "missing", "Write another word where it is a value."),
    ):
        if words:
            shown = join_names([f"{word!r} ({lost[word]:,} {'row' if lost[word] == 1 else 'rows'})" for word in words])
            verb = "counts" if len(words) == 1 else "count"
            what = f"In {shorten(judged.column.name, 40)!r} the {'word' if len(words) == 1 else 'words'} {shown} {verb} as {are}."
            yield Remark(what, remedy=remedy, columns=(judged.column.name,))
