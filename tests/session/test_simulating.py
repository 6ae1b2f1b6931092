"""Simulating for a plan: what is taken from it, what counts for it afterwards, and what does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from advisor.agent.simulating import SEEDS, contestants
from advisor.agent.strategies import STANDS_IN, circumstances
from advisor.children.stopping import Stop
from advisor.distributed.task import Task
from advisor.errors import InputError
from advisor.facts.fact_base import Source
from advisor.facts.verdict import Verdict
from advisor.inference.plan import Plan, Status
from advisor.session import simulating, simulating_plans
from advisor.session.inputs import Inputs, gather, plan_of
from advisor.session.simulating import (
    EVEN,
    UNEVEN,
    Asked,
    scenario_of,
    simulated,
)
from advisor.session.simulating_plans import PlanSimulation, simulated_for_plan
from advisor.simulation.request import Saved
from advisor.simulation.result import Result
from advisor.simulation.running import StoppedError
from advisor.simulation.scenario import Faults, Law, Link, Scenario
from advisor.simulation.timing import timing
from tests.report.strategies_made import falling

CLUSTER = {
    "task.kind": "classify", "task.outputs": "10", "data.modality": "image", "data.inputs": "3072", "data.examples": "500000",
    "project.pretrained_allowed": "no", "machine.gpu.count": "1", "machine.gpu.name": "RTX 4090",
    "machine.gpu.memory_bytes": "24 GB", "machine.gpu.backend": "cuda", "cluster.nodes": "8",
    "cluster.network_bytes_per_second": "10 Gbit/s",
}  # fmt: skip
"""Eight machines with a card each, for which the time of a step is predicted."""
FASTEST = {"local_sgd": 4.0}
"""Seconds in which the made-up loss falls to a third; 12 of all others."""


def no_complaint(title: str, what: str) -> None:
    raise AssertionError(f"{title}: {what}")


def told(*sets: str, machine: str = "auto") -> Inputs:
    return elsewhere(*sets) if machine == "none" else gathered(*sets, machine=machine)


@cache
def elsewhere(*sets: str) -> Inputs:
    return gathered(*sets, machine="none")


@cache
def usual() -> Plan:
    return plan_of(elsewhere())


def gathered(*sets: str, machine: str) -> Inputs:
    stated = CLUSTER | dict(one.split("=") for one in sets)
    return gather(sets=[f"{name}={value}" for name, value in stated.items()], machine=machine, complain=no_complaint)


def scene(*sets: str, machine: str = "none", **asked: Any) -> tuple[Scenario, tuple[str, ...]]:
    inputs = told(*sets, machine=machine)
    return scenario_of(plan_of(inputs), inputs, Asked(**asked))


def changed(plan: Plan, topic: str) -> tuple[object, Status]:
    entry = plan.recommendations[topic]
    return entry.value, entry.status


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


# For the plan


class Made:
    """In place of the process that simulates: times as they are, losses that are made up, of the plan's own network."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, own: bool = True) -> None:
        self.asked: list[tuple[int, Task | None]] = []
        small = Task("ffn", "tabular", 8, 2)
        monkeypatch.setattr(simulating_plans, "learned_task", lambda *_, **__: (small, () if own else (STANDS_IN,)))
        monkeypatch.setattr(simulating_plans, "simulate_all", self.simulate)
        monkeypatch.setattr(simulating_plans, "checkpoints", lambda *_, **__: Saved(1800.0, 0.9, 0.6))

    def simulate(self, scenarios: Sequence[Scenario], task: Task | None, **_: object) -> list[Result]:
        self.asked.append((len(scenarios), task))
        results = [timing(replace(one, steps=min(one.steps, 20))) for one in scenarios]
        if task is None:
            return results
        return [
            replace(one, loss=tuple(falling(FASTEST.get(scenario.strategy.name, 12.0), scenario.seed, 40.0)))
            for one, scenario in zip(results, scenarios, strict=True)
        ]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Made:
    return Made(monkeypatch)


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path / "state"))
    return tmp_path / "state"


def simulations(inputs: Inputs, **asked: Any) -> PlanSimulation:
    return simulated_for_plan(inputs, Asked(**asked), 60.0, complain=no_complaint)


def test_what_was_simulated_decides_the_plan_and_later_plans(made: Made, state: Path) -> None:
    inputs = told()
    found = simulations(inputs)
    assert found.names[0] == "synchronous"
    assert made.asked[1][0] == SEEDS * len(contestants(found.before, found.scenario)) == len(found.results)
    assert changed(found.before, "sync.strategy")[1] is not Status.SIMULATED
    for plan in (found.after, plan_of(told())):
        assert changed(plan, "sync.strategy") == ("local_sgd", Status.SIMULATED)
        assert changed(plan, "fault_tolerance")[1] is Status.SIMULATED
        assert plan.facts["sim.sync.best"].source is Source.SIMULATED
        assert plan.facts["sim.checkpoint.seconds"].value == 1800
        assert plan.facts["sim.workers.best"].value == found.sweep.best
        measured = plan.recommendations["sync.strategy"].measured
        assert measured is not None
        assert (measured.before, measured.after, measured.verdict) == ("synchronous", "local_sgd", Verdict.OVERTURNED)


def test_the_next_simulation_judges_what_the_rules_say_again(made: Made, state: Path) -> None:
    simulations(told())
    later = told()
    assert changed(plan_of(later), "sync.strategy")[0] == "local_sgd"
    again = simulations(later)
    assert again.names[0] == "synchronous"
    assert again.before.value("sync.strategy") == "synchronous"


def test_another_link_finds_them_as_evidence_only(made: Made, state: Path) -> None:
    simulations(told())
    slower = plan_of(told("cluster.network_bytes_per_second=5 Gbit/s"))
    assert slower.recommendations["sync.strategy"].status is not Status.SIMULATED
    assert "sim.sync.best" not in slower.facts
    assert ("sim.sync.best", Source.SIMULATED) in [(name, known.source) for name, known in slower.evidence]


@pytest.mark.parametrize(
    "asked",
    [
        {"workers": 4}, {"batch": 16}, {"link": "1Gbit/s"}, {"straggler": 2.0}, {"overlap": 0.5},
        {"step_time": "constant:1s"}, {"failures": "300h"}, {"checkpoint": "20min"},
    ],
    ids=lambda asked: next(iter(asked)),
)  # fmt: skip
def test_of_another_cluster_nothing_counts(made: Made, monkeypatch: pytest.MonkeyPatch, asked: dict[str, Any]) -> None:
    monkeypatch.setattr(simulating_plans, "plan_of", lambda inputs: plan_of(inputs) if inputs.outcomes else usual())
    found = simulations(told(machine="none"), **asked)
    assert found.comparison is not None
    assert found.comparison.best.strategy == "local_sgd", "it is told all the same"
    assert found.outcomes == ()
    assert found.after == found.before
    assert any("nothing of it counts for the plan" in note for note in found.notes)


def test_without_a_known_link_nothing_counts(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exchanges would cost nothing, so every strategy and every number of workers would do."""
    monkeypatch.setattr(
        simulating, "circumstances", lambda plan: replace(circumstances(plan), link_bytes_per_second=None)
    )
    found = simulations(told(machine="none"))
    assert any("No link is known" in note for note in found.notes)
    assert found.outcomes == ()


def test_what_does_not_count_is_not_kept(made: Made, state: Path) -> None:
    simulations(told(), workers=4)
    assert [path for path in state.rglob("*") if path.is_file()] == []
    simulations(told())
    assert [path for path in state.rglob("*") if path.is_file()] != []


def test_with_a_step_of_unknown_time_nothing_counts(made: Made) -> None:
    found = simulations(told("machine.gpu.count=0", machine="none"))
    assert found.outcomes == ()
    assert any("1 s is assumed" in note for note in found.notes)


def test_what_a_small_network_in_its_place_learned_decides_no_strategy(
    monkeypatch: pytest.MonkeyPatch, state: Path
) -> None:
    Made(monkeypatch, own=False)
    found = simulations(told())
    assert found.comparison is not None
    assert {one.fact for one in found.outcomes} == {"sim.workers.best", "sim.checkpoint.seconds"}
    assert found.after.value("sync.strategy") == "synchronous"
    assert any("decides nothing for the plan; the number of workers does" in note for note in found.notes)


def test_times_alone_are_asked_for_and_of_many_workers_taken(made: Made) -> None:
    alone = simulations(told(machine="none"), loss=False)
    many = simulations(told("cluster.nodes=100", machine="none"))
    for found in (alone, many):
        assert (found.comparison, found.names, found.results) == (None, (), ())
        assert "sim.workers.best" in found.after.facts
    assert [task for _, task in made.asked] == [None, None]
    assert any("at most 64 workers" in note for note in many.notes)


def test_for_a_machine_elsewhere_nothing_is_kept_and_the_plan_is_told(made: Made, state: Path) -> None:
    found = simulations(told(machine="none"))
    assert changed(found.after, "sync.strategy") == ("local_sgd", Status.SIMULATED)
    assert not state.exists()


def test_a_plan_of_one_worker_compares_nothing_unless_asked(made: Made) -> None:
    found = simulations(told("cluster.nodes=1", machine="none"), workers=1)
    assert (found.comparison, found.sweep.best, found.outcomes) == (None, 1, ())


def test_somebody_stops_it() -> None:
    stop = Stop()
    stop.everything()
    with pytest.raises(StoppedError):
        simulated(told(machine="none"), Asked(steps=5, loss=False), 60.0, stop)
