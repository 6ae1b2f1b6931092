"""Columns that leak the answer: copies of the target, those that alone predict it almost perfectly, and hidden leaks."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy
import polars
from numpy.typing import NDArray

from advisor.datasets.dataset import Kind, Remark, Task, Weight
from advisor.datasets.tables.afterwards import afterwards
from advisor.datasets.tables.columns import Judged, words_of_name
from advisor.datasets.tables.formulas import formulas
from advisor.datasets.tables.pairs import numbered, pairs_that_tell, told
from advisor.datasets.tables.target import TargetView
from advisor.wording import join_first, shorten

FEWEST_ROWS = 30
_ROWS = 50_000
_RARE = 1_000
"""Rows of a class that are all looked at."""
_MANY_VALUES = 50
_LEFT_ERROR = 0.02
"""Of the error of always predicting the most common class."""
_CORRELATED = 0.999
_FAR_FROM_CORRELATED = 0.99
_FEW_ROWS = 2_000
_EXPLAINED = 0.999
_ROWS_A_VALUE = 5
_LONG_NAME = 4
_SHOWN = 8


def suspects(columns: Sequence[Judged], target: TargetView) -> tuple[Sequence[str], Sequence[Remark]]:
    """Look at every column beside the target, on the rows that have an answer.

    Returns the columns that are the target under another name, to be left out of the inputs, and what is to be said.
    """
    rows = target.values.is_not_null().arg_true()
    drawn = _drawn(target, rows)
    answers = _Answers.of(target.values.gather(drawn))
    if len(answers.values) < FEWEST_ROWS or answers.different == 1:
        return (), ()
    every: _Answers | None = None
    copies: list[str] = []
    telling: list[str] = []
    naming: list[str] = []
    alike: list[str] = []
    honest: list[Judged] = []
    for judged in columns:
        name = judged.column.name
        if name == target.name or judged.kind in (Kind.EMPTY, Kind.CONSTANT, Kind.NESTED):
            continue
        if judged.kind is Kind.TEXT:
            honest.append(judged)
            continue
        every_row = len(drawn) == len(judged.values)
        held = judged.values if every_row else judged.values.gather(drawn)
        copy, tells = _knows(held, answers, target.task, judged.column.distinct if every_row else None)
        if (copy or tells) and len(drawn) < len(rows):  # what a sample shows is held against all rows
            every = every or _Answers.of(target.values.gather(rows))
            copy, tells = _knows(judged.values.gather(rows), every, target.task)
        if copy:
            copies.append(name)
        elif tells:
            (naming if judged.kind is Kind.IDENTIFIER else telling).append(name)
        elif judged.kind.usable:
            honest.append(judged)
            if _named_after(name, target.name):
                alike.append(name)
    seen = (target.name, target.task, answers.values, drawn)
    return copies, [
        *_remarks(target.name, copies, telling, naming, alike),
        *formulas(honest, target.name, target.values.gather(rows), rows),
        *pairs_that_tell(honest, *seen, target.values, rows),
        *afterwards(honest, *seen),
    ]


def _drawn(target: TargetView, rows: polars.Series) -> polars.Series:
    """Of these rows with an answer, all or, of many, a sample with every row of a class that is rare.

    Drawn by chance: rows may be sorted, and every tenth row of a table whose rows take turns would be of one kind.
    """
    if len(rows) <= 2 * _ROWS:
        return rows
    drawn = rows.sample(_ROWS, seed=0)
    if target.task is Task.CLASSIFY:
        answers = target.values.gather(rows).alias("answer")
        rare = answers.value_counts(name="rows").filter(polars.col("rows") <= _RARE).get_column("answer")
        kept = rows.filter(answers.is_in(rare.implode()))
        drawn = polars.concat([drawn, kept.sample(min(len(kept), _ROWS), seed=0)]).unique()
    return drawn.sort()


@dataclass(frozen=True, slots=True)
class _Answers:
    """The target in the rows that are looked at, and the number of each different answer."""

    values: polars.Series
    numbers: NDArray[numpy.uint32]
    few: tuple[int, ...]
    """The same numbers, where they are so few that Python counts them faster than polars; else none."""
    different: int
    ranks: NDArray[numpy.float64]
    """The mean rank of each number to predict, where they are few; else none."""
    always_wrong: float
    """The share of mistakes of always predicting the most common answer."""

    @classmethod
    def of(cls, values: polars.Series) -> _Answers:
        numbers = values.rank("dense").to_numpy().astype(numpy.uint32)
        counts = numpy.bincount(numbers) if len(numbers) else numpy.ones(1)
        few = tuple(numbers.tolist()) if len(numbers) <= _FEW_ROWS else ()
        ranks = _ranks(values.to_numpy()) if few and values.dtype.is_float() else numpy.zeros(0)
        wrong = 1.0 - counts.max() / max(len(numbers), 1)
        return cls(values, numbers, few, int(numpy.count_nonzero(counts)), ranks, wrong)


def _knows(values: polars.Series, answers: _Answers, task: Task, different: int | None = None) -> tuple[bool, bool]:
    """Tell whether values are the answers under another name, and whether they give them away, as far as these rows show.

    `different` is the number of different values, where it is known.
    """
    if different is None:
        different = values.n_unique() - (values.null_count() > 0)
    copy = _is_copy(values, different, answers)
    return copy, copy or _tells(values, different, answers, task)


def _is_copy(values: polars.Series, different: int, answers: _Answers) -> bool:
    """True where each value stands for one answer and each answer for one value."""
    if different != answers.different or values.null_count() > 0:
        return False
    if answers.few and different != len(set(zip(values.to_list(), answers.few, strict=True))):
        return False
    if values.dtype == answers.values.dtype and bool((values == answers.values).all()):
        return True
    pairs = polars.DataFrame([values.alias("value"), answers.values.alias("answer")])
    return different * 2 <= len(values) and different == pairs.unique().height


def _tells(values: polars.Series, different: int, answers: _Answers, task: Task) -> bool:
    if task is not Task.CLASSIFY:
        return _may_tell_number(values, answers) and _tells_number(values, answers.values)
    allowed = _LEFT_ERROR * answers.always_wrong * len(values)
    if values.dtype != polars.String and different > _MANY_VALUES:
        return (_changes(values, answers) - (answers.different - 1)) / 2 <= allowed
    if different * _ROWS_A_VALUE > len(values):
        return False  # nearly every value comes once, so that it tells nothing of others
    return _mistakes(values, answers) <= allowed


def _mistakes(values: polars.Series, answers: _Answers) -> int:
    """The rows whose answer is not the most common one among those of the same value."""
    if answers.few:
        most: dict[object, int] = {}
        for (value, _), rows in Counter(zip(values.to_list(), answers.few, strict=True)).items():
            most[value] = max(most.get(value, 0), rows)
        return len(values) - sum(most.values())
    pairs = polars.DataFrame([values.alias("value"), answers.values.alias("answer")])
    counts = pairs.group_by("value", "answer").len().group_by("value").agg(polars.col("len").max())
    return len(values) - int(counts["len"].sum())


def _changes(values: polars.Series, answers: _Answers) -> int:
    """The changes of the class from row to row, sorted by the value; each mistake of thresholds adds two."""
    plain = values if values.dtype == polars.Float64 else values.to_physical().cast(polars.Float64)
    numbers = plain.to_numpy()  # what is missing is NaN and comes last
    return int(numpy.count_nonzero(numpy.diff(answers.numbers[numpy.argsort(numbers)])))


def _may_tell_number(values: polars.Series, answers: _Answers) -> bool:
    """False where a quick look at few rows shows that a column of numbers is far from going with the target."""
    if not answers.few or values.dtype != polars.Float64:
        return True
    numbers, targets, ranks = values.to_numpy(), answers.values.to_numpy(), answers.ranks
    known = numpy.isfinite(numbers)
    if not known.all():
        numbers, targets = numbers[known], targets[known]
        ranks = _ranks(targets)
    with numpy.errstate(invalid="ignore", divide="ignore", over="ignore"):
        found = (_line(numbers, targets), _line(_ranks(numbers), ranks))
    return any(not abs(one) < _FAR_FROM_CORRELATED for one in found)  # what is no number is looked at closely, too


def _line(one: NDArray[numpy.float64], other: NDArray[numpy.float64]) -> float:
    """The correlation of two columns of numbers; no number where one of them never changes."""
    if len(one) < 2:
        return math.nan
    one, other = one - one.mean(), other - other.mean()
    return float(one @ other / numpy.sqrt((one @ one) * (other @ other)))


def _ranks(numbers: NDArray[numpy.float64]) -> NDArray[numpy.float64]:
    """The mean rank of each number among all."""
    _, of_each, counts = numpy.unique(numbers, return_inverse=True, return_counts=True)
    return (numpy.cumsum(counts) - (counts - 1) / 2)[of_each]


def _tells_number(values: polars.Series, answers: polars.Series) -> bool:
    """True where it goes with the target in a straight line or in its order, or its means explain the target."""
    if values.dtype != polars.Float64:
        codes = numbered(values)
        there = codes > 0
        rows = int(there.sum())
        if rows < max(FEWEST_ROWS, 0.5 * len(answers)) or values.n_unique() * _ROWS_A_VALUE > rows:
            return False
        return told(codes[there], codes, answers.to_numpy()[there]) >= _EXPLAINED
    pairs = polars.DataFrame([values.alias("value"), answers.alias("answer")]).drop_nulls()
    if len(pairs) < FEWEST_ROWS or len(pairs) < 0.5 * len(answers):
        return False
    found = pairs.select(
        polars.corr("value", "answer").alias("line"), polars.corr("value", "answer", method="spearman").alias("order")
    ).row(0)
    return any(one is not None and abs(one) >= _CORRELATED for one in found)


def _named_after(name: str, target: str) -> bool:
    """True where a name holds that of the target, as churn_reason holds churn: it may be known only afterwards."""
    words = words_of_name(target)
    return bool(words) and words < words_of_name(name) and max(map(len, words)) >= _LONG_NAME


def _remarks(
    target: str, copies: Sequence[str], telling: Sequence[str], naming: Sequence[str], alike: Sequence[str]
) -> Iterator[Remark]:
    shown = repr(shorten(target, 40))
    if copies:
        what = f"{_names(copies)} {_is(copies)} the target {shown} under another name."
        yield Remark(f"{what} Left out.", Weight.WARNING, columns=tuple(copies))
    if telling:
        what = (
            f"{_names(telling)} alone {'predicts' if len(telling) == 1 else 'each predict'} {shown} almost perfectly."
        )
        remedy = (
            "Leave out what is not known yet when the prediction is made: it would make scores too good to be true."
        )
        yield Remark(what, Weight.WARNING, remedy, tuple(telling))
    if naming:
        what = f"{_names(naming)} only {'names' if len(naming) == 1 else 'name'} rows, and yet goes with {shown}: left out."
        yield Remark(what, remedy="The rows were numbered in the order of the answer.", columns=tuple(naming))
    if alike:
        what = f"{_names(alike)} {_is(alike)} named after the target {shown}."
        yield Remark(what, remedy="Leave out what is known only after the answer.", columns=tuple(alike))


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _names(names: Sequence[str]) -> str:
    return join_first([repr(shorten(name, 40)) for name in names], _SHOWN)
