"""A usual network in place of one that the plan does not have yet, so that a machine can be measured with few facts known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from advisor.agent.machines.reference import usual_facts
from advisor.agent.settling.workloads import model_name, workload_of
from advisor.facts.fact_base import FactBase, Source
from advisor.facts.vocabulary import Value
from advisor.inference.advise import VALUES_ONLY
from advisor.inference.plan import Status
from advisor.probes.workload import Workload
from advisor.session.inputs import Inputs, plan_of

MODALITY = "data.modality"


def with_usual_network(inputs: Inputs) -> tuple[Inputs, str]:
    """Inputs whose plan has a network to measure with, and which one that is; the same where facts decide about it.

    What is stated stays as far as a network follows from it. The rest is taken as usual, and counts as assumed.
    """
    plan = plan_of(inputs, VALUES_ONLY)
    sized = all(name in plan.facts for name in ("data.inputs", "task.outputs"))
    none_built = plan.recommendations["network.hidden_units"].status is Status.NOT_APPLICABLE
    decided = plan.value("network.type") is not None and (sized or none_built)
    if isinstance(workload_of(plan), Workload) or decided or model_name(plan) is not None:
        return inputs, ""
    modality = plan.facts.get(MODALITY)
    for usual in usual_facts(None if modality is None else str(modality.value)):
        found = replace(inputs, facts=_completed(inputs.facts, usual))
        step = workload_of(plan_of(found, VALUES_ONLY))
        if isinstance(step, Workload):
            kind = "a usual network" if MODALITY in usual else "an ordinary network of fully connected layers"
            return found, f"{kind}, {step.describe()}"
    return inputs, ""


def _completed(facts: FactBase, usual: Mapping[str, Value]) -> FactBase:
    """The facts with what is usual where nothing is known; without any of task and data where examples are left open."""
    if MODALITY not in usual:
        for name in [name for name in facts.names() if name.partition(".")[0] in ("data", "task")]:
            facts = facts.without(name)
    return facts.with_values(
        {name: value for name, value in usual.items() if facts.known(name) is None}, Source.ASSUMED
    )
