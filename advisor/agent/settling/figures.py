"""The program's own inputs for a plan's figures: counted of its network, published of its device, measured here."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from advisor.agent.settling.glance import Glance
from advisor.agent.settling.known_model import NOTE, kept_on_processor
from advisor.agent.settling.otherwise import timed_otherwise
from advisor.agent.settling.workloads import counted_step, means_nothing, model_name, on_card, step_of
from advisor.facts.fact_base import Known, Source
from advisor.inference.figures import Quantity, compute_figures
from advisor.inference.plan import Plan
from advisor.knowledge.model import Knowledge
from advisor.machine.profiles.files import find_device
from advisor.models.model import Model
from advisor.networks.counts import counted
from advisor.probes.outcome import Outcome
from advisor.probes.workload import Precision, Workload

if TYPE_CHECKING:
    from advisor.networks.stated import Estimate, Stated

_COUNTED_FROM = (
    "network.type", "network.hidden_units", "data.modality", "data.inputs", "data.sequence_length", "task.outputs",
)  # fmt: skip
_KEPT_FROM = (
    *_COUNTED_FROM, "network.activation", "network.normalization", "training.regularization", "compute.device",
)  # fmt: skip
_WIDTHS = "network.widths"
"""Is known of every network that somebody named, though it be 0."""
_FOUND = {
    "plan.parameters": "network.parameters",
    "plan.trained_parameters": "network.trained_parameters",
    "plan.macs": "network.multiply_adds",
    "plan.backward_macs": "network.backward_multiply_adds",
    "plan.uncounted_operations": "network.uncounted_operations",
    "plan.kept_values": "network.kept_values",
    "plan.kept_bytes": "network.kept_bytes",
    "plan.more_in_half": "network.more_in_half",
    "plan.recomputed_more_in_half": "network.recomputed_more_in_half",
    "plan.recomputed_values": "network.recomputed_values",
    "plan.largest_values": "network.largest_values",
    "plan.unfolded_values": "network.unfolded_values",
    "plan.layer_values": "network.layer_values",
    "plan.passed_values": "network.passed_values",
    "plan.large_parameters": "network.large_parameters",
    "plan.copied_parameters": "network.copied_parameters",
    "plan.output_values": "network.output_values",
}
"""Facts about a network that somebody named, by the figures that they give."""
AS_LARGE = 1.05
"""Sizes that differ by less are those of one network: people round them."""


def with_figures(knowledge: Knowledge, plan: Plan, outcomes: Sequence[Outcome] = ()) -> Plan:
    """The plan with its computed numbers; `outcomes` are the measurements that are in its scope."""
    return replace(plan, figures=compute_figures(knowledge, plan, given_quantities(plan, outcomes)))


def given_quantities(plan: Plan | Glance, outcomes: Sequence[Outcome] = ()) -> Mapping[str, Quantity]:
    """By the names under `given` in figures.yaml; what is not known is left out."""
    found: dict[str, Quantity] = {"plan.uncounted_operations": Quantity(0, Source.DERIVED)}
    if _WIDTHS in plan.facts or not means_nothing(plan, "network.hidden_units"):
        workload = step_of(plan)
        found |= sizes_of(plan, counted_step(plan))
        operations = found.get("plan.macs")
        counted_here = operations is not None and operations.origin == "counted"
        if workload is not None and (workload.named or counted_here):
            whole = plan.value("training.adaptation") in (None, "full", "none")  # probes train all weights
            seconds = _measured_step(plan, outcomes, workload) if whole else None
            if seconds is not None:
                found["plan.measured_step_seconds"] = Quantity(seconds, Source.MEASURED)
    rate = _measured_products(plan, outcomes)
    if rate is not None:
        found["plan.matmul_flops"] = Quantity(rate, Source.MEASURED, ("compute.device", "training.precision"))
    return {**found, **_published(plan)}


def sizes_of(plan: Plan | Glance, workload: Workload | None) -> dict[str, Quantity]:
    """Weights, operations and kept values: counted, or estimated for a network whose size was stated."""
    named = _named(plan)
    if "plan.kept_values" in named:
        return named
    if workload is not None and workload.named is not None:
        workload = None
    stated = plan.facts.get("network.parameters")
    model = _counted(workload, not on_card(plan)) if workload is not None else None
    size = stated.value if stated is not None and stated.source not in (Source.ASSUMED, Source.DERIVED) else None
    if isinstance(size, int) and not _as_large(model, size):
        from advisor.networks.stated import estimated  # 15 ms: kinds of networks, only where a size is stated

        about = estimated(_stated(plan, size), model)
        found = _quantities(about, "estimated") if about is not None else {}
        return {**found, "plan.parameters": Quantity(size, stated.source if stated is not None else Source.ASKED)}
    if model is not None:
        return _quantities(model, "counted")
    if stated is not None and isinstance(stated.value, int):
        return {"plan.parameters": Quantity(stated.value, stated.source, ("network.parameters",))}
    return {}


def _as_large(model: Model | None, parameters: int) -> bool:
    """True for a network that was counted, where somebody who stated so many weights may well have meant it: its own number
    of weights takes the place of the stated one in all figures."""
    return model is not None and 1 / AS_LARGE < parameters / model.parameters < AS_LARGE


def _stated(plan: Plan | Glance, parameters: int) -> Stated:
    """The network of so many weights that the plan is for."""
    from advisor.networks.stated import Stated, vocabulary_of  # 15 ms: kinds of networks, only where a size is stated

    kind, modality = (plan.facts.get(name) for name in ("task.kind", "data.modality"))
    steps, outputs = _whole(plan, "data.sequence_length"), _whole(plan, "task.outputs")
    writes = (
        kind is not None and kind.value in ("generate", "translate") and plan.value("network.type") == "transformer"
    )
    return Stated(
        network=str(plan.value("network.type")),
        modality=str(modality.value) if modality is not None else "",
        parameters=parameters,
        inputs=_whole(plan, "data.inputs"),
        steps=steps,
        identities=_learns_identities(plan) and modality is not None and modality.value == "tabular",
        translates=kind is not None and kind.value == "translate",
        outputs=(steps or 0) * (outputs or vocabulary_of(parameters)) if writes else outputs or 0,
    )


def _whole(plan: Plan | Glance, name: str) -> int | None:
    known = plan.facts.get(name)
    return known.value if known is not None and isinstance(known.value, int) else None


def _counted(workload: Workload, processor: bool) -> Model:
    """The network of a step, counted once for all steps that differ in nothing that it is counted from."""
    return _counted_once(replace(workload, batch_size=1, threads=None, precision=Precision.FP32), processor)


@lru_cache(maxsize=500)
def _counted_once(workload: Workload, processor: bool) -> Model:
    return counted(workload, processor=processor)


def _named(plan: Plan | Glance) -> dict[str, Quantity]:
    """Those of the network that somebody named, as far as they are known of it."""
    if _WIDTHS not in plan.facts:
        return {}
    known = {name: plan.facts[fact] for name, fact in _FOUND.items() if fact in plan.facts}
    found = {name: Quantity(one.value, one.source) for name, one in known.items()}  # type: ignore[arg-type]
    if not on_card(plan):
        found |= _kept_on_processor(plan, known)
    if "plan.output_values" not in found and "plan.kept_values" in found:  # its layers are known together only
        found["plan.output_values"] = Quantity(_whole(plan, "task.outputs") or 0, Source.DERIVED, ("task.outputs",))
    all_, met = _whole(plan, "network.parameters"), _whole(plan, "network.active_parameters")
    if all_ is not None and met is not None and _learns_identities(plan):
        found["plan.table_parameters"] = Quantity(all_ - met, Source.DERIVED)
    return found


def _kept_on_processor(plan: Plan | Glance, known: Mapping[str, Known]) -> dict[str, Quantity]:
    """Figures of the network that are others on a processor than on a graphics card, for which they were counted before it was
    known where the plan computes. Those that somebody stated stay.
    """
    name = model_name(plan)
    there = kept_on_processor(name, plan.stated) if name is not None else {}
    return {
        figure: Quantity(there[_FOUND[figure]], one.source)  # type: ignore[arg-type]
        for figure, one in known.items()
        if _FOUND[figure] in there and one.note.startswith(NOTE)
    }


def _learns_identities(plan: Plan | Glance) -> bool:
    """True where columns hold persons or goods, each with a vector of its own in a table."""
    known = plan.facts.get("data.sparse_ids")
    return known is not None and known.value is True


def _quantities(found: Model | Estimate, origin: str) -> dict[str, Quantity]:
    return {
        "plan.parameters": Quantity(found.parameters, origin, _COUNTED_FROM),
        "plan.macs": Quantity(found.multiply_adds, origin, _COUNTED_FROM),
        "plan.kept_values": Quantity(found.kept, origin, _KEPT_FROM),
        "plan.kept_bytes": Quantity(found.kept_bytes, origin, _KEPT_FROM),
        "plan.more_in_half": Quantity(found.more_in_half, origin, _KEPT_FROM),
        "plan.recomputed_more_in_half": Quantity(found.recomputed_more_in_half, origin, _KEPT_FROM),
        "plan.recomputed_values": Quantity(found.recomputed, origin, _KEPT_FROM),
        "plan.largest_values": Quantity(found.largest, origin, _KEPT_FROM),
        "plan.unfolded_values": Quantity(found.unfolded, origin, _COUNTED_FROM),
        "plan.layer_values": Quantity(found.usual, origin, _KEPT_FROM),
        "plan.passed_values": Quantity(found.passed, origin, _KEPT_FROM),
        "plan.large_parameters": Quantity(found.large, origin, _COUNTED_FROM),
        "plan.copied_parameters": Quantity(found.copied, origin, _COUNTED_FROM),
        "plan.output_values": Quantity(found.outputs, origin, _COUNTED_FROM),
    } | ({} if isinstance(found, Model) else _tables(found, origin))


def _tables(found: Estimate, origin: str) -> dict[str, Quantity]:
    """Of a network whose weights are nearly all in tables."""
    if not found.table_parameters:
        return {}
    return {
        "plan.table_parameters": Quantity(found.table_parameters, origin, _COUNTED_FROM),
        "plan.looked_up_values": Quantity(found.looked_up, origin, _COUNTED_FROM),
    }


def _measured_step(plan: Plan | Glance, outcomes: Sequence[Outcome], workload: Workload) -> float | None:
    """Median seconds of a step with the plan's own settings."""
    samples = step_samples(plan, outcomes, workload)
    return statistics.median(samples) if samples else None


def step_samples(plan: Plan | Glance, outcomes: Sequence[Outcome], workload: Workload) -> Sequence[float]:
    """Seconds of steps with the plan's own settings, as they were measured; empty where none was."""
    for outcome in outcomes:
        if outcome.probe == "threads" and timed_otherwise(plan, outcome) is None:
            for record in outcome.settings:
                samples = record.duel or record.search
                if record.setting == workload.threads and samples:
                    return samples
    return ()


def _measured_products(plan: Plan | Glance, outcomes: Sequence[Outcome]) -> float | None:
    """FLOP/s of matrix products in the plan's number format, on the kind of device that the plan computes on."""
    device = "cuda" if on_card(plan) else "cpu"
    for outcome in outcomes:
        if outcome.probe == "matmul" and outcome.applies.get("device", "cpu") == device:
            rate = outcome.rate(str(plan.value("training.precision")))
            return None if rate is None else rate.median
    return None


def _published(plan: Plan | Glance) -> dict[str, Quantity]:
    """The peak of the plan's device and its link to others, from its profile."""
    found: dict[str, Quantity] = {}
    name = plan.facts.get("machine.gpu.name" if on_card(plan) else "machine.cpu.model")
    profile = find_device(str(name.value)) if name is not None else None
    if profile is None or plan.value("compute.device") is None:
        return found
    formats = {precision.value: figure for precision, figure in profile.peak_flops.items()}
    peak = formats.get(str(plan.value("training.precision")))  # that of another format would be another figure
    if peak is not None:
        found["plan.peak_flops"] = Quantity(peak.value, Source.PUBLISHED, ("compute.device", "training.precision"))
    if profile.link_bytes_per_second is not None:
        one_way = profile.link_bytes_per_second.value / 2
        found["plan.gpu_link_bytes_per_second"] = Quantity(one_way, Source.PUBLISHED, ("compute.device",))
    return found
