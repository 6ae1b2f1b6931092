"""How the time of `advisor sync` is shared, and when a plan's own network is trained: by numbers alone."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from advisor.inference.plan import Plan
from advisor.session.affordable import Means, gradient_here, schedule, why_barred
from advisor.session.inputs import gather, plan_of

MEANS = Means(seconds=120.0, trainings=4, workers=2, batch=32, memory_bytes=16_000_000_000)
PICTURES = ["task.kind=classify", "task.outputs=10", "data.modality=image", "data.inputs=3072", "machine.gpu.count=0"]
CORES = ["machine.cpu.usable_cores=2", "machine.cpu.physical_cores=2", "machine.cpu.logical_cores=2"]


@pytest.fixture(scope="module")
def plan() -> Plan:
    """Of resnet18 on small pictures, for a machine with two cores."""
    return plan_of(gather(sets=[*PICTURES, *CORES, "network.model=resnet18"], machine="none", complain=lambda *_: None))


@pytest.mark.parametrize("gradient", [None, 0.001, 0.1, 1.0])
def test_training_and_looking_fit_into_the_budget(gradient: float | None) -> None:
    found = schedule(MEANS, gradient)
    look = (gradient or 0.0) / (3 * MEANS.batch)
    looked = 3_024 if found.held_out is None else 2 * found.held_out
    looking = (found.points + 1) * looked * look
    assert MEANS.trainings * (found.seconds + looking) <= MEANS.seconds - 10 + 1e-6
    assert found.seconds >= 0.7 * ((MEANS.seconds - 10 - 5) / MEANS.trainings - 0.7)
    teaching = schedule(replace(MEANS, teaches=True), gradient)
    assert MEANS.trainings * (found.seconds - teaching.seconds) <= 0.15 * MEANS.seconds


def test_the_slower_a_gradient_the_fewer_examples_and_places_are_looked_at() -> None:
    fast, slow, slowest = (schedule(MEANS, seconds) for seconds in (0.0005, 0.1, 5.0))
    assert (fast.held_out, fast.points) == (None, 16)
    assert slow.held_out is not None
    assert (slowest.held_out, slowest.points) == (64, 3)
    assert fast.most_examples == 10_000
    assert slowest.most_examples < 1_000, "a teacher of that size would take minutes to make so many"


def test_workers_are_waited_for_longer_where_gradients_are_slow() -> None:
    assert [schedule(MEANS, seconds).timeout for seconds in (0.01, 5.0)] == [10.0, 20.0]
    assert schedule(replace(MEANS, patience=8.0), 5.0).timeout == 160.0


def test_steps_are_timed_by_themselves_where_that_is_quick() -> None:
    assert [schedule(MEANS, seconds).calibrates for seconds in (None, 0.1, 2.0)] == [True, True, False]


def test_a_gradient_takes_one_thread_of_a_shared_machine(plan: Plan) -> None:
    two, four, twice = (
        gradient_here(plan, means) for means in (MEANS, replace(MEANS, workers=4), replace(MEANS, batch=64))
    )
    assert two is not None
    assert 0.02 < two < 5.0
    assert four == pytest.approx(2 * two), "four workers share two cores"
    assert twice == pytest.approx(2 * two)


def test_a_network_is_trained_where_thirty_gradients_fit(plan: Plan) -> None:
    gradient = gradient_here(plan, MEANS)
    assert gradient is not None
    said = why_barred(plan, replace(MEANS, seconds=25.0))
    assert said.startswith("Resnet18 takes about")
    assert "for a gradient of 32 examples here" in said
    assert re.search(
        r"each training has [\d.]+ m?s: (not enough for one|time for \d+, which teach(es)? it nothing)\.", said
    )
    enough = 60.0 * float(said.partition("`--budget ")[2].partition("min`")[0])
    assert why_barred(plan, replace(MEANS, seconds=enough)) == ""
    assert why_barred(plan, replace(MEANS, seconds=enough - 60)) != ""
    assert schedule(replace(MEANS, seconds=enough), gradient).seconds >= 30 * gradient


def test_workers_that_do_not_fit_into_memory_are_told_of(plan: Plan) -> None:
    said = why_barred(plan, replace(MEANS, seconds=3600.0, memory_bytes=1_000_000_000))
    assert said.startswith("2 workers that train resnet18, of 11,181,642 weights, hold about")
    assert "they may take 1.0 GB here" in said
