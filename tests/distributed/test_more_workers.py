"""Three and four workers, several seeds, a straggler, slow links, and networks of other kinds."""

from __future__ import annotations

import statistics
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from advisor.distributed.job import Job
from advisor.distributed.launching.launch import run
from advisor.distributed.learning.lesson import lesson
from advisor.distributed.task import Task
from advisor.distributed.wires.links import Links, links
from advisor.distributed.wires.pacing import Pace
from tests.distributed.reference import apart, left, sequential

pytestmark = pytest.mark.thorough

TASK = Task("ffn", "tabular", 12, 4, (16, 16), batch=8, most_examples=2000)
IN_STEP = (
    "synchronous",
    "local_sgd:every=1",
    "sharded",
    "stale_synchronous:bound=0",
    "backup_workers:backups=0",
    "mixed:groups=1",
)


@pytest.mark.parametrize("workers", [3, 4])
def test_those_in_step_are_one_process_with_a_larger_batch(tmp_path: Path, workers: int) -> None:
    job = Job(
        TASK, IN_STEP, workers, seeds=(0, 1), seconds=60.0, examples=30 * 8 * workers, precision="float64",
        weights=str(tmp_path), timeout=30.0,
    )  # fmt: skip
    results = run(job)
    assert results.failed == ""
    assert [(one.strategy, one.seed) for one in results.runs] == [(str(one), seed) for one, seed in job.runs]
    taught = lesson(TASK, torch.float64)
    for one, seed in job.runs:
        expected = sequential(taught, TASK, steps=30, batches=workers, seed=seed)
        assert apart(left(tmp_path, str(one), seed), expected) < 1e-9, str(one)


def test_backups_drop_the_slowest_and_groups_differ_in_size() -> None:
    job = Job(TASK, ("backup_workers", "mixed", "asynchronous"), 3, seconds=2.0, straggler=20.0, calibrates=False)
    results = run(job)
    assert results.failed == ""
    backup, mixed, alone = results.runs
    assert backup.dropped > 0
    assert all(one.curve[-1].loss < one.curve[0].loss for one in results.runs)
    assert mixed.examples == (mixed.examples // 8) * 8
    assert alone.staleness.p95 >= alone.staleness.median >= 1


def test_a_straggler_is_waited_for_in_step_and_by_nobody_else() -> None:
    results = run(Job(TASK, ("synchronous", "asynchronous"), 2, seconds=2.0, straggler=30.0))
    synchronous, asynchronous = results.runs
    assert statistics.median(synchronous.steps[1]) > 5 * statistics.median(synchronous.steps[0])
    found = results.calibrated
    assert found is not None
    assert statistics.median(found.alone[1]) < 5 * statistics.median(found.alone[0])  # it is not slowed down there
    assert synchronous.waiting[0] > synchronous.waiting[1]
    assert asynchronous.examples > synchronous.examples


def test_a_slow_link_makes_exchanges_slow() -> None:
    job = Job(TASK, ("synchronous", "asynchronous", "sharded", "pipeline"), 2, seconds=1.0, timeout=20.0)
    fast = run(job)
    with links(3, 2.5e5, 0.005) as slow_links:
        slow = run(job, links=slow_links)
    acted = run(job, links=Links(_loopback(slow_links), "acted", Pace(2.5e5, 0.005)))
    for results in (fast, slow, acted):
        assert results.failed == ""
    for slower in (slow, acted):
        assert slower.calibrated is not None
        assert slower.calibrated.send.alpha > 0.004
        assert slower.calibrated.send.beta == pytest.approx(4e-6, rel=0.3)
        rates = {one.strategy: one.updates / one.seconds for one in slower.runs}
        for one in fast.runs:
            assert rates[one.strategy] < one.updates / one.seconds


def _loopback(found: Links) -> list:  # type: ignore[type-arg]
    with links(len(found.places), None, 0) as local:
        return list(local.places)


@pytest.mark.parametrize(
    "task",
    [
        Task("transformer", "text", 20, 20, (16, 32), 8, most_examples=600),
        Task("lstm", "time_series", 3, 4, (16,), 8, most_examples=600, rate=0.2),
        Task("cnn", "image", 64, 4, (8,), most_examples=600),
    ],
    ids=lambda task: task.network,
)
def test_sharded_is_synchronous_for_other_networks(tmp_path: Path, task: Task) -> None:
    strategies = ("synchronous", "sharded", *(["pipeline"] if task.network == "cnn" else []))
    job = Job(
        task, strategies, 2, seconds=100.0, examples=6 * 64, precision="float64", weights=str(tmp_path), calibrates=False,
        timeout=30.0,
    )  # fmt: skip
    assert run(job).failed == ""
    for one in strategies[1:]:
        assert apart(left(tmp_path, one), left(tmp_path, "synchronous")) < 1e-9


def test_workers_that_share_processors_and_few_examples_all_learn() -> None:
    few = replace(TASK, most_examples=200, batch=100)  # an epoch is one batch, and there are three workers
    results = run(Job(few, ("asynchronous", "synchronous", "local_sgd", "pipeline"), 3, seconds=0.5, calibrates=False))
    assert results.failed == ""
    assert len(results.runs) == 4
    assert all(len(one.waiting) == 3 for one in results.runs)
    assert "share" in results.notes[0]
    assert "nothing to do" in results.runs[-1].notes[0]
