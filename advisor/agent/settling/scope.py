"""The conditions under which an experiment counts: machine, network, batch size, number format, torch, data, workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from advisor.agent.settling.glance import Glance
from advisor.agent.settling.strategies import worker_conditions
from advisor.agent.settling.workloads import step_of
from advisor.agent.trials.outcomes import DATA, FINGERPRINT, HORIZON, NETWORK_TYPE, is_trial
from advisor.facts.experiments import is_of_strategies, source_of
from advisor.facts.fact_base import FactBase, Known, Source
from advisor.facts.vocabulary import FactType
from advisor.inference.plan import Plan
from advisor.knowledge.model import Knowledge
from advisor.machine.detection.detection import Machine
from advisor.probes.outcome import Outcome
from advisor.version import torch_version

MEANS = {"probe.link.host_to_device_bytes_per_second": "machine.link.host_to_device_bytes_per_second"}
"""Measured facts that take the place of what is published of the same quantity."""


def plans_this_machine(facts: FactBase) -> bool:
    """True if the plan is for the machine at hand: no answer contradicts what was detected of it."""
    return not any(
        clash.used.source is Source.ASKED and clash.fact.startswith("machine.") for clash in facts.contradictions()
    )


def scope_of(plan: Plan | Glance, machine: Machine | None) -> dict[str, str]:
    """The conditions under which a measurement counts for this plan.

    Trials on somebody's data count on every machine, and simulations for whatever cluster is planned, wherever they ran.
    """
    scope = _data_scope(plan) | worker_conditions(plan)
    if machine is None or not plans_this_machine(plan.stated):
        return scope
    own = plan.facts.get("network.torch")  # of somebody's own Python, in which everything is measured then
    scope |= {"machine": machine.fingerprint, "torch": torch_version() if own is None else str(own.value)}
    workload = step_of(plan)
    if workload is not None:
        scope |= workload.conditions() | ({"threads": str(workload.threads)} if workload.threads else {})
    return scope


def _data_scope(plan: Plan | Glance) -> dict[str, str]:
    fingerprint, network = plan.facts.get(FINGERPRINT), plan.value("network.type")
    if fingerprint is None:
        return {}
    return {DATA: str(fingerprint.value)} | ({NETWORK_TYPE: network} if network is not None else {})


def standing(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Without what was measured again under the same conditions and is taken back by that: a trial or a strategy that is
    undecided now is not won any more, nor is a bet that a second start has contradicted."""

    def conditions(outcome: Outcome) -> tuple[object, ...]:
        return *_kind(outcome), *sorted(binding(outcome).items())

    newest = {conditions(outcome): outcome for outcome in outcomes if outcome.measured}

    def stands(outcome: Outcome) -> bool:
        last = newest.get(conditions(outcome))
        if is_trial(outcome.probe) or is_of_strategies(outcome.probe):
            return outcome is last
        return last is None or outcome is last or not last.contradicted

    return [outcome for outcome in outcomes if stands(outcome)]


def newest_in_scope(outcomes: Sequence[Outcome], scope: Mapping[str, str]) -> list[Outcome]:
    """The last outcome under these conditions of each probe; of strategies that were run or simulated, of each fact."""
    found = {}
    for outcome in outcomes:
        if outcome.measured and all(scope.get(name) == value for name, value in binding(outcome).items()):
            found[_kind(outcome)] = outcome
    return list(found.values())


def _kind(outcome: Outcome) -> tuple[str, str]:
    """The experiment, and for one that answers several questions at once which of them."""
    return outcome.probe, outcome.fact if is_of_strategies(outcome.probe) else ""


def with_outcome(knowledge: Knowledge, facts: FactBase, outcome: Outcome) -> FactBase:
    """The facts with what an experiment has decided, bound to its conditions."""
    applies, source = binding(outcome), source_of(outcome.probe)
    note = f"{_by_what(outcome.probe)}, {outcome.date}"
    found = outcome.facts()
    if (ahead := found.get(HORIZON)) is not None and _found_in_these_data(facts, outcome):
        facts = facts.with_known("task.outputs", Known(ahead, Source.INSPECTED, note=note))
    for name, value in [*found.items(), *((MEANS[name], value) for name, value in found.items() if name in MEANS)]:
        fact = knowledge.vocabulary.facts.get(name)
        if fact is not None and (fact.type is not FactType.CHOICE or value in fact.choice_names):
            facts = facts.with_known(name, Known(value, source, applies, note=note))
    return facts


def _by_what(experiment: str) -> str:
    if is_of_strategies(experiment):
        return f"advisor {experiment}"
    return "advisor try" if is_trial(experiment) else f"probe {experiment}"


def _found_in_these_data(facts: FactBase, outcome: Outcome) -> bool:
    """True if the facts have the number of outputs from the data of the trial, and nobody has said another."""
    data, entries = facts.known(FINGERPRINT), facts.entries.get("task.outputs", ())
    found = any(known.source is Source.INSPECTED for known in entries)
    return found and data is not None and outcome.applies.get(DATA) == data.value


def binding(outcome: Outcome) -> dict[str, str]:
    """The conditions under which alone the outcome counts."""
    return {name: str(outcome.applies[name]) for name in outcome.bound_by if name in outcome.applies}
