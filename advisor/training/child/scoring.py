"""Scores of finalists on held-out examples, with the interval that other examples and other seeds could have given."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy
from numpy.typing import NDArray

from advisor.datasets.dataset import Examples
from advisor.training.child.metrics import Metric
from advisor.training.ladder import outcome
from advisor.training.ladder.intervals import finest_gain, mean_gain, mean_share

Numbers: TypeAlias = NDArray[Any]
Floats: TypeAlias = NDArray[numpy.float64]

RESAMPLES = 1000
_AT_ONCE = 4_000_000
"""Counts that are held in memory at a time."""
_OUTSIDE = 2.5
"""Per cent at either end of a 95 % interval."""
_TITLES = {Metric.R2: "R²", Metric.RMSE: "RMSE"}
MATTERS = 0.01
"""Differences within this much of a share, or of the deviation of the target, are none that matter."""


def described(metric: Metric, targets: Numbers, learned: Numbers) -> outcome.Metric:
    """The metric as it is told to people, with the difference from which on it matters for these targets.

    Args:
        learned: targets of the examples that the folds are made of.
    """
    unit = (float(targets.std()) or 1.0) if metric is Metric.RMSE else 1.0
    parts = _parts(metric, learned)
    resolves = finest_gain([len(part) for part in parts]) if parts else 0.0
    title = _TITLES.get(metric, metric.value.replace("_", " "))
    return outcome.Metric(metric.value, title, MATTERS * unit, metric.greater_is_better, resolves)


def _parts(metric: Metric, truth: Numbers) -> list[Numbers]:
    """Places of the examples whose share told right is a part of the score; none where the score is no mean of shares."""
    if metric is Metric.ACCURACY:
        return [numpy.arange(len(truth))]
    if metric is Metric.BALANCED_ACCURACY:
        return [numpy.flatnonzero(truth == one) for one in numpy.unique(truth)]
    return []


class Resampling:
    """Draws held-out examples and seeds with replacement, the same examples for every finalist.

    So what two finalists differ by is judged on the same draws (paired bootstrap; Efron and Tibshirani 1993, chapter 8).
    Where every class counts the same, each keeps its number of examples: draws without a rare one would flatter who never
    names it.
    """

    def __init__(self, metric: Metric, truth: Numbers, seed: int = 0, units: Numbers | None = None) -> None:
        """
        Args:
            metric: accuracy, balanced_accuracy, r2 or rmse.
            truth: class numbers (n,) or values (n, outputs).
            units: a number for each example (n,): those of one unit depend on each other, and are drawn together.
        """
        self._metric = metric
        self._truth = truth
        self._seed = seed
        self._unit_of = numpy.unique(numpy.arange(len(truth)) if units is None else units, return_inverse=True)[1]
        self._parts = _parts(metric, truth)
        self._counts = [len(numpy.unique(self._unit_of[part])) for part in self._parts]
        """Units of each part, since examples of one unit are not independent."""
        by_class = metric is Metric.BALANCED_ACCURACY and units is None
        self._drawn_from = self._parts if by_class else [numpy.arange(self._unit_of.max() + 1)]
        """Units, of each part of which as many are drawn as it has."""

    def scores(self, predicted: Numbers) -> Floats:
        """The score of each draw of examples; (RESAMPLES,).

        Args:
            predicted: what a model said of every held-out example, shaped like the truth.
        """
        examples, units = len(self._truth), sum(map(len, self._drawn_from))
        draws = numpy.random.default_rng(self._seed)  # the same for every finalist
        found: list[Floats] = []
        size = max(1, _AT_ONCE // examples)
        for start in range(0, RESAMPLES, size):
            many = min(size, RESAMPLES - start)
            counts = numpy.empty((many, units))
            for part in self._drawn_from:
                counts[:, part] = draws.multinomial(len(part), numpy.full(len(part), 1 / len(part)), size=many)
            found.append(_scores(self._metric, self._truth, predicted, counts[:, self._unit_of]))
        return numpy.concatenate(found)

    def over_seeds(self, drawn: Sequence[Floats]) -> Floats:
        """The mean over seeds drawn with replacement, of each draw of examples; (RESAMPLES,).

        Args:
            drawn: `scores` of each seed's model.
        """
        by_seed = numpy.stack(drawn)
        chosen = numpy.random.default_rng(self._seed).integers(len(drawn), size=(RESAMPLES, len(drawn)))
        means: Floats = by_seed[chosen, numpy.arange(RESAMPLES)[:, None]].mean(axis=1)
        return means

    def of_score(self, found: tuple[float, float], right: Numbers) -> tuple[float, float]:
        """A bootstrap interval made as wide as the number of examples asks for, where all draws say the same.

        Args:
            right: the share of a finalist's seeds that told each example right (n,).
        """
        return _widened(found, mean_share(self._means(right), self._counts)) if self._parts else found

    def of_difference(self, found: tuple[float, float], one: Numbers, other: Numbers) -> tuple[float, float]:
        """The same for the difference of two finalists."""
        if not self._parts:
            return found
        gain = one - other
        return _widened(found, mean_gain(self._means(gain), self._means(gain**2), self._counts))

    def _means(self, values: Numbers) -> list[float]:
        return [float(values[part].mean()) for part in self._parts]


def _widened(found: tuple[float, float], least: tuple[float, float]) -> tuple[float, float]:
    return min(least[0], found[0]), max(least[1], found[1])


def units_of(examples: Examples, rows: Numbers) -> Numbers | None:
    """Numbers of the units of dependent examples: those of a group, or of a stretch of time; (n,).

    Stretches are as many as the square root of the examples, as is usual for a bootstrap of blocks (Kuensch 1989). None
    where examples are independent, and where there is one group only, of which nothing could be drawn.
    """
    if examples.groups is not None and len(numpy.unique(examples.groups[rows])) > 1:
        return examples.groups[rows]
    if examples.times is None:
        return None
    stretch = numpy.empty(len(rows), numpy.int64)
    stretch[numpy.argsort(examples.times[rows], kind="stable")] = (
        numpy.arange(len(rows)) * max(2, round(len(rows) ** 0.5)) // len(rows)
    )
    return stretch


def interval(values: Floats) -> tuple[float, float]:
    """Of the draws in which the metric means something; nothing is known of others."""
    low, high = numpy.nanpercentile(values, (_OUTSIDE, 100 - _OUTSIDE))
    return float(low), float(high)


def _scores(metric: Metric, truth: Numbers, predicted: Numbers, counts: Floats) -> Floats:
    """The metric where each example counts as often as `counts` (draws, n) says.

    What a draw makes meaningless (a class without an example, targets without variance) does not take part in it.
    """
    if metric is Metric.ACCURACY:
        right: Floats = counts @ (truth == predicted) / counts.sum(axis=1)
        return right
    if metric is Metric.BALANCED_ACCURACY:
        classes = numpy.unique(truth)
        of_class = (truth[:, None] == classes).astype(numpy.float64)
        found = counts @ (of_class * (truth == predicted)[:, None])
        there = counts @ of_class
        shares = numpy.divide(found, there, out=numpy.full_like(found, numpy.nan), where=there > 0)
        balanced: Floats = numpy.nanmean(shares, axis=1)
        return balanced
    truth, predicted = (values.reshape(len(values), -1).astype(numpy.float64) for values in (truth, predicted))
    total = counts.sum(axis=1, keepdims=True)
    squared = counts @ (truth - predicted) ** 2 / total
    if metric is Metric.RMSE:
        root: Floats = numpy.sqrt(squared).mean(axis=1)
        return root
    truth = truth - truth.mean(axis=0)  # squares of large numbers would swallow what they differ by
    variance = counts @ truth**2 / total - (counts @ truth / total) ** 2
    meant = variance > 1e-12 * truth.var(axis=0)
    explained = numpy.full_like(squared, numpy.nan)
    explained[meant] = 1 - squared[meant] / variance[meant]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a draw in which no target varies
        of_draw: Floats = numpy.nanmean(explained, axis=1)
    return of_draw
