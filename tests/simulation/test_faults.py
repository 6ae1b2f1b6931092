"""Failures, preemptions and checkpoints, against Young 1974 and Daly 2006."""

from __future__ import annotations

import math

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as some

from advisor.errors import InputError
from advisor.simulation.faults import Clock, best_checkpoints, daly, useful_share, young
from advisor.simulation.scenario import Faults
from tests.properties import examples
from tests.simulation.made import found

CASES = [(60.0, 86_400.0, 120.0), (60.0, 3600.0, 300.0), (10.0, 1000.0, 0.0), (600.0, 7200.0, 600.0)]
"""The cost of a checkpoint, the time between failures, and a restart, in seconds."""


def expected_share(every: float, cost: float, between: float, restart: float) -> float:
    """Daly 2006, equation 20: a stretch takes M exp(R/M) (exp((every + cost)/M) - 1)."""
    return every / (between * math.exp(restart / between) * math.expm1((every + cost) / between))


@pytest.mark.parametrize(("cost", "between", "restart"), CASES)
@pytest.mark.parametrize("times", [0.3, 1.0, 3.0])
def test_the_useful_share_is_as_daly_expects_it(cost: float, between: float, restart: float, times: float) -> None:
    every = times * young(cost, between)
    simulated = useful_share(every, cost, between, restart, attempts=400_000)
    assert simulated == pytest.approx(expected_share(every, cost, between, restart), rel=0.005)


@pytest.mark.parametrize(("cost", "between", "restart"), CASES)
def test_the_best_interval_is_found_where_daly_has_it(cost: float, between: float, restart: float) -> None:
    best = best_checkpoints(cost, between, restart)
    assert best.every == pytest.approx(daly(cost, between), rel=0.15)  # the share is flat around it
    assert expected_share(best.every, cost, between, restart) == pytest.approx(
        expected_share(daly(cost, between), cost, between, restart), rel=1e-3
    )


def test_young_and_daly_agree_where_failures_are_rare() -> None:
    assert young(60, 86_400) == pytest.approx(math.sqrt(2 * 60 * 86_400))
    assert daly(1.0, 1e8) == pytest.approx(young(1.0, 1e8), rel=1e-3)
    assert daly(300, 100) == 100


@pytest.mark.parametrize("every", [20.0, 60.0])
def test_training_in_step_gets_the_useful_share(every: float) -> None:
    """Ten workers that fail every 10,000 s each: the whole every 1000 s."""
    faults = Faults(between_failures=10_000.0, restart=30.0, checkpoint_every=every, checkpoint_cost=5.0)
    result = found("synchronous", 10, 100_000, faults=faults)
    assert 100_000 / result.seconds == pytest.approx(expected_share(every, 5.0, 1000.0, 30.0), rel=0.02)
    assert result.checkpoints == (100_000 - 1) // every
    assert result.failures == pytest.approx(result.seconds / 1000, rel=0.3)
    wasted = result.seconds * 10 - result.lost_seconds - result.checkpoints * 50.0
    assert wasted == pytest.approx(10 * 100_000)
    assert result.waiting_share == pytest.approx(0, abs=1e-9)


def test_more_workers_fail_more_often_and_gain_less() -> None:
    faults = Faults(between_failures=20_000.0, restart=60.0, checkpoint_every=200.0, checkpoint_cost=10.0)
    shares = [10_000 / found("synchronous", workers, 10_000, faults=faults).seconds for workers in (1, 20, 100)]
    assert sorted(shares, reverse=True) == shares
    assert shares[-1] < 0.7


def test_a_preemption_loses_the_step_alone() -> None:
    """One worker, taken away every 50 s for 4 s: of the step of 1 s half is lost on average, and done again."""
    result = found("synchronous", 1, 50_000, faults=Faults(between_preemptions=50.0, away=4.0))
    again = math.expm1(1 / 50) / (1 / 50) - 1  # of a step of one mean time
    assert result.seconds / 50_000 == pytest.approx(1 + again + math.expm1(1 / 50) * 4, rel=0.02)


@examples(50)
@given(some.lists(some.floats(0.01, 5), min_size=1, max_size=40), some.integers(0, 30))
def test_time_is_work_and_what_was_lost_and_checkpoints(rounds: list[float], seed: int) -> None:
    faults = Faults(20.0, 1.0, checkpoint_every=4.0, checkpoint_cost=0.5, between_preemptions=15.0, away=2.0)
    clock = Clock(faults, 2, seed)
    half = len(rounds) // 2
    pieces = [clock.rounds(numpy.array(piece)) for piece in (rounds[:half], rounds[half:])]
    begins, ends = (numpy.concatenate([piece[place] for piece in pieces]) for place in (0, 1))
    assert (ends - begins >= numpy.array(rounds) - 1e-9).all()
    assert (begins[1:] >= ends[:-1]).all()
    assert ends[-1] == pytest.approx(sum(rounds) + clock.lost + clock.checkpoints * 0.5)


def test_work_that_gets_nowhere_says_so() -> None:
    endless = Faults(between_failures=0.01, restart=1.0)
    for name in ("synchronous", "asynchronous"):
        with pytest.raises(InputError, match="gets nowhere"):
            found(name, 10, 1000, faults=endless)
    with pytest.raises(InputError, match="gets nowhere"):
        useful_share(1e6, 1.0, 1.0)


def test_the_same_seed_fails_at_the_same_times() -> None:
    faults = Faults(between_failures=100.0, restart=5.0, checkpoint_every=20.0)
    assert found("synchronous", 4, 500, faults=faults) == found("synchronous", 4, 500, faults=faults)
