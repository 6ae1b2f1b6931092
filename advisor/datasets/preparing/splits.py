"""Splits into training and test: by time, by group, or so that classes keep their shares."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy
from numpy.typing import NDArray
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    train_test_split,
)

from advisor.datasets.dataset import FEWEST_EXAMPLES, Examples, Task
from advisor.errors import input_error

Rows: TypeAlias = NDArray[numpy.int64]
Pair: TypeAlias = tuple[Rows, Rows]

FEWEST_TEST_EXAMPLES = 3
GROUP_DRAWS = 20
MOST_STRATIFIED = 1000
"""Groups up to which classes keep their shares of examples, which takes milliseconds for each group; of more, each counts for
its rarest class."""


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
    wanted = min(max(round(share * count), FEWEST_TEST_EXAMPLES), count // 2)
    (training, test), how = next(
        (pair, how)
        for pair, how in _ways(examples, wanted, seed)
        if pair is not None and len(pair[0]) >= count // 2 and len(pair[1]) > 0
    )
    share_of_all = f"{len(test)} of {count} ({len(test) / count * 100:.0f} %)"
    how = f"The test is {share_of_all} of the examples, {how}{_groups_apart(examples, training, test)}."
    training = _known_by_then(examples, training, test)
    if not len(training):
        raise input_error(
            "There is too little to learn from",
            "what a forecast is to predict reaches from each example into the test",
            remedy="A longer history is needed, or a shorter --horizon.",
        )
    return Split(numpy.sort(training), numpy.sort(test), how)


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
    known = [(_known_by_then(examples, rows[training], rows[test]), rows[test]) for training, test in pairs]
    pairs = [pair for pair in known if len(pair[0])] or [(rows[a], rows[b]) for a, b in pairs]
    return [
        Split(numpy.sort(training), numpy.sort(test), f"Fold {number} of {len(pairs)}, {how}.")
        for number, (training, test) in enumerate(pairs, start=1)
    ]


def _known_by_then(examples: Examples, training: Rows, test: Rows) -> Rows:
    """The training rows whose targets were all known when the first value of the test was to be predicted."""
    if examples.until is None or examples.times is None:
        return training
    known: Rows = training[examples.until[training] < examples.times[test].min()]
    return known


def _ways(examples: Examples, wanted: int, seed: int) -> Iterator[tuple[Pair | None, str]]:
    """Ways to hold rows out, the most honest first; None where one is impossible."""
    impossible = ""
    if examples.times is not None:
        pair, how = _last_by_time(examples.times, wanted), "the last ones by time"
        if pair is not None and examples.groups is not None:
            pair = without_shared_groups(pair, examples.groups)
            how = f"{how}, of groups that are not in the training"
        alike = pair is not None and not _tell_apart(examples, *pair)
        yield None if alike else pair, how
        why = "one side would have a single class" if alike else "too many share theirs or their groups"
        impossible = f"; by time is impossible, since {why}"
    if examples.groups is not None:
        yield whole_groups(examples, examples.groups, wanted, seed), f"whole groups drawn at random{impossible}"
        impossible = "; their groups are too few or too large to be kept apart"
    if examples.task is Task.CLASSIFY:
        yield _by_class(examples.targets, wanted, seed), f"drawn so that every class keeps its share{impossible}"
        impossible += "; there are more classes than places in it, so not every class is tested"
    training, test = train_test_split(numpy.arange(len(examples)), test_size=wanted, random_state=seed)
    yield (training, test), f"drawn at random{impossible}"


def _tell_apart(examples: Examples, *parts: Rows) -> bool:
    """False where one part has a single class, from which nothing is learned, or by which nothing is judged."""
    return examples.task is not Task.CLASSIFY or all(
        numpy.ptp(examples.targets[part]) > 0 for part in parts if len(part)
    )


def _last_by_time(times: NDArray[Any], wanted: int) -> Pair | None:
    """Rows of one time stay together, so there may be more or fewer than wanted."""
    cut = numpy.sort(times)[len(times) - wanted]
    for test in (times >= cut, times > cut):
        if test.any() and (~test).sum() >= len(times) // 2:
            return numpy.flatnonzero(~test), numpy.flatnonzero(test)
    return None


def without_shared_groups(pair: Pair, groups: NDArray[Any]) -> Pair:
    training, test = pair
    return training[~numpy.isin(groups[training], groups[test])], test


def whole_groups(examples: Examples, groups: NDArray[Any], wanted: int, seed: int) -> Pair | None:
    """The draw with the most classes in training and test, and then about as large as wanted."""
    different = len(numpy.unique(groups))
    if different < 2:
        return None
    if examples.task is Task.CLASSIFY and different > MOST_STRATIFIED:
        names, labels = _labels_of(groups, examples.targets)
        pair = _by_class(labels, round(wanted / len(groups) * len(names)), seed)
        if pair is not None:
            tests = numpy.isin(groups, names[pair[1]])
            return numpy.flatnonzero(~tests), numpy.flatnonzero(tests)
    draws = GroupShuffleSplit(GROUP_DRAWS, test_size=wanted / len(groups), random_state=seed)
    classes = examples.targets if examples.task is Task.CLASSIFY else numpy.zeros(len(examples), numpy.int64)

    def drawback(pair: Pair) -> tuple[int, int, int]:
        trained, tested = (len(numpy.unique(classes[part])) for part in pair)
        return -trained, -tested, abs(len(pair[1]) - wanted)

    best: Pair = min(draws.split(groups, groups=groups), key=drawback)
    return best


def _by_class(targets: NDArray[Any], wanted: int, seed: int) -> Pair | None:
    """A class with one example is in the training and never in the test; None where there are more classes than places."""
    single = _rare(targets, 2)
    shared = numpy.flatnonzero(~single)
    if len(shared) <= wanted or len(numpy.unique(targets[shared])) > min(wanted, len(shared) - wanted):
        return None
    training, test = train_test_split(shared, test_size=wanted, stratify=targets[shared], random_state=seed)
    return numpy.concatenate([training, numpy.flatnonzero(single)]), test


def _folds(examples: Examples, rows: Rows, folds: int, seed: int) -> tuple[list[Pair], str]:
    """Divide these rows, by their positions among them, and say how."""
    classes = examples.targets[rows] if examples.task is Task.CLASSIFY else None
    groups, times = (None if of_all is None else of_all[rows] for of_all in (examples.groups, examples.times))
    if times is not None:
        pairs = folds_by_time(times, groups, folds)
        if pairs:
            telling = [pair for pair in pairs if _tell_apart(examples, *(rows[part] for part in pair))]
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
    single = _rare(classes, 2)
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
        names, labels = _labels_of(groups, classes)
        judging = [numpy.isin(groups, names[test]) for _, test in _divided_by_class(labels, folds, seed)]
        if judging:
            return [(numpy.flatnonzero(~judges), numpy.flatnonzero(judges)) for judges in judging]
    by_class = classes is not None and not _rare(classes, folds).any()
    kind = StratifiedGroupKFold if by_class else GroupKFold
    divided = kind(folds, shuffle=True, random_state=seed).split(groups, classes, groups)
    return [(training, test) for training, test in divided if len(training) and len(test)]


def _labels_of(groups: NDArray[Any], classes: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The groups, and of each the rarest class that is in it."""
    _, number, counts = numpy.unique(classes, return_inverse=True, return_counts=True)
    rarest_first = numpy.argsort(counts[number], kind="stable")
    names, first = numpy.unique(groups[rarest_first], return_index=True)
    return names, classes[rarest_first][first]


def _rare(classes: NDArray[Any], least: int) -> NDArray[numpy.bool_]:
    """True for the rows of a class with fewer than `least` of them."""
    _, number, counts = numpy.unique(classes, return_inverse=True, return_counts=True)
    rare: NDArray[numpy.bool_] = counts[number] < least
    return rare
