"""Strategies that did not come to the loss in every training: the ends of trainings stand for the times that nobody saw.

A training that ended before it came to the loss tells that it would have taken longer. So the ratio of such a pair is a
bound, and the verdict is careful: the plan's own strategy is confirmed only where it always came there and the others would
have been slower in any case.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from advisor.distributed.comparing import MATTERS, Comparison, Interval, Standing, geometric
from advisor.facts.verdict import Verdict

Ends = Mapping[str, Sequence[float]]
"""Seconds, by strategy and seed, until a training was over."""
MOST_RATIO = 1e6
"""Of times, so that a ratio and its reciprocal are numbers."""


@dataclass(frozen=True, slots=True)
class Bounded:
    """The plan's own strategy beside the rival that came nearest to it."""

    rival: str
    ratio: Interval
    """Speed of the plan's own relative to the rival, with bounds in place of times that nobody saw."""
    pairs: int
    """Of trainings with the same seed, of which one or both came to the loss; at least 1."""
    verdict: Verdict
    """Confirmed or undecided."""
    says: tuple[str, ...]
    """Sentences on trainings that did not come to the loss."""


def bounded(comparison: Comparison, rivals: Sequence[Standing], ends: Ends | None = None) -> Bounded | None:
    """The verdict where no rival can be compared by its times alone.

    Args:
        comparison: of which some trainings did not come to the loss.
        rivals: some of its standings, without the plan's own.
        ends: None where all trainings went on equally long, at least until the last of them came to the loss.

    Returns None where no pair of trainings tells anything.
    """
    until = ends if ends is not None else _equally_long(comparison)
    own = comparison.own
    told = [(one, ratios) for one in rivals if (ratios := _ratios(own, one, until))]
    if not told:
        return None
    rival, ratios = min(told, key=lambda pair: statistics.fmean(map(math.log, pair[1])))
    ratio = capped(geometric(ratios)) if len(ratios) > 1 else Interval(ratios[0], ratios[0], ratios[0])
    never = own.reached == len(own.seconds) and not any(one.reached for one in rivals)
    sure = never and len(told) == len(rivals) and all(_slower(ratios) for _, ratios in told)
    says = tuple(reached_words(one) for one in (own, rival) if one.reached < len(one.seconds))
    return Bounded(rival.strategy, ratio, len(ratios), Verdict.CONFIRMED if sure else Verdict.UNDECIDED, says)


def capped(ratio: Interval) -> Interval:
    """The ratio with numbers that can be written and turned round."""
    value, low, high = (min(max(one, 1 / MOST_RATIO), MOST_RATIO) for one in (ratio.value, ratio.low, ratio.high))
    return Interval(value, low, high)


def _ratios(own: Standing, other: Standing, ends: Ends) -> list[float]:
    """The factors by which the plan's own was faster; seeds with which neither came to the loss tell nothing."""
    pairs = zip(own.seconds, other.seconds, ends[own.strategy], ends[other.strategy], strict=True)
    return [
        min(max((theirs or their_end) / (ours or our_end), 1 / MOST_RATIO), MOST_RATIO)
        for ours, theirs, our_end, their_end in pairs
        if (ours or theirs) and (ours or our_end)
    ]


def _slower(ratios: Sequence[float]) -> bool:
    return len(ratios) > 1 and geometric(ratios).low > MATTERS


def _equally_long(comparison: Comparison) -> Ends:
    """The time at which the last training came to the loss, as the end of each."""
    seen = [one for standing in comparison.standings for one in standing.seconds if one is not None]
    return {one.strategy: [max(seen, default=0.0)] * len(one.seconds) for one in comparison.standings}


def reached_words(one: Standing) -> str:
    """`diloco came to the loss in 2 of 5 trainings.`"""
    there = str(one.reached) if one.reached else "none"
    return f"{one.strategy} came to the loss in {there} of {len(one.seconds)} trainings."
