"""Advice on numbers to predict that are skewed or lie far from all others: the logarithm, where it helps, or another loss."""

from __future__ import annotations

from collections.abc import Iterator

import polars

from advisor.datasets.dataset import Kind, Remark, Weight
from advisor.datasets.tables.columns import Judged

_SKEWED = 1.0
"""Skewness (third moment of the standardised values) from which it is worth a word: that of exponential waiting is 2."""
_LESS = 0.5
_LARGE_COUNT = 10


def about_skewness(judged: Judged, outliers: bool) -> Iterator[Remark]:
    """Say how to predict these numbers, where some are far from all others or they are skewed to one side."""
    held = judged.values.drop_nulls()
    low, median, high = (held.quantile(share) or 0.0 for share in (0.0, 0.5, 1.0))
    skewness = _skewness(held)
    if not outliers and skewness < _SKEWED:
        return
    remedies = _remedies(held, low, skewness)
    if judged.kind is Kind.WHOLE and low >= 0 and high > _LARGE_COUNT and skewness >= _SKEWED:
        remedies.append("if it counts something, take a loss for counts (Poisson)")
    names = (judged.column.name,)
    if outliers:
        remedies.append("take the absolute error as loss, which a few large errors upset less")
        reach = f"from {low:.6g} to {high:.6g}, median {median:.6g}"
        what = f"Some values of {judged.quoted} lie far from all others ({reach})."
        remedy = f"Check that they are no mistakes. If they are real, {', or '.join(remedies)}."
        yield Remark(what, Weight.WARNING, remedy, names)
    elif remedies:
        what = f"{judged.quoted} is skewed: most values are small, and a few are large."
        remedy = ", or ".join(remedies)
        yield Remark(what, remedy=f"{remedy[0].upper()}{remedy[1:]}.", columns=names)


def _remedies(held: polars.Series, low: float, skewness: float) -> list[str]:
    """A logarithm where all values have one, and it takes most of the skewness away."""
    if low < 0 or skewness < _SKEWED:
        return []
    changed = held.log() if low > 0 else held.log1p()
    if abs(_skewness(changed)) > _LESS * skewness:
        return []
    if low > 0:
        return ["predict the logarithm, which is far less skewed"]
    return ["predict log(1 + value), which is far less skewed and bears the zeros"]


def _skewness(numbers: polars.Series) -> float:
    return numbers.skew() or 0.0
