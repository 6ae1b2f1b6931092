"""Scores of finalists on held-out examples, with the interval that other examples and other seeds could have given."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy
from numpy.typing import NDArray

from advisor.datasets.dataset import Examples
from advisor.training.child.metrics import R2, MeaninglessError, Metric, Reads, saying_nothing, score
from advisor.training.ladder import outcome
from advisor.training.ladder.intervals import finest_gain, mean_gain, mean_share, reach_of_next, t_interval

Numbers: TypeAlias = NDArray[Any]
Floats: TypeAlias = NDArray[numpy.float64]

RESAMPLES, FEWER_RESAMPLES = 1000, 200
"""Draws of examples; fewer where a metric has to be computed for each by itself."""
_AT_ONCE = 4_000_000
"""Counts that are held in memory at a time."""
FEWEST_TIMES = 3
"""Scores of different times from which one sees how much they differ."""
_OUTSIDE = 2.5
"""Per cent at either end of a 95 % interval."""
_IN_UNITS = ("rmse", "mae", "median_absolute_error", "max_error")
"""Metrics in the units of the target."""
MATTERS = 0.01
"""Differences within this much of a share, or of the deviation of the target, are none that matter."""


def described(metric: Metric, task: str, targets: Numbers, learned: Numbers) -> outcome.Metric:
    """The metric as it is told to people, with the difference from which on it matters for these targets.

    Args:
        learned: targets of the examples that the folds are made of.
    """
    in_units = metric.name in _IN_UNITS
    unit = (float(targets.std()) or 1.0) if in_units else 1.0
    if metric.reads is Reads.VALUES and not in_units and metric.name != "r2":  # of a size that depends on the targets
        unit = abs(score(metric, targets, saying_nothing(targets, classes=False))) or 1.0
    parts = _parts(metric, learned)
    resolves = finest_gain([len(part) for part in parts]) if parts else 0.0
    return outcome.Metric(metric.name, metric.title, MATTERS * unit, metric.greater_is_better, resolves, task, in_units)


def _parts(metric: Metric, truth: Numbers) -> list[Numbers]:
    """Places of the examples whose share told right is a part of the score; none where the score is no mean of shares."""
    if metric.name == "accuracy":
        return [numpy.arange(len(truth))]
    if metric.name == "balanced_accuracy":
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
            truth: class numbers (n,) or values (n, outputs).
            units: a number for each example (n,): those of one unit depend on each other, and are drawn together.
        """
        self._metric = metric
        self._truth = truth
        self._seed = seed
        self._many = RESAMPLES if metric.drawn is not None else FEWER_RESAMPLES
        self._unit_of = numpy.unique(numpy.arange(len(truth)) if units is None else units, return_inverse=True)[1]
        self._parts = _parts(metric, truth)
        self._counts = [len(numpy.unique(self._unit_of[part])) for part in self._parts]
        """Units of each part, since examples of one unit are not independent."""
        by_class = metric.name == "balanced_accuracy" and units is None
        self._drawn_from = self._parts if by_class else [numpy.arange(self._unit_of.max() + 1)]
        """Units, of each part of which as many are drawn as it has."""

    def scores(self, predicted: Numbers) -> Floats:
        """The score of each draw of examples; (draws,).

        Args:
            predicted: what a model said of every held-out example, as `Metric.read` takes it.

        Raises MeaninglessError where it is a number of no draw.
        """
        truth, read = self._metric.read(self._truth, predicted)
        found = numpy.concatenate([_of_draws(self._metric, truth, read, counts) for counts in self._draws()])
        if not numpy.isfinite(found).any():
            raise MeaninglessError(f"{self._metric.title} is no number of any examples drawn anew.")
        return found

    def means(self, values: Floats) -> Floats:
        """The mean of values of the examples (n,), of each draw; (draws,)."""
        return numpy.concatenate([counts @ values / counts.sum(axis=1) for counts in self._draws()])

    def _draws(self) -> Iterator[Floats]:
        """The times that each example is drawn, some draws at once (draws, n); the same for every finalist."""
        examples, units = len(self._truth), sum(map(len, self._drawn_from))
        draws = numpy.random.default_rng(self._seed)
        size = max(1, _AT_ONCE // examples)
        for start in range(0, self._many, size):
            many = min(size, self._many - start)
            counts = numpy.empty((many, units))
            for part in self._drawn_from:
                counts[:, part] = draws.multinomial(len(part), numpy.full(len(part), 1 / len(part)), size=many)
            yield counts[:, self._unit_of]

    def over_seeds(self, drawn: Sequence[Floats]) -> Floats:
        """The mean over seeds drawn with replacement, of each draw of examples; (draws,).

        Args:
            drawn: `scores` of each seed's model.
        """
        by_seed = numpy.stack(drawn)
        chosen = numpy.random.default_rng(self._seed).integers(len(drawn), size=(self._many, len(drawn)))
        means: Floats = by_seed[chosen, numpy.arange(self._many)[:, None]].mean(axis=1)
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


def of_new_examples(
    metric: Metric, mean: float, found: tuple[float, float], folds: Sequence[float], *, by_time: bool = False
) -> tuple[float, float]:
    """The 95 % prediction interval of the score of as many new examples; no better than everything right.

    They are drawn by chance as well, which makes it wider than that of the true score by the root of 2. The model that is
    kept learns from the held-out examples, too: as much as the last step from folds to finals has gained may be gained
    once more. Folds that were better, though models learned less there, say how unlucky the held-out examples may be, so
    the interval reaches as much further too. Of later times more is unknown: as far as one more score among those of folds
    and of the held-out examples may lie.

    Args:
        found: the 95 % interval of the true score.
        folds: scores on folds, which learn from about as much less than the finals as these than all examples are.
        by_time: examples are in the order of time, so folds are earlier times.
    """
    low, high = (mean + (end - mean) * math.sqrt(2) for end in found)
    times = [*folds, mean]
    if by_time and len(times) >= FEWEST_TIMES:
        if not metric.greater_is_better and min(times) > 0:  # errors differ by a factor
            factor = math.exp(reach_of_next([math.log(one) for one in times]))
            low, high = min(low, mean / factor), max(high, mean * factor)
        else:
            reach = reach_of_next(times)
            low, high = min(low, mean - reach), max(high, mean + reach)
    elif folds and not by_time and metric.name != R2.name:  # of folds it is of another variance
        apart = abs(mean - statistics.fmean(folds))
        low, high = (low, high + apart) if metric.greater_is_better else (low - apart, high)
    if not metric.greater_is_better:
        return max(low, min(found[0], 0.0)), high
    least = -math.inf if metric.reads is Reads.VALUES else min(found[0], 0.0)
    return max(low, least), min(high, max(found[1], 1.0))


def over_times(mean: float, found: tuple[float, float], gains: Sequence[float]) -> tuple[float, float]:
    """The interval of a difference in the order of time, wide enough to hold that of its mean over earlier times too.

    The held-out examples are one time. A season in which one model is better is not shown to be how it goes on.

    Args:
        mean: on the held-out examples.
        found: the 95 % interval there.
        gains: the difference on folds, which are earlier times.
    """
    times = [*gains, mean]
    if len(times) < FEWEST_TIMES:
        return found
    over = t_interval(times)
    return min(found[0], over.low), max(found[1], over.high)


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


def interval(values: Floats, looks: int = 1) -> tuple[float, float]:
    """Of the draws in which the metric means something; nothing is known of others.

    Args:
        looks: intervals of which one is chosen afterwards: all hold together with 95 % (Bonferroni).
    """
    low, high = numpy.nanpercentile(values, (_OUTSIDE / looks, 100 - _OUTSIDE / looks))
    return float(low), float(high)


def _of_draws(metric: Metric, truth: Numbers, read: Numbers, counts: Floats) -> Floats:
    """The score of each draw (draws,), NaN where one makes the metric meaningless."""
    if metric.drawn is not None:
        return metric.drawn(truth, read, counts)
    rows = (numpy.repeat(numpy.arange(len(truth)), many) for many in counts.astype(int))
    return numpy.array([_or_nothing(metric, truth[drawn], read[drawn]) for drawn in rows])


def _or_nothing(metric: Metric, truth: Numbers, read: Numbers) -> float:
    """NaN where a draw makes the metric meaningless."""
    try:
        return metric.of(truth, read)
    except ValueError:
        return float("nan")
