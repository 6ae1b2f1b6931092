"""Probes of two variants of the whole training step: memory format, fused update, torch.compile, device, checkpointing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from advisor.networks.description import Layout, UnbuildableError
from advisor.networks.registry import family
from advisor.networks.spec import layout
from advisor.probes.probe import STEADY, USUAL_BINDING, Probe, Setting, Varies, always, among
from advisor.probes.surroundings import Surroundings
from advisor.probes.workload import FUSING, Activations, Execution, MemoryFormat, Update, Workload

CPU, GPU = "cpu", "gpu"
_TENSOR_CORES = 7
"""The first compute capability with them, and the least for which torch compiles."""
_ADVISED_FOR = ("cnn", "unet")
_KEPT, _RECOMPUTED = Activations.KEPT.value, Activations.RECOMPUTED.value


def _advised(values: Mapping[str, Any], here: Surroundings) -> bool:
    """True where the list of good practice has it, as it has for cards with tensor cores."""
    able = here.on_card and (here.compute_capability or 0) >= _TENSOR_CORES
    return able and "fill_the_card" in (values.get("practice") or ())


def _of_pictures(step: Workload) -> bool:
    try:
        return layout(step) is Layout.PICTURE
    except UnbuildableError:  # a network that somebody named, for data of which nobody has said what they are
        return False


def _one_order(here: Surroundings) -> str | None:
    step = here.workload
    if step is not None and (step.network == "transformer" or not _of_pictures(step)):
        return "Only networks that treat pictures by convolution have two orders to choose between."
    return None


def _order(values: Mapping[str, Any], here: Surroundings) -> Setting:
    convolves = here.workload is not None and here.workload.network in _ADVISED_FOR
    return MemoryFormat.CHANNELS_LAST.value if convolves and _advised(values, here) else MemoryFormat.CONTIGUOUS.value


LAYOUT = Probe(
    name="layout",
    title="Order of a picture's numbers",
    place=40,
    question="Is a training step of the plan's own network faster when the channels of a pixel stand side by side?",
    topic="practice",
    cost_seconds=6.0,
    varies=Varies.MEMORY_FORMAT,
    shortest_sample=STEADY,
    not_here=_one_order,
    choose=among(MemoryFormat.CONTIGUOUS.value, MemoryFormat.CHANNELS_LAST.value),
    recommended=_order,
)


def _not_fused(here: Surroundings) -> str | None:
    if here.workload is not None and here.workload.optimizer not in FUSING:
        return f"torch has no fused update for {here.workload.optimizer}."
    return None


FUSED = Probe(
    name="fused",
    title="Fused update",
    place=45,
    question="Is a training step of the plan's own network faster when one kernel updates all weights?",
    topic="practice",
    cost_seconds=6.0,
    varies=Varies.UPDATE,
    shortest_sample=STEADY,
    bound_by=(*USUAL_BINDING, "optimizer"),
    not_here=_not_fused,
    choose=among(Update.USUAL.value, Update.FUSED.value),
    recommended=always(Update.USUAL.value),
)


def _not_compiled(here: Surroundings) -> str | None:
    if here.on_card and here.compute_capability is not None and here.compute_capability < _TENSOR_CORES:
        return (
            f"torch compiles for cards of compute capability {_TENSOR_CORES} and more; this one has "
            f"{here.compute_capability:g}."
        )
    return None


COMPILE = Probe(
    name="compile",
    title="Compiling",
    place=50,
    question="Does torch.compile make training with the plan's own network shorter, the time to compile included?",
    topic="practice",
    cost_seconds=60.0,
    varies=Varies.EXECUTION,
    bound_by=("machine", "network", "torch", "batch_size", "precision", "threads"),
    not_here=_not_compiled,
    choose=among(Execution.EAGER.value, Execution.COMPILED.value),
    recommended=lambda values, here: (Execution.COMPILED if _advised(values, here) else Execution.EAGER).value,
    opt_in=True,
)


def _no_second_device(here: Surroundings) -> str | None:
    if here.no_card is None and not here.cuda:
        return f"A graphics card of the kind {here.gpu_backend} cannot be timed yet, only those that CUDA programs."
    return here.no_card


DEVICE = Probe(
    name="device",
    place=60,
    question="Does a training step of the plan's own network take less time on the graphics card or on the processor?",
    topic="compute.device",
    cost_seconds=15.0,
    varies=Varies.DEVICE,
    bound_by=("machine", "network", "torch", "batch_size"),  # not by what follows from the device
    not_here=_no_second_device,
    choose=among(CPU, GPU),
    recommended=lambda values, _: GPU if values.get("compute.device") in ("gpu", "multi_gpu", "cluster") else CPU,
)


def _nothing_to_recompute(here: Surroundings) -> str | None:
    if here.workload is not None and family(network := here.workload.network).recurrent:
        return f"An {network} has no chain of layers that could be computed again: it runs over all steps at once."
    return None


CHECKPOINTING = Probe(  # each way in a process of its own, so that its peak memory tells what is saved
    name="checkpointing",
    title="Activations",
    place=70,
    question="What does computing the activations again cost in time, and save in memory, in the plan's own network?",
    topic="memory.strategy",
    cost_seconds=6.0,
    varies=Varies.ACTIVATIONS,
    bench="peers",
    not_here=_nothing_to_recompute,
    choose=among(_KEPT, _RECOMPUTED),
    recommended=lambda values, _: _RECOMPUTED if values.get("memory.strategy") == "checkpointing" else _KEPT,
)
