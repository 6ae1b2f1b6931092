"""Comparing strategies for a plan in virtual time: what counts for it afterwards, and what does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from advisor.agent.simulating import contestants
from advisor.agent.strategies import STANDS_IN, circumstances
from advisor.agent.sweeps import SEEDS
from advisor.distributed.task import Task
from advisor.facts.fact_base import Source
from advisor.facts.verdict import Verdict
from advisor.inference.plan import Plan, Status
from advisor.report.html.strategies import planned_html
from advisor.report.page import Look
from advisor.report.strategies.planned import meaning, pays, planned_json, planned_page
from advisor.report.strategies.workers import workers_words
from advisor.session import simulating, simulating_plans
from advisor.session.inputs import Inputs, plan_of
from advisor.session.simulating import Asked
from advisor.session.simulating_plans import PlanSimulation, simulated_for_plan
from advisor.simulation.request import Failing, Saved
from advisor.simulation.result import Result
from advisor.simulation.running import LateError
from advisor.simulation.scenario import Scenario
from advisor.simulation.timing import timing
from tests.report.strategies_made import falling
from tests.session.test_simulating import elsewhere, no_complaint, told

FASTEST = {"local_sgd": 4.0}
"""Seconds in which the made-up loss falls to a third; 12 of all others."""


@cache
def usual() -> Plan:
    return plan_of(elsewhere())


def changed(plan: Plan, topic: str) -> tuple[object, Status]:
    entry = plan.recommendations[topic]
    return entry.value, entry.status


def saved(failing: Failing, **_: object) -> Saved:
    """A checkpoint every half hour, some seconds more or less with each seed."""
    return Saved(1800.0 + 10 * (failing.seed - 2), 0.9, 0.6)


class Made:
    """In place of the process that simulates: times as they are, losses that are made up, of the plan's own network."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, own: bool = True) -> None:
        self.asked: list[tuple[int, Task | None]] = []
        self.until: int | None = None
        """Trainings for which there is time; None for all."""
        small = Task("ffn", "tabular", 8, 2)
        monkeypatch.setattr(simulating_plans, "learned_task", lambda *_, **__: (small, () if own else (STANDS_IN,)))
        monkeypatch.setattr(simulating_plans, "simulate_all", self.simulate)
        monkeypatch.setattr(simulating_plans, "checkpoints", saved)

    def simulate(self, scenarios: Sequence[Scenario], task: Task | None, **_: object) -> list[Result]:
        self.asked.append((len(scenarios), task))
        results = [timing(replace(one, steps=min(one.steps, 20))) for one in scenarios]
        if task is None:
            return results
        found = [
            replace(one, loss=tuple(falling(FASTEST.get(scenario.strategy.name, 12.0), scenario.seed, 40.0)))
            for one, scenario in zip(results, scenarios, strict=True)
        ]
        if self.until is None:
            return found
        late = LateError("not done")
        late.found = found[: self.until]
        raise late


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


def test_each_number_of_workers_and_the_checkpoints_come_from_several_seeds(made: Made) -> None:
    found = simulations(told(machine="none"), loss=False)
    assert {len(times) for times in found.sweep.times.values()} == {SEEDS}
    assert {one.fact: one.n for one in found.outcomes} == {
        "sim.workers.best": SEEDS,
        "sim.checkpoint.seconds": SEEDS,
    }
    (note,) = (one for one in found.notes if "simulated failures" in one)
    assert "every 30 min lost the least" in note
    assert "95 % interval, 5 seeds" in note


def test_a_slower_rival_that_never_came_to_the_loss_is_told_and_the_plan_confirmed(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("synchronous", "local_sgd"):
        monkeypatch.setitem(FASTEST, name, 4.0 if name == "synchronous" else 400.0)
    monkeypatch.setattr(simulating_plans, "contestants", lambda *_: ["synchronous", "local_sgd"])
    found = simulations(told(machine="none"))
    assert changed(found.after, "sync.strategy") == ("synchronous", Status.SIMULATED)
    notes = found.after.recommendations["sync.strategy"].notes
    assert "While `advisor simulate` ran: local_sgd came to the loss in none of 5 trainings." in notes


def test_where_time_is_over_the_seeds_that_all_strategies_have_are_compared(made: Made) -> None:
    made.until = 3 * len(contestants(usual(), simulations(told(machine="none"), loss=False).scenario)) + 1
    found = simulations(told(machine="none"))
    assert [one.strategy for one in found.results] == [name for name in found.names for _ in range(3)]
    assert found.comparison is not None
    assert found.comparison.own.reached == 3
    assert found.comparison.best.strategy == "local_sgd"
    assert any("each strategy was simulated with 3 of 5 seeds" in note for note in found.notes)


def test_workers_that_do_not_pay_leave_the_work_to_one_and_the_page_says_so(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(scenarios: Sequence[Scenario], task: Task | None, **more: object) -> list[Result]:
        return [replace(one, seconds=one.seconds * 100 ** (one.workers > 1)) for one in made.simulate(scenarios, task)]

    monkeypatch.setattr(simulating_plans, "simulate_all", slow)
    found = simulations(told(machine="none"), loss=False)
    assert found.sweep.best == 1
    assert (found.before.value("compute.device"), found.after.value("compute.device")) == ("cluster", "gpu")
    said = dict(meaning(found.before, found.after))
    assert any("cluster -> gpu" in change and "follows" in says for change, says in said.items())


def slowed(made: Made, monkeypatch: pytest.MonkeyPatch, of_one: float | None) -> None:
    """Sharing a step saves nothing; one worker's loss takes so long to fall to a third, or is not simulated in time."""

    def simulate(scenarios: Sequence[Scenario], task: Task | None, **more: object) -> list[Result]:
        if of_one is None and scenarios[0].workers == 1 and task is not None:
            raise LateError("not done")
        results = made.simulate(scenarios, task)
        if task is None:
            return [replace(one, seconds=one.seconds * 4 ** (one.workers > 1)) for one in results]
        own = tuple(falling(of_one or 0.0, 0, 40.0)) if scenarios[0].workers == 1 else None
        return [replace(one, loss=own) if own else one for one in results]

    monkeypatch.setattr(simulating_plans, "simulate_all", simulate)


@pytest.mark.parametrize(("of_one", "device"), [(12.0, "cluster"), (1.0, "gpu")])
def test_workers_stay_where_a_rival_makes_them_pay_and_go_where_one_is_as_soon(
    made: Made, monkeypatch: pytest.MonkeyPatch, of_one: float, device: str
) -> None:
    slowed(made, monkeypatch, of_one)
    found = simulations(told(machine="none"))
    assert (found.sweep.best, found.after.value("compute.device")) == (1, device)
    assert found.sweep.advised == found.after.facts["sim.workers.best"].value == (8 if device == "cluster" else 1)
    assert len(found.results) == SEEDS * len(found.names), "the one worker is none of the strategies"
    measured = found.after.recommendations["parallelism.strategy"].measured
    if device == "cluster":
        assert measured is not None
        said = workers_words(measured)
        assert said.startswith("with 8 workers and local_sgd ")
        assert " times as fast to the same loss as with one (" in said
    assert json_of(found)["workers_best"] == found.sweep.advised
    assert json_of(found)["sooner"]["verdict"] == ("confirmed" if device == "cluster" else "overturned")


def json_of(found: PlanSimulation) -> dict[str, Any]:
    made = (found.scenario, found.names, found.results, found.comparison, found.sweep, (found.before, found.after), ())
    return planned_json(*made)


def test_without_time_for_one_worker_the_number_is_open_and_an_older_answer_is_taken_back(
    made: Made, monkeypatch: pytest.MonkeyPatch, state: Path
) -> None:
    slowed(made, monkeypatch, 1.0)
    assert simulations(told()).after.facts["sim.workers.best"].value == 1
    slowed(made, monkeypatch, None)
    found = simulations(told())
    assert "sim.workers.best" not in found.after.facts
    assert "sim.workers.best" not in plan_of(told()).facts
    assert json_of(found)["workers_best"] is None
    measured = found.after.recommendations["parallelism.strategy"].measured
    assert measured is not None
    assert "; whether they pay is open" in workers_words(measured)
    assert "Whether 8 pay with local_sgd is not known: too little of it was simulated." in pays(found.sweep)


@pytest.mark.parametrize(("sites", "open_"), [(1, False), (3, True)])
def test_times_alone_take_workers_from_a_plan_that_keeps_step_only(
    made: Made, monkeypatch: pytest.MonkeyPatch, sites: int, open_: bool
) -> None:
    slowed(made, monkeypatch, 1.0)
    found = simulations(told(f"cluster.sites={sites}", machine="none"), loss=False)
    assert found.before.value("sync.strategy") == ("local_sgd" if open_ else "synchronous")
    assert found.sweep.best == 1
    assert ("sim.workers.best" not in found.after.facts) == (found.sweep.advised is None) == open_
    assert any("keeps no step more workers may pay" in note for note in found.notes)


def test_without_one_seed_of_all_strategies_the_time_is_over(made: Made) -> None:
    made.until = 1
    with pytest.raises(LateError):
        simulations(told(machine="none"))


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
        {"step_time": "constant:1s"}, {"failures": "300h"}, {"checkpoint": "20min"}, {"latency": "5ms"},
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
    assert any("This does not change your plan" in note for note in found.notes)


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
    many = simulations(told("cluster.nodes=128", machine="none"))
    for found in (alone, many):
        assert (found.comparison, found.names, found.results) == (None, (), ())
        assert "sim.workers.best" in found.after.facts
    assert [task for _, task in made.asked] == [None, None]
    assert any("at most 64 workers" in note for note in many.notes)


def test_for_a_machine_elsewhere_nothing_is_kept_and_the_plan_is_told(made: Made, state: Path) -> None:
    found = simulations(told(machine="none"))
    assert changed(found.after, "sync.strategy") == ("local_sgd", Status.SIMULATED)
    assert not state.exists()


def test_of_a_plan_of_one_worker_every_room_says_that_nothing_counts_and_calls_no_strategy_its_own(made: Made) -> None:
    found = simulations(told("cluster.nodes=1", machine="none"), workers=4)
    shown = (found.scenario, found.names, found.results, found.comparison, found.sweep, (found.before, found.after))
    page = " ".join(planned_page(*shown, found.notes, Look(100)).split())
    html = planned_html(*shown, found.notes, "2026-11-28")
    for room in (page, html, found._repr_html_()):
        assert "the reference" in room, "where a plan of several has its own"
    for room in (page, html):
        said = "The plan trains with one worker. This does not change your plan."
        assert said in room[: room.index("the reference")], "before anything else"


def test_a_plan_of_one_worker_compares_nothing_unless_asked(made: Made) -> None:
    found = simulations(told("cluster.nodes=1", machine="none"), workers=1)
    assert (found.comparison, found.sweep.best, found.outcomes) == (None, 1, ())
