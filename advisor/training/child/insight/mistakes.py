"""The winner's mistakes: which classes it takes for which, or how far its numbers are off."""

from __future__ import annotations

import numpy
from scipy.stats import spearmanr
from sklearn.metrics import confusion_matrix

from advisor.training.child.insight.subject import Subject, mean_of, reach
from advisor.training.ladder.insight import Confused, Confusion, LargeError, Residuals, SizeBin

MOST_PAIRS, MOST_LARGE, SIZE_BINS = 10, 5, 5
LARGEST_MATRIX = 30
"""Classes of which all pairs are told."""
QUANTILES = (5, 25, 50, 75, 95)
CLEARLY = 0.2
"""Rank correlation from which on errors grow with the size of what is predicted, if it is more than noise."""
FEWEST = 30
"""Examples below which nothing is said of that."""


def confusion(subject: Subject) -> Confusion:
    classes = len(subject.examples.classes)
    matrix = confusion_matrix(subject.truth, subject.fitted.predicted, labels=numpy.arange(classes))
    wrong = matrix.copy()
    numpy.fill_diagonal(wrong, 0)
    largest = numpy.argsort(-wrong, axis=None, kind="stable")[:MOST_PAIRS]
    pairs = [
        Confused(subject.named(truth), subject.named(said), int(wrong[truth, said]), int(matrix[truth].sum()))
        for truth, said in zip(*(place.tolist() for place in numpy.unravel_index(largest, wrong.shape)), strict=True)
        if wrong[truth, said]
    ]
    shown = classes <= LARGEST_MATRIX
    return Confusion(
        int(wrong.sum()),
        len(subject.truth),
        tuple(pairs),
        tuple(map(subject.named, range(classes))) if shown else (),
        tuple(tuple(row) for row in matrix.tolist()) if shown else (),
    )


def residuals(subject: Subject) -> Residuals:
    """Of all outputs together, where there are several."""
    predicted, outputs = subject.fitted.predicted, subject.truth.shape[1]
    off, said = (subject.truth - predicted).ravel(), predicted.ravel()
    unit_of = numpy.repeat(subject.unit_of, outputs)
    size, far = numpy.abs(said), numpy.abs(off)
    found, low, high = _correlation(size, far, len(numpy.unique(unit_of)))
    largest = numpy.argsort(-far, kind="stable")[:MOST_LARGE]
    mean = subject.examples.targets[subject.split.training].mean(axis=0)
    return Residuals(
        {f"p{one:02}": float(numpy.percentile(off, one)) for one in QUANTILES},
        tuple(
            LargeError(
                int(subject.split.test[place // outputs]) + 1,
                float(subject.truth.ravel()[place]),
                float(said[place]),
            )
            for place in largest.tolist()
        ),
        _by_size(size, far, unit_of),
        found,
        low,
        high,
        len(subject.truth),
        grows=len(subject.truth) >= FEWEST and found >= CLEARLY and low > 0,
        average=float(far.mean()),
        of_the_mean=float(numpy.abs(subject.truth - mean).mean()),
    )


def _correlation(size: numpy.ndarray, far: numpy.ndarray, units: int) -> tuple[float, float, float]:
    """Spearman's rank correlation with its interval by Fisher's z, whose variance is 1.06 / (n - 3) (Fieller et al. 1957)."""
    if units <= 4 or not (numpy.ptp(size) > 0 and numpy.ptp(far) > 0):
        return 0.0, -1.0, 1.0
    found = float(spearmanr(size, far).statistic)
    turned, wide = numpy.arctanh(numpy.clip(found, -0.999999, 0.999999)), 1.96 * (1.06 / (units - 3)) ** 0.5
    return found, float(numpy.tanh(turned - wide)), float(numpy.tanh(turned + wide))


def _by_size(size: numpy.ndarray, far: numpy.ndarray, unit_of: numpy.ndarray) -> tuple[SizeBin, ...]:
    order = numpy.argsort(size, kind="stable")
    found = []
    for places in numpy.array_split(order, min(SIZE_BINS, len(order) // 5)) if len(order) >= 2 * SIZE_BINS else ():
        mean, error = mean_of(far[places], unit_of[places])
        wide = reach(len(numpy.unique(unit_of[places]))) * error
        found.append(SizeBin(float(numpy.median(size[places])), mean, max(0.0, mean - wide), mean + wide, len(places)))
    return tuple(found)
