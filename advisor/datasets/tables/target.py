"""The target: classes or numbers to predict, told from the values of a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars

from advisor.datasets.dataset import Kind, Remark, Task, Weight
from advisor.datasets.refusals import unreadable
from advisor.datasets.tables.class_counts import ClassCounts
from advisor.datasets.tables.columns import INFINITE, Judged, words_of_name
from advisor.datasets.tables.skewness import about_skewness
from advisor.datasets.values.conversion import as_texts
from advisor.errors import InputError, did_you_mean, input_error
from advisor.wording import join_first, shorten

MOST_CLASSES_OF_NUMBERS = 20
"""Whole numbers with more different values are quantities."""
_ROWS_A_CLASS = 3
_MANY_CLASSES = 200
_FEW_EXAMPLES = 5
_FAR_OUT = 5
"""Quartile distances beyond the quartiles from which a value counts as far from all others."""
_IMBALANCED = 10
_NAMES = ("target", "label", "class", "y", "outcome", "response")


@dataclass(frozen=True, slots=True)
class TargetView:
    """The target column and its task."""

    name: str
    task: Task
    values: polars.Series
    """Texts of classes or floats, null where the row has no answer."""
    classes: tuple[str, ...] = ()
    imbalance: float | None = None
    """Largest class to smallest; None where there are no classes."""
    labelled: float = 1.0
    """The share of rows with an answer."""
    outliers: bool | None = None
    """True where numbers lie far from all others; None of classes."""
    remarks: tuple[Remark, ...] = ()


def find_column(columns: Sequence[Judged], target: str, path: Path) -> Judged:
    """The column of this name. Raises InputError with the nearest name, or with all where they are few."""
    for judged in columns:
        if judged.column.name in (target, target.strip()):
            return judged
    raise no_such_column(target, [judged.column.name for judged in columns], shorten(path, 200))


def no_such_column(wanted: str, known: Sequence[str], where: str) -> InputError:
    """The refusal of a column that is not there, with the nearest name, or with all where they are few."""
    names = [shorten(name, 40) for name in known]
    folded = [name for name in names if name.casefold() == wanted.strip().casefold()]
    remedy = f"Did you mean {folded[0]}?" if folded else did_you_mean(wanted, names)
    remedy = remedy or f"It has {len(names):,} columns; `advisor inspect` without --target lists them."
    what = f"no column is called {shorten(wanted)!r}"
    return input_error("There is no such column", what, where=where, remedy=remedy)


def may_be_classes(judged: Judged, task: Task | None) -> bool:
    """True where this target is read as classes, or would be if it had more than one value."""
    if task is Task.REGRESS:
        return False
    if judged.kind in (Kind.NUMBER, Kind.WHOLE, Kind.IDENTIFIER):
        return task is Task.CLASSIFY or _few_numbers(judged, judged.values.count())
    return judged.kind in (Kind.YES_NO, Kind.CATEGORY, Kind.CONSTANT)


def view(
    judged: Judged, path: Path, task: Task | None = None, *, whole: bool = True, counts: ClassCounts | None = None
) -> TargetView:
    """Read a column as the target, for the task that its values ask for or that somebody states.

    Args:
        whole: whether the column is all of the file's and no sample.
        counts: of a sample, the rows of each class in the whole file, where they were counted.

    Raises:
        InputError: it is all missing, always the same, a date, free text, a name for every row, or lists; or words where
            numbers are to be predicted.
    """
    column, kind = judged.column, judged.kind
    known = judged.values.count()
    all_known = known if counts is None else sum(counts.rows.values())
    whole = whole or counts is not None
    if kind in _REFUSED:
        raise _refused(judged, path, whole)
    if kind is Kind.IDENTIFIER and judged.values.dtype == polars.String:
        what = f"{judged.quoted} has a value of its own in nearly every row, so none can be predicted from others"
        raise unreadable(path, what, "Name a column whose values recur.")
    if column.distinct == 1:
        only = column.examples[0] if column.examples else ""
        where = f"all of the {all_known:,} rows that have a value" if all_known > 1 else "the only row that has a value"
        where += "" if whole else ", of those that were read"
        where += "".join(f" ({doubt.what.removesuffix('.')})" for doubt in judged.doubts)
        raise unreadable(
            path, f"{judged.quoted} has a single {_thing(judged)}, {only!r}, in {where}", _add_others(judged)
        )
    if task is Task.REGRESS:
        return _regression(_as_numbers(judged, path), known)
    numeric = kind in (Kind.NUMBER, Kind.WHOLE, Kind.IDENTIFIER)
    if task is not Task.CLASSIFY and numeric and not _few_numbers(judged, all_known):
        return _regression(judged, known)
    if (task is Task.CLASSIFY or not numeric) and column.distinct > all_known / 2 and all_known >= 10:
        what = f"{judged.quoted} has {column.distinct:,} classes in {all_known:,} rows: most occur only once"
        raise unreadable(path, what, "Name another column, or put its values into a few classes first.")
    return _classification(judged, whole, counts)


_REFUSED = {
    Kind.EMPTY: ("has no value in any row", "Name another column."),
    Kind.CONSTANT: ("has the same value in every row", ""),
    Kind.DATE: ("holds dates", "To predict when something happens, make it a number, such as days until then."),
    Kind.TEXT: (
        "holds free text",
        "Name a column of classes or numbers; networks that write are not chosen from a table.",
    ),
    Kind.NESTED: ("holds lists or objects", "Give each of their values a column of its own."),
}


def _refused(judged: Judged, path: Path, whole: bool) -> InputError:
    what, remedy = _REFUSED[judged.kind]
    remedy = remedy or _add_others(judged)
    if judged.kind in (Kind.CONSTANT, Kind.EMPTY) and not whole:
        what = what.replace("every row", f"all {len(judged.values):,} rows that were read")
        what = what.replace("any row", f"any of the {len(judged.values):,} rows that were read")
        remedy = (
            "Name another column. Are others so rare? Put all of their rows, and some of the rest, into a smaller file."
        )
    if judged.kind is Kind.CONSTANT and judged.column.examples:
        only = "there is one class only" if _thing(judged) == "class" else "there is nothing to predict"
        what += f", {judged.column.examples[0]!r}: {only}"
    return unreadable(path, f"the target {judged.quoted} {what}", remedy)


def _thing(judged: Judged) -> str:
    """The word for the single value of a column: a whole number may be a class."""
    held = judged.values.drop_nulls()
    return "number" if held.dtype.is_float() and not (held == held.round()).all() else "class"


def _add_others(judged: Judged) -> str:
    others = "Add rows of other classes, or name" if _thing(judged) == "class" else "Name"
    return f"{others} another column."


def _as_numbers(judged: Judged, path: Path) -> Judged:
    """The column as numbers. Raises InputError where it holds words."""
    numbers = judged.values.cast(polars.Float64, strict=False)
    if numbers.null_count() > judged.values.null_count():
        word = shorten(judged.values.filter(numbers.is_null() & judged.values.is_not_null())[0], 30)
        what = (
            f"{judged.quoted} holds words such as {word!r}, so that no number can be predicted (task.kind is regress)"
        )
        raise unreadable(path, what, "Leave task.kind out, or name a column of numbers.")
    return replace(judged, values=numbers)


def _few_numbers(judged: Judged, known: int) -> bool:
    """True where numbers stand for classes: few different whole ones, or only two of any kind."""
    distinct = judged.column.distinct
    if judged.kind is Kind.NUMBER:
        return distinct == 2
    return distinct <= MOST_CLASSES_OF_NUMBERS and (distinct == 2 or distinct * _ROWS_A_CLASS <= known)


def _regression(judged: Judged, known: int) -> TargetView:
    column = judged.column
    held = judged.values.drop_nulls()
    outliers = far_out(held)
    remarks = [
        Remark(f"{judged.quoted} is a number with {column.distinct:,} different values: a number is to be predicted.")
    ]
    if judged.kind is Kind.IDENTIFIER:
        what = f"{judged.quoted} seems to number the rows rather than to measure something."
        remarks.append(Remark(what, Weight.WARNING, "Check that it is what you want to predict.", (column.name,)))
    remarks += about_skewness(judged, outliers)
    remarks += _missing_answers(judged, known, len(judged.values) - known)
    labelled, told = known / len(judged.values), tuple(remarks)
    return TargetView(column.name, Task.REGRESS, judged.values, labelled=labelled, outliers=outliers, remarks=told)


def far_out(numbers: polars.Series) -> bool:
    """True where values lie beyond the quartiles by five times their distance.

    Tukey (Exploratory Data Analysis, 1977) calls three times far out; that many are common where values are skewed.
    """
    low, high = numbers.quantile(0.25), numbers.quantile(0.75)
    if low is None or high is None or len(numbers) < 10:
        return False
    distance = high - low
    if distance == 0:  # most values are the same
        deviation = numbers.std()
        distance = deviation if isinstance(deviation, float) else 0.0
    reach = _FAR_OUT * distance
    return distance > 0 and bool(((numbers < low - reach) | (numbers > high + reach)).any())


def _classification(judged: Judged, whole: bool, counts: ClassCounts | None) -> TargetView:
    """Read a column as classes; numbers of rows are said to be `about` so many where they are of a sample."""
    column = judged.column
    texts = as_texts(judged.values).alias(column.name)
    if counts is None:
        seen = texts.drop_nulls().alias("value").value_counts(sort=True)
        counts = ClassCounts({str(name): int(count) for name, count in seen.iter_rows()}, texts.null_count())
    numbers = counts.rows
    known = sum(numbers.values())
    classes = tuple(sorted(numbers, key=_order))
    imbalance = max(numbers.values()) / min(numbers.values())
    remarks = [_why_classes(judged, classes)]
    rare = [name for name in classes if numbers[name] < _FEW_EXAMPLES]
    if rare:
        shown = join_first([repr(shorten(name, 20)) for name in rare])
        have = "has" if len(rare) == 1 else "have"
        read = "" if whole else " in the rows that were read"
        what = f"{len(rare)} of {len(classes)} classes {have} fewer than {_FEW_EXAMPLES} examples{read}: {shown}."
        remarks.append(Remark(what, Weight.WARNING, "Join them into one class, or find more examples.", (column.name,)))
    if len(classes) > _MANY_CLASSES:
        what = f"{len(classes):,} classes are many: {known / len(classes):.0f} rows a class on average."
        remarks.append(
            Remark(what, Weight.WARNING, "Check that the column holds classes and no names.", (column.name,))
        )
    if imbalance >= _IMBALANCED:
        most = max(numbers, key=lambda name: numbers[name])
        times = f"{imbalance:,.0f}" if whole else f"about {imbalance:,.0f}"
        read = "" if whole else " in the rows that were read"
        what = f"Classes are uneven: {shorten(most, 30)!r} has {times} times as many rows as the smallest class{read}."
        right = _share(numbers[most], known)
        remedy = f"Do not judge by accuracy alone: always predicting {shorten(most, 30)!r} is right in {right}."
        remarks.append(Remark(what, Weight.WARNING, remedy, (column.name,)))
    remarks += _missing_answers(judged, known, counts.missing)
    labelled = known / (known + counts.missing)
    return TargetView(column.name, Task.CLASSIFY, texts, classes, imbalance, labelled, remarks=tuple(remarks))


def _share(part: int, all_: int) -> str:
    """In percent, with as many digits as it takes not to call 99.99 % all of it."""
    digits = next((digits for digits in range(9) if round(100 * part / all_, digits) < 100), 0)
    return f"{100 * part / all_:.{digits}f} %"


def _why_classes(judged: Judged, classes: Sequence[str]) -> Remark:
    if judged.kind in (Kind.NUMBER, Kind.WHOLE, Kind.IDENTIFIER) and len(classes) > 2:
        what = f"{judged.quoted} has only {len(classes)} different whole numbers: they are read as classes."
        return Remark(what, remedy="If their size counts, plan with --set task.kind=regress.")
    return Remark(f"{judged.quoted} has {len(classes):,} different values: a class is to be predicted.")


def _order(name: str) -> tuple[bool, float, str]:
    """Numbers by size, then words by the alphabet."""
    try:
        return False, float(name), name
    except ValueError:
        return True, 0.0, name


def _missing_answers(judged: Judged, known: int, missing: int) -> list[Remark]:
    if not missing:
        return []
    share = f"{missing / (known + missing):.1%}".replace("%", " %") if missing > 0.001 * known else f"{missing:,}"
    infinite = ", or an infinite one" if INFINITE in judged.column.remark else ""
    what = f"{share} of the rows have no value for {judged.quoted}{infinite}; they are left out of training."
    return [Remark(what, Weight.WARNING if missing > known else Weight.NOTE, columns=(judged.column.name,))]


def proposals(columns: Sequence[Judged]) -> list[str]:
    """Columns that look like a target, the likeliest first: by their names, else the last that can be one."""
    possible = [
        judged.column.name
        for judged in columns
        if judged.kind in (Kind.NUMBER, Kind.WHOLE, Kind.YES_NO, Kind.CATEGORY) and judged.column.distinct > 1
    ]
    named = [name for wanted in _NAMES for name in possible if wanted in words_of_name(name)]
    return list(dict.fromkeys([*named, *possible[-1:]]))[:3]
