"""The time of a step decides what fits: never more than there is time for, and as many examples as there is."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.agent.pace import STARTING, at_pace, examples_that_fit, start_seconds, step_seconds
from advisor.agent.worth import Candidate
from advisor.probes.outcome import Outcome
from advisor.probes.settings.batch import BATCH
from advisor.probes.settings.cores import THREADS
from advisor.probes.workload import Device, Workload

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


def test_a_start_takes_as_long_as_the_last_one_on_this_device() -> None:
    def started(seconds: float, **changed: str) -> Outcome:
        return replace(timed(None, torch="2.13.0", **changed), start_seconds=seconds)

    on_card = replace(STEP, device=Device.CUDA)
    assert start_seconds([started(9.0), started(4.0)], STEP) == 4.0
    assert start_seconds([started(9.0)], on_card) == start_seconds([], on_card) > start_seconds([], STEP)
    assert start_seconds([started(9.0, device="cuda")], on_card) == 9.0
    late = replace(timed(None), start_seconds=8.0, late=True)  # it was ended before it knew its torch
    assert start_seconds([late], STEP) == 16.0
    assert start_seconds([replace(late, late=False)], STEP) == STARTING  # a failure tells nothing of it


def test_a_slow_start_is_added_twice_and_more_where_a_second_process_has_the_last_word() -> None:
    first, again = (Candidate(probe, 1, 1.0, True, probe.cost_seconds) for probe in (THREADS, BATCH))
    assert at_pace(first, 2, None, 10.0).seconds == THREADS.cost_seconds + 10.0 - STARTING
    assert at_pace(again, 2, None, 10.0).seconds > BATCH.cost_seconds + 2 * (10.0 - STARTING)
    assert at_pace(first, 2, None, 1.0).seconds == THREADS.cost_seconds


def test_a_fast_step_changes_no_probe_and_a_slow_one_none_of_the_machine_alone() -> None:
    bet = Candidate(THREADS, 1, 1.0, True, THREADS.cost_seconds)
    assert at_pace(bet, 2, 1e-3) == bet
    assert at_pace(bet, 2, 1.0).seconds > THREADS.cost_seconds
    rate = replace(bet, probe=replace(THREADS, needs_network=False))
    assert at_pace(rate, 2, 1.0) == rate
