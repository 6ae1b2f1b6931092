"""The winner's probabilities beside what came true. What chance alone would show is told beside what was found."""

from __future__ import annotations

from collections.abc import Iterator

import numpy

from advisor.training.child.insight.subject import Subject
from advisor.training.child.scoring import Floats, Numbers
from advisor.training.ladder.insight import Calibration, Fit, Reliability
from advisor.training.ladder.intervals import wilson

MOST_BINS, FEWEST_OF_A_BIN = 10, 20
CHANCES = 1000
"""Draws of what would come true if all probabilities were right."""


def calibration(subject: Subject) -> Calibration:
    """Of two classes the probability of the one that is looked for, of more that of the class which was named.

    Bins have about as many examples each. Chance is judged by draws of outcomes from the probabilities themselves (Broecker
    and Smith 2007, Increasing the reliability of reliability diagrams); where examples depend on each other, also by
    turning the signs of what whole units are off.
    """
    likely = subject.fitted.probabilities
    assert likely is not None  # noqa: S101 - asked of models with probabilities only
    likely = likely / likely.sum(axis=1, keepdims=True)
    if likely.shape[1] == 2:
        looked_for = 1 if subject.metric.positive is None else subject.metric.positive
        said, true, of = likely[:, looked_for], subject.truth == looked_for, subject.named(looked_for)
    else:
        said, true, of = likely.max(axis=1), subject.truth == likely.argmax(axis=1), ""
    true = true.astype(numpy.float64)
    bin_of = bins_of(said)
    error = float(_errors((true - said)[None], bin_of)[0])
    by_chance = [_errors(off, bin_of) for off in _chances(said, true, subject)]
    at_most = max(float(numpy.percentile(one, 95)) for one in by_chance)
    return Calibration(
        of,
        error,
        max(float(one.mean()) for one in by_chance),
        at_most,
        Fit.FITS if error <= at_most else _how_off(likely, subject.truth),
        tuple(_bin(said[bin_of == one], true[bin_of == one]) for one in numpy.unique(bin_of)),
    )


def bins_of(said: Floats) -> Numbers:
    """The number of the bin of each probability (n,): at most ten, as large as each other, equal ones in the same."""
    many = max(1, min(MOST_BINS, len(said) // FEWEST_OF_A_BIN))
    edges = numpy.unique(numpy.quantile(said, numpy.arange(1, many) / many))
    return numpy.searchsorted(edges, said, side="left")


def _errors(off: Floats, bin_of: Numbers) -> Floats:
    """The expected calibration error of each row of what came true less what was said (draws, n)."""
    sums = off @ (bin_of[:, None] == numpy.unique(bin_of)).astype(numpy.float64)
    errors: Floats = numpy.abs(sums).sum(axis=1) / off.shape[1]
    return errors


def _chances(said: Floats, true: Floats, subject: Subject) -> Iterator[Floats]:
    """Draws of what would come true less what was said, made in one way or two (draws, n)."""
    draw = numpy.random.default_rng(subject.seed)
    yield (draw.random((CHANCES, len(said))) < said) - said
    if subject.units is not None:
        signs = draw.choice([-1.0, 1.0], size=(CHANCES, int(subject.unit_of.max()) + 1))
        yield signs[:, subject.unit_of] * (true - said)


def _how_off(likely: Floats, truth: Numbers) -> Fit:
    """Too sure where the classes that are named come true less often than is said, beyond noise."""
    named, right = likely.max(axis=1), likely.argmax(axis=1) == truth
    off, noise = float((named - right).mean()), 1.96 * float(numpy.sqrt((named * (1 - named)).sum())) / len(named)
    return Fit.TOO_SURE if off > noise else Fit.TOO_UNSURE if off < -noise else Fit.OFF


def _bin(said: Floats, true: Floats) -> Reliability:
    share = float(true.mean())
    return Reliability(float(said.mean()), share, *wilson(share, len(true)), len(true))
