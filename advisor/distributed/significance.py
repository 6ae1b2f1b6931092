"""Student's distribution and Holm's correction, for strategies that are compared seed by seed. No scipy here."""

from __future__ import annotations

import math
from collections.abc import Sequence


def beyond(t: float, freedom: int) -> float:
    """The probability that Student's t of so many degrees of freedom is above this.

    Abramowitz and Stegun 1964, 26.7.3 and 26.7.4.
    """
    if math.isinf(t):
        return 0.0 if t > 0 else 1.0
    angle = math.atan(t / math.sqrt(freedom))
    cosine, sine = math.cos(angle), math.sin(angle)
    odd = freedom % 2
    term, total = (cosine if odd else 1.0), 0.0
    for power in range(2 + odd, freedom + 1, 2):
        total += term
        term *= cosine * cosine * (power - 1) / power
    within = 2 / math.pi * (angle + sine * total) if odd else sine * total
    return min(1.0, max(0.0, (1 - within) / 2))


def probability_above(values: Sequence[float], bound: float) -> float:
    """The probability of values with such a mean or a larger one, if their true mean were `bound`: Student's one-sided test.

    1 for fewer than two values, which show nothing.
    """
    if len(values) < 2:
        return 1.0
    mean = math.fsum(values) / len(values)
    error = math.sqrt(math.fsum((one - mean) ** 2 for one in values) / (len(values) - 1) / len(values))
    if error == 0.0:
        return 0.0 if mean > bound else 1.0
    return beyond((mean - bound) / error, len(values) - 1)


def holm(probabilities: Sequence[float]) -> list[float]:
    """Each probability as if it had been the only one: adjusted for all that were tested together (Holm 1979)."""
    order = sorted(range(len(probabilities)), key=probabilities.__getitem__)
    adjusted, most = [1.0] * len(probabilities), 0.0
    for place, number in enumerate(order):
        most = max(most, min(1.0, (len(order) - place) * probabilities[number]))
        adjusted[number] = most
    return adjusted
