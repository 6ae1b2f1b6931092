"""What the program itself knows for the figures of a plan: counted of its network, published of its device, measured here."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import replace

from advisor.agent.scope import workload_of
from advisor.facts.fact_base import Source
from advisor.inference.figures import Quantity, compute_figures
from advisor.inference.plan import Plan
from advisor.knowledge.model import Knowledge
from advisor.networks.counts import counts
from advisor.probes.outcome import ProbeOutcome
from advisor.probes.workload import Workload


def with_figures(knowledge: Knowledge, plan: Plan, outcomes: Sequence[ProbeOutcome] = ()) -> Plan:
    """The plan with its computed numbers; `outcomes` are the measurements that are in its scope."""
    return replace(plan, figures=compute_figures(knowledge, plan, given_quantities(plan, outcomes)))


def given_quantities(plan: Plan, outcomes: Sequence[ProbeOutcome] = ()) -> Mapping[str, Quantity]:
    """By the names under `given` in figures.yaml; what is not known is left out."""
    found: dict[str, Quantity] = {}
    workload = workload_of(plan)
    if isinstance(workload, Workload):
        counted = counts(workload)
        found["plan.parameters"] = Quantity(counted.parameters, "counted")
        found["plan.macs"] = Quantity(counted.macs, "counted")
        found["plan.kept_values"] = Quantity(counted.kept, "counted")
        seconds = _measured_step(outcomes, workload)
        if seconds is not None:
            found["plan.measured_step_seconds"] = Quantity(seconds, Source.MEASURED)
    stated = plan.facts.get("network.parameters")
    if stated is not None and isinstance(stated.value, int):
        known = stated.source is not Source.ASSUMED
        if known and stated.value != found.get("plan.parameters", Quantity(0, "")).value:
            found = {"plan.parameters": Quantity(stated.value, stated.source)}  # a network of another size was counted
        found.setdefault("plan.parameters", Quantity(stated.value, stated.source))
    return {**found, **_published(plan)}


def _measured_step(outcomes: Sequence[ProbeOutcome], workload: Workload) -> float | None:
    """Median seconds of a step with the plan's own settings."""
    for outcome in outcomes:
        if outcome.probe == "threads":
            for record in outcome.settings:
                samples = record.duel or record.search
                if record.setting == workload.threads and samples:
                    return statistics.median(samples)
    return None


def _published(plan: Plan) -> dict[str, Quantity]:
    """The peak of the plan's device and its link to others, from its profile."""
    from advisor.machine.devices import Precision
    from advisor.machine.profiles import find_device

    found: dict[str, Quantity] = {}
    device = plan.value("compute.device")
    name = plan.facts.get("machine.cpu.model" if device == "cpu" else "machine.gpu.name")
    profile = find_device(str(name.value)) if name is not None else None
    if profile is None or device is None:
        return found
    formats = {precision.value: figure for precision, figure in profile.peak_flops.items()}
    peak = formats.get(str(plan.value("training.precision"))) or formats.get(Precision.FP32.value)
    if peak is not None:
        found["plan.peak_flops"] = Quantity(peak.value, Source.PUBLISHED)
    if profile.link_bytes_per_second is not None:
        found["plan.gpu_link_bytes_per_second"] = Quantity(profile.link_bytes_per_second.value / 2, Source.PUBLISHED)
    return found
