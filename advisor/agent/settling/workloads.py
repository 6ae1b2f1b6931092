"""The training step of a plan, as probes time it and figures count it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from advisor.agent.advised import advised, after_layers_of
from advisor.facts.fact_base import Known, Source
from advisor.inference.plan import Plan, Status
from advisor.models.code import Code
from advisor.models.named import Naming, naming, written
from advisor.networks.description import nearest_picture
from advisor.networks.family import Answer
from advisor.networks.registry import find
from advisor.networks.spec import why_not
from advisor.probes.workload import BYTES_A_WEIGHT, Device, MemoryFormat, NamedNetwork, Precision, Workload
from advisor.wording import shorten

if TYPE_CHECKING:
    from advisor.agent.settling.glance import Glance


MODEL = "network.model"
"""Names the network, as a fact and as a recommendation."""
_USUAL_TOKENS = 20_000
_LEAST_WITH_A_PUBLISHED_VOCABULARY = 40_000_000
"""Weights. Networks of texts that are stated to have more have a vocabulary as published ones do."""
_WRITING = ("generate", "translate", "reconstruct")
"""Tasks for which a network of texts answers each token with the next."""
NONE = "none"
"""Its value where no published network is meant."""


def model_name(plan: Plan | Glance) -> str | None:
    """The network that somebody named, or that the rules have chosen; None for one that is built here."""
    stated = plan.facts.get(MODEL)
    name = plan.value(MODEL) if stated is None else str(stated.value).strip()
    return None if name in (None, NONE) else str(name)


def workload_of(plan: Plan | Glance) -> Workload | str:
    """The training step that the plan describes, or why it cannot be timed."""
    found = _described(plan)
    return found if isinstance(found, str) else found.why_not() or found


def counted_step(plan: Plan | Glance) -> Workload | None:
    """The training step that the plan describes, if its network can be counted, though it may be none that can be timed."""
    found = _described(plan, guessing=True)
    if isinstance(found, str) or (found.named is None and why_not(found) is not None):
        return None
    return found


def _described(plan: Plan | Glance, *, guessing: bool = False) -> Workload | str:
    """The training step of the plan, or why there is none.

    Args:
        guessing: where nobody knows how many different tokens the texts have, take as many as a project does.
    """
    network = plan.value("network.type")
    if network is None:
        return "The plan has no network type yet."
    named = model_name(plan)
    network_of_somebody = _named(plan)
    if named is not None and network_of_somebody is None and "network.widths" in plan.facts:
        return f"Of {shorten(named)} only the weights are known; the probes time networks that they can build."
    if network_of_somebody is None and means_nothing(plan, "network.hidden_units"):
        return f"The plan is {network}, which is not a network; the probes time training steps of networks."
    missing = [name for name in ("data.inputs", "task.outputs") if name not in plan.facts]
    inputs = plan.facts.get("data.inputs")
    modality = plan.facts.get("data.modality")
    if (
        inputs is not None and modality is not None and modality.value == "image"
    ):  # it is made square, as a project does
        inputs = replace(inputs, value=nearest_picture(_whole(inputs.value)).values)
    outputs = plan.facts.get("task.outputs") or (inputs if _gives_back(plan, network) else None)
    if guessing:
        inputs, outputs = _guessed(plan, network, inputs, outputs)
    if network_of_somebody is None and (inputs is None or outputs is None):
        return f"The size of the network is not known: state {' and '.join(missing)}."
    steps = plan.facts.get("data.sequence_length")
    threads = plan.value("compute.threads")
    if on_card(plan) and _gpu_here(plan):
        device, formats = Device.CUDA, {"fp32", "tf32", "bf16", "fp16"}
    else:
        device, formats = Device.CPU, {"fp32", "bf16"}
    precision = plan.value("training.precision")
    family = find(network)
    ours = family is not None and network_of_somebody is None
    normalization, dropout = after_layers_of(plan, family) if family is not None and ours else ("none", 0.0)
    return Workload(
        network=network,
        modality=str(modality.value) if modality else "tabular",
        inputs=_whole(inputs.value) if inputs else 1,
        outputs=_whole(outputs.value) if outputs else 1,
        hidden_units=tuple(plan.value("network.hidden_units") or ()),
        sequence_length=_whole(steps.value) if steps else None,
        loss=plan.value("training.loss") or "cross_entropy",
        activation=advised(plan, "network.activation") or "relu",
        normalization=normalization,
        dropout=dropout,
        optimizer=advised(plan, "training.optimizer") or "adamw",
        batch_size=plan.value("training.micro_batch") or 32,
        precision=Precision(precision) if precision in formats else Precision.FP32,
        threads=threads,
        device=device,
        memory_format=_memory_format(plan),
        named=network_of_somebody,
    )


def usual_tokens(plan: Plan | Glance) -> int:
    """Different tokens of texts, of which nobody knows how many they have."""
    size = plan.facts.get("network.parameters")
    stated = size.value if size is not None and size.source is Source.ASKED else 0
    if not isinstance(stated, int) or stated < _LEAST_WITH_A_PUBLISHED_VOCABULARY:
        return _USUAL_TOKENS
    from advisor.networks.stated import vocabulary_of  # 15 ms: kinds of networks, only where a size is stated

    return vocabulary_of(stated)


def _guessed(
    plan: Plan | Glance, network: str, inputs: Known | None, outputs: Known | None
) -> tuple[Known | None, Known | None]:
    """The same where they are known; the tokens of texts as a project takes them, and one output where there are no answers."""
    modality, kind = (plan.facts.get(name) for name in ("data.modality", "task.kind"))
    if inputs is None and modality is not None and modality.value == "text":
        inputs = Known(usual_tokens(plan), Source.ASSUMED)
        outputs = inputs if outputs is None and _gives_back(plan, network) else outputs
    if outputs is None and kind is not None and kind.value == "detect_anomalies":
        outputs = Known(1, Source.ASSUMED)
    return inputs, outputs


def _named(plan: Plan | Glance) -> NamedNetwork | None:
    """The network that has a name, where its layers are known."""
    name, parameters = model_name(plan), plan.facts.get("network.parameters")
    fingerprint = plan.facts.get("network.fingerprint")
    if name is None or parameters is None or fingerprint is None or "network.kept_values" not in plan.facts:
        return None
    return NamedNetwork(_short_name(name), _whole(parameters.value), str(fingerprint.value))


def _short_name(name: str) -> str:
    """Of a file without its folder: it is the same network wherever it lies, which its fingerprint tells."""
    if naming(name) is not Naming.CODE:
        return shorten(name)
    file, factory = written(name)
    return shorten(f"{file.name}:{factory}")


def on_card(plan: Plan | Glance) -> bool:
    """True if the plan computes on graphics cards, be they here or not; machines of a cluster need not have any."""
    device, cards = plan.value("compute.device"), plan.facts.get("machine.gpu.count")
    return device in ("gpu", "multi_gpu") or (device == "cluster" and cards is not None and cards.value != 0)


def step_of(plan: Plan | Glance) -> Workload | None:
    """The training step that the plan describes, if it can be timed."""
    found = workload_of(plan)
    return found if isinstance(found, Workload) else None


def with_code(workload: Workload | None, code: Code | str | None) -> Workload | None:
    """The step with what it takes to build the network that somebody named."""
    if workload is None or workload.named is None or not isinstance(code, Code):
        return workload
    return replace(workload, named=replace(workload.named, code=code))


def too_large(workload: Workload, memory_bytes: int) -> str | None:
    """The reason why the training step of a named network does not fit the main memory that a probe may take, or None."""
    named = workload.named
    if named is None or workload.device is not Device.CPU or named.parameters * BYTES_A_WEIGHT <= memory_bytes:
        return None
    need, there = named.parameters * BYTES_A_WEIGHT / 1e9, memory_bytes / 1e9
    return (
        f"{named.name} has {named.parameters:,} weights: with gradients and two moments of Adam, {BYTES_A_WEIGHT} bytes each, "
        f"{need:,.1f} GB, and a probe may take {there:,.1f} GB here. Close other programs, measure on a machine with more "
        "memory, or name a smaller network of its kind."
    )


def means_nothing(plan: Plan | Glance, topic: str) -> bool:
    """True if the topic is not applicable."""
    if not isinstance(plan, Plan):
        return plan.means_nothing(topic)
    return plan.recommendations[topic].status is Status.NOT_APPLICABLE


def _gives_back(plan: Plan | Glance, network: str) -> bool:
    """True if the network has as many outputs as inputs, so that nobody needs to state them."""
    kind, modality = (plan.facts.get(name) for name in ("task.kind", "data.modality"))
    family = find(network)
    if family is None or kind is None:
        return family is not None and family.restores
    writes = kind.value in _WRITING and family.predicts_tokens and modality is not None and modality.value == "text"
    return family.restores or writes or (kind.value == "generate" and family.answer is Answer.PICTURE)


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
