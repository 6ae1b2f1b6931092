"""A second look at a result that overturned a bet: the same two settings once more, in a fresh process.

The interval of a comparison tells how far the pairs of one process differ. It knows nothing of what is the same for all of them:
where the memory of this process came to lie, and what the neighbours on a shared machine did meanwhile.
"""

from __future__ import annotations

from dataclasses import replace

from advisor.children.stopping import STOPPED
from advisor.facts.verdict import Verdict
from advisor.probes.outcome import Outcome
from advisor.probes.verdict import FEWEST_PAIRS

CLEAR = 1.5
"""Times as fast: beyond that nobody looks twice."""
NO_TIME = "was not made: no time was left."


def wants_second_look(outcome: Outcome) -> bool:
    """A bet that is confirmed agrees with what the rules knew before; one that is overturned by little stands alone."""
    overturned = outcome.verdict is Verdict.OVERTURNED and outcome.failure is None
    return overturned and outcome.median is not None and outcome.median < CLEAR


def after_second_look(first: Outcome, second: Outcome) -> Outcome:
    """The first outcome with what the second says of it; undecided where the second contradicts it or was stopped by hand.

    Args:
        second: of the same probe, where the bet was what the first had left, against what it had overturned.
    """
    if second.stopped:  # whoever ends a comparison at will could end it when it suits
        warnings = (*first.conditions.warnings, STOPPED)
        return replace(_undecided(first), conditions=replace(first.conditions, warnings=warnings))
    why_not = _unusable(second)
    if why_not or second.median is None:
        return replace(first, second_start=f"gave nothing: {why_not}")
    again = 1 / second.median if second.verdict is Verdict.OVERTURNED else second.median
    if second.verdict is Verdict.CONFIRMED:
        return replace(first, second_start=f"has shown it too: {again:.2f} times.")
    if second.verdict is Verdict.UNDECIDED and again > 1:
        return replace(first, second_start=f"decided nothing: {again:.2f} times.")
    contradiction = (
        f"contradicts it: of {first.after} over {first.before} the first has shown {first.median:.2f} times, the second "
        f"{again:.2f} times. Neighbours on a shared machine can be the reason."
    )
    return replace(_undecided(first), second_start=contradiction)


def _unusable(second: Outcome) -> str:
    if second.failure is not None:
        return second.failure
    if second.n < FEWEST_PAIRS:
        return f"its time was enough for {second.n} pairs, and {FEWEST_PAIRS} are the fewest that decide."
    return "other programs took too much of the processors." if second.conditions.hopeless else ""


def _undecided(first: Outcome) -> Outcome:
    """Figures of what is undecided are those of what was recommended, over its rival."""
    assert first.median is not None and first.low is not None and first.high is not None  # noqa: S101, PT018 - overturned
    return replace(
        first, verdict=Verdict.UNDECIDED, after=None, also={}, median=1 / first.median, low=1 / first.high, high=1 / first.low
    )  # fmt: skip
