"""The columns that the winner rests on: how much worse it scores with a column shuffled, and what it says as a column changes.

scikit-learn's `permutation_importance` shuffles what a model is given. Here raw columns are shuffled before they are
prepared, so that a column of categories counts once; and each is told with an interval.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import product

import numpy

from advisor.datasets.dataset import Examples
from advisor.datasets.preparing.raw_columns import parts_of_column, some_of, with_column_of
from advisor.training.child.fitted import Fitted
from advisor.training.child.insight.subject import LONGEST_NAME, Subject, TooLongError, reach, scores_of
from advisor.training.child.metrics import Metric, Reads
from advisor.training.child.scoring import Floats, Numbers
from advisor.training.ladder.insight import ColumnImportance, Dependence, DependencePoint, Importance
from advisor.wording import shorten

MOST_ROWS = 2000
"""Examples that are shuffled; their number shows in the intervals."""
SHUFFLES = 5
MOST_AT_ONCE, MOST_CELLS = 20_000, 5_000_000
"""Examples about which the model is asked at a time, and their values in all columns."""
GROWTH = 4
"""Times as many columns are shuffled for the next question, as long as there is time."""
MOST_COLUMNS, STEPS, MOST_CATEGORIES, ROWS_FOR_MEANS = 3, 10, 8, 300
"""Columns whose dependence is told, its steps, and the examples whose predictions are averaged."""


def _by_class(truth: Numbers, probabilities: Numbers, counts: Floats) -> Floats:
    """The mean over the classes of the mean probability that each example's own class was given; (draws,)."""
    likely = probabilities[numpy.arange(len(truth)), truth]
    of_class = (truth[:, None] == numpy.unique(truth)).astype(numpy.float64)
    there = counts @ of_class
    means = numpy.divide(
        counts @ (of_class * likely[:, None]), there, out=numpy.full_like(there, numpy.nan), where=there > 0
    )
    found: Floats = numpy.nanmean(means, axis=1)
    return found


TRUE_PROBABILITY = Metric(
    "true_probability", "the probability of the true class", Reads.PROBABILITIES,
    lambda truth, likely: float(_by_class(truth, likely, numpy.ones((1, len(truth))))[0]), _by_class,
)  # fmt: skip
"""A small change of what is said shows in it, while a count of classes told right does not see most; a rare class counts as
much as any other."""


def metric_of_losses(subject: Subject) -> Metric:
    """The score that gets worse: that of the trials, or of probabilities `TRUE_PROBABILITY`."""
    return TRUE_PROBABILITY if subject.fitted.probabilities is not None else subject.of_draws


def importance(subject: Subject, until: float) -> Importance:
    """The permutation importance of each column (Breiman 2001, Random forests, section 10), up to five shuffles.

    The loss is the score without shuffling less the mean of those with it. Its interval comes from drawing examples with
    replacement, the same for both.

    Args:
        until: a time of time.monotonic; some columns may not be reached by then.
    """
    places = subject.some(MOST_ROWS)
    examples, truth = some_of(subject.examples, subject.split.test[places]), subject.truth[places]
    counts, many = subject.draws(places), len(places)
    metric = metric_of_losses(subject)
    sign = 1 if metric.greater_is_better else -1

    def scored(said: Numbers) -> Floats:
        return scores_of(metric, truth, said, counts)

    whole = scored(as_before(subject, examples, places).read_by(metric.reads))
    most = max(1, min(MOST_AT_ONCE, MOST_CELLS // len(subject.columns)) // many)
    losses: dict[str, list[Floats]] = {}
    draw, left, size = numpy.random.default_rng(subject.seed), list(product(range(SHUFFLES), subject.columns)), 1
    while left:
        begun = time.monotonic()
        turn, left = [column for _, column in left[:size]], left[size:]
        said = subject.asked(_shuffled(examples, turn, draw)).read_by(metric.reads)
        for place, column in enumerate(turn):
            mine = scored(said[place * many : (place + 1) * many])
            losses.setdefault(column, []).append(sign * (whole - mine))
        now, took, more = time.monotonic(), time.monotonic() - begun, min(GROWTH * size, most)
        size = more if now + more / size * took <= until else size  # twice as much takes at most twice as long
        if now + took > until:
            break
    far = reach(len(numpy.unique(subject.unit_of[places])), len(subject.columns))
    found = []
    for column, shuffles in losses.items():
        mean = numpy.mean(shuffles, axis=0)
        wide, loss = far * float(numpy.nanstd(mean[1:])), float(mean[0])
        found.append(ColumnImportance(shorten(column, LONGEST_NAME), loss, loss - wide, loss + wide))
    return Importance(
        metric.title,
        tuple(sorted(found, key=lambda one: -one.loss)),
        many,
        min(map(len, losses.values())),
        len(subject.columns) - len(losses),
    )


def as_before(subject: Subject, examples: Examples, places: Numbers) -> Fitted:
    """The predictions as they are. Raises ValueError where they are not those of the finals, with which it was scored."""
    asked, before = subject.asked(examples), subject.fitted
    if asked.probabilities is not None and before.probabilities is not None:
        same = numpy.allclose(asked.probabilities, before.probabilities[places], atol=1e-3)
    else:
        same = numpy.allclose(asked.predicted, before.predicted[places], rtol=1e-3, atol=1e-3 * subject.truth.std())
    if not same:
        raise ValueError("asked once more, the model says something else than before")
    return asked


def _shuffled(examples: Examples, columns: Sequence[str], draw: numpy.random.Generator) -> Examples:
    """All examples once for each of these columns, one after the other, each time with that one shuffled.

    A model that is asked once answers faster than one that is asked many times.
    """
    many = len(examples)
    as_they_are = numpy.tile(numpy.arange(many), len(columns))
    orders = {column: as_they_are.copy() for column in columns}
    for place, column in enumerate(columns):
        draw.shuffle(orders[column][place * many : (place + 1) * many])
    changed = some_of(examples, as_they_are)
    for column, order in orders.items():
        changed = with_column_of(changed, column, order)
    return changed


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


def _looked_at(subject: Subject, means: Floats) -> int:
    """The output that is told, of the mean of each at every step (steps, outputs)."""
    if subject.fitted.probabilities is not None and means.shape[1] == 2:
        return 1 if subject.metric.positive is None else subject.metric.positive
    return int(numpy.ptp(means, axis=0).argmax())
