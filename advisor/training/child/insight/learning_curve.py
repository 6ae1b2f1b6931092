"""The answer to whether more data would help: the winner learns from a quarter and from half of its examples as well."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy

from advisor.datasets.dataset import Examples
from advisor.datasets.preparing.splits import inner_folds
from advisor.training.child.fitted import Allowance, Fitted, Numbers
from advisor.training.child.insight.subject import Subject, TooLongError, reach, scores_of
from advisor.training.child.scoring import Floats, Resampling
from advisor.training.ladder.insight import CurvePoint, LearningCurve, MoreData

FITS = 3
"""Trainings on a quarter and on half, each on other examples."""
ENOUGH = 2
"""Times what matters, below which the gain of doubling the examples is none that matters."""
SLACK = 1.5
"""Times what a training should take."""
MOST_ROWS = 5000
"""Held-out examples."""


@dataclass(frozen=True)
class _Fit:
    """One training."""

    examples: int
    scores: Floats
    """The score, and those of the draws of held-out examples."""
    right: Numbers
    """True where the prediction is the truth; (n,) of classes."""


def learning_curve(subject: Subject, until: float) -> LearningCurve:
    """The score on the same held-out examples after learning from a quarter, half and all of the others.

    The verdict rests on the last doubling: its gain, with an interval over the held-out examples and over trainings.

    Raises TooLongError, FittingError where it cannot be fitted to so few, and MeaninglessError as `score` does.
    """
    places, every = subject.some(MOST_ROWS), subject.split.training
    truth, counts, metric = subject.truth[places], subject.draws(places), subject.of_draws

    def scored(rows: Numbers, fitted: Fitted) -> _Fit:
        said = fitted.read_by(metric.reads)[places]
        return _Fit(len(rows), scores_of(metric, truth, said, counts), truth == fitted.predicted[places])

    fits: dict[int, list[_Fit]] = {1: [scored(every, subject.fitted)], 2: [], 4: []}
    for number in range(FITS if subject.examples.times is None else 1):
        half = half_of(subject.examples, every, subject.seed + number)
        for parts, rows in ((2, half), (4, half_of(subject.examples, half, subject.seed + number))):
            if time.monotonic() + SLACK * subject.seconds * len(rows) / len(every) > until:
                break
            fitted = subject.fitting.fit(
                subject.candidate,
                rows,
                subject.split.test,
                subject.seed * 1000 + 500 + number,
                Allowance(subject.seconds, until),
            )
            if not fitted.short:
                fits[parts].append(scored(rows, fitted))
    if not fits[2]:
        raise TooLongError
    whole, halves = fits[1][0], fits[2]
    gain = subject.sign * (whole.scores - numpy.mean([one.scores for one in halves], axis=0))
    trainings = max(_spread([float(one.scores[0]) for one in halves]), _spread(subject.scores))
    noise = float(numpy.hypot(numpy.nanstd(gain[1:]), trainings * (1 + 1 / len(halves)) ** 0.5))
    wide, mean = reach(len(numpy.unique(subject.unit_of[places]))) * noise, float(gain[0])
    low, high = Resampling(metric, truth, subject.seed, subject.unit_of[places]).of_difference(
        (mean - wide, mean + wide), whole.right, numpy.mean([one.right for one in halves], axis=0)
    )
    points = tuple(_point(fits[parts]) for parts in (4, 2, 1) if fits[parts])
    return LearningCurve(points, mean, low, high, _verdict(mean, low, high, subject.told.matters))


def half_of(examples: Examples, rows: Numbers, seed: int) -> Numbers:
    """Half of these rows, as splits are made: the latest by time, whole groups, or with the same shares of classes."""
    if examples.times is not None:
        return numpy.sort(rows[numpy.argsort(examples.times[rows], kind="stable")[len(rows) // 2 :]])
    half: Numbers = inner_folds(examples, rows, 2, seed)[0].training
    return half


def _spread(scores: Sequence[float]) -> float:
    """The standard deviation of scores of several trainings; 0 of one, of which nothing is known."""
    return float(numpy.std(scores, ddof=1)) if len(scores) > 1 else 0.0


def _verdict(gain: float, low: float, high: float, matters: float) -> MoreData:
    if low > 0 and gain >= matters:
        return MoreData.HELPS
    return MoreData.HARDLY if high < ENOUGH * matters else MoreData.UNCLEAR


def _point(fits: Sequence[_Fit]) -> CurvePoint:
    mean = numpy.mean([one.scores for one in fits], axis=0)
    low, high = numpy.nanpercentile(mean[1:], (2.5, 97.5))
    examples = round(numpy.mean([one.examples for one in fits]))
    return CurvePoint(examples, float(mean[0]), float(low), float(high), len(fits))
