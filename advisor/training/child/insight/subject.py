"""The winner under examination: its first refit, and what that said of the examples that were held out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy
from scipy import stats

from advisor.datasets.dataset import Examples
from advisor.datasets.preparing.kept import parts_of, prepared_by
from advisor.datasets.preparing.raw_columns import column_names
from advisor.datasets.preparing.splits import Split
from advisor.training.child.fitted import Fitted, Numbers
from advisor.training.child.fitting import Fitting
from advisor.training.child.metrics import ACCURACY, R2, Metric, score
from advisor.training.child.predicting import predictions
from advisor.training.child.scoring import Floats, units_of
from advisor.training.ladder import outcome
from advisor.training.ladder.candidates import Candidate
from advisor.wording import shorten

DRAWS = 300
"""Of held-out examples, for intervals that need no far ends."""
LONGEST_NAME = 60


class TooLongError(Exception):
    """A piece takes longer than there is time for."""


@dataclass(frozen=True)
class Subject:
    """One finalist, and the means to ask it more."""

    candidate: Candidate
    fitted: Fitted
    """Of its first refit, with the predictions of the held-out examples."""
    scores: Sequence[float]
    """Of all refits on the same examples, by the metric of the trials."""
    seconds: float
    """Of one refit."""
    fitting: Fitting
    split: Split
    metric: Metric
    told: outcome.Metric
    seed: int
    threads: int

    @property
    def examples(self) -> Examples:
        return self.fitting.examples

    @cached_property
    def truth(self) -> Numbers:
        """Of the held-out examples: class numbers (n,), or values (n, outputs)."""
        return self.examples.targets[self.split.test]

    @cached_property
    def unit_of(self) -> Numbers:
        """The number of the unit of each held-out example, from 0; its own where examples are independent. (n,)"""
        units = self.units
        return numpy.unique(numpy.arange(len(self.truth)) if units is None else units, return_inverse=True)[1]

    @cached_property
    def units(self) -> Numbers | None:
        return units_of(self.examples, self.split.test)

    @cached_property
    def errors(self) -> Floats:
        """Of each held-out example: 1 where its class is told wrong, or the mean absolute error of its values. (n,)"""
        if self.truth.ndim == 1:
            wrong: Floats = (self.fitted.predicted != self.truth).astype(numpy.float64)
            return wrong
        off: Floats = numpy.abs(self.fitted.predicted - self.truth).mean(axis=1)
        return off

    @cached_property
    def of_draws(self) -> Metric:
        """The metric of the trials, or of those that cannot be computed for many draws at once the usual one."""
        return self.metric if self.metric.drawn is not None else ACCURACY if self.truth.ndim == 1 else R2

    @property
    def sign(self) -> int:
        return 1 if self.of_draws.greater_is_better else -1

    @property
    def columns(self) -> tuple[str, ...]:
        """Of a table that the model can be asked about with columns changed."""
        return column_names(self.examples) if self.fitted.learned is not None else ()

    def named(self, number: int) -> str:
        return shorten(self.examples.classes[number], LONGEST_NAME)

    def asked(self, examples: Examples) -> Fitted:
        """The predictions of the winner for other examples, which have the same columns."""
        learned = self.fitted.learned
        assert learned is not None  # noqa: S101 - `columns` says so
        prepared = prepared_by(parts_of(learned.prepared), examples)
        rows = numpy.arange(len(examples))
        return predictions(replace(learned, prepared=prepared), self.candidate.model, rows, self.threads)

    def some(self, most: int) -> Numbers:
        """Places among the held-out examples of so many of them at most, drawn at random; ascending."""
        every = numpy.arange(len(self.truth))
        draw = numpy.random.default_rng(self.seed)
        return every if len(every) <= most else numpy.sort(draw.choice(every, most, replace=False))

    def draws(self, places: Numbers) -> Floats:
        """The times that each of these held-out examples is drawn, whole units at once; (DRAWS, n)."""
        unit_of = numpy.unique(self.unit_of[places], return_inverse=True)[1]
        many = int(unit_of.max()) + 1
        counts = numpy.random.default_rng(self.seed).multinomial(many, numpy.full(many, 1 / many), size=DRAWS)
        drawn: Floats = counts[:, unit_of].astype(numpy.float64)
        return drawn


def scores_of(metric: Metric, truth: Numbers, said: Numbers, counts: Floats) -> Floats:
    """The score of predictions, and then those of draws in which the examples count as often as `counts` (draws, n) says.

    Raises MeaninglessError as `score` does.
    """
    assert metric.drawn is not None  # noqa: S101 - asked with `Subject.of_draws`
    return numpy.concatenate([[score(metric, truth, said)], metric.drawn(*metric.read(truth, said), counts)])


def reach(units: int, looks: int = 1) -> float:
    """Standard errors on either side of a 95 % interval, of so many independent units.

    Args:
        looks: intervals that hold all together (Bonferroni).
    """
    return float(stats.t.ppf(1 - 0.025 / looks, max(1, units - 1)))


def mean_of(values: Floats, unit_of: Numbers) -> tuple[float, float]:
    """The mean of values of examples (n,), and its standard error where those of one unit depend on each other."""
    mean = float(values.mean())
    sums = numpy.bincount(numpy.unique(unit_of, return_inverse=True)[1], values - mean)
    many = len(sums)
    return mean, float(numpy.sqrt((sums**2).sum() * many / max(1, many - 1))) / len(values)
