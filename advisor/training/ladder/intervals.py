"""Intervals of means and of shares of examples, in plain Python: is a difference of scores more than noise?

Those of shares stay honest at the edge: twelve of twelve right is not certainty.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

_Z = 1.959964
"""Standard deviations of a normal distribution on either side of a 95 % interval."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean, and between what its true value lies with the confidence asked for."""

    mean: float
    low: float
    high: float
    n: int


def t_interval(differences: Sequence[float], *, overlap: float = 0.0, confidence: float = 0.95) -> Interval:
    """Student's interval for the mean of paired differences; all numbers for fewer than two.

    Scores of repeated splits of the same examples share most of what they were trained on, so that they differ less
    than new data would make them. Nadeau and Bengio 2003 (Inference for the generalization error, section 3) make up for
    that: give the examples tested over those trained on as `overlap` (0.25 for a fifth held out), 0 for independent
    differences.
    """
    n, mean = len(differences), statistics.fmean(differences)
    if n < 2:
        return Interval(mean, -math.inf, math.inf, n)
    error = statistics.stdev(differences) * math.sqrt(1 / n + overlap)
    reach = _t_quantile((1 + confidence) / 2, n - 1) * error
    return Interval(mean, mean - reach, mean + reach, n)


def reach_of_next(values: Sequence[float]) -> float:
    """From the mean of these values half the 95 % interval in which one more like them lies; Student's."""
    n = len(values)
    return _t_quantile(0.975, n - 1) * statistics.stdev(values) * math.sqrt(1 + 1 / n)


def _t_quantile(probability: float, freedom: int) -> float:
    """The quantile of Student's distribution (above one half), by bisection."""
    low, high = 0.0, 1.0
    while _t_below(high, freedom) < probability:
        high *= 2
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if _t_below(middle, freedom) < probability else (low, middle)
    return high


def _t_below(t: float, freedom: int) -> float:
    """Student's distribution function from 0 on (Abramowitz and Stegun 1964, 26.7.3 and 26.7.4)."""
    angle = math.atan(t / math.sqrt(freedom))
    square = math.cos(angle) ** 2
    odd = freedom % 2
    term = math.cos(angle) if odd else 1.0
    total = 0.0
    for k in range(freedom // 2):
        total += term
        term *= square * (2 * k + 2) / (2 * k + 3) if odd else square * (2 * k + 1) / (2 * k + 2)
    inside = 2 / math.pi * (angle + math.sin(angle) * total) if odd else math.sin(angle) * total
    return (1 + inside) / 2


def wilson(share: float, n: int) -> tuple[float, float]:
    """The 95 % interval of a share that was seen in n independent examples (Wilson 1927)."""
    square = _Z**2 / n
    middle = (share + square / 2) / (1 + square)
    reach = _Z * math.sqrt(share * (1 - share) / n + square / (4 * n)) / (1 + square)
    return max(0.0, min(share, middle - reach)), min(1.0, max(share, middle + reach))


def of_several(mean: float, end: float, looks: int) -> float:
    """The end of a 95 % interval moved out so far that as many intervals hold together (Bonferroni), as those of means do."""
    return mean + (end - mean) * statistics.NormalDist().inv_cdf(1 - 0.025 / looks) / _Z


def mean_share(shares: Sequence[float], counts: Sequence[int]) -> tuple[float, float]:
    """The 95 % interval of the mean of shares of independent parts: what each interval lacks is added in squares.

    So Zou and Donner 2008 (Construction of confidence limits about effect measures). Of one part it is Wilson's.
    """
    found = [wilson(share, n) for share, n in zip(shares, counts, strict=True)]
    mean = math.fsum(shares) / len(shares)
    below = math.hypot(*(share - low for share, (low, _) in zip(shares, found, strict=True))) / len(shares)
    above = math.hypot(*(high - share for share, (_, high) in zip(shares, found, strict=True))) / len(shares)
    return mean - below, mean + above


def mean_gain(gains: Sequence[float], changed: Sequence[float], counts: Sequence[int]) -> tuple[float, float]:
    """The 95 % interval of the difference of two shares in the same examples, as a mean over parts.

    Agresti and Min 2005 (Simple improved confidence intervals for comparing matched proportions): half an example is
    added to each of the four cells, so that two models with the same answers on few examples may still differ.

    Args:
        gains: examples that only the first has right less those that only the second has, by all of a part.
        changed: examples that only one of them has right, by all.
        counts: examples of each part.
    """
    middle = spread = 0.0
    for gain, change, n in zip(gains, changed, counts, strict=True):
        middle += gain * n / (n + 2)
        spread += (change * n + 1 - (gain * n) ** 2 / (n + 2)) / (n + 2) ** 2
    parts = len(gains)
    reach = _Z * math.sqrt(spread)
    return max(-1.0, (middle - reach) / parts), min(1.0, (middle + reach) / parts)


def finest_gain(counts: Sequence[int]) -> float:
    """Up to what difference, either way, two models that answered alike may differ."""
    alike = [0.0] * len(counts)
    return mean_gain(alike, alike, counts)[1]
