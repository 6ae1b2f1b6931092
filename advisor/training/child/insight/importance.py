"""What the winner rests on: how much worse it scores with a column shuffled, and what it says as a column changes.

scikit-learn's `permutation_importance` shuffles what a model is given. Here raw columns are shuffled before they are
prepared, so that a column of categories counts once; and each is told with an interval.
"""

from __future__ import annotations

import time
from itertools import product

import numpy

from advisor.datasets.dataset import Examples
from advisor.datasets.preparing.raw_columns import parts_of_column, some_of, with_column_of
from advisor.training.child.insight.subject import LONGEST_NAME, Subject, TooLongError, reach, scores_of
from advisor.training.child.metrics import Metric, Reads
from advisor.training.child.scoring import Floats, Numbers
from advisor.training.ladder.insight import ColumnImportance, Dependence, DependencePoint, Importance
from advisor.wording import shorten

MOST_ROWS = 2000
"""Examples that are shuffled; their number shows in the intervals."""
SHUFFLES = 5
MOST_COLUMNS, STEPS, MOST_CATEGORIES, ROWS_FOR_MEANS = 3, 10, 8, 300
"""Columns whose dependence is told, its steps, and the examples whose predictions are averaged."""


def _of_truth(truth: Numbers, probabilities: Numbers) -> Floats:
    return probabilities[numpy.arange(len(truth)), truth].astype(numpy.float64)


TRUE_PROBABILITY = Metric(
    "true_probability", "probability of the true class", Reads.PROBABILITIES,
    lambda truth, likely: float(_of_truth(truth, likely).mean()),
    lambda truth, likely, counts: counts @ _of_truth(truth, likely) / counts.sum(axis=1),
)  # fmt: skip
"""The mean probability that is given to what is true."""


def importance(subject: Subject, until: float) -> Importance:
    """The permutation importance of each column (Breiman 2001, Random forests, section 10), up to five shuffles.

    What a column adds is the score without shuffling less the mean of those with it. Its interval comes from drawing
    examples with replacement, the same for both.

    Args:
        until: a time of time.monotonic; some columns may not be reached by then.
    """
    places = subject.some(MOST_ROWS)
    examples, truth = some_of(subject.examples, subject.split.test[places]), subject.truth[places]
    counts, draw = subject.draws(places), numpy.random.default_rng(subject.seed)
    metric = _sure(subject)

    def scored(asked: Examples) -> Floats:
        return scores_of(metric, truth, subject.asked(asked).read_by(metric.reads), counts)

    sign = 1 if metric.greater_is_better else -1
    whole = scored(examples)
    losses: dict[str, list[Floats]] = {}
    for _, column in product(range(SHUFFLES), subject.columns):
        begun = time.monotonic()
        shuffled = with_column_of(examples, column, draw.permutation(len(examples)))
        losses.setdefault(column, []).append(sign * (whole - scored(shuffled)))
        if 2 * time.monotonic() - begun > until:
            break
    far = reach(len(numpy.unique(subject.unit_of[places])), len(subject.columns))
    found = []
    for column, shuffles in losses.items():
        mean = numpy.mean(shuffles, axis=0)
        wide = far * float(numpy.nanstd(mean[1:]))
        found.append(ColumnImportance(shorten(column, LONGEST_NAME), float(mean[0]), mean[0] - wide, mean[0] + wide))
    return Importance(
        metric.title,
        tuple(sorted(found, key=lambda one: -one.loss)),
        len(places),
        min(map(len, losses.values())),
        len(subject.columns) - len(losses),
    )


def dependence(subject: Subject, found: Importance, until: float) -> tuple[Dependence, ...]:
    """The partial dependence of the most important columns, as far as there is time until then.

    Of several classes that one is looked at whose probability changes most. Raises TooLongError where there is time for none.
    """
    places = subject.some(ROWS_FOR_MEANS)
    examples = some_of(subject.examples, subject.split.test[places])
    by_name = {shorten(column, LONGEST_NAME): column for column in subject.columns}
    told: list[Dependence] = []
    for one in found.shown[:MOST_COLUMNS]:
        column = by_name[one.column]
        parts = parts_of_column(examples, column, STEPS, MOST_CATEGORIES)
        means = []
        for part in parts:
            begun = time.monotonic()
            changed = subject.asked(with_column_of(examples, column, numpy.full(len(examples), part.typical)))
            means.append((changed.predicted if changed.probabilities is None else changed.probabilities).mean(axis=0))
            if 2 * time.monotonic() - begun > until:
                if not told:
                    raise TooLongError
                return tuple(told)
        if len(parts) > 1:
            table = numpy.stack(means)
            of = _looked_at(subject, table)
            points = [
                DependencePoint(part.said, part.at, float(mean)) for part, mean in zip(parts, table[:, of], strict=True)
            ]
            classes = subject.fitted.probabilities is not None
            told.append(Dependence(one.column, subject.named(of) if classes else "", tuple(points)))
    return tuple(told)


def _sure(subject: Subject) -> Metric:
    """The metric of the trials; where it only counts classes told right, the probability of the true one shows more."""
    metric = subject.of_draws
    return TRUE_PROBABILITY if metric.reads is Reads.CLASSES and subject.fitted.probabilities is not None else metric


def _looked_at(subject: Subject, means: Floats) -> int:
    """The output that is told, of the mean of each at every step (steps, outputs)."""
    if subject.fitted.probabilities is not None and means.shape[1] == 2:
        return 1 if subject.metric.positive is None else subject.metric.positive
    return int(numpy.ptp(means, axis=0).argmax())
