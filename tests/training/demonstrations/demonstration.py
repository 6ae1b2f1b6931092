"""What a demonstration says: how well a network did on data it had not seen, beside what needs no learning at all."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

_Setting = TypeVar("_Setting")


class Size(StrEnum):
    SMALL = "small"
    """Seconds on one core: enough to see that the network learns."""
    LARGE = "large"
    """Up to half a minute."""

    def of(self, small: _Setting, large: _Setting) -> _Setting:
        return small if self is Size.SMALL else large


class Metric(StrEnum):
    """Of held-out examples."""

    ACCURACY = "accuracy"
    """The share of right answers."""
    OVERLAP = "overlap"
    """Dots that are rightly marked / dots that are marked or should be (Jaccard index)."""
    SQUARED_ERROR = "mean squared error"
    DISCREPANCY = "maximum mean discrepancy"
    """Squared, between made and real examples: 0 where they cannot be told apart (Gretton et al. 2012)."""

    TOLD_APART = "share told apart"
    """How often a small network tells made from real examples: 0.5 where it cannot (Lopez-Paz and Oquab 2017)."""

    @property
    def greater_is_better(self) -> bool:
        return self in (Metric.ACCURACY, Metric.OVERLAP)


@dataclass(frozen=True, slots=True)
class Demonstrated:
    """One network, trained on data that suits it."""

    network: str
    data: str
    metric: Metric
    score: float
    baseline: str
    """What the network must beat, in words."""
    trivial: float
    """The baseline's value by the same metric on the same examples."""

    @property
    def left(self) -> float:
        """What the network leaves of the baseline's error: 0 is perfect, 1 no better than the baseline."""
        if self.metric.greater_is_better:
            return (1 - self.score) / (1 - self.trivial)
        perfect = 0.5 if self.metric is Metric.TOLD_APART else 0.0
        return (self.score - perfect) / (self.trivial - perfect)
