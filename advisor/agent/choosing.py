"""The next probe, and the time that it may take: the few bets that can be decided get the time of the many that cannot."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol, TypeVar

from advisor.agent.worth import Candidate

COMFORT = 1.5
"""Times its expected duration, within which a bet is usually decided also where other programs take a part of the machine."""
PATIENCE = 2.0
"""Times its expected duration a probe may take at most, unless that was too short before; the rest goes to the next."""


class Lasting(Protocol):
    """A bet, with the seconds that deciding it is expected to take."""

    @property
    def seconds(self) -> float: ...


Bet = TypeVar("Bet", bound=Lasting)


def within_reach(bets: Sequence[Bet], seconds: float) -> list[Bet]:
    """As many bets as there is time to decide, those that take the least: one at least, if there is any."""
    found: list[Bet] = []
    needed = 0.0
    for bet in sorted(bets, key=lambda one: one.seconds):
        needed += COMFORT * bet.seconds
        if found and needed > seconds:
            break
        found.append(bet)
    return found


def next_of(candidates: Sequence[Candidate], seconds: float, fresh: Collection[str]) -> Candidate | None:
    """The best that there is time for: of the bets that are within reach, else of all.

    One as cheap on whose answer its own result depends goes before it.

    Args:
        candidates: the best first.
        seconds: that are left.
        fresh: names of those that were not tried yet.
    """
    affordable = [one for one in candidates if one.seconds <= seconds]
    if not affordable:
        return None
    reach = within_reach([one for one in affordable if one.settles and one.probe.name in fresh], seconds)
    chosen = next((one for one in affordable if one in reach), affordable[0])
    for other in affordable:
        varies, cheap = other.probe.varies, other.seconds <= chosen.seconds
        if varies is not None and varies.value in chosen.probe.bound_by and cheap and other.probe.name in fresh:
            chosen = other
    return chosen


def seconds_for(chosen: Candidate, waiting: Sequence[Candidate], seconds: float, *, slow: bool) -> float:
    """The time that a probe may take: patience for a hard question, but not with the time of bets that wait.

    Args:
        waiting: other bets that were not tried yet.
        seconds: that are left.
        slow: its time was too short before, so that it gets all that the others leave.
    """
    reach = within_reach([one for one in waiting if one.seconds <= seconds], seconds - COMFORT * chosen.seconds)
    kept = sum(one.seconds for one in reach)
    share = seconds * chosen.seconds / (chosen.seconds + kept)
    most = seconds - kept if slow else min(PATIENCE * chosen.seconds, share)
    return min(seconds, max(chosen.seconds, most))
