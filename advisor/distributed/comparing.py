"""The strategy that comes to a loss first: the same judgement for real runs and for simulated ones. No torch here.

The goal is nine tenths of the way from the first loss to the lowest that the plan's own strategy ends with, on average over
its seeds. Strategies are compared seed by seed, since the seed decides initial weights and examples. Fewer than FEWEST_PAIRS
decide nothing, and where several rivals are tested, Holm's correction holds for all of them together.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from advisor.distributed.significance import holm, probability_above
from advisor.distributed.strategies import ALONE, DECLARED
from advisor.facts.verdict import Verdict

Curve = Sequence[tuple[float, float]]
"""Seconds, and the loss on held-out examples, in the order of time."""
WAY = 0.9
FEWEST_PAIRS = 3
"""Of trainings with the same seed, that decide anything."""
_DOUBT = 0.05
"""Of all rivals together: how often one is called faster or slower that is not."""
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
    probability: float | None = None
    """Of such a difference or a larger one, if there were none that matters, corrected for all rivals (Holm 1979); None where
    it was not tested."""

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
    alone: Standing | None = None
    """One worker by itself, which is no rival: its seconds, and its speed relative to the plan's own strategy."""
    doubt: str = ""
    """The reason why nothing is decided although the pairs agree: a sentence."""

    @property
    def best(self) -> Standing:
        """The first of those that are `level`, or else the plan's own."""
        level = self.level
        return level[0] if level and self.faster_still is None and not self.doubt else self.own

    @property
    def level(self) -> tuple[Standing, ...]:
        """Those that are shown to be faster than the plan's own, and not to be slower than the fastest of them, in the order in
        which strategies are declared: chance alone may have put one before the other."""
        shown = self._shown
        if not shown:
            return ()
        fastest = max(shown, key=_speed)
        kept = [one for one in shown if one is fastest or not _is_slower(one, fastest)]
        return tuple(sorted(kept, key=_place))

    @property
    def faster_still(self) -> Standing | None:
        """A rival that came to the goal sooner than all that are shown to be faster, and is not shown to be; None if none did."""
        bound = max(map(_speed, self._shown), default=None)
        others = (one for one in self.standings if one.ratio is not None and one.verdict is Verdict.UNDECIDED)
        nearest = max(others, key=_speed, default=None)
        return nearest if bound is not None and nearest is not None and _speed(nearest) > bound else None

    @property
    def pairs(self) -> int:
        """Of trainings with the same seed."""
        return len(self.own.seconds)

    @property
    def _shown(self) -> list[Standing]:
        return [one for one in self.standings if one.verdict is Verdict.OVERTURNED and one.ratio is not None]

    @property
    def own(self) -> Standing:
        return next(one for one in self.standings if one.strategy == self.reference)

    @property
    def rival(self) -> Standing | None:
        """The fastest of the others that came to the goal; None where none did."""
        others = [one for one in self.standings if one.strategy != self.reference and one.typical is not None]
        return min(others, key=lambda one: one.typical or math.inf, default=None)


def compared(
    curves: Mapping[str, Sequence[Curve]], reference: str, alone: Sequence[Curve] | None = None, doubt: str = ""
) -> Comparison:
    """Compare the strategies by the time in which they come to the goal.

    Args:
        curves: by strategy, one of each seed, in the same order.
        reference: the strategy of the plan, one of them.
        alone: of one worker by itself, with the same seeds; None where there was none.
        doubt: a sentence on why nothing is decided.
    """
    goal = goal_of(curves[reference])
    times = {name: tuple(seconds_to(curve, goal) for curve in own) for name, own in curves.items()}
    own = times.pop(reference)
    found = [Standing(reference, own, None, Verdict.NO_DIFFERENCE), *_against(times, own, doubtful=bool(doubt))]
    single = None
    if alone is not None:
        reached = {ALONE: tuple(seconds_to(curve, goal) for curve in alone)}
        (single,) = _against(reached, own, doubtful=bool(doubt))
    ordered = sorted(found, key=lambda one: (one.typical or math.inf, -one.reached))
    return Comparison(goal, reference, tuple(ordered), single, doubt)


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


def _against(
    rivals: Mapping[str, Sequence[float | None]], reference: Sequence[float | None], *, doubtful: bool
) -> list[Standing]:
    """The rivals beside the plan's own strategy: all are tested together.

    Args:
        doubtful: True where nothing is decided whatever the pairs show.
    """
    logs = {name: _logs(reference, own) for name, own in rivals.items()}
    corrected = holm([1.0 if one is None else _differs(one) for one in logs.values()])
    return [
        _standing(name, tuple(rivals[name]), one, probability, reference, doubtful=doubtful)
        for (name, one), probability in zip(logs.items(), corrected, strict=True)
    ]


def _logs(reference: Sequence[float | None], own: Sequence[float | None]) -> list[float] | None:
    """Logarithms of how many times as fast as the reference, seed by seed; None where one of them did not come to the goal."""
    pairs = [(a, b) for a, b in zip(reference, own, strict=True) if a and b]
    return [math.log(a / b) for a, b in pairs] if len(pairs) == len(own) else None


def _differs(logs: Sequence[float]) -> float:
    """The probability of such logarithms of ratios if there were no difference that matters: two-sided."""
    bound = math.log(MATTERS)
    return min(1.0, 2 * min(probability_above(logs, bound), probability_above([-one for one in logs], bound)))


def _standing(
    name: str,
    own: tuple[float | None, ...],
    logs: Sequence[float] | None,
    probability: float,
    reference: Sequence[float | None],
    *,
    doubtful: bool,
) -> Standing:
    few = doubtful or len(own) < FEWEST_PAIRS
    if logs is None:
        never = not any(one is not None for one in own) and all(one is not None for one in reference)
        return Standing(name, own, None, Verdict.CONFIRMED if never and not few else Verdict.UNDECIDED)
    ratio = geometric([math.exp(one) for one in logs])
    verdict = verdict_of(ratio)
    decided = verdict is Verdict.NO_DIFFERENCE or (verdict is not Verdict.UNDECIDED and probability <= _DOUBT)
    return Standing(name, own, ratio, verdict if decided and not few else Verdict.UNDECIDED, probability)


def _place(one: Standing) -> int:
    """Among the declared strategies."""
    names = list(DECLARED)
    name = one.strategy.partition(":")[0]
    return names.index(name) if name in names else len(names)


def _speed(one: Standing) -> float:
    return one.ratio.value if one.ratio is not None else 0.0


def _is_slower(one: Standing, fastest: Standing) -> bool:
    """True if pairs show that one is slower than the fastest, by what matters."""
    logs = _logs(one.seconds, fastest.seconds)
    return logs is not None and geometric([math.exp(each) for each in logs]).low > MATTERS
