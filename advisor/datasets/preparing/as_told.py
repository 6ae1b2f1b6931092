"""The split that somebody asks for: a test of its own, the latest examples, or whole groups. It is made so, or refused."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import NDArray

from advisor.datasets.dataset import FEWEST_EXAMPLES, Examples, Task
from advisor.datasets.given import GivenSplit
from advisor.datasets.preparing.held_out import (
    FEWEST_TIMES,
    Pair,
    Rows,
    nearest_by_time,
    test_size,
    whole_groups,
    without_shared_groups,
)
from advisor.datasets.preparing.splits import Split, folds_by_time
from advisor.errors import InputError, input_error
from advisor.wording import shorten

TITLE = "The examples cannot be divided like this"
FEWEST_GROUPS = 3
"""One to test, and two that the folds are made of."""
FOLDS = 5
"""Into which the training is divided in any case if it can be divided by time at all."""


def split_as_told(
    examples: Examples, given: GivenSplit, *, tested: int = 0, share: float = 0.2, seed: int = 0
) -> Split:
    """Divide examples as somebody asks for it.

    Args:
        examples: with the times of the time column and the groups of the group column, if these are given.
        tested: so many examples at the end are those of the test that is given; without one, a `share` is held out.

    Raises InputError where the split is impossible, or leaves too little to learn from or to choose by.
    """
    count = len(examples)
    wanted = test_size(count, share)
    _check_groups(examples, given, count - tested)
    if given.test is not None:
        pair, how = _given_test(examples, given, tested)
    else:
        if given.time_column is not None:
            pair, how = _latest(examples, given, wanted)
        else:
            pair, how = _groups(examples, given, wanted, seed)
        of_all = f"{len(pair[1]):,} of {count:,} ({len(pair[1]) / count * 100:.0f} %)"
        how = f"The test is {of_all} of the examples, {how}"
    training, test = numpy.sort(pair[0]), numpy.sort(pair[1])
    _check_training(examples, training, given)
    if given.time_column is not None or given.group is not None:
        how += " The folds by which everything is chosen are divided in the same way."
    return Split(training, test, how)


def _given_test(examples: Examples, given: GivenSplit, tested: int) -> tuple[Pair, str]:
    training, test = numpy.arange(len(examples) - tested), numpy.arange(len(examples) - tested, len(examples))
    assert given.test is not None  # noqa: S101 - the caller has looked
    name = shorten(given.test.rstrip("/").rpartition("/")[2], 60)
    how = f"The test is the {tested:,} examples of {name}; all {len(training):,} others are learned from."
    if given.group is not None:
        apart = without_shared_groups((training, test), _known(examples.groups))[0]
        if len(apart) < len(training):
            how = f"The test is the {tested:,} examples of {name}; of the {len(training):,} others {len(apart):,} are "
            how += f"learned from: the rest share a value of {_quoted(given.group)} with the test."
        training = apart
    return (training, test), how


def _latest(examples: Examples, given: GivenSplit, wanted: int) -> tuple[Pair, str]:
    """The cut between two times that holds out about as many as wanted; rows of one time stay together."""
    assert given.time_column is not None  # noqa: S101 - the caller has looked
    times, name = _known(examples.times), _quoted(given.time_column)
    pair = nearest_by_time(times, wanted)
    if pair is None:
        moments = numpy.unique(times[numpy.isfinite(times)])
        found = f"{len(moments)} different {'time' if len(moments) == 1 else 'times'}"
        what = f"{name} has {found}, and at least {FEWEST_TIMES} are needed: the last for the test, the others to choose by"
        raise _refused(what, "--time-column", "Name a column of finer times.")
    how = f"the last ones by {name}"
    if given.group is not None:
        apart = without_shared_groups(pair, _known(examples.groups))
        lost = len(pair[0]) - len(apart[0])
        pair = apart
        if lost:
            how += f"; {lost:,} earlier ones that share a value of {_quoted(given.group)} with them are left out"
    unknown = int((~numpy.isfinite(times)).sum())
    if unknown:
        have = "1 has" if unknown == 1 else f"{unknown:,} have"
        how += f"; {have} no time and {'is' if unknown == 1 else 'are'} only learned from"
    return pair, f"{how}."


def _groups(examples: Examples, given: GivenSplit, wanted: int, seed: int) -> tuple[Pair, str]:
    groups = _known(examples.groups)
    pair = whole_groups(examples.targets if examples.task is Task.CLASSIFY else None, groups, wanted, seed)
    assert pair is not None and given.group is not None  # noqa: S101, PT018 - several were found
    many = f"{len(numpy.unique(groups[pair[1]])):,} of {len(numpy.unique(groups)):,}"
    return pair, f"whole groups by {_quoted(given.group)}, drawn at random ({many} groups)."


def _check_groups(examples: Examples, given: GivenSplit, learned: int) -> None:
    """Raise InputError where there are too few groups to divide the examples, or each example is one."""
    if given.group is None:
        return
    groups, name = _known(examples.groups)[:learned], _quoted(given.group)
    different = len(numpy.unique(groups))
    least = FEWEST_GROUPS - (given.test is not None)
    if different < least:
        found = "the same value in every row" if different == 1 else f"only {different} different values"
        what = f"{name} has {found}, and at least {least} groups are needed"
        raise _refused(what, "--group", "Name a column of persons, machines or places, each with several rows.")
    if different == learned:
        what = f"{name} has a value of its own in every row, so there are no groups to keep together"
        raise _refused(what, "--group", "Leave --group out, or name the column whose values recur.")


def _check_training(examples: Examples, training: Rows, given: GivenSplit) -> None:
    """Raise InputError where what is left can neither be learned from nor divided once more in the same way."""
    both = given.group is not None and (given.time_column is not None or given.test is not None)
    where = "--group" if given.group is not None else "--time-column" if given.time_column is not None else "--test"
    remedy = "Leave --group out: its values reach through all of it." if both else "More examples are needed."
    least = FEWEST_EXAMPLES if given.test is not None else FEWEST_EXAMPLES // 2
    if len(training) < least:
        left = f"{len(training):,} {'example is' if len(training) == 1 else 'examples are'} left to learn from"
        raise _refused(f"{left}, and at least {least} are needed", where, remedy)
    if examples.task is Task.CLASSIFY and len(numpy.unique(examples.targets[training])) < 2:
        only = shorten(examples.classes[int(examples.targets[training][0])], 30)
        what = f"all examples that would be learned from are of the class {only!r}"
        raise _refused(what, where, "Divide them in another way.")
    groups = None if given.group is None else _known(examples.groups)[training]
    if groups is not None and len(numpy.unique(groups)) < FEWEST_GROUPS - 1:
        raise _refused("a single group is left to learn from, and two are needed to choose by", where, remedy)
    if given.time_column is not None and not folds_by_time(_known(examples.times)[training], groups, FOLDS):
        what = "what would be learned from cannot be divided by time once more, to choose by"
        raise _refused(what, where, remedy)


def _known(values: NDArray[Any] | None) -> NDArray[Any]:
    assert values is not None  # noqa: S101 - they were loaded with the examples
    return values


def _quoted(name: str) -> str:
    return repr(shorten(name, 40))


def _refused(what: str, where: str, remedy: str) -> InputError:
    return input_error(TITLE, what, where=where, remedy=remedy)
