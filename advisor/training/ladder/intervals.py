"""Intervals of a mean, in plain Python: is a difference of scores more than noise?"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass


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
