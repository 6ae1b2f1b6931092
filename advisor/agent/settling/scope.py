"""Under which conditions a measurement counts: the machine, the plan's own network, batch size, precision, torch, the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from advisor.agent.settling.glance import Glance
from advisor.agent.trials.outcomes import DATA, FINGERPRINT, NETWORK_TYPE, is_trial
from advisor.facts.fact_base import FactBase, Known, Source
from advisor.facts.vocabulary import FactType
from advisor.inference.advise import Detail, advise
from advisor.inference.plan import Plan, Status
from advisor.knowledge.model import Knowledge, School
from advisor.machine.detection.detection import Machine
from advisor.networks.registry import find
from advisor.probes.outcome import Outcome
from advisor.probes.workload import Device, MemoryFormat, Precision, Workload

MAX_ROUNDS = 4
MEANS = {"probe.link.host_to_device_bytes_per_second": "machine.link.host_to_device_bytes_per_second"}
"""Measured facts that take the place of what is published of the same quantity."""


@cache  # 4 ms
def torch_version() -> str:
    """The version of the installed torch without importing it, empty when there is none."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("torch")
    except PackageNotFoundError:
        return ""


def workload_of(plan: Plan | Glance) -> Workload | str:
    """The training step that the plan describes, or why it cannot be timed."""
    network = plan.value("network.type")
    if network is None:
        return "The plan has no network type yet."
    if _means_nothing(plan, "network.hidden_units"):
        return f"The plan is {network}, which is not a network; the probes time training steps of networks."
    missing = [name for name in ("data.inputs", "task.outputs") if name not in plan.facts]
    inputs = plan.facts.get("data.inputs")
    outputs = plan.facts.get("task.outputs") or (inputs if _gives_back(plan, network) else None)
    if inputs is None or outputs is None:
        return f"The size of the network is not known: state {' and '.join(missing)}."
    steps = plan.facts.get("data.sequence_length")
    modality = plan.facts.get("data.modality")
    threads = plan.value("compute.threads")
    batch = plan.value("training.batch_size")
    if plan.value("compute.device") not in (None, "cpu") and _gpu_here(plan):
        device, formats = Device.CUDA, {"fp32", "tf32", "bf16", "fp16"}
    else:
        device, formats = Device.CPU, {"fp32", "bf16"}
    precision = plan.value("training.precision")
    workload = Workload(
        network=network,
        modality=str(modality.value) if modality else "tabular",
        inputs=_whole(inputs.value),
        outputs=_whole(outputs.value),
        hidden_units=tuple(plan.value("network.hidden_units") or ()),
        sequence_length=_whole(steps.value) if steps else None,
        loss=plan.value("training.loss") or "cross_entropy",
        activation=plan.value("network.activation") or "relu",
        optimizer=plan.value("training.optimizer") or "adamw",
        batch_size=batch or 32,
        precision=Precision(precision) if precision in formats else Precision.FP32,
        threads=threads,
        device=device,
        memory_format=_memory_format(plan),
    )
    return workload.why_not() or workload


def _means_nothing(plan: Plan | Glance, topic: str) -> bool:
    if isinstance(plan, Glance):
        return plan.means_nothing(topic)
    return plan.recommendations[topic].status is Status.NOT_APPLICABLE


def _gives_back(plan: Plan | Glance, network: str) -> bool:
    """Whether the network has as many outputs as inputs, so that nobody needs to state them."""
    kind = plan.facts.get("task.kind")
    family = find(network)
    restores = family is not None and family.restores
    return restores or (kind is not None and kind.value == "generate" and network == "deconvolutional")


def _memory_format(plan: Plan | Glance) -> MemoryFormat:
    """The order of a picture's numbers that was measured to be faster; the usual one otherwise."""
    known = plan.facts.get("probe.layout.best")
    return MemoryFormat.CONTIGUOUS if known is None else MemoryFormat(str(known.value))


def _gpu_here(plan: Plan | Glance) -> bool:
    count, backend = plan.facts.get("machine.gpu.count"), plan.facts.get("machine.gpu.backend")
    detected = count is not None and count.source is Source.DETECTED and count.value != 0
    return detected and backend is not None and backend.value == "cuda"


def _whole(value: object) -> int:
    assert isinstance(value, int)  # noqa: S101 - declared as integers
    return value


def plans_this_machine(facts: FactBase) -> bool:
    """Whether the plan is for the machine at hand: no answer contradicts what was detected of it."""
    return not any(
        clash.used.source is Source.ASKED and clash.fact.startswith("machine.") for clash in facts.contradictions()
    )


def scope_of(plan: Plan | Glance, machine: Machine | None) -> dict[str, str]:
    """What a measurement must agree with to count for this plan. Trials on somebody's data count on every machine."""
    scope = _data_scope(plan)
    if machine is None or not plans_this_machine(plan.stated):
        return scope
    scope |= {"machine": machine.fingerprint, "torch": torch_version()}
    workload = workload_of(plan)
    if isinstance(workload, Workload):
        scope |= workload.conditions() | ({"threads": str(workload.threads)} if workload.threads else {})
    return scope


def _data_scope(plan: Plan | Glance) -> dict[str, str]:
    fingerprint, network = plan.facts.get(FINGERPRINT), plan.value("network.type")
    if fingerprint is None:
        return {}
    return {DATA: str(fingerprint.value)} | ({NETWORK_TYPE: network} if network is not None else {})


def advise_here(
    knowledge: Knowledge,
    facts: FactBase,
    machine: Machine | None,
    outcomes: Sequence[Outcome] = (),
    school: School = School.TODAY,
    detail: Detail = Detail(),  # noqa: B008 - immutable
) -> Plan:
    """Advice with the measurements that are in scope; the newest of each probe counts, others are shown as evidence.

    `outcomes` stand oldest first.
    """
    glance, chosen = _in_scope_of_itself(knowledge, facts, machine, outcomes, school)
    plan = advise(knowledge, glance.given, school, detail)
    if chosen and detail.flips:
        plan = _without_broken_flips(knowledge, plan, facts, machine, outcomes)
    plan = with_measurements(knowledge, plan, chosen)
    if not detail.reasons:
        return plan
    from advisor.agent.settling.figures import with_figures

    return with_figures(knowledge, plan, chosen)


def _in_scope_of_itself(
    knowledge: Knowledge, facts: FactBase, machine: Machine | None, outcomes: Sequence[Outcome], school: School
) -> tuple[Glance, list[Outcome]]:
    """The plan with what was measured under its own conditions, and these measurements.

    What is in scope depends on the plan (its network, its batch size), and the plan on what is in scope: repeated until
    nothing changes, at most four times.
    """
    scope: dict[str, str] = {}
    chosen: list[Outcome] = []
    glance = Glance(knowledge, facts.in_scope(scope), school)
    for _ in range(MAX_ROUNDS if outcomes else 0):
        found = scope_of(glance, machine)
        now = newest_in_scope(outcomes, found)
        if found == scope and now == chosen:
            break
        scope, chosen = found, now
        measured = facts
        for outcome in [*standing(outcomes), *chosen]:
            measured = with_outcome(knowledge, measured, outcome)
        glance = Glance(knowledge, measured.in_scope(scope), school)
    return glance, chosen


def _without_broken_flips(
    knowledge: Knowledge, plan: Plan, facts: FactBase, machine: Machine | None, outcomes: Sequence[Outcome]
) -> Plan:
    """The plan with those flips only that still hold when the changed answer puts a measurement out of its scope."""
    seen: dict[tuple[str, object], Glance] = {}
    recommendations = dict(plan.recommendations)
    for name, entry in plan.recommendations.items():
        for flip in entry.flips:
            key = (flip.fact, flip.to)
            if key not in seen:
                changed = facts.with_values({flip.fact: flip.to}, Source.ASKED)
                seen[key], _ = _in_scope_of_itself(knowledge, changed, machine, outcomes, plan.school)
        kept = tuple(flip for flip in entry.flips if seen[flip.fact, flip.to].outcome(name) == flip.then)
        recommendations[name] = replace(entry, flips=kept)
    return replace(plan, recommendations=recommendations)


def standing(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Without what was measured again under the same conditions and is taken back by that: a trial that is undecided now is not
    won any more, nor is a bet that a second start has contradicted."""

    def conditions(outcome: Outcome) -> tuple[object, ...]:
        return outcome.probe, *sorted(binding(outcome).items())

    newest = {conditions(outcome): outcome for outcome in outcomes if outcome.measured}

    def stands(outcome: Outcome) -> bool:
        last = newest.get(conditions(outcome))
        if is_trial(outcome.probe):
            return outcome is last
        return last is None or outcome is last or not last.contradicted

    return [outcome for outcome in outcomes if stands(outcome)]


def newest_in_scope(outcomes: Sequence[Outcome], scope: Mapping[str, str]) -> list[Outcome]:
    """For each probe its last outcome that was measured under these conditions."""
    found = {}
    for outcome in outcomes:
        if outcome.measured and all(scope.get(name) == value for name, value in binding(outcome).items()):
            found[outcome.probe] = outcome
    return list(found.values())


def with_outcome(knowledge: Knowledge, facts: FactBase, outcome: Outcome) -> FactBase:
    """The facts with what a probe has decided, bound to the conditions under which it was measured."""
    applies = binding(outcome)
    note = f"{'advisor try' if is_trial(outcome.probe) else f'probe {outcome.probe}'}, {outcome.date}"
    found = outcome.facts()
    for name, value in [*found.items(), *((MEANS[name], value) for name, value in found.items() if name in MEANS)]:
        fact = knowledge.vocabulary.facts.get(name)
        if fact is not None and (fact.type is not FactType.CHOICE or value in fact.choice_names):
            facts = facts.with_known(name, Known(value, Source.MEASURED, applies, note=note))
    return facts


def binding(outcome: Outcome) -> dict[str, str]:
    """The conditions under which alone the outcome counts."""
    return {name: str(outcome.applies[name]) for name in outcome.bound_by if name in outcome.applies}


def with_measurements(knowledge: Knowledge, plan: Plan, outcomes: Sequence[Outcome]) -> Plan:
    """The plan with each measurement shown at the recommendation that it decides."""
    from advisor.agent.settling.judging import measurement

    recommendations: dict[str, Any] = dict(plan.recommendations)
    for outcome in outcomes:
        entry = recommendations.get(outcome.topic)
        if entry is not None and knowledge.topics[outcome.topic].probe == outcome.probe:
            warnings = tuple(f"While the probe {outcome.probe} ran: {text}" for text in outcome.conditions.warnings)
            warnings += (f"A second start {outcome.second_start}",) if outcome.second_start else ()
            found = measurement(knowledge, plan, outcome)
            recommendations[outcome.topic] = replace(entry, measured=found, notes=(*entry.notes, *warnings))
    return replace(plan, recommendations=recommendations)
