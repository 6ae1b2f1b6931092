"""Strategies in which all wait for each other, against formulas."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy
import pytest
from scipy import stats

from advisor.simulation.exchange import compressed_bytes
from advisor.simulation.result import Doing
from advisor.simulation.scenario import Faults, Link, measured
from advisor.simulation.times import StepTimes
from tests.simulation.made import found, scenario
from tests.simulation.theory import harmonic, order_statistic

ROUNDS = 20_000
LIKELY = 5.0
"""Standard errors that a mean of so many rounds is allowed to be away."""
LINK = Link(1e6, 0.01)


@pytest.mark.parametrize("workers", [1, 2, 10, 40])
def test_the_slowest_of_n_exponential_workers_takes_the_harmonic_number(workers: int) -> None:
    result = found("synchronous", workers, ROUNDS, "exponential:1s")
    deviation = math.sqrt(sum(1 / one**2 for one in range(1, workers + 1)))
    assert result.seconds / ROUNDS == pytest.approx(harmonic(workers), abs=LIKELY * deviation / math.sqrt(ROUNDS))
    assert result.waiting_share == pytest.approx(1 - 1 / harmonic(workers), abs=0.02)


@pytest.mark.parametrize(
    ("times", "law"),
    [
        ("lognormal:1s:0.3", stats.lognorm(0.3)),
        ("gamma:1s:0.2", stats.gamma(25, scale=1 / 25)),
        (measured([numpy.linspace(0.5, 1.5, 2001).tolist()]), stats.uniform(0.5, 1.0)),
    ],
)
@pytest.mark.parametrize("workers", [2, 16])
def test_the_slowest_of_n_workers_is_the_largest_order_statistic(times: object, law: object, workers: int) -> None:
    mean, deviation = order_statistic(law.cdf, workers, workers, 30.0)  # type: ignore[attr-defined]
    result = found("synchronous", workers, ROUNDS, times)  # type: ignore[arg-type]
    assert result.seconds / ROUNDS == pytest.approx(mean, abs=LIKELY * deviation / math.sqrt(ROUNDS) + 1e-3)


@pytest.mark.parametrize("workers", [1, 2, 7])
def test_a_ring_of_n_takes_two_passes_and_sharding_three(workers: int) -> None:
    size, steps = 500_000, 3
    passes = (workers - 1) * (LINK.latency + size / workers / 1e6)
    for name, count in (("synchronous", 2), ("sharded", 3), ("local_sgd:every=1", 2)):
        result = found(name, workers, steps, link=LINK, message_bytes=size)
        assert result.seconds == pytest.approx(steps * (1 + count * passes))
        assert result.bytes == steps * count * (workers - 1) * size
        assert result.examples == steps * workers * 32


def test_a_large_ring_takes_twice_the_bytes_through_the_link() -> None:
    result = found("synchronous", 5000, 1, "constant:0s", link=Link(1e6), message_bytes=10**6)
    assert result.seconds == pytest.approx(2.0, rel=1e-3)


def test_sixteen_bits_are_half_the_bytes() -> None:
    whole = found("synchronous", 4, 5, "constant:0s", link=Link(1e6), message_bytes=1000)
    half = found("fp16_compression", 4, 5, "constant:0s", link=Link(1e6), message_bytes=1000)
    assert half.bytes * 2 == whole.bytes
    assert half.seconds * 2 == pytest.approx(whole.seconds)


def test_powersgd_sends_its_factors() -> None:
    asked = scenario("powersgd:rank=2", 4, 1, message_bytes=4 * 100 * 200, shapes=((100, 200),))
    assert compressed_bytes(asked) == 4 * 2 * (100 + 200)
    assert compressed_bytes(replace(asked, compressed_bytes=7)) == 7
    assert compressed_bytes(replace(asked, shapes=(), message_bytes=256_000)) == 2000
    assert compressed_bytes(replace(asked, shapes=((2, 3),), message_bytes=24)) == 24
    two = found("powersgd", 4, 1, link=Link(None, 0.01), message_bytes=1000)
    assert two.seconds == pytest.approx(1 + 2 * 6 * 0.01)  # either factor is all-reduced


def test_an_exchange_goes_on_while_gradients_are_computed() -> None:
    asked: dict[str, Any] = {"link": Link(1e6), "message_bytes": 400_000}  # 0.6 s in a ring of 4
    assert found("synchronous", 4, 10, **asked).seconds == pytest.approx(16)
    assert found("synchronous", 4, 10, overlap=0.5, **asked).seconds == pytest.approx(11)
    assert found("synchronous", 4, 10, overlap=0.9, **asked).seconds == pytest.approx(10)
    assert found("local_sgd:every=1", 4, 10, overlap=0.9, **asked).seconds == pytest.approx(16)


def test_fewer_exchanges_wait_less_and_send_less() -> None:
    often = found("synchronous", 8, 1000, "exponential:1s", message_bytes=100)
    seldom = found("local_sgd:every=50", 8, 1000, "exponential:1s", message_bytes=100)
    assert seldom.bytes * 50 == often.bytes
    assert seldom.updates * 50 == often.updates == 1000
    assert seldom.waiting_share < often.waiting_share / 3


def test_diloco_sends_500_times_less_than_a_step_with_an_exchange() -> None:
    every_step = found("synchronous", 8, 1000, message_bytes=10**6)
    assert every_step.bytes / found("diloco:every=500", 8, 1000, message_bytes=10**6).bytes == 500


def test_the_last_round_has_the_steps_that_are_left() -> None:
    result = found("local_sgd:every=8", 3, 20)
    assert (result.steps, result.updates, result.seconds) == (60, 3, 20)
    assert result.worker_examples == (640, 640, 640)


def test_long_rounds_are_added_up_piece_by_piece() -> None:
    result = found("diloco:every=1000000", 10, 300_000)
    assert result.seconds == pytest.approx(300_000)


@pytest.mark.parametrize(("stages", "parts"), [(1, 4), (2, 4), (4, 8), (4, 1)])
def test_the_bubble_of_a_pipeline(stages: int, parts: int) -> None:
    result = found(f"pipeline:stages={stages}:parts={parts}", 8, 10)
    assert result.seconds == pytest.approx(10 * (parts + stages - 1) / parts)
    assert result.waiting_share == pytest.approx((stages - 1) / (parts + stages - 1))
    assert result.examples == 8 * 10 * 32


def test_a_pipeline_passes_on_activations_and_averages_its_parts_of_the_weights() -> None:
    result = found(
        "pipeline:stages=2:parts=4", 4, 1, "constant:0s", link=Link(1e6), message_bytes=1000, activation_bytes=500
    )
    assert result.bytes == 2 * 1000 + 2 * (2 * 2 * 500)  # a ring of two for each stage; activations there and back
    assert result.seconds == pytest.approx(5 * 2 * (2 * 500 / 4) / 1e6 + 500 / 1e6)


def test_one_slow_worker_slows_all_down() -> None:
    assert found("synchronous", 10, 10, straggler=3.0).seconds == 30
    assert found("local_sgd:every=5", 10, 10, straggler=3.0).seconds == 30


def test_measured_times_are_each_workers_own() -> None:
    result = found("synchronous", 3, 10, measured([[1.0], [2.0], [3.0]]))
    assert result.seconds == 30
    assert result.waiting_share == pytest.approx(1 - 6 / 9)


def test_pauses_lengthen_steps_by_their_rate_and_length() -> None:
    faults = Faults(pauses_per_second=0.1, pause=2.0)
    result = found("synchronous", 1, ROUNDS, faults=faults)
    assert result.seconds / ROUNDS == pytest.approx(1.2, abs=LIKELY * 2 * math.sqrt(0.1 / ROUNDS))


def test_the_same_seed_gives_the_same_and_another_one_another() -> None:
    once, again = (found("local_sgd", 5, 100, "gamma:1s:0.5", seed=3) for _ in range(2))
    assert once == again
    assert found("local_sgd", 5, 100, "gamma:1s:0.5", seed=4).seconds != once.seconds


def test_a_workers_times_do_not_depend_on_the_others_or_on_how_many_are_drawn_at_once() -> None:
    few, many = (StepTimes(scenario("synchronous", workers, 50, "lognormal:1s:0.3")) for workers in (3, 7))
    first = many.next(50)[2]
    assert numpy.array_equal(numpy.concatenate([few.of(2, 20), few.of(2, 30)]), first)


def test_the_timeline_shows_who_waits_for_whom() -> None:
    result = found("synchronous", 20, 3, straggler=2.0, link=Link(1e6), message_bytes=10**6)
    assert {span.worker for span in result.timeline} == {*range(15), 19}
    first = [(one.begin, one.end, one.doing) for one in result.timeline if one.worker == 0][:3]
    assert first == [(0, 1, Doing.COMPUTING), (1, 2, Doing.WAITING), (2, pytest.approx(3.9), Doing.EXCHANGING)]
    assert not any(one.doing is Doing.WAITING for one in result.timeline if one.worker == 19)


@pytest.mark.parametrize(
    "times", ["gamma:1s:0", "gamma:1s:0.00000001", "lognormal:1s:0", "gamma:1s:10", "lognormal:1s:10"]
)
def test_extreme_spreads_are_drawn_too(times: str) -> None:
    result = found("synchronous", 2, 100, times)
    assert 0 < result.seconds < math.inf
    if times.rpartition(":")[2].startswith("0"):
        assert result.seconds == pytest.approx(100)


def test_more_pauses_than_can_be_drawn_are_still_a_time() -> None:
    faults = Faults(pauses_per_second=1e6, pause=1.0)
    assert found("synchronous", 2, 2, "constant:1000000000s", straggler=1e6, faults=faults).seconds < math.inf


def test_hardly_any_time_has_no_rate() -> None:
    assert found("synchronous", 2, 2, measured([[1e-300]])).examples_per_s is None
