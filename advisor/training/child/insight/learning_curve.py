"""Would more data help? The winner learns from a quarter and from half of its examples as well."""

from __future__ import annotations

import time

import numpy

from advisor.datasets.dataset import Examples
from advisor.datasets.preparing.splits import inner_folds
from advisor.training.child.fitted import Allowance, Fitted, Numbers
from advisor.training.child.insight.subject import Subject, reach
from advisor.training.child.metrics import score
from advisor.training.child.scoring import Floats
from advisor.training.ladder.insight import CurvePoint, LearningCurve, MoreData

FITS = 3
"""Trainings on a quarter and on half, each on other examples."""
ENOUGH = 2
"""Times what matters, below which the gain of doubling the examples is none that matters."""
SLACK = 1.5
"""Times what a training should take."""
MOST_ROWS = 5000
"""Held-out examples."""


class TooLongError(Exception):
    """There is no time for another training."""


def learning_curve(subject: Subject, until: float) -> LearningCurve:
    """The score on the same held-out examples after learning from a quarter, half and all of the others.

    The verdict rests on the last doubling: its gain, with an interval over the held-out examples and over trainings.

    Raises TooLongError, FittingError where it cannot be fitted to so few, and MeaninglessError as `score` does.
    """
    places, every = subject.some(MOST_ROWS), subject.split.training
    truth, counts, metric = subject.truth[places], subject.draws(places), subject.of_draws

    def scored(fitted: Fitted) -> Floats:
        """The score, and those of the draws."""
        assert metric.drawn is not None  # noqa: S101 - `of_draws` says so
        said = fitted.read_by(metric.reads)[places]
        of_draws = metric.drawn(*metric.read(truth, said), counts)
        return numpy.concatenate([[score(metric, truth, said)], of_draws])

    found: dict[int, list[Floats]] = {len(every): [scored(subject.fitted)]}
    halves: list[Floats] = []
    for number in range(FITS):
        half = half_of(subject.examples, every, subject.seed + number)
        for rows in (half, half_of(subject.examples, half, subject.seed + number)):
            seconds = SLACK * subject.seconds * len(rows) / len(every)
            if time.monotonic() + seconds > until:
                break
            fitted = subject.fitting.fit(
                subject.candidate,
                rows,
                subject.split.test,
                subject.seed * 1000 + 500 + number,
                Allowance(subject.seconds, until),
            )
            if not fitted.short:
                found.setdefault(len(rows), []).append(scored(fitted))
                halves += [found[len(rows)][-1]] if rows is half else []
    if not halves:
        raise TooLongError
    gain = subject.sign * (found[len(every)][0] - numpy.mean(halves, axis=0))
    trainings = float(numpy.std([one[0] for one in halves], ddof=1)) if len(halves) > 1 else 0.0
    noise = float(numpy.hypot(numpy.nanstd(gain[1:]), trainings * (1 + 1 / len(halves)) ** 0.5))
    wide = reach(len(numpy.unique(subject.unit_of[places]))) * noise
    low, high, matters = gain[0] - wide, gain[0] + wide, subject.told.matters
    points = tuple(_point(size, scores) for size, scores in sorted(found.items()))
    return LearningCurve(points, float(gain[0]), float(low), float(high), _verdict(gain[0], low, high, matters))


def half_of(examples: Examples, rows: Numbers, seed: int) -> Numbers:
    """Half of these rows, as splits are made: the latest by time, whole groups, or with the same shares of classes."""
    if examples.times is not None:
        return numpy.sort(rows[numpy.argsort(examples.times[rows], kind="stable")[len(rows) // 2 :]])
    half: Numbers = inner_folds(examples, rows, 2, seed)[0].training
    return half


def _verdict(gain: float, low: float, high: float, matters: float) -> MoreData:
    if low > 0 and gain >= matters:
        return MoreData.HELPS
    return MoreData.HARDLY if high < ENOUGH * matters else MoreData.UNCLEAR


def _point(size: int, scores: list[Floats]) -> CurvePoint:
    mean = numpy.mean(scores, axis=0)
    low, high = numpy.nanpercentile(mean[1:], (2.5, 97.5))
    return CurvePoint(size, float(mean[0]), float(low), float(high), len(scores))
