"""The strategy that comes to a loss first: the same judgement for real runs and for simulated ones. No torch here.

The goal is nine tenths of the way from the first loss to the lowest that the plan's own strategy ends with, on average over
its seeds. Strategies are compared seed by seed, since the seed decides initial weights and examples.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from advisor.facts.verdict import Verdict

Curve = Sequence[tuple[float, float]]
"""Seconds, and the loss on held-out examples, in the order of time."""
WAY = 0.9
MATTERS = 1.05
"""A ratio of times nearer to 1 is no difference that matters."""
_T = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262}
"""The 97.5 % quantile of Student's t by the number of pairs; 1.96 is taken from 30 on, 2.262 between."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A median or a mean with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Standing:
    """One strategy beside the plan's own."""

    strategy: str
    seconds: tuple[float | None, ...]
    """To the goal, by seed; None where it was not reached."""
    ratio: Interval | None
    """Speed relative to the plan's own strategy, geometric mean of the pairs; None for the plan's own, and where some did
    not come to the goal."""
    verdict: Verdict
    """Of the bet that the plan's own is no slower: confirmed, overturned, no difference, undecided."""

    @property
    def reached(self) -> int:
        """Seeds that came to the goal."""
        return sum(one is not None for one in self.seconds)

    @property
    def typical(self) -> float | None:
        """Median seconds to the goal; None unless most seeds came to it."""
        there = sorted(math.inf if one is None else one for one in self.seconds)
        middle = there[len(there) // 2]
        return middle if math.isfinite(middle) else None


@dataclass(frozen=True, slots=True)
class Comparison:
    """All strategies, the fastest first."""

    goal: float
    """The loss that had to be reached."""
    reference: str
    """The plan's own strategy."""
    standings: tuple[Standing, ...]

    @property
    def best(self) -> Standing:
        """The fastest that is shown to be faster than the plan's own, or else the plan's own."""
        shown = [one for one in self.standings if one.verdict is Verdict.OVERTURNED and one.ratio is not None]
        return max(shown, key=lambda one: one.ratio.value if one.ratio else 0.0, default=self.own)

    @property
    def own(self) -> Standing:
        return next(one for one in self.standings if one.strategy == self.reference)

    @property
    def rival(self) -> Standing | None:
        """The fastest of the others that came to the goal; None where none did."""
        others = [one for one in self.standings if one.strategy != self.reference and one.typical is not None]
        return min(others, key=lambda one: one.typical or math.inf, default=None)


def compared(curves: Mapping[str, Sequence[Curve]], reference: str) -> Comparison:
    """Compare the strategies by the time in which they come to the goal.

    Args:
        curves: by strategy, one of each seed, in the same order.
        reference: the strategy of the plan, one of them.
    """
    goal = goal_of(curves[reference])
    times = {name: tuple(seconds_to(curve, goal) for curve in own) for name, own in curves.items()}
    found = [_standing(name, own, times[reference], own_one=name == reference) for name, own in times.items()]
    return Comparison(goal, reference, tuple(sorted(found, key=lambda one: (one.typical or math.inf, -one.reached))))


def goal_of(curves: Sequence[Curve]) -> float:
    """The loss that all are to reach."""
    begun = statistics.fmean(curve[0][1] for curve in curves)
    ended = statistics.fmean(min(loss for _, loss in curve) for curve in curves)
    return begun - WAY * (begun - ended)


def seconds_to(curve: Curve, goal: float) -> float | None:
    """When the loss first comes down to the goal, along the line between two points; None if it never does."""
    if curve and curve[0][1] <= goal:
        return curve[0][0]
    for (earlier, above), (later, below) in pairwise(curve):
        if below <= goal:
            share = (above - goal) / (above - below) if above > below else 1.0
            return earlier + share * (later - earlier)
    return None


def geometric(ratios: Sequence[float]) -> Interval:
    """The geometric mean of ratios with its 95 % interval by Student's t; an interval without bounds for a single one."""
    logs = [math.log(ratio) for ratio in ratios]
    mean = statistics.fmean(logs)
    if len(logs) < 2:
        return Interval(math.exp(mean), 0.0, math.inf)
    quantile = 1.96 if len(logs) >= 30 else _T.get(len(logs), _T[10])
    reach = quantile * statistics.stdev(logs) / math.sqrt(len(logs))
    return Interval(math.exp(mean), math.exp(mean - reach), math.exp(mean + reach))


def verdict_of(ratio: Interval) -> Verdict:
    """Of the bet that the plan's own is no slower, by how many times as fast the other is."""
    if ratio.low > MATTERS:
        return Verdict.OVERTURNED
    if ratio.high < 1 / MATTERS:
        return Verdict.CONFIRMED
    if ratio.low >= 1 / MATTERS and ratio.high <= MATTERS:
        return Verdict.NO_DIFFERENCE
    return Verdict.UNDECIDED


def _standing(
    name: str, own: tuple[float | None, ...], reference: tuple[float | None, ...], *, own_one: bool
) -> Standing:
    if own_one:
        return Standing(name, own, None, Verdict.NO_DIFFERENCE)
    pairs = [(a, b) for a, b in zip(reference, own, strict=True) if a and b]
    if len(pairs) < len(own):
        never = not any(one is not None for one in own) and len(own) > 1 and all(one is not None for one in reference)
        return Standing(name, own, None, Verdict.CONFIRMED if never else Verdict.UNDECIDED)
    ratio = geometric([a / b for a, b in pairs])
    return Standing(name, own, ratio, verdict_of(ratio))
