"""Whether what overturned a bet is seen again: the same two settings once more, later and in a fresh process.

The interval of a comparison tells how far the pairs of one process differ. It knows nothing of what is the same for all of them:
where the memory of this process came to lie, and what the neighbours on a shared machine did meanwhile.
"""

from __future__ import annotations

from dataclasses import replace

from advisor.probes.outcome import ProbeOutcome
from advisor.probes.stopping import was_stopped
from advisor.probes.verdict import Verdict

CLEAR = 1.5
"""Times as fast: beyond that nobody looks twice."""


def wants_second_look(outcome: ProbeOutcome) -> bool:
    """A bet that is confirmed agrees with what the rules knew before; one that is overturned by little stands alone."""
    overturned = outcome.verdict is Verdict.OVERTURNED and outcome.failure is None and not was_stopped(outcome)
    return overturned and outcome.starts == 1 and outcome.median is not None and outcome.median < CLEAR


def after_second_look(first: ProbeOutcome, second: ProbeOutcome) -> ProbeOutcome:
    """The first outcome with what the second says of it; undecided where the second contradicts it.

    Args:
        second: of the same probe, where the bet was what the first had left, against what it had overturned.
    """
    if second.failure is not None or second.median is None or was_stopped(second):
        return first
    first = replace(first, date=second.date)
    assert first.median is not None and first.low is not None and first.high is not None  # noqa: S101, PT018 - overturned
    again = 1 / second.median if second.verdict is Verdict.OVERTURNED else second.median
    if second.verdict is Verdict.CONFIRMED:
        return replace(first, starts=2)
    if second.verdict is Verdict.UNDECIDED and again > 1:
        return _noted(first, f"A second start decided nothing: {again:.2f} times.")
    undecided = replace(
        first, verdict=Verdict.UNDECIDED, after=None, also={}, starts=2,
        median=1 / first.median, low=1 / first.high, high=1 / first.low,
    )  # fmt: skip
    both = (
        f"{first.after} was {first.median:.2f} times as fast as {first.before} in one, {again:.2f} times in the other"
    )
    return _noted(undecided, f"Two starts disagree: {both}. Neighbours on a shared machine can be the reason.")


def _noted(outcome: ProbeOutcome, what: str) -> ProbeOutcome:
    return replace(outcome, conditions=replace(outcome.conditions, warnings=(*outcome.conditions.warnings, what)))
