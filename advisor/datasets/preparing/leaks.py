"""The ways in which a given split may flatter, or say nothing of what it is asked: told in sentences, none of them an error."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy
import polars
from numpy.typing import NDArray
from scipy.stats import chi2_contingency, ks_2samp

from advisor.datasets.dataset import Examples, Task
from advisor.datasets.given import GivenSplit
from advisor.datasets.preparing.splits import Split
from advisor.datasets.values.conversion import seconds
from advisor.wording import join_first, shell_word, shorten

FEWEST_TWINS, FEWEST_KIN = 0.01, 0.05
"""Shares of the test from which on copies of training examples, and examples of known persons, are told."""
COMBINATIONS = 10
"""Combinations of the values of all columns, for each row, from which on chance alone makes next to no copies."""
SURELY = 0.001
"""The chance that a difference is told where there is none, all columns together."""
OTHER_SHARES, OTHER_NUMBERS = 0.1, 0.25
"""Total variation between shares of classes, and the Kolmogorov-Smirnov distance between numbers, that are clear."""
NEW_VALUES, OTHER_GAPS = 0.2, 0.3
"""Shares of the test with values of a column that the training does not know, and by how much more are missing."""
MOST_COLUMNS = 500


@dataclass(frozen=True, slots=True)
class Sides:
    """Examples with all that is known of them, and how they are divided."""

    examples: Examples
    """With times and groups that do not divide them, too."""
    split: Split
    group: str | None
    """The column of the groups: one that repeats over rows as names of persons or machines do. None of groups of copies."""
    time: str | None
    """The column of the times."""


def leaks(sides: Sides, given: GivenSplit) -> Iterator[str]:
    """Say what of the test is known in the training already, and where the two differ as they should not."""
    yield from _twins(sides, given)
    yield from _kin(sides, given)
    if given.test is not None:
        yield from _earlier(sides)
        yield from _other_answers(sides)
        yield from _other_columns(sides)


def _twins(sides: Sides, given: GivenSplit) -> Iterator[str]:
    keys = _keys(sides.examples)
    if keys is None:
        return
    test = keys[sides.split.test]
    known = int(numpy.isin(test, keys[sides.split.training]).sum())
    if known >= max(1.0, FEWEST_TWINS * len(test)):
        but = " in every column but ids" if isinstance(sides.examples.inputs, polars.DataFrame) else ""
        remedy = " Take them out of one of the two." if given.test is not None else " Remove copies from the data."
        said = f"{known:,} of the {len(test):,} test examples stand in the training as well, the same{but}"
        yield f"{said}: the score is too good.{remedy}"


def _keys(examples: Examples) -> NDArray[Any] | None:
    """A number for what each example is, with its answer; None where chance alone makes many alike."""
    inputs = examples.inputs
    answers = polars.DataFrame(numpy.asarray(examples.targets).reshape(len(examples), -1)).hash_rows()
    if isinstance(inputs, polars.DataFrame):
        if math.prod(column.n_unique() for column in inputs) < COMBINATIONS * len(inputs):
            return None
        rows = inputs.with_columns(polars.col(polars.Categorical).cast(polars.String)).hash_rows()
    elif isinstance(inputs, list):
        rows = polars.Series(inputs, dtype=polars.String).hash()
    else:
        rows = polars.Series([numpy.ascontiguousarray(one).tobytes() for one in inputs], dtype=polars.Binary).hash()
    keys: NDArray[Any] = polars.DataFrame({"inputs": rows, "answers": answers}).hash_rows().to_numpy()
    return keys


def _kin(sides: Sides, given: GivenSplit) -> Iterator[str]:
    groups, split = sides.examples.groups, sides.split
    if sides.group is None or groups is None or given.group is not None:
        return
    both = numpy.isin(groups[split.test], groups[split.training])
    if both.mean() < FEWEST_KIN:
        return
    shared, every = len(numpy.unique(groups[split.test][both])), len(numpy.unique(groups[split.test]))
    name = shorten(sides.group, 40)
    said = f"{name!r} recurs on both sides: {shared:,} of its {every:,} values in the test are in the training, too."
    remedy = "To be judged on others than those it knows, add" if given.test is None else "To leave those out, add"
    yield f"{said} {remedy} --group {shell_word(sides.group)}."


def _earlier(sides: Sides) -> Iterator[str]:
    """By the time of the rows, or the first column of dates."""
    examples, split = sides.examples, sides.split
    name, times = sides.time, examples.times
    if (name is None or times is None) and isinstance(examples.inputs, polars.DataFrame):
        dates = [one.name for one in examples.inputs if one.dtype.is_temporal()]
        if dates:
            name, times = dates[0], seconds(examples.inputs[dates[0]])
    if name is None or times is None:
        return
    learned, tested = times[split.training], times[split.test]
    learned, tested = learned[numpy.isfinite(learned)], tested[numpy.isfinite(tested)]
    if not len(learned) or not len(tested) or tested.min() >= learned.max():
        return
    before = int((tested < learned.max()).sum())
    said = f"{before:,} of the {len(tested):,} test examples are earlier than the last of the training by {shorten(name, 40)!r}"
    yield f"{said}. If the model is to predict the future, its test must be later."


def _other_answers(sides: Sides) -> Iterator[str]:
    examples, split = sides.examples, sides.split
    learned, tested = examples.targets[split.training], examples.targets[split.test]
    if examples.task is not Task.CLASSIFY:
        found = ks_2samp(learned[:, 0], tested[:, 0])
        if found.statistic >= OTHER_NUMBERS and found.pvalue < SURELY:
            middle = f"{numpy.median(tested):,.3g} in the test and {numpy.median(learned):,.3g} in the training"
            yield f"The target differs between the two: its median is {middle}."
        return
    width = len(examples.classes)
    counts = numpy.stack([numpy.bincount(part, minlength=width) for part in (learned, tested)])
    counts = counts[:, counts.sum(axis=0) > 0]
    shares = numpy.stack([numpy.bincount(part, minlength=width) / len(part) for part in (learned, tested)])
    off = numpy.abs(shares[1] - shares[0])
    if off.sum() / 2 >= OTHER_SHARES and counts.shape[1] > 1 and chi2_contingency(counts).pvalue < SURELY:
        most = int(off.argmax())
        name = repr(shorten(examples.classes[most], 30))
        percent = f"{shares[1, most] * 100:.0f} % of the test and {shares[0, most] * 100:.0f} % of the training"
        yield f"Classes have other shares in the test: {name} is {percent}."


def _other_columns(sides: Sides) -> Iterator[str]:
    inputs, split = sides.examples.inputs, sides.split
    if not isinstance(inputs, polars.DataFrame):
        return
    some = inputs.select(inputs.columns[:MOST_COLUMNS])
    learned, tested = some[split.training], some[split.test]
    surely = SURELY / max(1, some.width)
    other = [name for name in some.columns if _differs(learned[name], tested[name], surely)]
    if other:
        named = join_first([repr(shorten(name, 40)) for name in other], 3)
        differ = "A column differs" if len(other) == 1 else "Columns differ"
        yield f"{differ} clearly between the test and the training: {named}. Scores may not hold elsewhere."


def _differs(learned: polars.Series, tested: polars.Series, surely: float) -> bool:
    """True where far more values are missing on one side, numbers lie elsewhere, or many words are new."""
    gaps = [part.null_count() / max(1, len(part)) for part in (learned, tested)]
    if abs(gaps[0] - gaps[1]) >= OTHER_GAPS:
        return True
    learned, tested = learned.drop_nulls(), tested.drop_nulls()
    if learned.is_empty() or tested.is_empty() or learned.dtype.is_temporal():
        return False
    if learned.dtype.is_numeric():
        found = ks_2samp(learned.to_numpy(), tested.to_numpy())
        return bool(found.statistic >= OTHER_NUMBERS and found.pvalue < surely)
    if learned.n_unique() > len(learned) / 2:  # names or texts: most are new everywhere
        return False
    known = tested.cast(polars.String).is_in(learned.cast(polars.String).unique().implode())
    return int((~known).sum()) >= NEW_VALUES * len(known)
