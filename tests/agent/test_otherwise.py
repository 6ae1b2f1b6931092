"""A step that was timed otherwise than the plan computes it is told, and no figure rests on it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from advisor.agent.settling.advising import advise_here
from advisor.agent.settling.otherwise import timed_otherwise
from advisor.agent.settling.scope import scope_of
from advisor.facts.fact_base import FactBase, Source
from advisor.facts.verdict import Verdict
from advisor.inference.plan import Plan, Status
from advisor.knowledge.loader import load
from advisor.knowledge.model import Knowledge
from advisor.machine.cards import Gpu
from advisor.machine.detection.detection import Machine
from advisor.probes.outcome import Outcome, SettingRecord
from advisor.resources import rules_folder

WITH_A_CARD = Machine(
    cpu_model="Test",
    physical_cores=4,
    logical_cores=8,
    usable_cores=8,
    features=frozenset(),
    memory_bytes=64 * 10**9,
    gpus=(Gpu("rocm", "Test", 24 * 10**9, None),),
)
PICTURES = {
    "task.kind": "classify",
    "task.outputs": 10,
    "data.modality": "image",
    "data.inputs": 3 * 64 * 64,
    "data.examples": 50_000,
    "project.pretrained_allowed": False,
    "cluster.nodes": 1,
}
SECONDS = 123.0


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return load(rules_folder())


def timed(plan: Plan, machine: Machine) -> Outcome:
    """Threads, with the step as it can be timed here."""
    best = plan.value("compute.threads")
    return Outcome(
        probe="threads",
        topic="compute.threads",
        fact="probe.threads.best",
        before=best,
        after=best,
        rival=1,
        verdict=Verdict.CONFIRMED,
        median=1.3,
        low=1.2,
        high=1.4,
        n=24,
        applies=scope_of(plan, machine),
        date="2026-11-21T10:00:00+00:00",
        settings=(SettingRecord(best, duel=(SECONDS,) * 4),),
    )


def planned(knowledge: Knowledge, machine: Machine, measured: bool) -> Plan:
    facts = FactBase.of(machine.facts(), Source.DETECTED).with_values(PICTURES, Source.ASKED)
    before = advise_here(knowledge, facts, machine)
    return advise_here(knowledge, facts, machine, [timed(before, machine)]) if measured else before


def seconds_of_a_step(plan: Plan) -> float | None:
    return next(figure.value for figure in plan.figures if figure.name == "time.step")


def test_a_card_that_torch_does_not_reach_is_told_and_its_figures_are_not_the_processors(knowledge: Knowledge) -> None:
    before, after = planned(knowledge, WITH_A_CARD, False), planned(knowledge, WITH_A_CARD, True)
    assert after.value("compute.device") == "gpu"
    entry = after.recommendations["compute.threads"]
    assert entry.status is Status.MEASURED
    (said,) = [note for note in entry.notes if note.startswith("The step was timed on the processor")]
    assert "the plan computes on a graphics card" in said
    assert seconds_of_a_step(after) == seconds_of_a_step(before) != SECONDS


def test_the_plans_own_step_needs_no_word(knowledge: Knowledge) -> None:
    machine = replace(WITH_A_CARD, gpus=())
    after = planned(knowledge, machine, True)
    assert not [note for note in after.recommendations["compute.threads"].notes if "was timed" in note]
    assert seconds_of_a_step(after) == SECONDS


def test_a_number_format_that_cannot_be_timed_is_told(knowledge: Knowledge) -> None:
    plan = planned(knowledge, replace(WITH_A_CARD, gpus=()), False)
    outcome = timed(plan, replace(WITH_A_CARD, gpus=()))
    entry = replace(plan.recommendations["training.precision"], value="fp8")
    other = replace(plan, recommendations={**plan.recommendations, "training.precision": entry})
    assert timed_otherwise(plan, outcome) is None
    assert timed_otherwise(other, outcome) == (
        "The step was timed in fp32; the plan computes in fp8, which cannot be timed here."
    )
