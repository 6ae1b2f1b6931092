"""The device: the whole training step on the processor and on a graphics card."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from advisor.probes.probe import Probe, Setting, Varies, Work
from advisor.probes.surroundings import Surroundings
from advisor.probes.workload import Workload

CPU = "cpu"
GPU = "gpu"


def _not_here(workload: Workload | None, surroundings: Surroundings) -> str | None:
    if surroundings.gpus == 0 or surroundings.gpu_backend == "none":
        return "There is no graphics card."
    if surroundings.gpus is None or surroundings.gpu_backend is None:
        return "It is not known whether there is a graphics card."
    if not surroundings.cuda:
        return f"A graphics card of the kind {surroundings.gpu_backend} cannot be timed yet, only those that CUDA programs."
    if surroundings.usable_by_torch is False:
        return "torch cannot use the graphics card; `advisor doctor` says why and what to do."
    return None


def _choose(workload: Workload | None, surroundings: Surroundings, recommended: Setting) -> tuple[Setting, ...]:
    return (CPU, GPU)


def _recommended(values: Mapping[str, Any], topic: str, workload: Workload | None, _: Surroundings) -> Setting:
    return GPU if values.get(topic) in ("gpu", "multi_gpu", "cluster") else CPU


DEVICE = Probe(
    name="device",
    place=60,
    question="Does a training step of the plan's own network take less time on the graphics card or on the processor?",
    topic="compute.device",
    fact="probe.device.best",
    cost_seconds=15.0,
    varies=Varies.DEVICE,
    bound_by=("machine", "network", "torch", "batch_size"),  # not by what follows from the device
    bench="step",
    work=Work.STEP,
    not_here=_not_here,
    choose=_choose,
    recommended=_recommended,
)
