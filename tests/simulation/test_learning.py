"""Real gradients in simulated order: strategies that must learn the same, and what sets them apart."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
import torch

from advisor.distributed.learning.lesson import Lesson, lesson
from advisor.distributed.strategies import strategy
from advisor.distributed.task import DIGITS, Task
from advisor.simulation.compression import Halves, Plain, PowerSgd
from advisor.simulation.learning import FEWEST_POINTS, learned, points_for, taught
from advisor.simulation.result import Result
from advisor.simulation.scenario import Link, Scenario, step_time
from tests.simulation.made import scenario

TASK = Task("ffn", "tabular", 64, 10, hidden_units=(16,), data=DIGITS, rate=0.05, batch=8)
SAME = 1e-9
"""Relative: rounding in 64 bits."""


@cache
def given() -> Lesson:
    torch.set_num_threads(1)
    return lesson(TASK, torch.float64)


def learns(
    name: str, workers: int = 4, steps: int = 20, times: str = "exponential:1s", task: Task = TASK, **others: Any
) -> Result:
    return taught(scenario(name, workers, steps, times, batch=8, **others), task, given())


def last(result: Result) -> tuple[float, float]:
    """The loss and the accuracy in the end."""
    return result.loss[-1][1], result.metric[-1][1]


def test_the_loss_falls_and_is_looked_at_along_the_way() -> None:
    result = learns("synchronous", steps=100)
    losses = [loss for _, loss in result.loss]
    assert losses[0] == pytest.approx(math.log(10), rel=0.3)
    assert losses[-1] < 0.3 * losses[0]
    assert result.metric_name == "accuracy"
    assert last(result)[1] > 0.75
    assert FEWEST_POINTS * 0.6 <= len(losses) <= FEWEST_POINTS + 2
    assert [at for at, _ in result.loss] == sorted(at for at, _ in result.loss)
    assert result.loss[-1][0] == pytest.approx(result.seconds)


def test_a_run_that_learns_from_more_is_looked_at_more_often() -> None:
    assert [points_for(examples, 100) for examples in (100, 2000, 1_000_000)] == [FEWEST_POINTS, 20, 40]


# Limits that hold exactly.


@pytest.mark.parametrize(
    "name",
    ["stale_synchronous:bound=0", "local_sgd:every=1", "backup_workers:backups=0", "mixed:groups=1", "sharded", "pipeline",
     "gradient_accumulation:every=1", "diloco:every=1:rate=1:momentum=0"],
)  # fmt: skip
def test_what_waits_for_all_learns_what_synchronous_does(name: str) -> None:
    assert last(learns(name)) == pytest.approx(last(learns("synchronous")), rel=SAME)


@pytest.mark.parametrize("workers", [2, 4])
def test_one_worker_with_the_batch_of_all_learns_the_same_in_the_time_of_its_own_steps(workers: int) -> None:
    """So its time to a loss follows from that of all, by the times of a step."""
    together = learns("synchronous", workers, steps=30, times="constant:1s")
    task = replace(TASK, batch=8 * workers, rate=TASK.rate * workers)
    one = taught(scenario("synchronous", 1, 30, "constant:3s", batch=8 * workers), task, given())
    assert [at / 3 for at, _ in one.loss] == pytest.approx([at for at, _ in together.loss])
    assert [loss for _, loss in one.loss] == pytest.approx([loss for _, loss in together.loss], rel=SAME)


def test_curves_of_the_same_times_are_the_same() -> None:
    same, other = learns("synchronous"), learns("local_sgd:every=1")
    assert [at for at, _ in other.loss] == [at for at, _ in same.loss]
    assert [loss for _, loss in other.loss] == pytest.approx([loss for _, loss in same.loss], rel=SAME)


def test_asynchronous_without_delay_is_one_worker_in_step() -> None:
    many = learns("asynchronous", workers=4, steps=10, times="constant:0s")
    one = learns("synchronous", workers=1, steps=40, times="constant:0s")
    assert [loss for _, loss in many.loss] == pytest.approx([loss for _, loss in one.loss], rel=SAME)
    assert many.staleness.most == 0


def test_groups_of_one_are_asynchronous_bit_for_bit() -> None:
    assert learns("mixed:groups=4").loss == learns("asynchronous").loss


@pytest.mark.parametrize(
    ("corrected", "plain"),
    [
        ("delay_compensated:lambda=0", "asynchronous"),
        ("delay_compensated_adaptive:lambda=0", "asynchronous"),
        ("delay_compensated:lambda=0:server=adagrad:every=2", "downpour"),
        ("asynchronous:server=adagrad:every=2", "downpour"),
    ],
)
def test_no_correction_changes_nothing_bit_for_bit(corrected: str, plain: str) -> None:
    assert learns(corrected).loss == learns(plain).loss


def test_a_correction_changes_something() -> None:
    plain = last(learns("asynchronous"))
    assert len({plain, last(learns("delay_compensated")), last(learns("delay_compensated_adaptive"))}) == 3


# What sets strategies apart.


def test_accumulated_gradients_are_those_of_more_workers() -> None:
    """Four workers that add up three batches step as twelve workers do."""
    few = learns("gradient_accumulation:every=3", workers=1, steps=12)
    assert few.updates == 4
    # Batches 0 to 2 and so on: one worker takes them one after the other, three at once.
    many = learns("synchronous", workers=3, steps=4)
    assert last(few) == pytest.approx(last(many), rel=SAME)


def test_stale_gradients_learn_worse_at_a_high_rate() -> None:
    task = replace(TASK, rate=0.3)
    fresh = learns("synchronous", workers=1, steps=480, times="constant:1s", task=task)
    stale = learns("asynchronous", workers=16, steps=30, times="constant:1s", task=task)
    assert fresh.examples == stale.examples
    assert stale.staleness.median == 15
    assert last(stale)[0] > last(fresh)[0]


def test_who_is_faster_learns_more_in_the_same_time() -> None:
    slow, free = learns("synchronous", straggler=5.0, steps=60), learns("asynchronous", straggler=5.0, steps=60)
    assert free.seconds < 0.5 * slow.seconds


def test_weights_that_differ_in_seed_differ() -> None:
    assert learns("synchronous", seed=1).loss[0] != learns("synchronous", seed=2).loss[0]
    assert learns("downpour", seed=1) == learns("downpour", seed=1)


def test_workers_that_average_may_use_adamw() -> None:
    task = replace(TASK, optimizer="adamw", rate=0.02)
    assert last(learns("synchronous", steps=60, task=task))[0] < 1.0
    assert last(learns("diloco:every=10", steps=60, task=task))[0] < 1.0


def test_messages_have_the_size_of_the_network() -> None:
    weights = 64 * 16 + 16 + 16 * 10 + 10
    assert learns("asynchronous", steps=1).bytes == 4 * 2 * weights * 4
    assert learns("powersgd", steps=1).bytes < learns("synchronous", steps=1).bytes / 4
    assert learns("asynchronous", steps=1, message_bytes=5).bytes == 4 * 2 * 5


def test_a_loss_that_is_no_number_says_so() -> None:
    for name in ("synchronous", "asynchronous", "local_sgd"):
        result = learns(name, task=replace(TASK, rate=1e200))
        assert result.diverged_at is not None
        assert 0 <= result.diverged_at < result.seconds
        assert all(math.isfinite(loss) for _, loss in result.loss)
    assert learns("synchronous").diverged_at is None


def test_a_lesson_is_made_from_the_task() -> None:
    result = learned(scenario("synchronous", 2, 3, batch=8), TASK)
    assert result == learns("synchronous", 2, 3, times="constant:1s")


# Compression.


def averaged(way: Plain | PowerSgd, gradients: torch.Tensor) -> torch.Tensor:
    for worker, gradient in enumerate(gradients):
        way.add(worker, gradient)
    return way.mean()


def test_sixteen_bits_keep_three_digits() -> None:
    gradients = torch.randn(4, 100, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    mean = averaged(Plain(4), gradients)
    assert torch.allclose(mean, gradients.mean(0))
    halves = averaged(Halves(4), gradients)
    assert not torch.equal(halves, mean)
    assert torch.allclose(halves, mean, atol=2e-3)


def test_powersgd_keeps_a_matrix_of_its_rank_and_all_vectors() -> None:
    drawn = torch.Generator().manual_seed(0)
    parameters = [torch.zeros(20, 30, dtype=torch.float64), torch.zeros(20, dtype=torch.float64)]
    way = PowerSgd(parameters, 3, 1)
    rows, columns = (torch.randn(size, dtype=torch.float64, generator=drawn) for size in (20, 30))
    gradients = torch.stack(
        [torch.cat([torch.outer(rows, columns).reshape(-1) * scale, rows]) for scale in (1.0, 2.0, 6.0)]
    )
    for _ in range(4):
        assert torch.allclose(averaged(way, gradients), gradients.mean(0))


def test_what_powersgd_leaves_out_comes_later() -> None:
    drawn = torch.Generator().manual_seed(0)
    way = PowerSgd([torch.zeros(20, 30, dtype=torch.float64)], 2, 2)
    gradients = torch.randn(2, 600, dtype=torch.float64, generator=drawn)
    first = [averaged(way, gradients) for _ in range(3)][-1]
    rest = [averaged(way, gradients) for _ in range(300)]
    mean, sent = gradients.mean(0), (first + torch.stack(rest).sum(0)) / 301
    assert (first - mean).norm() > 0.5 * mean.norm()
    assert (sent - mean).norm() < 0.1 * mean.norm()


@pytest.mark.thorough
def test_64_workers_take_200_steps_in_less_than_two_minutes_of_a_processor() -> None:
    begun = time.process_time()
    task = replace(TASK, hidden_units=(64, 64), rate=0.01)
    asked = Scenario(
        strategy("asynchronous"), 64, 200, batch=16, step_time=step_time("lognormal:1s:0.3"), link=Link(1e9, 1e-3)
    )
    assert last(learned(asked, task))[1] > 0.9
    assert time.process_time() - begun < 120
