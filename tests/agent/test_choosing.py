"""The next probe and its time, for any bets, costs and time left."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from advisor.agent.choosing import COMFORT, PATIENCE, next_of, seconds_for, within_reach
from advisor.agent.worth import Candidate
from advisor.probes.settings.cores import THREADS

COSTS = st.lists(st.floats(1.0, 60.0), min_size=1, max_size=6)
SECONDS = st.floats(4.0, 300.0)


def bets(costs: list[float], *, settles: bool = True) -> list[Candidate]:
    """Bets that are worth the same and depend on nothing, the best first."""
    probes = (
        replace(THREADS, name=f"{'bet' if settles else 'rate'}{number}", cost_seconds=cost, bound_by=())
        for number, cost in enumerate(costs)
    )
    return sorted(
        (Candidate(probe, 1, 1.0, settles, probe.cost_seconds) for probe in probes), key=lambda one: one.seconds
    )


@given(COSTS, SECONDS)
def test_bets_within_reach_are_as_many_as_there_is_comfortable_time_for(costs: list[float], seconds: float) -> None:
    reach = within_reach(bets(costs), seconds)
    needed = COMFORT * sum(one.seconds for one in reach)
    assert len(reach) == 1 or needed <= seconds
    left = [one.seconds for one in bets(costs) if one not in reach]
    assert not left or needed + COMFORT * min(left) > seconds


@given(COSTS, COSTS, SECONDS)
def test_what_is_chosen_fits_and_is_a_bet_where_one_fits(
    costs: list[float], others: list[float], seconds: float
) -> None:
    known = [*bets(others, settles=False), *bets(costs)]
    chosen = next_of(known, seconds, {one.probe.name for one in known})
    fitting = [one for one in known if one.seconds <= seconds]
    assert (chosen is None) == (not fitting)
    assert chosen is None or chosen in fitting
    assert chosen is None or chosen.settles == any(one.settles for one in fitting)


@given(COSTS, SECONDS)
def test_bets_that_all_take_as_long_as_they_may_leave_each_within_reach_its_time(
    costs: list[float], left: float
) -> None:
    waiting = bets(costs)
    reach = len(within_reach(waiting, left))
    ran = 0
    while (chosen := next_of(waiting, left, {one.probe.name for one in waiting})) is not None:
        waiting.remove(chosen)
        seconds = seconds_for(chosen, waiting, left, slow=False)
        assert chosen.seconds <= seconds <= min(left, PATIENCE * chosen.seconds)
        left -= seconds
        ran += 1
    assert ran >= reach or bets(costs)[0].seconds > left


@given(COSTS, SECONDS)
def test_what_was_too_slow_gets_all_that_the_others_leave(costs: list[float], left: float) -> None:
    chosen, *waiting = bets(costs)
    patient = seconds_for(chosen, waiting, left, slow=False)
    slow = seconds_for(chosen, waiting, left, slow=True)
    assert patient <= slow + 1e-9 or slow >= chosen.seconds
    assert slow <= left
