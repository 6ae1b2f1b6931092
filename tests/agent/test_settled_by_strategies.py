"""What strategies that were run or simulated mean for a plan: in their scope, for other workers, and beside each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from advisor.agent.remembered.profile import MachineProfile
from advisor.agent.settling.advising import advise_here
from advisor.agent.settling.elsewhere import measured_elsewhere
from advisor.agent.settling.scope import newest_in_scope, scope_of, standing
from advisor.agent.settling.strategies import strategy_outcome, worker_conditions
from advisor.facts.experiments import CONDITIONS, SIMULATE, SYNC
from advisor.facts.fact_base import FactBase, Source
from advisor.facts.verdict import Verdict
from advisor.inference.advise import WITH_REASONS
from advisor.inference.plan import Plan, Status
from advisor.knowledge.cache import load_cached
from advisor.knowledge.model import Knowledge, School
from advisor.probes.outcome import Outcome
from advisor.resources import rules_folder

from .test_scope import MACHINE

PICTURES = {
    "task.kind": "classify",
    "task.outputs": 10,
    "data.modality": "image",
    "data.inputs": 12288,
    "data.examples": 500_000,
    "project.pretrained_allowed": False,
    "machine.gpu.count": 1,
    "machine.gpu.name": "RTX 4090",
    "machine.gpu.memory_bytes": 24_000_000_000,
    "machine.gpu.backend": "cuda",
    "cluster.nodes": 8,
    "cluster.network_bytes_per_second": 1.25e9,
}
"""A network that fits one card, on eight machines with a card each, 10 Gbit/s between them."""
STATED_OTHERWISE: Mapping[str, dict[str, Any]] = {
    "nodes": {"cluster.nodes": 16},
    "cards_per_node": {"machine.gpu.count": 4},
    "link_bytes_per_second": {"cluster.network_bytes_per_second": 1.25e8},
    "stragglers": {"cluster.stragglers": True},
    "sites": {"cluster.sites": 2},
    "worker": {"machine.gpu.name": "RTX 3090"},
    "strategy_network": {"data.inputs": 49152},
    "worker_batch": {"training.batch_size": 256},
    "strategy_data": {"data.fingerprint": "0123456789abcdef"},
}


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return load_cached(rules_folder(), ())


def planned(knowledge: Knowledge, *outcomes: Outcome, school: School = School.TODAY, **more: Any) -> Plan:
    stated: dict[str, Any] = PICTURES | {name.replace("__", "."): value for name, value in more.items()}
    facts = FactBase.of(MACHINE.facts(), Source.DETECTED).with_values(stated, Source.ASKED)
    return advise_here(knowledge, facts, MACHINE, outcomes, school, WITH_REASONS)


@pytest.fixture(scope="module")
def before(knowledge: Knowledge) -> Plan:
    return planned(knowledge)


def told(plan: Plan, experiment: str, topic: str, fact: str, **keys: Any) -> Outcome:
    given: dict[str, Any] = {
        "verdict": Verdict.OVERTURNED, "ratio": (1.31, 1.22, 1.4), "n": 5, "applies": scope_of(plan, MACHINE),
        "date": "2026-11-27T10:00:00+00:00", **keys,
    }  # fmt: skip
    return strategy_outcome(experiment, topic, fact, **given)


def sync(plan: Plan, best: str, experiment: str = SIMULATE, **keys: Any) -> Outcome:
    fact = "sim.sync.best" if experiment == SIMULATE else "probe.sync.best"
    return told(plan, experiment, "sync.strategy", fact, before="synchronous", rival=best, after=best, **keys)


def workers(plan: Plan, best: int, **keys: Any) -> Outcome:
    fact = "sim.workers.best"
    return told(plan, SIMULATE, "parallelism.strategy", fact, before=8, rival=best, after=best, **keys)


def status(plan: Plan, topic: str) -> tuple[object, Status]:
    entry = plan.recommendations[topic]
    return entry.value, entry.status


# In scope


def test_a_simulation_decides_and_shows_before_and_after(knowledge: Knowledge, before: Plan) -> None:
    after = planned(knowledge, sync(before, "local_sgd"))
    assert status(before, "sync.strategy") == ("synchronous", Status.LEANING)
    assert status(after, "sync.strategy") == ("local_sgd", Status.SIMULATED)
    measured = after.recommendations["sync.strategy"].measured
    assert measured is not None
    assert (measured.before, measured.after, measured.basis) == ("synchronous", "local_sgd", Source.SIMULATED)
    assert after.facts["sim.sync.best"].note.startswith("advisor simulate, ")
    assert measured.judged["sync.strategy.all-reduce"] == "overturned"
    assert measured.judged["sync.strategy.up-to-40"] == "overturned"
    assert "sync.strategy.sites" not in measured.judged, "there is one site"


def test_what_real_workers_have_shown_comes_first_and_is_measured(knowledge: Knowledge, before: Plan) -> None:
    simulated, run = sync(before, "local_sgd"), sync(before, "asynchronous", SYNC, n=3)
    for outcomes in ([simulated, run], [run, simulated]):
        after = planned(knowledge, *outcomes)
        assert status(after, "sync.strategy") == ("asynchronous", Status.MEASURED)
        measured = after.recommendations["sync.strategy"].measured
        assert measured is not None
        assert (measured.probe, measured.basis) == ("sync", Source.MEASURED)
        assert measured.judged["sync.strategy.all-reduce"] == "overturned", "a run judges what a simulation may"


def test_an_advice_that_a_simulation_confirms_is_simulated(knowledge: Knowledge, before: Plan) -> None:
    confirmed = told(
        before, SIMULATE, "sync.strategy", "sim.sync.best", before="synchronous", rival="local_sgd", after="synchronous",
        verdict=Verdict.CONFIRMED,
    )  # fmt: skip
    after = planned(knowledge, confirmed)
    assert status(after, "sync.strategy") == ("synchronous", Status.SIMULATED)
    measured = after.recommendations["sync.strategy"].measured
    assert measured is not None
    assert measured.judged["sync.strategy.all-reduce"] == "confirmed"


def test_a_simulation_that_decides_nothing_is_shown_and_changes_nothing(knowledge: Knowledge, before: Plan) -> None:
    even = told(
        before, SIMULATE, "sync.strategy", "sim.sync.best", before="synchronous", rival="local_sgd", after="synchronous",
        verdict=Verdict.NO_DIFFERENCE, ratio=(1.0, 0.99, 1.01),
    )  # fmt: skip
    after = planned(knowledge, even)
    assert status(after, "sync.strategy") == status(before, "sync.strategy")
    assert after.recommendations["sync.strategy"].measured is not None


def test_several_questions_are_answered_by_one_simulation(knowledge: Knowledge, before: Plan) -> None:
    compression = told(
        before, SIMULATE, "communication", "sim.compression.best", before="fp16_compression", rival="none", after="none"
    )
    checkpoints = told(before, SIMULATE, "fault_tolerance", "sim.checkpoint.seconds", before=1800, rival=900, after=900)
    four = workers(before, 4, besides={"sim.workers.best_by_price": 2})
    after = planned(knowledge, sync(before, "local_sgd"), four, compression, checkpoints)
    assert status(after, "sync.strategy") == ("local_sgd", Status.SIMULATED)
    assert status(after, "parallelism.strategy") == ("data_parallel", Status.SIMULATED)
    assert status(after, "fault_tolerance") == ("checkpoint_interval", Status.SIMULATED)
    assert any("every 900 seconds" in line for line in after.recommendations["fault_tolerance"].actions)
    assert "gradient_compression" in before.value("communication")
    assert "gradient_compression" not in after.value("communication")
    shown = {name: one.measured.fact for name, one in after.recommendations.items() if one.measured is not None}
    assert shown == {
        "sync.strategy": "",
        "parallelism.strategy": "sim.workers.best",
        "communication": "sim.compression.best",
        "fault_tolerance": "sim.checkpoint.seconds",
    }
    assert any("2 workers" in line for line in after.recommendations["practice"].actions)


# One worker


def test_where_one_worker_was_best_one_device_is_planned_and_nothing_moves_back(
    knowledge: Knowledge, before: Plan
) -> None:
    after = planned(knowledge, workers(before, 1), sync(before, "local_sgd"))
    assert status(after, "parallelism.strategy") == ("none", Status.SIMULATED)
    assert (after.value("compute.device"), after.value("parallelism.data_ranks")) == ("gpu", 1)
    assert after.value("sync.strategy") == "none"
    assert after.recommendations["sync.strategy"].measured is None, "a single worker has no choice"
    assert worker_conditions(after) == worker_conditions(before), "it must not put itself out of its scope"


def test_what_does_not_fit_one_device_stays_shared_whatever_a_simulation_shows(knowledge: Knowledge) -> None:
    large: dict[str, Any] = {
        "task__kind": "generate", "task__generation": "sequence", "data__modality": "text", "network__parameters": 7_000_000_000,
        "machine__gpu__count": 8, "machine__gpu__memory_bytes": 80_000_000_000, "cluster__nodes": 1,
    }  # fmt: skip
    plan = planned(knowledge, **large)
    after = planned(knowledge, workers(plan, 1), sync(plan, "local_sgd"), **large)
    assert after.facts["sim.workers.best"].value == 1
    for topic in ("parallelism.strategy", "sync.strategy", "compute.device"):
        assert after.value(topic) == plan.value(topic)
        assert after.recommendations[topic].status is not Status.SIMULATED
        assert after.recommendations[topic].measured is None


# Out of scope


@pytest.mark.parametrize("condition", list(STATED_OTHERWISE))
def test_other_workers_have_other_conditions(knowledge: Knowledge, before: Plan, condition: str) -> None:
    more = {name.replace(".", "__"): value for name, value in STATED_OTHERWISE[condition].items()}
    now = worker_conditions(planned(knowledge, **more))
    assert now.keys() == worker_conditions(before).keys() == {*CONDITIONS}
    assert now[condition] != worker_conditions(before)[condition]


def test_a_simulation_of_another_cluster_is_evidence_only(knowledge: Knowledge, before: Plan) -> None:
    outcome = sync(before, "local_sgd")
    after = planned(knowledge, outcome, cluster__nodes=16)
    assert after.value("sync.strategy") == "synchronous"
    assert after.recommendations["sync.strategy"].status is not Status.SIMULATED
    assert [(name, known.source) for name, known in after.evidence] == [("sim.sync.best", Source.SIMULATED)]
    found = measured_elsewhere([outcome], scope_of(after, MACHINE), {})
    assert found["simulate"].startswith("Simulated on 2026-11-27 under other conditions: nodes 8 then, 16 now.")


@pytest.mark.parametrize("experiment", [SIMULATE, SYNC])
def test_strategies_count_for_workers_of_their_kind_whichever_machine_a_plan_divides(
    before: Plan, experiment: str
) -> None:
    """A host recalls only what ran on it. Its plan may be for machines with a share of its cores each, and so not for itself."""
    scope = scope_of(before, MACHINE)
    outcome = sync(before, "local_sgd", experiment, applies=scope | {"machine": "abc", "torch": "2.13"})
    assert newest_in_scope([outcome], {name: scope[name] for name in CONDITIONS}) == [outcome]
    assert newest_in_scope([outcome], scope | {"worker": "1 core of another processor"}) == []


@pytest.mark.parametrize("experiment", [SIMULATE, SYNC])
def test_what_was_learned_on_other_data_or_over_a_measured_link_counts_only_there(
    before: Plan, experiment: str
) -> None:
    scope = scope_of(before, MACHINE)
    assert (scope["strategy_data"], scope["link_latency"]) == ("unknown", "0")
    outcome = sync(before, "local_sgd", experiment)
    for changed in ({"strategy_data": "0123456789abcdef"}, {"link_latency": "measured"}):
        assert newest_in_scope([outcome], scope | changed) == []
        assert newest_in_scope([sync(before, "local_sgd", experiment, applies=scope | changed)], scope | changed) != []


def test_a_single_worker_has_no_such_conditions(knowledge: Knowledge) -> None:
    alone = planned(knowledge, cluster__nodes=1)
    assert worker_conditions(alone) == {}


# Again


@pytest.mark.parametrize("experiment", [SIMULATE, SYNC])
@pytest.mark.parametrize("conditions", [CONDITIONS[:-2], (*CONDITIONS, "machine", "torch")])
def test_what_an_earlier_version_kept_of_strategies_is_left_out_without_a_word(
    before: Plan, experiment: str, conditions: tuple[str, ...]
) -> None:
    kept = sync(before, "local_sgd", experiment)
    applies = {**kept.applies, "machine": "0123", "torch": "2.13"}
    earlier = replace(kept, bound_by=conditions, applies={name: applies[name] for name in conditions})
    document = MachineProfile("last", "0123", outcomes=(earlier, kept)).to_json()
    read = MachineProfile.from_json(document)
    assert ([one.bound_by for one in read.outcomes], read.damaged) == ([CONDITIONS], ())


def test_the_newest_of_each_question_stands(before: Plan) -> None:
    old, new, four = sync(before, "local_sgd"), sync(before, "asynchronous"), workers(before, 4)
    assert standing([old, four, new]) == [four, new]
    assert newest_in_scope([old, four, new], scope_of(before, MACHINE)) == [new, four]


def test_what_is_undecided_now_takes_back_what_was_decided(before: Plan) -> None:
    old = sync(before, "local_sgd")
    now = told(
        before, SIMULATE, "sync.strategy", "sim.sync.best", before="synchronous", rival="local_sgd", after=None,
        verdict=Verdict.UNDECIDED, ratio=(1.01, 0.9, 1.1),
    )  # fmt: skip
    assert standing([old, now]) == [now]


def test_the_survey_as_written_hears_of_it_too(knowledge: Knowledge) -> None:
    plan = planned(knowledge, school=School.SURVEY, machine__gpu__count=0, machine__gpu__name=None)
    assert plan.value("sync.strategy") == "asynchronous"
    outcome = told(
        plan,
        SIMULATE,
        "sync.strategy",
        "sim.sync.best",
        before="asynchronous",
        rival="synchronous",
        after="synchronous",
    )
    after = planned(knowledge, outcome, school=School.SURVEY, machine__gpu__count=0, machine__gpu__name=None)
    assert status(after, "sync.strategy") == ("synchronous", Status.SIMULATED)
    measured = after.recommendations["sync.strategy"].measured
    assert measured is not None
    assert measured.judged["sync.strategy.downpour"] == "overturned"
