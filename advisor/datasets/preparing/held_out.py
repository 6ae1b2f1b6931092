"""Rows held out for a test: the last ones by time, whole groups, or a draw in which classes keep their shares.

Generated projects take this module as it stands: on the same data, with the same seed, they hold out the rows of the trials.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy
from numpy.typing import NDArray
from sklearn.model_selection import GroupShuffleSplit, train_test_split

Rows: TypeAlias = NDArray[numpy.int64]
Pair: TypeAlias = tuple[Rows, Rows]
Values: TypeAlias = NDArray[Any]

FEWEST_TEST_EXAMPLES = 3
FEWEST_TIMES = 4
"""Of a split by time that somebody asks for: one to test, and three that the folds are made of."""
GROUP_DRAWS = 20
MOST_STRATIFIED = 1000
"""Groups up to which classes keep their shares of examples, which takes milliseconds for each group; of more, each counts for
its rarest class."""


def hold_out(
    targets: Values,
    share: float,
    seed: int,
    *,
    classes: bool,
    times: Values | None = None,
    groups: Values | None = None,
    until: Values | None = None,
    asked: bool = False,
) -> tuple[Rows, Rows, str]:
    """Rows to learn from, rows of the test, both in ascending order, and how they were chosen, in words.

    The order in which classes and groups are numbered does not matter, only which rows share one.

    Args:
        targets: numbers of classes (n,) where these are `classes`, anything else of this length otherwise.
        until: the time at which the target of each row is known, where that is later than `times`.
        asked: True where somebody wants this split by time or groups, even if it leaves less than half to learn from.
    """
    wanted = test_size(len(targets), share)
    pair, how = next(
        (pair, how)
        for pair, how in _ways(targets, wanted, seed, classes=classes, times=times, groups=groups, asked=asked)
        if pair is not None and len(pair[1]) and (len(pair[0]) >= len(targets) // 2 or asked)
    )
    known = known_by_then(pair[0], pair[1], times, until)
    return numpy.sort(known), numpy.sort(pair[1]), how


def test_size(count: int, share: float) -> int:
    """The examples to hold out of so many: about a share, a few at least, half of them at most."""
    return min(max(round(share * count), FEWEST_TEST_EXAMPLES), count // 2)


def known_by_then(training: Rows, test: Rows, times: Values | None, until: Values | None) -> Rows:
    """The training rows whose targets were all known when the first value of the test was to be predicted."""
    if until is None or times is None:
        return training
    known: Rows = training[until[training] < times[test].min()]
    return known


def _ways(
    targets: Values,
    wanted: int,
    seed: int,
    *,
    classes: bool,
    times: Values | None,
    groups: Values | None,
    asked: bool,
) -> Iterator[tuple[Pair | None, str]]:
    """Ways to hold rows out, the most honest first; None where one is impossible."""
    impossible = ""
    if times is not None:
        pair = nearest_by_time(times, wanted) if asked else _last_by_time(times, wanted)
        how = "the last ones by time"
        if pair is not None and groups is not None:
            pair = without_shared_groups(pair, groups)
            how = f"{how}, of groups that are not in the training"
        alike = pair is not None and classes and not tell_apart(targets, *pair)
        yield None if alike and not asked else pair, how
        why = "one side would have a single class" if alike else "too many share theirs or their groups"
        impossible = f"; by time is impossible, since {why}"
    if groups is not None:
        pair = whole_groups(targets if classes else None, groups, wanted, seed)
        yield pair, f"whole groups drawn at random{impossible}"
        impossible = "; their groups are too few or too large to be kept apart"
    if classes:
        yield _by_class(targets, wanted, seed), f"drawn so that every class keeps its share{impossible}"
        impossible += "; there are more classes than places in it, so not every class is tested"
    training, test = train_test_split(numpy.arange(len(targets)), test_size=wanted, random_state=seed)
    yield (training, test), f"drawn at random{impossible}"


def tell_apart(classes: Values, *parts: Rows) -> bool:
    """False where one part has a single class, from which nothing is learned, or by which nothing is judged."""
    return all(numpy.ptp(classes[part]) > 0 for part in parts if len(part))


def _last_by_time(times: Values, wanted: int) -> Pair | None:
    """Rows of one time stay together, so there may be more or fewer than wanted."""
    cut = numpy.sort(times)[len(times) - wanted]
    for test in (times >= cut, times > cut):
        if test.any() and (~test).sum() >= len(times) // 2:
            return numpy.flatnonzero(~test), numpy.flatnonzero(test)
    return None


def nearest_by_time(times: Values, wanted: int) -> Pair | None:
    """The cut between two times that holds out about as many as wanted; None where there are too few of them."""
    moments = numpy.unique(times[numpy.isfinite(times)])
    if len(moments) < FEWEST_TIMES:
        return None
    later = len(times) - numpy.searchsorted(numpy.sort(times), moments[FEWEST_TIMES - 1 :])
    cut = moments[FEWEST_TIMES - 1 :][numpy.abs(later - wanted).argmin()]
    return numpy.flatnonzero(times < cut), numpy.flatnonzero(times >= cut)


def without_shared_groups(pair: Pair, groups: Values) -> Pair:
    training, test = pair
    return training[~numpy.isin(groups[training], groups[test])], test


def whole_groups(classes: Values | None, groups: Values, wanted: int, seed: int) -> Pair | None:
    """The draw with the most classes in training and test, and then about as large as wanted."""
    groups = _by_appearance(groups)
    different = int(groups.max()) + 1
    if different < 2:
        return None
    if classes is not None and different > MOST_STRATIFIED:
        names, labels = labels_of(groups, classes)
        pair = _by_class(labels, round(wanted / len(groups) * len(names)), seed)
        if pair is not None:
            tests = numpy.isin(groups, names[pair[1]])
            return numpy.flatnonzero(~tests), numpy.flatnonzero(tests)
    draws = GroupShuffleSplit(GROUP_DRAWS, test_size=wanted / len(groups), random_state=seed)
    told = numpy.zeros(len(groups), numpy.int64) if classes is None else classes

    def drawback(pair: Pair) -> tuple[int, int, int]:
        trained, tested = (len(numpy.unique(told[part])) for part in pair)
        return -trained, -tested, abs(len(pair[1]) - wanted)

    best: Pair = min(draws.split(groups, groups=groups), key=drawback)
    return best


def _by_class(classes: Values, wanted: int, seed: int) -> Pair | None:
    """A class with one example is in the training and never in the test; None where there are more classes than places."""
    classes = _by_appearance(classes)
    single = rare(classes, 2)
    shared = numpy.flatnonzero(~single)
    if len(shared) <= wanted or len(numpy.unique(classes[shared])) > min(wanted, len(shared) - wanted):
        return None
    training, test = train_test_split(shared, test_size=wanted, stratify=classes[shared], random_state=seed)
    return numpy.concatenate([training, numpy.flatnonzero(single)]), test


def _by_appearance(values: Values) -> Rows:
    """The same values numbered from 0 in the order in which they come first: a draw depends on numbers, and names do not."""
    _, first, number = numpy.unique(values, return_index=True, return_inverse=True)
    ranks: Rows = numpy.argsort(numpy.argsort(first))[number.reshape(-1)]
    return ranks


def labels_of(groups: Values, classes: Values) -> tuple[Values, Values]:
    """The groups, and of each the rarest class that is in it."""
    _, number, counts = numpy.unique(classes, return_inverse=True, return_counts=True)
    rarest_first = numpy.argsort(counts[number], kind="stable")
    names, first = numpy.unique(groups[rarest_first], return_index=True)
    return names, classes[rarest_first][first]


def rare(classes: Values, least: int) -> NDArray[numpy.bool_]:
    """True for the rows of a class with fewer than `least` of them."""
    _, number, counts = numpy.unique(classes, return_inverse=True, return_counts=True)
    few: NDArray[numpy.bool_] = counts[number] < least
    return few
