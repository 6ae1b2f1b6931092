"""What a measurement means for a plan: in its scope, outside it, and for the rules that staked a claim on it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from advisor.agent.remembered.memory import measurements_file, recall, remember
from advisor.agent.settling.advising import advise_here
from advisor.agent.settling.glance import Glance
from advisor.agent.settling.scope import newest_in_scope, scope_of, with_outcome
from advisor.agent.settling.workloads import workload_of
from advisor.errors import InputError
from advisor.facts.fact_base import FactBase, Source
from advisor.facts.verdict import Verdict
from advisor.facts.verdict import Verdict as ProbeVerdict
from advisor.facts.vocabulary import Value
from advisor.inference.advise import VALUES_ONLY, advise
from advisor.inference.plan import Plan, Status
from advisor.knowledge.loader import load
from advisor.knowledge.model import Knowledge, School
from advisor.machine.cards import Gpu
from advisor.machine.detection.detection import Machine
from advisor.probes.outcome import Outcome, SettingRecord
from advisor.probes.settings.batch import BATCH
from advisor.probes.settings.variants import DEVICE
from advisor.probes.workload import Workload
from advisor.resources import rules_folder

MACHINE = Machine(
    cpu_model="Test",
    physical_cores=4,
    logical_cores=8,
    usable_cores=8,
    features=frozenset(),
    memory_bytes=16 * 10**9,
    gpus=(),
)
DIGITS = {
    "task.kind": "classify",
    "task.outputs": 10,
    "data.modality": "image",
    "data.inputs": 64,
    "data.examples": 1797,
    "project.pretrained_allowed": False,
    "cluster.nodes": 1,
}


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return load(rules_folder())


@pytest.fixture
def facts() -> FactBase:
    return FactBase.of(MACHINE.facts(), Source.DETECTED).with_values(DIGITS, Source.ASKED)


def threads_outcome(plan: Plan, best: int, verdict: ProbeVerdict = ProbeVerdict.OVERTURNED, **applies: str) -> Outcome:
    before = plan.value("compute.threads")
    rival = best if best != before else 1
    return Outcome(
        probe="threads",
        topic="compute.threads",
        fact="probe.threads.best",
        before=before,
        verdict=verdict,
        after=best,
        rival=rival,
        median=1.3,
        low=1.2,
        high=1.4,
        n=24,
        applies={**scope_of(plan, MACHINE), **applies},
        date="2026-11-21T10:00:00+00:00",
    )


def test_a_measurement_in_scope_decides_and_shows_before_and_after(knowledge: Knowledge, facts: FactBase) -> None:
    before = advise_here(knowledge, facts, MACHINE)
    after = advise_here(knowledge, facts, MACHINE, [threads_outcome(before, 3)])
    entry = after.recommendations["compute.threads"]
    assert (entry.value, entry.status) == (3, Status.MEASURED)
    assert entry.measured is not None
    assert (entry.measured.before, entry.measured.after) == (before.value("compute.threads"), 3)
    assert entry.measured.verdict is Verdict.OVERTURNED
    assert "threads" not in after.probes


@pytest.mark.parametrize(
    "elsewhere", [{"machine": "0123456789abcdef"}, {"network": "ffn 8-[16]-1"}, {"batch_size": "7"}, {"torch": "1.0"}]
)
def test_a_measurement_under_other_conditions_is_evidence_only(
    knowledge: Knowledge, facts: FactBase, elsewhere: dict[str, str]
) -> None:
    before = advise_here(knowledge, facts, MACHINE)
    after = advise_here(knowledge, facts, MACHINE, [threads_outcome(before, 3, **elsewhere)])
    assert after.value("compute.threads") == before.value("compute.threads")
    assert after.recommendations["compute.threads"].status is not Status.MEASURED
    assert [(name, known.value) for name, known in after.evidence] == [("probe.threads.best", 3)]


def test_planning_for_another_machine_switches_off_what_was_measured_here(
    knowledge: Knowledge, facts: FactBase
) -> None:
    outcome = threads_outcome(advise_here(knowledge, facts, MACHINE), 3)
    other = facts.with_values({"machine.cpu.physical_cores": 2}, Source.ASKED)
    after = advise_here(knowledge, other, MACHINE, [outcome])
    assert after.recommendations["compute.threads"].status is not Status.MEASURED


def test_no_difference_keeps_what_was_advised_and_is_shown(knowledge: Knowledge, facts: FactBase) -> None:
    before = advise_here(knowledge, facts, MACHINE)
    even = threads_outcome(before, before.value("compute.threads"), ProbeVerdict.NO_DIFFERENCE)
    after = advise_here(knowledge, facts, MACHINE, [even])
    entry = after.recommendations["compute.threads"]
    assert entry.value == before.value("compute.threads")
    assert entry.status is not Status.MEASURED
    assert entry.measured is not None
    assert entry.measured.verdict is Verdict.NO_DIFFERENCE


@pytest.mark.parametrize(("best", "verdict"), [(4, "confirmed"), (8, "overturned")])
def test_a_claim_of_the_survey_is_judged_by_what_was_found(
    knowledge: Knowledge, facts: FactBase, best: int, verdict: str
) -> None:
    large = facts.with_values({"network.parameters": 50_000_000}, Source.ASKED)
    before = advise_here(knowledge, large, MACHINE)
    found = ProbeVerdict.CONFIRMED if best == before.value("compute.threads") else ProbeVerdict.OVERTURNED
    after = advise_here(knowledge, large, MACHINE, [threads_outcome(before, best, found)])
    measured = after.recommendations["compute.threads"].measured
    assert measured is not None
    assert measured.judged["compute.threads.physical-cores"] == verdict


def test_flips_hold_although_a_changed_answer_can_put_a_measurement_out_of_scope(
    knowledge: Knowledge, facts: FactBase
) -> None:
    before = advise_here(knowledge, facts, MACHINE)
    batch = Outcome(
        probe="batch", topic="training.micro_batch", fact="probe.batch.best", before=before.value("training.micro_batch"),
        verdict=ProbeVerdict.OVERTURNED, after=16, rival=16, median=1.5, low=1.4, high=1.6, n=12,
        applies=scope_of(before, MACHINE), date="2026-11-21T10:00:00+00:00", bound_by=BATCH.bound_by,
    )  # fmt: skip
    plan = advise_here(knowledge, facts, MACHINE, [batch])
    assert plan.recommendations["training.micro_batch"].status is Status.MEASURED
    flips = [(name, flip) for name, entry in plan.recommendations.items() for flip in entry.flips]
    assert flips
    for name, flip in flips:
        changed = facts.with_values({flip.fact: flip.to}, Source.ASKED)
        after = advise_here(knowledge, changed, MACHINE, [batch], detail=VALUES_ONLY)
        then = list(flip.then) if isinstance(flip.then, tuple) else flip.then
        assert after.value(name) == then, (name, flip)


CHANGES: list[dict[str, Value | None]] = [
    {}, {"data.modality": "tabular"}, {"data.modality": "text"}, {"task.kind": "generate", "task.outputs": None},
    {"machine.cpu.physical_cores": 2}, {"data.examples": 10**7, "cluster.nodes": 8}, {"task.kind": None},
    {"data.modality": "time_series", "data.sequence_length": 52, "task.kind": "forecast"},
]  # fmt: skip


@pytest.mark.parametrize("school", [School.TODAY, School.SURVEY])
@pytest.mark.parametrize("change", CHANGES, ids=" ".join)
def test_a_glance_says_what_the_whole_plan_says(
    knowledge: Knowledge, facts: FactBase, change: dict[str, Value | None], school: School
) -> None:
    changed = facts.with_values(change, Source.ASKED)
    plan, glance = advise(knowledge, changed, school, VALUES_ONLY), Glance(knowledge, changed, school)
    said = {topic: glance.value(topic) for topic in plan.recommendations}
    assert {topic: list(value) if isinstance(value, tuple) else value for topic, value in said.items()} == {
        topic: entry.value for topic, entry in plan.recommendations.items()
    }
    without_meaning = {t for t, entry in plan.recommendations.items() if entry.status is Status.NOT_APPLICABLE}
    assert {topic for topic in plan.recommendations if glance.means_nothing(topic)} == without_meaning
    assert glance.facts == plan.facts
    assert scope_of(glance, MACHINE) == scope_of(plan, MACHINE)


def test_the_newest_measurement_counts(knowledge: Knowledge, facts: FactBase) -> None:
    before = advise_here(knowledge, facts, MACHINE)
    old, new = threads_outcome(before, 3), replace(threads_outcome(before, 1), date="2026-11-22T10:00:00+00:00")
    assert advise_here(knowledge, facts, MACHINE, [old, new]).value("compute.threads") == 1


def test_the_workload_is_the_plans_own_network(knowledge: Knowledge, facts: FactBase) -> None:
    plan = advise_here(knowledge, facts, MACHINE)
    workload = workload_of(plan)
    assert isinstance(workload, Workload)
    assert (workload.network, workload.inputs, workload.outputs) == ("cnn", 64, 10)
    assert list(workload.hidden_units) == plan.value("network.hidden_units")
    assert workload.batch_size == plan.value("training.batch_size")
    assert workload.normalization == plan.value("network.normalization") == "batch_norm"
    assert workload.describe().endswith("-10 batch_norm")


def test_a_small_batch_counts_for_the_normalisation_that_follows_from_it(knowledge: Knowledge, facts: FactBase) -> None:
    before = advise_here(knowledge, facts, MACHINE)
    batch = Outcome(
        probe="batch", topic="training.micro_batch", fact="probe.batch.best", before=before.value("training.micro_batch"),
        verdict=ProbeVerdict.OVERTURNED, after=8, rival=8, median=1.5, low=1.4, high=1.6, n=12,
        applies=scope_of(before, MACHINE), date="2026-11-21T10:00:00+00:00", bound_by=BATCH.bound_by,
    )  # fmt: skip
    outcomes = [batch, threads_outcome(before, 3)]
    after = advise_here(knowledge, facts, MACHINE, outcomes)
    assert after.recommendations["training.micro_batch"].status is Status.MEASURED
    assert after.value("network.normalization") == "group_norm"
    assert after.recommendations["compute.threads"].status is not Status.MEASURED  # timed with another network


def test_a_plan_that_is_no_network_says_why_it_is_not_timed(knowledge: Knowledge, facts: FactBase) -> None:
    table = facts.with_values({"data.modality": "tabular", "data.examples": 20_000}, Source.ASKED)
    reason = workload_of(advise_here(knowledge, table, MACHINE))
    assert isinstance(reason, str)
    assert "gradient_boosting, which is not a network" in reason


def test_a_network_of_unknown_size_asks_for_what_is_missing(knowledge: Knowledge, facts: FactBase) -> None:
    reason = workload_of(advise_here(knowledge, facts.without("data.inputs"), MACHINE))
    assert isinstance(reason, str)
    assert "state data.inputs" in reason


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.mark.usefixtures("state")
def test_what_was_measured_is_remembered_for_this_machine_only(knowledge: Knowledge, facts: FactBase) -> None:
    outcome = threads_outcome(advise_here(knowledge, facts, MACHINE), 3)
    remember(MACHINE, [outcome])
    assert recall(MACHINE) == ([outcome], [])
    assert recall(replace(MACHINE, usable_cores=2)) == ([], [])


@pytest.mark.usefixtures("state")
def test_a_damaged_memory_is_reported_and_the_rest_is_kept(knowledge: Knowledge, facts: FactBase) -> None:
    outcome = threads_outcome(advise_here(knowledge, facts, MACHINE), 3)
    remember(MACHINE, [outcome], "good")
    measurements_file("bad").write_text('{"schema": "advisor/measurements/1", "outcomes": [{"probe": 3}]}')
    outcomes, problems = recall(MACHINE)
    assert outcomes == [outcome]
    assert len(problems) == 1
    assert "damaged" in str(problems[0])


DAMAGES: list[dict[str, object]] = [
    {"median": "x"}, {"median": None}, {"median": float("1e999")}, {"fact": "x"}, {"after": "x"}, {"after": -5},
    {"probe": []}, {"probe": "x"}, {"n": "8"}, {"date": 3}, {"settings": 1}, {"conditions": None}, {"verdict": "won"},
]  # fmt: skip


@pytest.mark.usefixtures("state")
@pytest.mark.parametrize("damage", DAMAGES, ids=str)
def test_any_damaged_field_is_one_report_and_no_plan_fails(
    knowledge: Knowledge, facts: FactBase, damage: dict[str, object]
) -> None:
    outcome = threads_outcome(advise_here(knowledge, facts, MACHINE), 3)
    path = remember(MACHINE, [outcome])
    document = json.loads(path.read_text())
    document["outcomes"][0] |= damage
    path.write_text(json.dumps(document))
    outcomes, problems = recall(MACHINE)
    assert outcomes == []
    assert len(problems) == 1
    assert advise_here(knowledge, facts, MACHINE, outcomes).value("network.type") == "cnn"


@pytest.mark.usefixtures("state")
@pytest.mark.parametrize("name", ["../up", "a/b", "", "-x", "x" * 100])
def test_a_name_is_a_plain_word(name: str) -> None:
    with pytest.raises(InputError, match="cannot be used"):
        measurements_file(name)


def test_a_measured_link_takes_the_place_of_the_published_one(knowledge: Knowledge, facts: FactBase) -> None:
    card = facts.with_values({"machine.link.host_to_device_bytes_per_second": 31.5e9}, Source.PUBLISHED)
    measured = Outcome(
        probe="transfer", topic="", fact="", before="pageable", verdict=ProbeVerdict.OVERTURNED, after="pinned", rival="pinned",
        median=2.0, low=1.9, high=2.1, n=8, applies={"machine": MACHINE.fingerprint}, date="2026-11-21T10:00:00+00:00",
        settings=(SettingRecord("pinned", duel=(1 / 25e9,) * 8),), work="byte", bound_by=("machine", "torch"),
        gauges={"probe.link.host_to_device_bytes_per_second": "pinned"},
    )  # fmt: skip
    known = with_outcome(knowledge, card, measured).in_scope({"machine": MACHINE.fingerprint})
    entry = known.known("machine.link.host_to_device_bytes_per_second")
    assert entry is not None
    assert (entry.value, entry.source) == (pytest.approx(25e9), Source.MEASURED)


def test_a_device_that_was_overturned_stays_so_although_other_settings_follow_from_it(knowledge: Knowledge) -> None:
    """On the card the plan computes in bf16; this processor has no units for it."""
    machine = replace(MACHINE, features=frozenset({"avx2"}), gpus=(Gpu("cuda", "A card", 24 * 10**9, 8.6),))
    detected = {name: value for name, value in machine.facts().items() if name in knowledge.vocabulary.facts}
    answers = {
        "task.kind": "classify", "task.outputs": 10, "data.modality": "image", "data.inputs": 3072,
        "data.examples": 50_000, "project.pretrained_allowed": False, "network.parameters": 20_000_000,
    }  # fmt: skip
    facts = FactBase.of(detected, Source.DETECTED).with_values(answers, Source.ASKED)
    before = advise_here(knowledge, facts, machine)
    assert (before.value("compute.device"), before.value("training.precision")) == ("gpu", "bf16")
    scope = scope_of(before, machine)
    overturned = Outcome(
        probe="device", topic="compute.device", fact="probe.device.best", before="gpu", verdict=ProbeVerdict.OVERTURNED,
        after="cpu", rival="cpu", median=1.5, low=1.4, high=1.6, n=12, date="2026-11-21T10:00:00+00:00",
        applies={name: value for name, value in scope.items() if name != "device"}, bound_by=DEVICE.bound_by,
    )  # fmt: skip
    after = advise_here(knowledge, facts, machine, [overturned])
    assert after.value("training.precision") == "fp32"
    assert (after.value("compute.device"), after.recommendations["compute.device"].status) == ("cpu", Status.MEASURED)


def test_what_was_measured_on_the_processor_says_nothing_of_a_plan_for_the_card(
    knowledge: Knowledge, facts: FactBase
) -> None:
    here = scope_of(advise_here(knowledge, facts, MACHINE), MACHINE)
    assert here["device"] == "cpu"
    batch = Outcome(
        probe="batch", topic="training.batch_size", fact="probe.batch.best", before=128, verdict=ProbeVerdict.CONFIRMED,
        after=128, rival=64, median=1.5, low=1.4, high=1.6, n=12, applies=here, bound_by=BATCH.bound_by,
    )  # fmt: skip
    assert newest_in_scope([batch], here) == [batch]
    assert newest_in_scope([batch], here | {"device": "cuda"}) == []
