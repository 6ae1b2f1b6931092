"""Simulating a strategy for a plan: what is taken from it, measured and assumed."""

from __future__ import annotations

import statistics
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from advisor.children.stopping import Stop
from advisor.distributed.task import Task
from advisor.errors import InputError
from advisor.report.strategies.simulation import rests_on
from advisor.session import simulating
from advisor.session.inputs import Inputs, gather, plan_of
from advisor.session.simulating import (
    EVEN,
    UNEVEN,
    Asked,
    scenario_of,
    simulated,
    sums,
)
from advisor.simulation.result import Result
from advisor.simulation.running import StoppedError
from advisor.simulation.scenario import Faults, Law, Link, Scenario
from advisor.simulation.timing import timing

CLUSTER = {
    "task.kind": "classify", "task.outputs": "10", "data.modality": "image", "data.inputs": "3072", "data.examples": "500000",
    "project.pretrained_allowed": "no", "machine.gpu.count": "1", "machine.gpu.name": "RTX 4090",
    "machine.gpu.memory_bytes": "24 GB", "machine.gpu.backend": "cuda", "cluster.nodes": "8",
    "cluster.network_bytes_per_second": "10 Gbit/s",
}  # fmt: skip
"""Eight machines with a card each, for which the time of a step is predicted."""


def no_complaint(title: str, what: str) -> None:
    raise AssertionError(f"{title}: {what}")


def told(*sets: str, machine: str = "auto") -> Inputs:
    return elsewhere(*sets) if machine == "none" else gathered(*sets, machine=machine)


@cache
def elsewhere(*sets: str) -> Inputs:
    return gathered(*sets, machine="none")


def gathered(*sets: str, machine: str) -> Inputs:
    stated = CLUSTER | dict(one.split("=") for one in sets)
    return gather(sets=[f"{name}={value}" for name, value in stated.items()], machine=machine, complain=no_complaint)


def scene(*sets: str, machine: str = "none", **asked: Any) -> tuple[Scenario, tuple[str, ...]]:
    inputs = told(*sets, machine=machine)
    return scenario_of(plan_of(inputs), inputs, Asked(**asked))


# The cluster


def test_a_plan_gives_its_workers_its_batch_its_link_and_its_step() -> None:
    found, notes = scene()
    plan = plan_of(told(machine="none"))
    assert (found.workers, found.batch, found.link) == (8, plan.value("training.micro_batch"), Link(1.25e9, 0.0))
    assert found.message_bytes == 4 * 1_149_770
    assert (found.step_time.law, found.step_time.spread) == (Law.LOGNORMAL, EVEN)
    assert any(
        "as predicted for the plan, with a spread of 5% as even workers have it (assumed)" in one for one in notes
    )
    assert "The plan's link carries 1.25 GB/s." in notes


def test_uneven_workers_have_uneven_steps() -> None:
    found, notes = scene("cluster.stragglers=yes")
    assert found.step_time.spread == UNEVEN
    assert any("uneven workers" in one for one in notes)


def test_what_is_asked_for_goes_before_the_plan_and_needs_no_note() -> None:
    found, notes = scene(
        workers=3,
        batch=5,
        steps=7,
        link="100Mbit/s",
        latency="2ms",
        step_time="gamma:20ms:0.2",
        straggler=2.0,
        overlap=0.5,
        precision="fp32",
        seed=9,
    )
    assert (found.workers, found.batch, found.steps, found.seed) == (3, 5, 7, 9)
    assert (found.link, found.straggler, found.overlap) == (Link(12.5e6, 0.002), 2.0, 0.5)
    assert str(found.step_time) == "gamma:0.02s:0.2"
    assert notes == ()


def test_with_nothing_known_everything_is_assumed_and_said() -> None:
    inputs = gather(machine="none", complain=no_complaint)
    found, notes = scenario_of(plan_of(inputs), inputs, Asked())
    assert (found.workers, found.link, found.step_time.seconds) == (8, Link(), 1.0)
    assert [one.partition(":")[0] for one in notes] == [
        "Nothing is known of the time of a step",
        "No link is known",
        "The plan has no network yet",
    ]


def test_measured_steps_that_nobody_measured_are_refused() -> None:
    with pytest.raises(InputError, match=r"no measurement of this plan's step"):
        scene(step_time="measured")


def test_a_step_of_several_passes_takes_the_sum_of_as_many_measured_ones_so_that_its_spread_shrinks() -> None:
    samples = [1.0] * 50 + [2.0] * 50
    found = sums(samples, 16, seed=3)
    assert statistics.fmean(found) == pytest.approx(16 * 1.5, rel=0.01)
    assert statistics.stdev(found) == pytest.approx(4 * 0.5, rel=0.1), (
        "sixteen times the time, four times the deviation"
    )
    assert min(found) > 16
    assert found == sums(samples, 16, seed=3) != sums(samples, 16, seed=4)


@pytest.mark.parametrize("passes", [1, 4])
def test_measured_passes_are_added_up_for_a_step_of_the_plan(monkeypatch: pytest.MonkeyPatch, passes: int) -> None:
    monkeypatch.setattr(simulating, "step_samples", lambda *_: (0.1, 0.3))
    inputs = told(machine="none")
    plan = plan_of(inputs)
    several = replace(plan.recommendations["training.accumulation"], value=passes)
    plan = replace(plan, recommendations={**plan.recommendations, "training.accumulation": several})
    found, notes = scenario_of(plan, inputs, Asked())
    assert found.step_time.mean == pytest.approx(0.2 * passes, rel=0.05)
    different = {round(one, 6) for one in found.step_time.samples[0]}
    assert len(different) == passes + 1, "sums of so many that are one of two values each"
    assert ("added up for each" in notes[0]) == (passes > 1)


def test_failures_and_checkpoints_are_those_that_are_asked_for() -> None:
    found, _ = scene(failures="300h", restart="2min", checkpoint="20min", checkpoint_cost="5s")
    assert found.faults == Faults(300 * 3600.0, 120.0, 1200.0, 5.0)
    assert scene()[0].faults == Faults(restart=300.0)


def test_a_checkpoint_costs_its_time_though_nobody_fails() -> None:
    found, _ = scene(checkpoint="20min", checkpoint_cost="5s")
    assert (found.faults.between_failures, found.faults.checkpoint_every, found.faults.checkpoint_cost) == (
        None,
        1200.0,
        5.0,
    )


@pytest.mark.parametrize("name", ["failures", "restart", "checkpoint", "checkpoint_cost"])
def test_a_time_that_is_none_is_refused_by_its_flag(name: str) -> None:
    with pytest.raises(InputError) as error:
        scene(**{name: "soon"})
    assert error.value.problems[0].where == f"--{name.replace('_', '-')}"


# One strategy


def test_many_workers_learn_nothing_unless_somebody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    tasks: list[Task | None] = []

    def simulate(scenario: Scenario, task: Task | None, **_: object) -> Result:
        tasks.append(task)
        return timing(scenario)

    monkeypatch.setattr(simulating, "simulate", simulate)
    inputs = told(machine="none")
    for asked in (
        Asked(steps=2),
        Asked(steps=2, workers=65),
        Asked(steps=2, loss=False),
        Asked(steps=2, failures="3h"),
    ):
        simulated(inputs, asked, 60.0)
    simulated(inputs, Asked(steps=2, workers=65, loss=True), 60.0)
    assert [task is not None for task in tasks] == [True, False, False, False, True]


def test_somebody_stops_it() -> None:
    stop = Stop()
    stop.everything()
    with pytest.raises(StoppedError):
        simulated(told(machine="none"), Asked(steps=5, loss=False), 60.0, stop)


@pytest.mark.parametrize(
    ("strategy", "wish", "effect"),
    [
        ("synchronous", {"servers": 4}, False),
        ("synchronous", {"inner_link": "100Gbit/s"}, False),
        ("asynchronous", {"inner_link": "100Gbit/s"}, False),
        ("asynchronous", {"servers": 4}, True),
        ("mixed_asynchronous", {"inner_link": "100Gbit/s"}, True),
    ],
)
def test_an_option_that_means_nothing_for_a_strategy_is_said(strategy: str, wish: dict[str, Any], effect: bool) -> None:
    asked = Asked(strategy=strategy, workers=4, steps=2, loss=False, **wish)
    notes = simulated(told(machine="none"), asked, 60.0).notes
    assert any("has no effect" in note for note in notes) is not effect


def test_a_pipeline_with_a_single_copy_of_the_network_says_nothing_of_exchanged_gradients() -> None:
    for workers, said in ((4, False), (8, True)):
        scenario, notes = scene(strategy="pipeline:stages=4:parts=8", workers=workers, overlap=0.5, activations="1kB")
        assert any("Gradients are exchanged" in one for one in rests_on(scenario, notes)) is said
