"""Other rows for a model: the columns of a table found by their names, and read as those it learned from."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars

from advisor.datasets.dataset import Kind, Task
from advisor.datasets.formats import readers, recognise
from advisor.datasets.intake import Intake, TakenColumn
from advisor.datasets.refusals import unreadable
from advisor.datasets.tables.columns import judge
from advisor.datasets.tables.looks import INFINITE
from advisor.datasets.tables.table import TableSample
from advisor.datasets.values.conversion import as_texts, class_texts, converted, known_texts, plain_texts
from advisor.datasets.values.dates import are_impossible, placeholders
from advisor.datasets.values.missing import are_unknown
from advisor.datasets.values.numbers import finite, may_share_a_unit, sides_of
from advisor.errors import InputError, Problem, did_you_mean
from advisor.wording import join_first, join_names, shorten

TITLE = "These data do not fit the model"
STRAY_VALUES, STRAY_SHARE, STRAY_ROWS = 3, 0.02, 50
"""So many other words in a column of many numbers count as missing, as they do where a model learns."""
_HOLD = {
    Kind.NUMBER: "numbers", Kind.WHOLE: "numbers", Kind.YES_NO: "yes or no", Kind.DATE: "dates",
}  # fmt: skip
Say = Callable[[str, str], None]
"""Is told a title and a sentence: what is odd about the examples, and stops nothing."""


@dataclass(frozen=True, slots=True)
class Matched:
    """Rows as a model takes them."""

    inputs: polars.DataFrame
    """The columns of the intake that are there, in its order, typed by their kinds."""
    target: Sequence[Any] | None
    """Texts of classes or floats, None for a row without one; None where there is no such column."""
    raw: polars.DataFrame
    """All columns as they stand in the file."""


def matched(path: Path, intake: Intake, say: Say, optional: Collection[str] = ()) -> Matched:
    """Read the columns that a model takes from a table of any format.

    Args:
        optional: names of columns that may be missing.

    Raises OSError, and InputError with every column that is missing or holds something else, the first such value and its row.
    """
    sample = _sampled(path)
    names = list(sample.frame.columns)
    raw = polars.DataFrame([plain_texts(column) for column in sample.access.read(path, names, None)])
    wanted = [column.name for column in intake.columns]
    if not set(wanted) <= set(names) and len(sample.unnamed) == len(names):
        raw = _with_first_row_as_names(raw, wanted)
    found = set(raw.columns)
    problems = [_missing(path, name, raw.columns) for name in wanted if name not in found | set(optional)]
    read = []
    for column in intake.columns:
        if column.name not in found:
            continue
        if column.name in sample.nested:
            problems.append(Problem(_place(path), f"the column {_quoted(column)} holds lists or objects", _SAVE_PLAIN))
            continue
        values, wrong, impossible = _values(raw[column.name], column)
        if impossible.any():
            say("Values that count as missing", _no_dates(raw[column.name], column, impossible))
        problem = _judged(path, column, raw[column.name], wrong, say)
        if problem is not None:
            problems.append(problem)
        read.append(values)
    if problems:
        raise InputError(TITLE, problems)
    known = {*wanted, *intake.passed_over, *([intake.target.name] if intake.target is not None else [])}
    if others := [repr(shorten(name, 40)) for name in raw.columns if name not in known]:
        say("Columns that the model does not take", f"They are passed over: {join_first(others)}.")
    return Matched(polars.DataFrame(read), _target(raw, intake), raw)


_SAVE_PLAIN = "Give each of its values a column of its own."


def _sampled(path: Path) -> TableSample:
    reader = recognise(path)
    if reader.sample is None:
        tables = join_names([one.name for one in readers() if one.sample is not None], "or")
        raise unreadable(path, f"this is no table ({reader.name}), and the model takes one", f"Save it as {tables}.")
    return reader.sample(path)


def _with_first_row_as_names(raw: polars.DataFrame, wanted: Sequence[str]) -> polars.DataFrame:
    """A header above few rows of words alone looks like a row of them; that it has the names tells that it is none."""
    first = ["" if value is None else str(value).strip() for value in raw.row(0)]
    if not set(wanted) <= set(first) or len(set(first)) < len(first) or len(raw) == 1:
        return raw
    return raw[1:].rename(dict(zip(raw.columns, first, strict=True)))


def _no_dates(raw: polars.Series, column: TakenColumn, impossible: polars.Series) -> str:
    count, row = int(impossible.sum()), impossible.arg_true()[0]
    rows = "1 row has a date" if count == 1 else f"{count:,} rows have dates"
    return f"In the column {_quoted(column)} {rows} that no calendar or clock has: row {row + 1:,} has {shorten(raw[row], 30)!r}."


def _values(raw: polars.Series, column: TakenColumn) -> tuple[polars.Series, polars.Series, polars.Series]:
    """The values as the model takes them, the rows (true or false) whose value is none of the kind, and impossible dates.

    Numbers and dates may be written in another way than they were, if all of them are.
    """
    dated = raw.dtype in (polars.Date, polars.Datetime)
    if (column.kind is Kind.DATE and raw.dtype.is_numeric()) or (column.kind is not Kind.DATE and dated):
        raw = as_texts(raw)  # a number is no moment, and a moment no number
    texts = known_texts(raw, column.style)
    best: tuple[polars.Series, polars.Series, polars.Series] | None = None
    for style in _styles(raw, column):
        values = converted(raw, column.kind, style)
        impossible = polars.repeat(False, len(raw), eager=True)
        wrong = texts.is_not_null() & values.is_null() & ~texts.str.contains(f"(?i)^({INFINITE.pattern})$")
        if column.kind in (Kind.NUMBER, Kind.WHOLE, Kind.DATE):
            wrong &= ~are_unknown(texts)
        if column.kind is Kind.DATE and raw.dtype == polars.String:
            wrong &= ~placeholders(texts, style)
            impossible = wrong & are_impossible(texts, style)
            wrong &= ~impossible
        if column.kind in (Kind.CATEGORY, Kind.TEXT):  # a code that is no number is a category, too
            written = values.cast(polars.String)
            values = written.zip_with(~wrong, texts).cast(values.dtype)
            wrong = polars.repeat(False, len(raw), eager=True)
        if best is None or wrong.sum() < best[1].sum():
            best = values.alias(column.name), wrong, impossible
        if not wrong.any():
            break
    assert best is not None  # noqa: S101 - there is one style at least
    return best


def _styles(raw: polars.Series, column: TakenColumn) -> Sequence[str]:
    """The style in which the column was written when the model learned, and the one in which it is written here."""
    if raw.dtype != polars.String or column.kind not in (Kind.NUMBER, Kind.WHOLE, Kind.DATE):
        return [column.style if raw.dtype == polars.String else ""]
    judged = judge(raw)
    same = (judged.kind is Kind.DATE) == (column.kind is Kind.DATE) and bool(judged.style)
    sides = {sides_of(judged.style), sides_of(column.style)} - {("", "")}  # what is negative stays so
    own = [judged.style] if same and may_share_a_unit(judged.style, column.style) and len(sides) < 2 else []
    return list(dict.fromkeys([*([column.style] if column.style else []), *own])) or _ANY_STYLE[column.kind]


_ANY_STYLE = {Kind.NUMBER: ["decimal point"], Kind.WHOLE: ["decimal point"], Kind.DATE: ["%Y-%m-%d"]}


def _judged(path: Path, column: TakenColumn, raw: polars.Series, wrong: polars.Series, say: Say) -> Problem | None:
    """Problem with a column that holds something else; a few stray words among many values are told and count as missing."""
    count = int(wrong.sum())
    if not count:
        return None
    stray = known_texts(raw, column.style).filter(wrong)
    if len(raw) >= STRAY_ROWS and count <= STRAY_SHARE * len(raw) and stray.n_unique() <= STRAY_VALUES:
        words = join_names([repr(shorten(word, 20)) for word in stray.unique(maintain_order=True)])
        rows = "1 row has" if count == 1 else f"{count:,} rows have"
        say("Values that count as missing", f"In the column {_quoted(column)} {rows} {words}.")
        return None
    row = wrong.arg_true()[0] + 1
    others = f" (and {count - 1:,} more rows like it)" if count > 1 else ""
    what = f"the column {_quoted(column)} should hold {_HOLD[column.kind]}, and row {row:,} has"
    what += f" {shorten(stray[0], 30)!r}{others}"
    return Problem(_place(path), what, "Correct it, or leave the field empty where the value is not known.")


def _missing(path: Path, name: str, names: Sequence[str]) -> Problem:
    near = did_you_mean(name, names) if len(names) <= 1000 else ""
    meant = f"{near} Columns are found by their names." if near.startswith("Did you mean") else ""
    return Problem(_place(path), f"the column {shorten(name, 40)!r} is missing", meant)


def _target(raw: polars.DataFrame, intake: Intake) -> Sequence[Any] | None:
    column = intake.target
    if column is None or column.name not in raw.columns:
        return None
    held, style = raw[column.name], column.style if raw[column.name].dtype == polars.String else ""
    if intake.task is Task.CLASSIFY:
        if column.kind is Kind.YES_NO:
            return class_texts(held, style).to_list()
        return as_texts(converted(held, column.kind, style)).to_list()
    values = _values(held, replace(column, kind=Kind.NUMBER))[0]
    return finite(values.cast(polars.Float64, strict=False)).to_list()


def _quoted(column: TakenColumn) -> str:
    return repr(shorten(column.name, 40))


def _place(path: Path) -> str:
    return shorten(path, 200)
