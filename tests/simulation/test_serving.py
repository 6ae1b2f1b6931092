"""Strategies with a parameter server, against formulas, and what holds of every run."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as some
from numpy.typing import NDArray

from advisor.distributed.strategies import strategy
from advisor.simulation.result import Doing, Result
from advisor.simulation.scenario import Faults, Link, Scenario, measured, step_time
from advisor.simulation.serving import DROPPED, QUEUED, units
from advisor.simulation.timing import Trace, keeps_step, traced
from tests.properties import examples
from tests.simulation.made import found, scenario
from tests.simulation.theory import harmonic, order_statistic, updates_per_second

LIKELY = 5.0
"""Standard errors that a mean is allowed to be away."""


def column(trace: Trace, name: str) -> NDArray[numpy.float64]:
    return numpy.concatenate([getattr(turns, name) for turns in trace.turns])


@some.composite
def scenarios(draw: some.DrawFn) -> Scenario:
    workers = draw(some.integers(1, 7))
    name = draw(
        some.sampled_from(["asynchronous", "downpour", "downpour:every=3", "delay_compensated", "stale_synchronous:bound=0",
                           "stale_synchronous:bound=2", "backup_workers:backups=0", "mixed:groups=1"])
        | some.integers(1, workers).map(lambda groups: f"mixed:groups={groups}")
        | some.integers(0, workers - 1).map(lambda backups: f"backup_workers:backups={backups}")
    )  # fmt: skip
    faults = draw(some.sampled_from([
        Faults(), Faults(between_failures=6.0, restart=2.0, between_preemptions=9.0, away=3.0),
        Faults(checkpoint_every=2.0, checkpoint_cost=0.5, pauses_per_second=0.1, pause=1.0),
    ]))  # fmt: skip
    cores = draw(some.none() | some.lists(some.integers(0, 2), min_size=workers, max_size=workers))
    return Scenario(
        strategy(name),
        workers,
        draw(some.integers(1, 12)),
        step_time=step_time(draw(some.sampled_from(["constant:0s", "constant:1s", "exponential:1s", "gamma:1s:0.3"]))),
        link=draw(some.sampled_from([Link(), Link(10.0, 0.1), Link(1e3, 0.0)])),
        message_bytes=draw(some.sampled_from([0, 5])),
        straggler=draw(some.sampled_from([1.0, 4.0])),
        apply_seconds=draw(some.sampled_from([0.0, 0.05])),
        between_pushes=draw(some.sampled_from([None, 0.0, 0.3])),
        seed=draw(some.integers(0, 99)),
        cores=None if cores is None or faults.leaves else tuple(cores),
        faults=faults,
    )


@examples(200)
@given(scenarios())
def test_no_update_is_lost_or_made_twice(asked: Scenario) -> None:
    """Every gradient is applied once or dropped, in the order of its worker, by weights that were there."""
    result, trace = traced(asked)
    numbers, pulled, updates = (column(trace, name).astype(int) for name in ("numbers", "pulled", "updates"))
    unit, turn = numbers % len(trace.units), numbers // len(trace.units)
    for one in range(len(trace.units)):
        assert turn[unit == one].tolist() == list(range((unit == one).sum()))
    applied = updates != DROPPED
    assert sorted(set(updates[applied])) == list(range(result.updates))
    assert (numpy.diff(updates[applied]) >= 0).all()
    assert (pulled[applied] <= updates[applied]).all()
    together = asked.workers - asked.strategy.whole("backups", 0) if "backups" in asked.strategy.settings else 1
    assert set(Counter(updates[applied].tolist()).values()) == {together}
    if "backups" in asked.strategy.settings:
        assert (pulled[applied] == updates[applied]).all()
    else:
        assert applied.all()


@examples(200)
@given(scenarios())
def test_times_follow_each_other(asked: Scenario) -> None:
    result, trace = traced(asked)
    numbers, arrived, times = (column(trace, name) for name in ("numbers", "arrived", "applied"))
    transfer = 0.0 if asked.strategy.whole("groups", 0) == 1 else asked.link.seconds(asked.size)
    assert (times - arrived >= transfer - 1e-9).all()
    assert (numpy.diff(times) >= 0).all()
    for one in range(len(trace.units)):
        mine = numbers % len(trace.units) == one
        assert (arrived[mine][1:] >= times[mine][:-1]).all()
    assert result.seconds >= times.max()
    assert 0 <= result.waiting_share <= 1


@examples(200)
@given(scenarios())
def test_steps_bytes_and_examples_add_up(asked: Scenario) -> None:
    result, trace = traced(asked)
    wanted = asked.workers * asked.steps
    groups = [len(members) for members in trace.units]
    backups = "backups" in asked.strategy.settings
    if not backups:
        assert wanted <= result.steps < wanted + max(groups)
        assert sum(result.worker_examples) == result.examples == result.steps * asked.batch
    else:
        assert result.updates == asked.steps
        assert result.examples == asked.steps * (asked.workers - asked.strategy.whole("backups")) * asked.batch
    turns = len(column(trace, "numbers"))
    if not backups and asked.strategy.name != "stale_synchronous" and not asked.faults.leaves:
        inside = sum(3 * (size - 1) for size in groups) * turns / len(groups)
        if len(groups) == 1 and asked.strategy.name == "mixed_asynchronous":
            assert result.bytes == turns * 2 * (asked.workers - 1) * asked.size
        elif len(set(groups)) == 1:
            assert result.bytes == (2 * turns + inside) * asked.size


@examples(100)
@given(scenarios())
def test_staleness_is_what_others_did_since_the_pull(asked: Scenario) -> None:
    """Of each worker the sum is what was applied until its last gradient, but for its own; so no update is forgotten."""
    result, trace = traced(asked)
    numbers, pulled, updates = (column(trace, name).astype(int) for name in ("numbers", "pulled", "updates"))
    stale = (updates - pulled)[updates != DROPPED]
    assert (stale >= 0).all()
    assert result.staleness.mean == pytest.approx(stale.mean())
    assert sum(one.count for one in result.staleness.histogram) == len(stale)
    free = (
        asked.strategy.settings.keys() & {"bound", "backups"} == set()
        and not asked.faults.leaves
        and asked.step_time.mean
    )
    if free:
        last = [updates[numbers % len(trace.units) == one] for one in range(len(trace.units))]
        assert stale.sum() == sum(mine[-1] + 1 - len(mine) for mine in last if len(mine))


@examples(100)
@given(some.integers(1, 6), some.integers(0, 4), some.integers(0, 50))
def test_nobody_is_further_ahead_than_the_bound(workers: int, bound: int, seed: int) -> None:
    asked = scenario(f"stale_synchronous:bound={bound}", workers, 20, "exponential:1s", seed=seed, straggler=2.0)
    _, trace = traced(asked)
    numbers, pulled = column(trace, "numbers").astype(int), column(trace, "pulled").astype(int)
    for number, version in zip(numbers.tolist(), pulled.tolist(), strict=True):
        needed = number // workers - bound  # steps that all have finished
        done = Counter((numbers[:version] % workers).tolist())
        assert all(done[worker] >= needed for worker in range(workers))


# Limits that hold exactly.


@pytest.mark.parametrize("times", ["exponential:1s", "constant:1s", "constant:0s", "lognormal:1s:0.5"])
@pytest.mark.parametrize(
    "name", ["stale_synchronous:bound=0", "backup_workers:backups=0", "mixed:groups=1", "local_sgd:every=1"]
)
def test_what_waits_for_all_takes_as_long_as_synchronous(name: str, times: str) -> None:
    same = found("synchronous", 6, 30, times, straggler=1.5)
    result = found(name, 6, 30, times, straggler=1.5)
    assert result.seconds == same.seconds
    assert result.worker_examples == same.worker_examples
    assert result.waiting_share == pytest.approx(same.waiting_share)


def test_one_group_takes_as_long_as_synchronous_on_any_link() -> None:
    slow: dict[str, Any] = {"link": Link(1e6, 0.01), "message_bytes": 10**6}
    one, all_ = found("mixed:groups=1", 6, 30, **slow), found("synchronous", 6, 30, **slow)
    assert one.seconds == pytest.approx(all_.seconds)
    assert one.bytes == all_.bytes


def test_groups_of_one_are_asynchronous() -> None:
    asked = scenario("mixed:groups=5", 5, 40, "gamma:1s:0.5", link=Link(1e3, 0.1), message_bytes=100)
    assert traced(asked)[0] == replace(
        traced(replace(asked, strategy=strategy("asynchronous")))[0], strategy="mixed_asynchronous:groups=5"
    )


def test_corrections_change_no_times() -> None:
    plain = found("asynchronous", 5, 40, "gamma:1s:0.5")
    for name in ("delay_compensated", "delay_compensated_adaptive"):
        assert replace(found(name, 5, 40, "gamma:1s:0.5"), strategy="asynchronous") == plain


def test_without_delay_nothing_is_stale_and_all_take_turns() -> None:
    result, trace = traced(scenario("asynchronous", 4, 10, "constant:0s"))
    assert column(trace, "numbers").tolist() == list(range(40))
    assert (result.staleness.most, result.seconds, result.examples_per_s) == (0, 0.0, None)


def test_equal_workers_are_as_stale_as_there_are_others() -> None:
    result = found("asynchronous", 10, 100)
    assert result.staleness.median == 9
    assert result.waiting_share == 0


# Formulas.


@pytest.mark.parametrize("slower", [1.0, 2.0, 10.0])
def test_a_straggler_costs_an_asynchronous_run_its_own_share_only(slower: float) -> None:
    """The harmonic mean of the times, where synchronous steps all take the longest of them."""
    result = found("asynchronous", 10, 2000, straggler=slower)
    assert result.examples_per_s == pytest.approx(32 * (9 + 1 / slower), rel=0.01)
    assert found("synchronous", 10, 100, straggler=slower).examples_per_s == pytest.approx(32 * 10 / slower)


@pytest.mark.parametrize("workers", [1, 2, 5, 50])
def test_the_server_is_the_part_that_cannot_be_shared(workers: int) -> None:
    """Amdahl: with a step of 1 s and 0.2 s at the server no number of workers is more than 6 times as fast as one."""
    one = found("asynchronous", 1, 1000, apply_seconds=0.2).examples_per_s
    result = found("asynchronous", workers, 1000, apply_seconds=0.2)
    assert one is not None
    assert result.examples_per_s == pytest.approx(one * min(workers, 6.0), rel=0.01)


def test_the_link_of_the_server_carries_one_message_after_the_other() -> None:
    """Alone a worker takes a message each way and two latencies; together they are limited by two messages a turn, and a
    latency until what the server asks for comes."""
    slow: dict[str, Any] = {"link": Link(1000.0, 0.05), "message_bytes": 100}
    alone = found("asynchronous", 1, 100, "constant:0s", **slow)
    assert alone.seconds == pytest.approx(100 * (0.1 + 0.1 + 2 * 0.05))
    many = found("asynchronous", 50, 100, "constant:0s", **slow)
    assert many.seconds == pytest.approx(5000 * (2 * 0.1 + 0.05), rel=0.01)


def test_a_measured_time_between_pushes_takes_the_place_of_the_queue() -> None:
    slow: dict[str, Any] = {"link": Link(1000.0, 0.05), "message_bytes": 100, "between_pushes": 0.4}
    many = found("asynchronous", 50, 100, "constant:0s", **slow)
    assert many.seconds == pytest.approx(5000 * (0.1 + 0.4), rel=0.01)


@pytest.mark.parametrize(("ready", "end"), [(5, 35), (15, 39), (19, 41), (21, 41), (30, 50)])
def test_what_the_server_asks_for_waits_behind_an_answer_that_is_under_way(ready: int, end: int) -> None:
    """Messages take 10 s, of which 4 s lie in the queue. The first worker's answer is under way from 11 s to 21 s; the second's
    push is asked for at 11 s or when it is ready, begins 4 s later, or when the answer has left, and has an answer after 20 s."""
    asked: dict[str, Any] = {"link": Link(10.0), "message_bytes": 100, "between_pushes": 4.0}
    result = found("asynchronous", 2, 1, measured([[1.0], [float(ready)]]), **asked)
    assert result.seconds == pytest.approx(end)


@pytest.mark.parametrize(
    ("strategy", "longer"), [("asynchronous", 1.3), ("asynchronous:every=3", 1.1), ("synchronous", 1.3)]
)
def test_the_first_step_after_an_exchange_takes_longer(strategy: str, longer: float) -> None:
    usual, colder = (found(strategy, 4, 30, "constant:1s", after_exchange=extra).seconds for extra in (0.0, 0.3))
    assert colder == pytest.approx(usual * longer)


@pytest.mark.parametrize("cores", [None, (0, 1)])
def test_the_straggler_is_slower_after_an_exchange_too(cores: tuple[int, ...] | None) -> None:
    asked = {"straggler": 3.0, "after_exchange": 0.5, "cores": cores}
    assert found("synchronous", 2, 10, "constant:1s", **asked).seconds == pytest.approx(10 * 3 * 1.5)


def test_large_messages_go_both_ways_at_once() -> None:
    """Beyond what lies in the queue of the link a push does not wait for an answer to another worker."""
    large: dict[str, Any] = {"link": Link(1e6), "message_bytes": 100 * QUEUED}
    many = found("asynchronous", 20, 20, "constant:0s", **large)
    assert many.seconds == pytest.approx(400 * 1.01 * 100 * QUEUED / 1e6, rel=0.02)


@pytest.mark.parametrize("load", [0.3, 0.6])
def test_gradients_wait_at_the_server_as_in_a_queue_of_poisson_arrivals(load: float) -> None:
    """M/D/1: load / (2 (1 - load)) service times. 400 exponential workers are nearly a Poisson stream; their queue is shorter by
    a few in 400, since who waits does not come."""
    workers = 400
    asked = scenario("asynchronous", workers, 250, f"exponential:{workers / load}s", apply_seconds=1.0)
    result, trace = traced(asked)
    arrived, applied = column(trace, "arrived"), column(trace, "applied")
    steady = slice(len(arrived) // 10, -len(arrived) // 10)  # all begin at once, and end one by one
    waits = (applied - arrived - 1.0)[steady]
    offered = len(waits) / (arrived[steady][-1] - arrived[steady][0])
    parts = waits[: len(waits) // 50 * 50].reshape(50, -1).mean(1)  # waits that follow each other are alike
    error = parts.std(ddof=1) / math.sqrt(len(parts))
    expected = offered / (2 * (1 - offered))
    assert waits.mean() == pytest.approx(expected, abs=LIKELY * error + expected * 3 / math.sqrt(workers) / 10)
    assert result.staleness.mean == pytest.approx(workers - 1, rel=0.02)


def test_one_step_with_backups_takes_the_order_statistic_of_those_waited_for() -> None:
    """The (N-b)-th smallest of N exponential times: H_N - H_b."""
    times = [found("backup_workers:backups=3", 10, 1, "exponential:1s", seed=seed).seconds for seed in range(600)]
    error = float(numpy.std(times) / math.sqrt(len(times)))
    expected = harmonic(10) - harmonic(3)
    assert order_statistic(lambda t: 1 - math.exp(-t), 7, 10, 60.0)[0] == pytest.approx(expected)
    assert numpy.mean(times) == pytest.approx(expected, abs=LIKELY * error)


@pytest.mark.parametrize(("workers", "backups"), [(5, 2), (4, 1), (3, 2), (6, 0)])
def test_updates_with_backups_come_as_their_markov_chain_says(workers: int, backups: int) -> None:
    steps = 4000
    result = found(f"backup_workers:backups={backups}", workers, steps, "exponential:1s")
    expected = updates_per_second(workers, workers - backups)
    assert steps / result.seconds == pytest.approx(expected, rel=LIKELY / math.sqrt(steps))


def test_a_backup_takes_the_place_of_a_straggler() -> None:
    assert found("backup_workers:backups=1", 4, 100, straggler=5.0).seconds == 100
    assert found("synchronous", 4, 100, straggler=5.0).seconds == 500


def test_a_larger_bound_waits_less() -> None:
    seconds = [found(f"stale_synchronous:bound={bound}", 8, 200, "exponential:1s").seconds for bound in (0, 1, 3, 10)]
    free = found("asynchronous", 8, 200, "exponential:1s").seconds
    assert sorted(seconds, reverse=True) == seconds
    assert seconds[-1] > free


def test_a_bound_lets_nobody_run_away_from_a_straggler() -> None:
    assert found("stale_synchronous:bound=3", 4, 100, straggler=4.0).seconds == pytest.approx(400, rel=0.05)
    assert found("asynchronous", 4, 100, straggler=4.0).seconds == pytest.approx(400 / 3.25, rel=0.05)


def test_several_steps_between_exchanges_send_less() -> None:
    often = found("asynchronous", 4, 60, message_bytes=100)
    seldom = found("downpour:every=3", 4, 60, message_bytes=100)
    assert (often.bytes, seldom.bytes) == (48_000, 16_000)
    assert often.steps == seldom.steps == 240


def test_the_last_turn_has_the_steps_that_are_left() -> None:
    result = found("downpour:every=4", 1, 10)
    assert (result.steps, result.updates, result.seconds, result.worker_examples) == (10, 3, 10, (320,))


def test_groups_are_of_nearly_equal_size() -> None:
    assert [len(members) for members in units(scenario("mixed:groups=3", 8, 1))] == [3, 3, 2]
    assert keeps_step(scenario("local_sgd", 8, 1))
    assert not keeps_step(scenario("backup_workers", 8, 1))


# Faults, shares, pictures.


def test_a_worker_that_is_away_holds_up_nobody_else() -> None:
    faults = Faults(between_failures=50.0, restart=10.0)
    result = found("asynchronous", 10, 500, faults=faults)
    assert result.failures == pytest.approx(10 * 500 / 50, rel=0.4)
    work, wall = 10 * 500.0, result.seconds * 10
    assert wall == pytest.approx(work + result.lost_seconds, rel=0.05)
    assert result.waiting_share < 0.05


def test_a_worker_that_comes_back_has_fresh_weights() -> None:
    asked = scenario("asynchronous", 2, 200, faults=Faults(between_failures=20.0, restart=500.0))
    assert traced(asked)[0].staleness.most <= 2  # and not the hundreds that the other took meanwhile


def test_checkpoints_of_the_server_hold_up_all() -> None:
    result = found("asynchronous", 4, 100, faults=Faults(checkpoint_every=10.0, checkpoint_cost=5.0))
    assert result.checkpoints == 10
    assert result.seconds == pytest.approx(100 + result.checkpoints * 5)


def test_the_same_seed_gives_the_same() -> None:
    for name in ("asynchronous", "stale_synchronous", "backup_workers", "mixed"):
        once, again = (found(name, 6, 50, "exponential:1s", seed=1) for _ in range(2))
        assert once == again
        assert found(name, 6, 50, "exponential:1s", seed=2) != once


def test_the_timeline_shows_the_queue_at_the_server() -> None:
    result = found("asynchronous", 2, 5, link=Link(10.0, 0.5), message_bytes=10, apply_seconds=2.0)
    last = [(one.begin, one.end, one.doing) for one in result.timeline if one.worker == 1][:5]
    assert last == [
        (0, 1, Doing.COMPUTING),
        (1, 1.5, Doing.EXCHANGING),
        (1.5, 6.0, Doing.WAITING),  # the other's gradient goes first, and is answered
        (6.0, 9.0, Doing.EXCHANGING),
        (9.0, 10.5, Doing.EXCHANGING),
    ]


@pytest.mark.parametrize("name", ["asynchronous", "stale_synchronous", "backup_workers", "mixed", "downpour"])
def test_spans_of_a_worker_do_not_overlap(name: str) -> None:
    result: Result = found(name, 20, 20, "exponential:1s", link=Link(1e3, 0.1), message_bytes=50)
    for worker in {one.worker for one in result.timeline}:
        mine = [one for one in result.timeline if one.worker == worker]
        assert all(before.end <= after.begin + 1e-9 for before, after in pairwise(mine))
