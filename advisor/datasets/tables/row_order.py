"""Relations between rows: repeated ones, groups of one person or thing, an order of time or of the target."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars

from advisor.datasets.dataset import Kind, Remark, Weight
from advisor.datasets.tables.columns import Judged, identifies, names_persons
from advisor.datasets.tables.target import TargetView
from advisor.wording import join_first, join_names, shorten

SPARSE_IDS = 1000
"""Different persons or goods from which they need learned vectors of their own."""
_ROWS = 200_000
_ROWS_A_GROUP = 1.5
_FEWEST_PERSONS = 20
_MOST_ROWS_OF_A_PERSON = 100
"""On average; more make it likelier that the values are kinds."""
_MOST_COLUMNS_TO_COMPARE = 100
_NEARLY_CONSTANT = 0.995
_ORDERED = 0.99
_FEWEST_ROWS = 20
_FEWEST_MOMENTS = 20
"""Different times from which rows that share them may be in their order: many are of one day, say."""
_FEWEST_OF_A_CLASS = 5
"""Rows of a class from which it shows whether they stand together."""


@dataclass(frozen=True, slots=True)
class RowOrder:
    """The order and the groups of rows, by which they must be split."""

    group_column: str | None = None
    time_column: str | None = None
    sparse_ids: bool = False
    remarks: tuple[Remark, ...] = ()


def row_order(columns: Sequence[Judged], target: TargetView | None) -> RowOrder:
    """Groups and times by which rows must be split, repeated rows, rows sorted by the target, nearly constant columns."""
    others = [judged for judged in columns if target is None or judged.column.name != target.name]
    persons = [judged for judged in others if _tells_persons(judged)]
    sparse = any(judged.column.distinct >= SPARSE_IDS for judged in persons)
    group = persons[0].column.name if len(persons) == 1 else None
    time, remarks = _times(others)
    if group is not None:
        known, distinct = persons[0].values.count(), persons[0].column.distinct
        what = f"{persons[0].quoted} recurs: about {known / distinct:.1f} rows for each of its {distinct:,} values."
        remedy = "Its rows are kept on one side of every split, and it is left out of the inputs."
        remarks.append(Remark(what, remedy=remedy, columns=(group,)))
    elif len(persons) > 1:
        names = join_names([judged.quoted for judged in persons[:5]])
        what = f"{names} name persons or things that recur, so rows are not split by one of them."
        remarks.append(Remark(what, columns=tuple(judged.column.name for judged in persons)))
    remarks += [*_repeated(others, target), *_nearly_constant(others)]
    if target is not None and time is None:
        remarks += _sorted_by(target)
    return RowOrder(group, time, sparse, tuple(remarks))


def _tells_persons(judged: Judged) -> bool:
    """A column called an id whose values come again: several rows of one customer, patient or machine.

    One that is called `customer` or `device` is the same where it has many values; a few may be kinds of them.
    """
    known = judged.values.count()
    column = judged.column
    person = names_persons(column.name) and column.distinct >= _FEWEST_PERSONS
    return (
        (identifies(column.name) or (person and known <= _MOST_ROWS_OF_A_PERSON * column.distinct))
        and judged.kind in (Kind.CATEGORY, Kind.WHOLE, Kind.IDENTIFIER)
        and column.distinct > 1
        and known >= _ROWS_A_GROUP * column.distinct
    )


def _times(columns: Sequence[Judged]) -> tuple[str | None, list[Remark]]:
    """The first date by which the rows stand in order, of enough different times; other dates are only mentioned."""
    dates, gaps = [judged for judged in columns if judged.kind is Kind.DATE], []
    for judged in dates:
        held = judged.values.drop_nulls()
        steps = held.diff().drop_nulls().dt.total_microseconds()
        if len(held) < _FEWEST_ROWS or held.n_unique() < _FEWEST_MOMENTS:
            continue
        if max((steps >= 0).sum(), (steps <= 0).sum()) >= _ORDERED * len(steps):
            if len(held) < 0.99 * len(judged.values):
                lost = len(judged.values) - len(held)
                gaps.append(
                    f"The rows are in the order of {judged.quoted}, but {lost:,} of {len(judged.values):,} have no date"
                )
                continue
            what = (
                f"The rows are in the order of {judged.quoted}, so they are split by time: the last ones are the test."
            )
            return judged.column.name, [Remark(what, columns=(judged.column.name,))]
    if not dates:
        return None, []
    if gaps:
        remedy = "If the model is to predict the future, fill in the dates: then the last rows are the test."
        what = f"{gaps[0]}: they are not split by time."
        return None, [Remark(what, remedy=remedy, columns=tuple(judged.column.name for judged in dates))]
    names = join_names([judged.quoted for judged in dates[:5]])
    what = f"{names} {'holds' if len(dates) == 1 else 'hold'} dates, but the rows are not in their order."
    remedy = "If the model is to predict the future, sort the rows by it: then the last ones are the test."
    return None, [Remark(what, remedy=remedy, columns=tuple(judged.column.name for judged in dates))]


def _repeated(columns: Sequence[Judged], target: TargetView | None) -> Iterator[Remark]:
    """Rows that are the same but for what names them; with other answers, no model can be right on all of them."""
    compared = [
        judged for judged in columns if judged.kind not in (Kind.IDENTIFIER, Kind.EMPTY, Kind.CONSTANT, Kind.NESTED)
    ]
    if not compared:
        return
    inputs = polars.DataFrame([judged.values.head(_ROWS).alias(str(place)) for place, judged in enumerate(compared)])
    rows = len(inputs)
    possible = math.prod(float(max(judged.column.distinct, 1)) for judged in compared)
    if rows < 2 or possible < 10 * rows:
        return  # so few combinations that chance repeats them
    keys = inputs.hash_rows(seed=0)
    repeated = rows - keys.n_unique()
    if not repeated:
        return
    same, conflicting = repeated, 0
    if target is not None:
        pairs = polars.DataFrame([keys.alias("key"), target.values.head(_ROWS).alias("answer")])
        same = rows - pairs.n_unique()
        known = pairs.drop_nulls().group_by("key").agg(polars.col("answer").n_unique().alias("answers"), polars.len())
        conflicting = int(known.filter(polars.col("answers") > 1)["len"].sum())
    if same and _often_alike(inputs, repeated):
        what = f"Rows that are the same as another one: {same:,} of {rows:,}."
        remedy = (
            "The columns are so coarse that different things may well look the same: keep these rows unless you know that "
            "they were recorded twice."
        )
        yield Remark(what, remedy=remedy)
    elif same:
        weight = Weight.WARNING if same > 0.01 * rows else Weight.NOTE
        remedy = "Remove them: tested by copies of training rows, a model looks better than it is."
        yield Remark(f"Rows that repeat another one: {same:,} of {rows:,}.", weight, remedy)
    if conflicting:
        what = f"Rows with the same inputs as another one and a different answer: {conflicting:,} of {rows:,}."
        yield Remark(
            what, Weight.WARNING, "No model can be right on all of them: a column that tells them apart is missing."
        )


def _often_alike(inputs: polars.DataFrame, repeated: int) -> bool:
    """True where chance repeats rows: it would if columns had nothing to do with each other, or rows are often nearly alike.

    They are if those that differ in one column are about as many as those that differ in none. The column that tells most
    rows apart is left aside there: where it alone tells them, the others repeat by its lack.
    """
    if inputs.width > _MOST_COLUMNS_TO_COMPARE:
        return False
    rows = inputs.height
    agreeing = [float((counts * (counts - 1.0)).sum()) / (rows * (rows - 1.0)) for counts in map(_counts, inputs)]
    if rows * (rows - 1) / 2 * math.prod(agreeing) >= 0.5 * repeated:
        return True
    hashes = [column.hash(seed=place) for place, column in enumerate(inputs)]
    all_ = polars.DataFrame(hashes).sum_horizontal()
    without = sorted(rows - (all_ - one).n_unique() - repeated for one in hashes)
    return sum(without[:-1]) >= repeated


def _counts(column: polars.Series) -> polars.Series:
    """The number of rows of each value."""
    return column.value_counts(name="rows of a value")["rows of a value"]


def _nearly_constant(columns: Sequence[Judged]) -> Iterator[Remark]:
    found = []
    for judged in columns:
        rows, distinct = len(judged.values), judged.column.distinct
        if not judged.kind.usable or rows < 200 or judged.column.missing > 0:
            continue
        if 2 <= distinct <= 0.01 * rows:
            most = judged.values.alias("value").value_counts()["count"].max()
            if isinstance(most, int) and most >= _NEARLY_CONSTANT * rows:
                found.append(judged.column.name)
    if found:
        names = join_first([repr(shorten(name, 40)) for name in found])
        what = f"{names} {'has' if len(found) == 1 else 'have'} the same value in nearly every row."
        yield Remark(what, columns=tuple(found))


def _sorted_by(target: TargetView) -> Iterator[Remark]:
    """Rows that stand in the order of the target: to cut the last ones off would leave a class out."""
    held = target.values.drop_nulls()
    if len(held) < _FEWEST_ROWS:
        return
    if target.classes:
        counts = held.alias("answer").value_counts(name="rows").filter(polars.col("rows") >= _FEWEST_OF_A_CLASS)
        held = held.filter(held.is_in(counts["answer"].implode()))
    changes = int((held != held.shift(1)).sum())
    runs = target.classes and len(counts) > 1 and changes < 2 * len(counts)
    if runs or (not target.classes and (held.is_sorted() or held.is_sorted(descending=True))):
        what = f"The rows are sorted by the target {shorten(target.name, 40)!r}."
        yield Remark(what, remedy="They are shuffled before the split; do so, too, in programs of your own.")
