"""Intervals of shares of examples that stay honest at the edge: twelve of twelve right is not certainty. Plain Python."""

from __future__ import annotations

import math
from collections.abc import Sequence

_Z = 1.959964
"""Standard deviations of a normal distribution on either side of a 95 % interval."""


def wilson(share: float, n: int) -> tuple[float, float]:
    """The 95 % interval of a share that was seen in n independent examples (Wilson 1927)."""
    square = _Z**2 / n
    middle = (share + square / 2) / (1 + square)
    reach = _Z * math.sqrt(share * (1 - share) / n + square / (4 * n)) / (1 + square)
    return max(0.0, min(share, middle - reach)), min(1.0, max(share, middle + reach))


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
