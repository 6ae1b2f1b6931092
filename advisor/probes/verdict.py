"""The verdict on two settings by interleaved pairs: pure, seeded, without numpy."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from advisor.facts.verdict import Verdict

FEWEST_PAIRS = 4
FEW_PAIRS = 8
"""Fewer decide only what they show very clearly: enough for networks whose single step takes a good part of a second."""
MOST_PAIRS = 681
"""The last checkpoint; who is undecided after so many pairs stays so."""
SHORTEST_DUEL = 1.5
"""Seconds before which the pairs decide nothing: a disturbance of a moment must not decide."""
RESAMPLES = 2000
MATTERS = 1.03
"""A speed-up of less than 3 % is no difference that matters."""
_TAIL = 0.025
_STUDENT = {4: (3.182, 5.841), 5: (2.776, 4.604), 6: (2.571, 4.032), 7: (2.447, 3.707)}
"""Student's 97.5 % and 99.5 % quantiles for so many values."""


@dataclass(frozen=True, slots=True)
class Margins:
    """The speed-up from which each side wins; between the two there is no difference that matters."""

    before: float = MATTERS
    rival: float = MATTERS


@dataclass(frozen=True, slots=True)
class Comparison:
    """The speed-up of `before` over its rival: time(rival) / time(before), with a 95 % interval from n pairs."""

    median: float
    low: float
    high: float
    n: int
    verdict: Verdict


def checkpoints() -> Iterator[int]:
    """The numbers of pairs after which the verdict is looked at: 4, 6, 8, 12, 18, 27, 40, ... up to MOST_PAIRS.

    Looking more than once finds more that is not there. Growing by half each time keeps the looks few (14 in all), and
    a third of the pairs is new at nearly each. The price, in 2000 simulated comparisons of up to 202 pairs each: without a
    true difference 0.6 % end decided at a noise of 5 % a sample, and 4 % at a noise of 10 %. A true difference of
    exactly 3 %, the edge, is called decided in 13 %, where a single look would do so in 2.5 %. A true difference of
    10 % is found after 11 pairs at a noise of 5 %, after 35 at 10 %, one of 2 after 4 (means). Where the time ends between two,
    all pairs are looked at once more, by the same rules.
    """
    yield from (FEWEST_PAIRS, 6)
    number = FEW_PAIRS
    while number <= MOST_PAIRS:
        yield number
        number = number * 3 // 2


def compare(pairs: Sequence[tuple[float, float]], margins: Margins = Margins(), seed: int = 0) -> Comparison:
    """Judge pairs of (seconds of before, seconds of rival), each measured one right after the other.

    The interval is the percentile bootstrap of the median ratio (Efron and Tibshirani 1993, chapter 13), taken of
    logarithms so that exchanging the two sides gives the reciprocal. Of 4 to 7 pairs it is Student's interval of the mean
    logarithm, which assumes more, so that the one of 99 % must decide; these never show that there is no difference. Fewer than
    4 are undecided, and so is what the first half of the time shows and the second does not: then something else changed.
    Raises ValueError (statistics.StatisticsError) where there is no pair.
    """
    ratios = [math.log(rival / before) for before, rival in pairs]
    median, low, high = map(math.exp, interval_of(ratios, seed))
    surely = _student(ratios, _STUDENT[len(ratios)][1]) if len(ratios) in _STUDENT else (math.log(low), math.log(high))
    verdict = _verdict(math.exp(surely[0]), math.exp(surely[1]), len(ratios), margins)
    middle = len(ratios) // 2
    halves = [math.exp(statistics.median(half)) for half in (ratios[:middle], ratios[middle:]) if half]
    if verdict is Verdict.CONFIRMED and min(halves) <= margins.before:
        verdict = Verdict.UNDECIDED
    if verdict is Verdict.OVERTURNED and max(halves) >= 1 / margins.rival:
        verdict = Verdict.UNDECIDED
    return Comparison(median, low, high, len(ratios), verdict)


def median_interval(values: Sequence[float], seed: int = 0) -> tuple[float, float, float]:
    """The median with its percentile bootstrap 95 % interval. Raises statistics.StatisticsError where there is no value."""
    ordered = sorted(values)
    medians = sorted(_resampled_medians(ordered, random.Random(seed)))  # noqa: S311  reproducible, no secret
    outside = int(_TAIL * RESAMPLES)
    return statistics.median(ordered), medians[outside], medians[-1 - outside]


def interval_of(values: Sequence[float], seed: int = 0) -> tuple[float, float, float]:
    """The median with a 95 % interval: of 4 to 7 values Student's of the mean, otherwise that of `median_interval`."""
    if len(values) not in _STUDENT:
        return median_interval(values, seed)
    median = statistics.median(values)
    low, high = _student(values, _STUDENT[len(values)][0])
    return median, min(low, median), max(high, median)


def _student(values: Sequence[float], quantile: float) -> tuple[float, float]:
    mean, reach = statistics.fmean(values), quantile * statistics.stdev(values) / math.sqrt(len(values))
    return mean - reach, mean + reach


def _resampled_medians(ordered: list[float], generator: random.Random) -> Iterator[float]:
    """Medians of samples drawn from these values with replacement, without drawing every value.

    Drawing is choosing places uniformly, and of n uniform numbers the m-th smallest is distributed as
    Beta(m, n + 1 - m), the gap to the next as a Beta(1, n - m) share of the rest (David and Nagaraja 2003, chapter 2).
    Every draw is used mirrored as well, so that the interval of exchanged sides is the exact reciprocal.
    """
    number, last = len(ordered), len(ordered) - 1
    middle = (number + 1) // 2
    for _ in range(RESAMPLES // 2):
        share = generator.betavariate(middle, number + 1 - middle)
        below = above = min(int(number * share), last)
        if number % 2 == 0:
            share += (1 - share) * generator.betavariate(1, number - middle)
            above = min(int(number * share), last)
        yield (ordered[below] + ordered[above]) / 2
        yield (ordered[last - above] + ordered[last - below]) / 2


def _verdict(low: float, high: float, number: int, margins: Margins) -> Verdict:
    if number < FEWEST_PAIRS:
        return Verdict.UNDECIDED
    if low > margins.before:
        return Verdict.CONFIRMED
    if high < 1 / margins.rival:
        return Verdict.OVERTURNED
    if number >= FEW_PAIRS and low >= 1 / margins.rival and high <= margins.before:
        return Verdict.NO_DIFFERENCE
    return Verdict.UNDECIDED
