"""Targets of arrays: the classes or numbers that they ask for."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy
import polars
from numpy.typing import NDArray

from advisor.datasets.arrays.long_numbers import are_long
from advisor.datasets.arrays.roles import Roles
from advisor.datasets.arrays.stored import AnyArray, rows_of
from advisor.datasets.dataset import Inspection, Remark, Task, Weight
from advisor.datasets.refusals import unreadable
from advisor.datasets.sampling import Positions, chosen_rows, class_numbers
from advisor.datasets.tables.missing_words import judge_classes
from advisor.datasets.values.null_words import MISSING
from advisor.facts.vocabulary import Value
from advisor.wording import shorten

MOST_TARGETS = 10_000_000
"""Examples whose targets are read; of more, an even sample."""
MOST_BYTES = 2**28
"""Of the targets that are read, eight at least for each number."""
FIRST_ROWS_FROM = 2**30
"""Bytes of an array in an archive of which only the beginning is unpacked."""


@dataclass(frozen=True, slots=True)
class Targets:
    """The targets of all examples, or of an even sample of them."""

    values: AnyArray
    """(n,) or of several numbers (n, k)."""
    positions: Positions
    """The examples whose targets these are, in ascending order."""


def targets_of(path: Path, roles: Roles) -> Targets | None:
    """The targets, as many as `MOST_TARGETS` and `MOST_BYTES` allow; None where there are none. Raises InputError."""
    stored = roles.data if roles.target_column is not None else roles.target
    if stored is None:
        return None
    one = roles.target_column is not None
    each = stored.kind.itemsize if one else stored.row_bytes
    numbers = 1 if one else math.prod(stored.shape[1:])
    rows = stored.rows
    if stored.name and stored.bytes > FIRST_ROWS_FROM and not stored.by_columns:  # unpacked in order
        rows = max(1, FIRST_ROWS_FROM // max(1, stored.row_bytes))
    most = min(MOST_TARGETS, stored.most_rows(roles.target_column), max(1, MOST_BYTES // max(each, 8 * numbers)))
    chosen = chosen_rows(rows, most, seed=0)  # by chance within each stretch: classes may take turns
    positions = numpy.arange(rows) if chosen is None else chosen
    values = rows_of(path, stored, positions, roles.target_column)
    _refuse_other_bytes(path, values)
    return Targets(values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values, positions)


def _refuse_other_bytes(path: Path, values: AnyArray) -> None:
    """Raise InputError for bytes that are no UTF-8: with letters replaced, different classes would become one."""
    for value in numpy.unique(values).tolist() if values.dtype.kind == "S" else ():
        try:
            value.decode("utf-8")
        except UnicodeDecodeError:
            what = f"its targets are bytes that are no UTF-8, such as {shorten(repr(value), 60)}"
            remedy = "Save them as texts, decoded as they were written: numpy.char.decode(targets, 'latin-1'), say."
            raise unreadable(path, what, remedy) from None


def words_for_missing(values: AnyArray, name: str) -> tuple[frozenset[str], tuple[Remark, ...]]:
    """Find the words of targets, such as NA, that count as missing; and remarks on those that do and those that do not."""
    if values.dtype.kind not in "US":
        return frozenset(), ()
    labels = numpy.unique(values, return_inverse=True)
    texts = polars.Series(name, _labels(labels[0]), dtype=polars.String).gather(labels[1].ravel())
    judged, kept = judge_classes(texts)
    warnings = tuple(replace(doubt, weight=Weight.WARNING) for doubt in judged.doubts)
    return frozenset(MISSING) - frozenset(kept), warnings


def without_words(values: AnyArray, missing: Collection[str]) -> AnyArray:
    """Targets in which these words are empty, as a missing class is."""
    if values.dtype.kind not in "US":
        return values
    different, of_each = numpy.unique(values, return_inverse=True)
    lost = numpy.array([label in missing for label in _labels(different)], bool)
    kept: AnyArray = numpy.where(lost[of_each].reshape(values.shape), values.dtype.type(), values)
    return kept


def judged_target(values: AnyArray | None) -> tuple[Task | None, tuple[str, ...]]:
    """The task that targets ask for: texts, yes or no, few whole numbers and one-hot rows are classes, other numbers are numbers.

    No task of those that can be tried where an example has several labels: rows of 0 and 1 with any number of ones.
    """
    if values is None:
        return None, ()
    if values.ndim == 2:
        if _one_hot(values):
            return Task.CLASSIFY, _names(values.argmax(axis=1))
        return (None if _several_labels(values) else Task.REGRESS), ()
    if values.dtype.kind in "fiu":
        known = values[numpy.isfinite(values)]
        distinct = len(numpy.unique(known))
        whole = bool((known == numpy.round(known)).all())
        few = distinct <= max(20, min(1000, int(len(known) ** 0.5)))
        if not (whole and (few or are_long(values)) and distinct * 2 <= len(known)):
            return Task.REGRESS, ()
    return Task.CLASSIFY, _names(values)


def refuse_names(path: Path, values: AnyArray) -> None:
    """Raise InputError for long whole numbers as numbers to predict: they are names, and floats do not keep them apart."""
    if values.ndim == 1 and are_long(values):
        distinct = len(numpy.unique(values))
        what = f"its targets are {distinct:,} different whole numbers of 16 digits and more, which floats do not keep apart"
        raise unreadable(path, what, "Name another target, or save the difference to a first one.")


def read_as(path: Path, values: AnyArray, task: Task) -> tuple[Task | None, tuple[str, ...]]:
    """Read targets for a task that they do not look like. Raises InputError where they do not allow it."""
    if task is Task.REGRESS:
        if values.dtype.kind not in "fiub":
            what = "its targets are words, so that no number can be predicted (task.kind is regress)"
            raise unreadable(path, what, "Leave task.kind out, or name an array of numbers.")
        return Task.REGRESS, ()
    if values.ndim == 2 and _several_labels(values):
        what = f"its targets are several labels for one example ({values.shape[1]} columns of 0 and 1), which cannot be tried yet"
        raise unreadable(
            path, what, "`advisor recommend` plans for them; with task.kind=regress they are tried as numbers."
        )
    if values.ndim == 2:
        what = f"its targets are {values.shape[1]} numbers for each example and no classes (task.kind is {task})"
        raise unreadable(path, what, "Leave task.kind out, or save one class for each example, numbered from 0.")
    whole = bool((values == numpy.round(values))[numpy.isfinite(values)].all())
    distinct = len(numpy.unique(values))
    if not whole or distinct * 2 > len(values):
        what = f"its targets have {distinct:,} different values and are no classes (task.kind is {task})"
        raise unreadable(path, what, "Leave task.kind out, or put them into a few classes, numbered from 0, first.")
    return Task.CLASSIFY, _names(values)


def numbered(values: AnyArray, inspection: Inspection) -> tuple[AnyArray, Positions]:
    """Targets as a model learns them, and the positions, among these, of those that are there."""
    if inspection.task is Task.CLASSIFY:
        values = without_words(values, frozenset(MISSING) - frozenset(inspection.classes))
        different, of_each = numpy.unique(_single(values), return_inverse=True)
        labels = _labels(different)
        known = numpy.flatnonzero(numpy.array([bool(label) for label in labels])[of_each])
        there = [label for label in labels if label]
        numbers = dict(zip(there, class_numbers(there, inspection.classes)[0].tolist(), strict=True))
        number_of = numpy.array([numbers.get(label, -1) for label in labels], numpy.int64)
        return number_of[of_each[known]], known
    known = numpy.flatnonzero(_measured(values))
    return values.reshape(len(values), -1)[known].astype(numpy.float64), known


def _measured(values: AnyArray) -> NDArray[numpy.bool_]:
    """(n,), True where all targets of an example are numbers, and none is larger than networks compute with."""
    with numpy.errstate(over="ignore"):
        measured = numpy.isfinite(values.astype(numpy.float32)).reshape(len(values), -1)
    return numpy.asarray(measured.all(axis=1))


def target_facts(task: Task | None, classes: Sequence[str], values: AnyArray) -> dict[str, Value]:
    """Facts that the targets show; columns without a task are labels, of which an example may have several."""
    if task is None and values.ndim == 2:
        outputs = values.shape[1]
        return {
            "task.kind": "classify", "task.multilabel": True, "task.outputs": outputs, "data.labelled_fraction": 1.0,
        }  # fmt: skip
    if task is Task.REGRESS:
        known = _measured(values)
        outputs = values.shape[1] if values.ndim == 2 else 1
        return {"task.kind": "regress", "task.outputs": outputs, "data.labelled_fraction": float(known.mean())}
    if len(classes) < 2:
        return {}
    different, rows = numpy.unique(_single(values), return_counts=True)
    sizes: Counter[str] = Counter()
    for label, count in zip(_labels(different), rows.tolist(), strict=True):
        sizes[label] += count
    sizes.pop("", None)
    return {
        "task.kind": "classify", "task.outputs": len(classes), "data.labelled_fraction": sizes.total() / len(values),
        "data.imbalance": round(max(sizes.values()) / min(sizes.values()), 3),
    }  # fmt: skip


def _single(values: AnyArray) -> AnyArray:
    """A class for each example, also of rows with a single 1."""
    return values.argmax(axis=1) if values.ndim == 2 else values


def _labels(values: AnyArray) -> list[str]:
    """Classes as words, whole numbers without a point; empty for a missing one."""
    if values.dtype.kind == "S":
        return [value.decode("utf-8").strip() for value in values.tolist()]
    if values.dtype.kind == "f":
        return [f"{value:.0f}" if math.isfinite(value) else "" for value in values.tolist()]
    return [str(value).strip().lower() if values.dtype.kind == "b" else str(value).strip() for value in values.tolist()]


def _names(values: AnyArray) -> tuple[str, ...]:
    """The classes: numbers by their size, words by the alphabet."""
    return tuple(label for label in dict.fromkeys(_labels(numpy.unique(values))) if label)


def _one_hot(values: AnyArray) -> bool:
    """True where each row has a single 1 among zeros, and so stands for a class."""
    numbers = values.astype(numpy.float64)
    return bool(values.shape[1] > 1 and numpy.isin(numbers, (0.0, 1.0)).all() and (numbers.sum(axis=1) == 1).all())


def _several_labels(values: AnyArray) -> bool:
    """True where each row has a 0 or 1 for each of several labels."""
    return values.shape[1] > 1 and values.dtype.kind in "fiub" and set(numpy.unique(values).tolist()) == {0, 1}
