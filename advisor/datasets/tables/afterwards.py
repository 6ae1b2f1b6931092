"""Columns that seem to be written only once the answer is known: the answer in a text, values for one answer alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy
import polars

from advisor.datasets.dataset import Kind, Remark, Task, Weight
from advisor.datasets.tables.columns import Judged, words_of_name
from advisor.datasets.values.conversion import as_texts
from advisor.wording import join_first, shorten

_FEWEST_ROWS = 30
_MOST_ROWS = 5_000
_MOST_LABELS = 50
_OWN, _FOREIGN = 0.95, 0.02
"""Shares of the texts of a class, and of those of others, that hold the name of the class where it was written into them."""
_SHORTEST_NUMBER = 3
_PURE, _FEWEST_FILLED, _CHANCE = 0.98, 20, 1e-8
"""Of rows with a value: the share that has the same answer, their number, and how likely chance would make that."""
_AFTER = frozenset(
    {
        "actual", "afterwards", "arrival", "arrived", "arr", "cancellation", "cancelled", "cause", "claim", "closed", "closing",
        "collected", "collection", "completed", "completion", "death", "delivered", "died", "discharge", "ended", "exit",
        "final", "finished", "followup", "outcome", "paid", "payout", "penalty", "post", "reason", "received", "recoveries",
        "recovery", "refund", "refunded", "resolution", "resolved", "result", "returned", "review", "settled", "settlement",
        "terminated", "termination", "verdict",
    }
)  # fmt: skip
"""Words in names of what is written down after something has happened."""
_EXPLAINED = 0.5


def afterwards(
    columns: Sequence[Judged], name: str, task: Task, answers: polars.Series, rows: polars.Series
) -> Iterator[Remark]:
    """Say which columns hold the answer in words, or look as if they were known only after it.

    `answers` are those of `rows`, which are the positions of the rows that have one.
    """
    drawn = numpy.linspace(0, len(rows) - 1, min(_MOST_ROWS, len(rows))).astype(numpy.int64)
    some, sought = rows.gather(drawn), answers.gather(drawn)
    if len(sought) < _FEWEST_ROWS:
        return
    shown = repr(shorten(name, 40))
    texts = [judged for judged in columns if judged.kind is Kind.TEXT]
    written = [judged for judged in texts if _is_written(judged.values.gather(some), sought, task)]
    if written:
        what = f"{_quoted(written)} {'holds' if len(written) == 1 else 'hold'} the answer {shown} word for word."
        remedy = "Take it out of the texts: else a model learns to find it there, and fails on new texts."
        yield Remark(what, Weight.WARNING, remedy, _named(written))
    others = [judged for judged in columns if judged not in written]
    yield from _filled_for_one(others, shown, task, answers, rows)
    late = [
        judged
        for judged in others
        if words_of_name(judged.column.name) & _AFTER and _explains(judged.values.gather(some), sought, task)
    ]
    if late:
        if len(late) == 1:
            what = f"By its name, {_quoted(late)} is known only afterwards, and its values go with {shown}."
        else:
            what = f"By their names, {_quoted(late)} are known only afterwards, and their values go with {shown}."
        remedy = "Leave out what is not known yet when the prediction is made."
        yield Remark(what, Weight.WARNING, remedy, _named(late))


def _is_written(texts: polars.Series, answers: polars.Series, task: Task) -> bool:
    """True where the name of its class, or its number, stands in nearly every text, and hardly in those of others."""
    folded = texts.fill_null("").str.to_lowercase()
    labels = as_texts(answers).str.to_lowercase()
    if task is not Task.CLASSIFY:
        pairs = polars.DataFrame([folded.alias("text"), labels.alias("label")])
        long = pairs.filter(polars.col("label").str.len_chars() >= _SHORTEST_NUMBER)
        if len(long) < max(_FEWEST_ROWS, 0.5 * len(pairs)):
            return False
        return bool(
            long.select(polars.col("text").str.contains(polars.col("label"), literal=True).mean()).item() >= _OWN
        )
    names = labels.unique().to_list()
    if len(names) > _MOST_LABELS:
        return False
    told = 0
    for label in names:
        holds = folded.str.contains(rf"(^|[^\pL\pN]){re.escape(label)}($|[^\pL\pN])")
        own = labels == label
        told += float(holds.filter(own).mean() or 0) >= _OWN and float(holds.filter(~own).mean() or 0) <= _FOREIGN  # type: ignore[arg-type]
    return told >= max(len(names) - 1, 1)


def _filled_for_one(
    columns: Sequence[Judged], shown: str, task: Task, answers: polars.Series, rows: polars.Series
) -> Iterator[Remark]:
    """Columns that have a value, or lack one, for a single class only."""
    if task is not Task.CLASSIFY:
        return
    classes = answers.unique().sort()
    indices = answers.rank("dense").to_numpy().astype(numpy.int64) - 1
    share = numpy.bincount(indices, minlength=len(classes)) / len(indices)
    found: dict[tuple[str, str], list[Judged]] = {}
    for judged in columns:
        late = bool(words_of_name(judged.column.name) & _AFTER)
        if not late and not 0 < judged.column.missing < 1:
            continue
        held = judged.values.gather(rows)
        there = held.is_not_null().to_numpy()
        cases = [("filled in", there), ("left empty", ~there)]
        if late and there.any():  # nothing came of it: 0, or none
            usual = held.drop_nulls().mode()[0]
            cases.append((f"other than {_written(usual)}", (held != usual).fill_null(value=False).to_numpy()))
        for word, marked in cases:
            counts = numpy.bincount(indices[marked], minlength=len(classes))
            most, total = int(counts.argmax()), int(counts.sum())
            if total < _FEWEST_FILLED or counts[most] < _PURE * total:
                continue
            # Pure by chance, if values were spread over the rows without regard to their answers.
            if (
                counts[most] * numpy.log(share[most]) < numpy.log(_CHANCE)
                and 1 - counts[most] / total < (1 - share[most]) / 10
            ):
                found.setdefault((word, str(classes[most])), []).append(judged)
                break
    for (word, answer), judged_so in found.items():
        are = "is" if len(judged_so) == 1 else "are"
        what = f"{_quoted(judged_so)} {are} {word} only where {shown} is {shorten(answer, 30)!r}, with hardly an exception."
        remedy = "It may be known only afterwards: leave it out unless it is known when the prediction is made."
        yield Remark(what, Weight.WARNING, remedy, _named(judged_so))


def _written(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else repr(shorten(value, 30))


def _explains(values: polars.Series, answers: polars.Series, task: Task) -> bool:
    """True where the column alone takes away half of the error, or explains half of the variance."""
    if values.dtype == polars.String:
        if values.n_unique() > len(values) / 5:
            return False
        pairs = polars.DataFrame([values.alias("value"), answers.alias("answer")])
        if task is Task.CLASSIFY:
            most = pairs["answer"].value_counts(name="rows")["rows"].max()
            right = pairs.group_by("value", "answer").len().group_by("value").agg(polars.col("len").max())["len"].sum()
            return bool(len(pairs) - right <= (1 - _EXPLAINED) * (len(pairs) - most))  # type: ignore[operator]
        left, all_ = _left_variance(pairs, "value", "answer")
    else:
        plain = values.to_physical().cast(polars.Float64)
        pairs = polars.DataFrame([plain.alias("value"), answers.alias("answer")]).drop_nulls()
        if len(pairs) < max(_FEWEST_ROWS, 0.5 * len(values)):
            return False
        if task is not Task.CLASSIFY:
            line = pairs.select(polars.corr("value", "answer", method="spearman")).item()
            return line is not None and line**2 >= _EXPLAINED
        left, all_ = _left_variance(pairs, "answer", "value")
    return all_ > 0 and left <= (1 - _EXPLAINED) * all_


def _left_variance(pairs: polars.DataFrame, by: str, of: str) -> tuple[float, float]:
    left = pairs.select((polars.col(of) - polars.col(of).mean().over(by)).var()).item()
    return float(left or 0.0), float(pairs.select(polars.col(of).var()).item() or 0.0)


def _named(found: Sequence[Judged]) -> tuple[str, ...]:
    return tuple(judged.column.name for judged in found)


def _quoted(found: Sequence[Judged]) -> str:
    return join_first([judged.quoted for judged in found])
