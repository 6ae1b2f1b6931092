"""The time of a step decides what fits: never more than there is time for, and as many examples as there is."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.agent.pace import at_pace, examples_that_fit, step_seconds
from advisor.agent.worth import Candidate
from advisor.probes.outcome import Outcome
from advisor.probes.settings.cores import THREADS
from advisor.probes.workload import Workload

from .profiles_made import compared

STEP = Workload("ffn", "tabular", 4, 2, (4,), batch_size=64)


def timed(seconds: float | None, step: Workload = STEP, **changed: str) -> Outcome:
    return replace(compared(), step_seconds=seconds, applies=THREADS.scope(step) | {"device": "cpu"} | changed)


@given(st.integers(1, 4096), st.integers(2, 6), st.floats(1e-3, 1e3), st.floats(4.0, 600.0))
def test_as_many_examples_are_taken_as_fit_and_fewer_than_the_batch(
    batch: int, settings: int, seconds_a_step: float, seconds: float
) -> None:
    step = replace(STEP, batch_size=batch)
    bet = Candidate(replace(THREADS, cost_seconds=1.0), 1, 1.0, True, 1.0)
    size = examples_that_fit(step, settings, seconds_a_step, seconds)

    def needed(examples: int) -> float:
        return at_pace(bet, settings, seconds_a_step * examples / batch).seconds

    if size is None:
        assert batch == 1 or needed(1) > seconds
    else:
        assert step.fewest <= size < batch
        assert needed(size) <= seconds
        assert 2 * size >= batch or needed(2 * size) > seconds


def test_a_step_takes_as_long_as_the_newest_probe_of_this_network_says() -> None:
    assert step_seconds([timed(2.0), timed(1.0), timed(None)], STEP) == pytest.approx(1.0)
    assert step_seconds([timed(1.0, batch_size="16")], STEP) == pytest.approx(4.0)
    assert step_seconds([timed(1.0, network="another")], STEP) is None
    assert step_seconds([timed(1.0, device="cuda")], STEP) is None
    assert step_seconds([], STEP) is None


def test_a_fast_step_changes_no_probe_and_a_slow_one_none_of_the_machine_alone() -> None:
    bet = Candidate(THREADS, 1, 1.0, True, THREADS.cost_seconds)
    assert at_pace(bet, 2, 1e-3) == bet
    assert at_pace(bet, 2, 1.0).seconds > THREADS.cost_seconds
    rate = replace(bet, probe=replace(THREADS, needs_network=False))
    assert at_pace(rate, 2, 1.0) == rate
