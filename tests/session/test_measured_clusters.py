"""A cluster that was measured as the machine of a plan: its facts, what contradicts them, what is simulated for it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from advisor.agent.settling.workloads import step_of
from advisor.cluster.profile import ClusterProfile, Finding, Group, Kind, Timed, save, step_words
from advisor.errors import InputError
from advisor.facts.fact_base import Source
from advisor.inference.plan import Plan
from advisor.report.contents import Outlook
from advisor.report.plan.brief import title_of, warnings_of
from advisor.report.words import remarks_on
from advisor.session import simulating_plans
from advisor.session.inputs import Inputs, gather, plan_of
from advisor.session.simulating import Asked, scenario_of
from advisor.session.simulating_plans import simulated_for_plan
from advisor.simulation.request import Saved
from advisor.simulation.scenario import Law, Link, Scenario
from advisor.simulation.timing import timing
from tests.cluster.made import all_reduce, profile

TASK = ("task.kind=classify", "data.modality=image", "data.inputs=3072", "data.examples=50000", "task.outputs=10")
SLOW = Finding(Kind.SLOW_RANK, (3,), 1.4, "Rank 3 (node b) takes 1.40 times as long.")
NETWORK = "cluster.network_bytes_per_second"
WHERE = "on 2 nodes on 2030-01-02"


def stepped() -> ClusterProfile:
    """Each rank's training step was timed too; the last one's takes twice as long."""
    steps = [Timed((0.02 if rank.rank < 3 else 0.04,)) for rank in profile().ranks]
    ranks = zip(profile().ranks, steps, strict=True)
    return replace(profile(), ranks=tuple(replace(rank, steps=step) for rank, step in ranks))


@pytest.fixture
def file(tmp_path: Path) -> Callable[[ClusterProfile], Path]:
    def written(made: ClusterProfile) -> Path:
        path = tmp_path / "cluster.json"
        path.write_text(json.dumps(made.to_json()))
        return path

    return written


def told(machine: Path | str, *sets: str) -> Inputs:
    def no_complaint(title: str, what: str) -> None:
        raise AssertionError(f"{title}: {what}")

    return gather(sets=[*TASK, *sets], machine=str(machine), complain=no_complaint, recall=False)


def scene(inputs: Inputs, **asked: Any) -> tuple[Scenario, tuple[str, ...]]:
    return scenario_of(plan_of(inputs), inputs, Asked(**asked))


def warned(plan: Plan) -> list[str]:
    return list(warnings_of(plan, Outlook(plan)))


# The plan


def test_a_plan_takes_the_measured_nodes_and_their_network(file: Callable[[ClusterProfile], Path]) -> None:
    plan = plan_of(told(file(profile())))
    assert (plan.facts["cluster.nodes"].value, plan.facts[NETWORK].value) == (2, 1e7)
    assert plan.facts[NETWORK].source is Source.MEASURED
    assert plan.facts[NETWORK].note == WHERE
    assert plan.value("compute.device") == "cluster"
    assert title_of(plan).endswith("on 2 machines, no GPU")
    assert warned(plan) == []


def test_it_is_named_as_it_is_kept_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path))
    save(profile(), "lab")
    assert told("lab").facts.known(NETWORK) == told(save(profile())).facts.known(NETWORK)


def test_the_published_figures_of_its_cards_are_looked_up(file: Callable[[ClusterProfile], Path]) -> None:
    made = profile()
    facts = told(file(replace(made, ranks=tuple(replace(rank, device="NVIDIA H200") for rank in made.ranks)))).facts
    count, memory = facts.known("machine.gpu.count"), facts.known("machine.gpu.memory_bytes")
    assert count is not None
    assert memory is not None
    assert (count.value, count.source, memory.source) == (2, Source.MEASURED, Source.PUBLISHED)


def test_what_is_slow_is_a_warning_with_the_evidence(file: Callable[[ClusterProfile], Path]) -> None:
    inputs = told(file(replace(profile(), findings=(SLOW,))))
    plan = plan_of(inputs)
    assert plan.facts["cluster.stragglers"].value is True
    assert warned(plan) == [f"Slow, as measured {WHERE}: {SLOW.says}"]
    assert warned(plan)[0] in list(remarks_on(plan, inputs.knowledge))


def test_what_is_stated_outranks_the_measurement_and_contradicts_it(file: Callable[[ClusterProfile], Path]) -> None:
    plan = plan_of(told(file(replace(profile(), findings=(SLOW,))), f"{NETWORK}=1 Gbit/s", "cluster.stragglers=no"))
    assert plan.facts[NETWORK].value == 125e6
    clashes = {clash.fact: clash.overruled for clash in plan.contradictions}
    assert clashes.keys() == {NETWORK, "cluster.stragglers"}
    assert SLOW.says in clashes["cluster.stragglers"].note


# Simulations


def test_a_simulation_for_it_is_that_of_its_file(file: Callable[[ClusterProfile], Path]) -> None:
    path = file(profile())
    for asked in ({}, {"step_time": "constant:20ms"}, {"link": "1Gbit/s"}, {"latency": "3ms"}, {"workers": 2}):
        own, notes = scene(told(path), **asked)
        named, the_same = scene(told("none"), cluster=path, **asked)
        assert own == named
        assert "measured on 2 nodes on 2030-01-02" in " ".join(notes)
        assert asked or notes == the_same


def test_its_ranks_are_the_workers_and_differ_as_they_do(file: Callable[[ClusterProfile], Path]) -> None:
    found, notes = scene(told(file(profile())), step_time="constant:20ms")
    assert (found.workers, found.link) == (4, Link(1e7, 1e-3))
    assert [list(one) for one in found.step_time.samples] == [pytest.approx([0.01, 0.02, 0.03])] * 4
    assert f"The link carries 10 MB/s with a latency of 1 ms, measured {WHERE}." in notes


def test_its_own_training_steps_count_unless_a_time_is_asked_for(file: Callable[[ClusterProfile], Path]) -> None:
    inputs = told(file(stepped()))
    found, notes = scene(inputs)
    assert found.step_time.samples == ((0.02,), (0.02,), (0.02,), (0.04,))
    assert f"A step takes 25 ms on the average of 4 ranks, each with its own time, measured {WHERE}." in notes
    asked, _ = scene(inputs, step_time="constant:1s")
    assert asked.step_time.law is Law.SAMPLES
    assert asked.step_time.samples == ((1.0,), (1.0,), (1.0,), (2.0,))


def test_steps_of_another_network_say_only_how_ranks_differ(file: Callable[[ClusterProfile], Path]) -> None:
    made = stepped()
    made = replace(made, ranks=tuple(replace(rank, device="NVIDIA H200") for rank in made.ranks))
    sets = ("project.pretrained_allowed=no",)
    other, _ = scene(told(file(replace(made, step="lstm 8-[8]-2, 32 examples, fp32")), *sets))
    step = step_of(plan_of(told(file(made), *sets)))
    assert step is not None
    words = step_words(step.describe(), step.batch_size, step.precision)
    own, _ = scene(told(file(replace(made, step=words)), *sets))
    assert own.step_time.samples == ((0.02,), (0.02,), (0.02,), (0.04,))
    (first,), *_, (last,) = other.step_time.samples
    assert first != 0.02
    assert last == pytest.approx(2 * first)


def test_what_is_asked_or_stated_goes_before_what_was_measured(file: Callable[[ClusterProfile], Path]) -> None:
    path = file(profile())
    assert scene(told(path), link="1Gbit/s", latency="2ms")[0].link == Link(125e6, 2e-3)
    assert scene(told(path), latency="2ms")[0].link == Link(1e7, 2e-3)
    assert scene(told(path), workers=7)[0].workers == 7
    assert scene(told(path, f"{NETWORK}=1 Gbit/s"))[0].link == Link(125e6, 0.0)
    assert scene(told(path, "cluster.nodes=16"))[0].workers == 16


@pytest.mark.parametrize(("device", "counts"), [("NVIDIA H200", True), ("cpu", False)])
def test_it_counts_for_the_plan_where_the_time_of_the_plans_step_is_known(
    file: Callable[[ClusterProfile], Path], monkeypatch: pytest.MonkeyPatch, device: str, counts: bool
) -> None:
    """Of processors that nobody has described the time is assumed."""
    monkeypatch.setattr(
        simulating_plans, "simulate_all", lambda scenarios, *_, **__: [timing(one) for one in scenarios]
    )
    monkeypatch.setattr(simulating_plans, "checkpoints", lambda *_, **__: Saved(1800.0, 0.9, 0.6))
    made = replace(profile(), findings=(SLOW,), collectives=(all_reduce(Group.ACROSS, 2, 1e-5, 1e10),))
    ranks = tuple(replace(rank, device=device) for rank in made.ranks)
    inputs = told(file(replace(made, ranks=ranks)), "project.pretrained_allowed=no")
    found = simulated_for_plan(inputs, Asked(loss=False), 60.0, complain=lambda title, what: None)
    assert bool(found.outcomes) is counts
    assert ("sim.workers.best" in found.after.facts) is counts


# Bad input


@pytest.mark.parametrize(
    ("text", "title", "what"),
    [
        ('{"schema": "advisor/cluster/2"}', "The cluster's profile cannot be read", "of a newer version"),
        ('{"schema": "advisor/cluster/1", "date": NaN}', "The cluster's profile cannot be read", "is damaged"),
        ('{"schema": "advisor/cluster/1"}', "The cluster's profile cannot be read", "is missing"),
        ('{"nodes": 4}', "This machine profile cannot be used", "no machine profile"),
    ],
)
def test_a_file_that_is_no_profile_is_refused(tmp_path: Path, text: str, title: str, what: str) -> None:
    path = tmp_path / "cluster.json"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        told(path)
    (problem,) = error.value.problems
    assert error.value.title == title
    assert what in problem.what
    assert problem.where.endswith("cluster.json")
    assert problem.remedy


def test_a_kept_one_that_is_damaged_is_refused_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path))
    save(profile(), "lab").write_text('{"schema": "advisor/cluster/1"}')
    with pytest.raises(InputError, match="cannot be read"):
        told("lab")
    with pytest.raises(InputError, match="There is no such machine"):
        told("other")
