"""Splits into training and test: by time, by group, or so that classes keep their shares."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy
from numpy.typing import NDArray
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold, TimeSeriesSplit

from advisor.datasets.dataset import FEWEST_EXAMPLES, Examples, Task
from advisor.datasets.preparing.held_out import (
    FEWEST_TEST_EXAMPLES,
    MOST_STRATIFIED,
    Pair,
    Rows,
    hold_out,
    known_by_then,
    labels_of,
    rare,
    tell_apart,
    without_shared_groups,
)
from advisor.errors import input_error


@dataclass(frozen=True, slots=True)
class Split:
    """Positions of examples, in ascending order; no position is in both."""

    training: Rows
    test: Rows
    how: str
    """A sentence for people."""


def outer_split(examples: Examples, share: float = 0.2, seed: int = 0) -> Split:
    """Hold examples out, for neither training nor choosing: the last ones by time, whole groups, or a draw by class.

    Raises InputError where there are too few examples to test anything.
    """
    count = len(examples)
    if count < FEWEST_EXAMPLES:
        raise input_error(
            "There is too little to learn from",
            f"{count} {'example is' if count == 1 else 'examples are'} left, and some of them must be held out for the test",
            remedy=f"At least {FEWEST_EXAMPLES} are needed, and a few hundred before scores mean much.",
        )
    training, test, how = hold_out(
        examples.targets,
        share,
        seed,
        classes=examples.task is Task.CLASSIFY,
        times=examples.times,
        groups=examples.groups,
        until=examples.until,
    )
    share_of_all = f"{len(test)} of {count} ({len(test) / count * 100:.0f} %)"
    how = f"The test is {share_of_all} of the examples, {how}{_groups_apart(examples, training, test)}."
    if not len(training):
        raise input_error(
            "There is too little to learn from",
            "what a forecast is to predict reaches from each example into the test",
            remedy="A longer history is needed, or a shorter --horizon.",
        )
    return Split(training, test, how)


def _groups_apart(examples: Examples, training: Rows, test: Rows) -> str:
    """Say how many groups are in the test: they count, however many examples each has."""
    if examples.groups is None or numpy.isin(examples.groups[test], examples.groups[training]).any():
        return ""
    return f" ({len(numpy.unique(examples.groups[test])):,} of {len(numpy.unique(examples.groups)):,} groups)"


def inner_folds(examples: Examples, rows: Rows, folds: int, seed: int) -> list[Split]:
    """Split the training rows once more, to choose by: each fold tests what was learned from the others.

    By time each fold tests what was learned from the rows before it, so the first rows test nothing. There are
    fewer folds than asked for, but at least two, where classes, groups or times do not suffice. A class with a single row
    is never in a test.
    """
    pairs, how = _folds(examples, rows, max(2, min(folds, len(rows) // FEWEST_TEST_EXAMPLES)), seed)
    known = [
        (known_by_then(rows[training], rows[test], examples.times, examples.until), rows[test])
        for training, test in pairs
    ]
    pairs = [pair for pair in known if len(pair[0])] or [(rows[a], rows[b]) for a, b in pairs]
    return [
        Split(numpy.sort(training), numpy.sort(test), f"Fold {number} of {len(pairs)}, {how}.")
        for number, (training, test) in enumerate(pairs, start=1)
    ]


def _folds(examples: Examples, rows: Rows, folds: int, seed: int) -> tuple[list[Pair], str]:
    """Divide these rows, by their positions among them, and say how."""
    classes = examples.targets[rows] if examples.task is Task.CLASSIFY else None
    groups, times = (None if of_all is None else of_all[rows] for of_all in (examples.groups, examples.times))
    if times is not None:
        pairs = folds_by_time(times, groups, folds)
        if pairs:
            telling = [
                pair
                for pair in pairs
                if classes is None or tell_apart(examples.targets, *(rows[part] for part in pair))
            ]
            return telling or pairs, "later than the training"
    if groups is not None and len(numpy.unique(groups)) >= 2:
        return _folds_by_group(groups, classes, min(folds, len(numpy.unique(groups))), seed), "whole groups"
    if classes is not None:
        pairs = _divided_by_class(classes, folds, seed)
        if pairs:
            return pairs, "with the same shares of classes"
    return list(KFold(folds, shuffle=True, random_state=seed).split(rows)), "drawn at random"


def _divided_by_class(classes: NDArray[Any], folds: int, seed: int) -> list[Pair]:
    """Folds with the same shares of classes; a class with a single row is in no test. None where each class has one."""
    single = rare(classes, 2)
    alone, shared = numpy.flatnonzero(single), numpy.flatnonzero(~single)
    counts = numpy.unique(classes[shared], return_counts=True)[1]
    if not len(counts):
        return []
    by_class = StratifiedKFold(_with_all_classes(counts, folds), shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a class with k rows is in the tests of k folds: the others lose nothing by it
        divided = list(by_class.split(shared, classes[shared]))
    return [(numpy.concatenate([shared[a], alone]), shared[b]) for a, b in divided]


def _with_all_classes(counts: Rows, folds: int) -> int:
    """So few folds that each has all classes, or nearly all of many: one without the rare class is easy to score well on."""
    short = counts < folds
    if short.mean() < 0.25:
        return max(2, min(folds, int(counts.max())))
    return max(2, int(counts[short].min()))


def folds_by_time(times: NDArray[Any], groups: NDArray[Any] | None, folds: int) -> list[Pair]:
    """Empty where the rows have too few different times, or their groups reach through all of it."""
    moments, moment_of_row = numpy.unique(times, return_inverse=True)
    if len(moments) < 3:
        return []
    parts = TimeSeriesSplit(min(folds, len(moments) - 1)).split(moments)
    pairs = [
        (numpy.flatnonzero(numpy.isin(moment_of_row, a)), numpy.flatnonzero(numpy.isin(moment_of_row, b)))
        for a, b in parts
    ]
    if groups is not None:
        pairs = [without_shared_groups(pair, groups) for pair in pairs]
    return [pair for pair in pairs if len(pair[0]) >= FEWEST_TEST_EXAMPLES]


def _folds_by_group(groups: NDArray[Any], classes: NDArray[Any] | None, folds: int, seed: int) -> list[Pair]:
    if classes is not None and len(numpy.unique(groups)) > MOST_STRATIFIED:
        names, labels = labels_of(groups, classes)
        judging = [numpy.isin(groups, names[test]) for _, test in _divided_by_class(labels, folds, seed)]
        if judging:
            return [(numpy.flatnonzero(~judges), numpy.flatnonzero(judges)) for judges in judging]
    by_class = classes is not None and not rare(classes, folds).any()
    kind = StratifiedGroupKFold if by_class else GroupKFold
    divided = kind(folds, shuffle=True, random_state=seed).split(groups, classes, groups)
    return [(training, test) for training, test in divided if len(training) and len(test)]
