"""The time of each training, where starting or what is around trainings takes longer than planned."""

from __future__ import annotations

import time

import pytest

from advisor.distributed.job import Job
from advisor.distributed.launching.launch import run
from advisor.distributed.running.session import Allotment
from advisor.distributed.task import Task


def test_trainings_are_as_long_as_planned_where_there_is_time() -> None:
    assert Allotment(10.0, None).of_seed(4, 0.0) == 10.0
    assert Allotment(10.0, 100.0).of_seed(4, 0.0) == 10.0


def test_a_late_start_shortens_all_of_them_alike() -> None:
    found, now, lengths = Allotment(10.0, 30.0), 12.0, []
    for left in (3, 2, 1):
        lengths.append(found.of_seed(left, now))
        now += lengths[-1] + 0.7
    assert lengths == pytest.approx([5.3] * 3)
    assert now == pytest.approx(30.0)


def test_what_takes_long_around_trainings_shortens_those_with_the_next_seed() -> None:
    found = Allotment(10.0, 60.0)
    first = found.of_seed(4, 8.0)
    assert first == pytest.approx(10.0)
    found.took(first + 4.0, first)
    found.took(first + 2.0, first)
    assert found.of_seed(2, 34.0) == pytest.approx((60.0 - 34.0) / 2 - 3.0)


def test_a_training_never_becomes_nothing() -> None:
    assert Allotment(10.0, 30.0).of_seed(5, 40.0) == pytest.approx(1.0)


@pytest.mark.thorough
def test_all_are_trained_though_starting_takes_most_of_the_time() -> None:
    task = Task("ffn", "tabular", 12, 4, (16,), batch=8, most_examples=2000)
    job = Job(task, ("synchronous", "local_sgd"), seconds=20.0, calibrates=False)
    results = run(job, until=time.monotonic() + 12.0)
    assert results.failed == ""
    assert len(results.runs) == 2
    assert all(one.seconds < 10.0 for one in results.runs)
