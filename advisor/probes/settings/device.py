"""The device: the whole training step on the processor and on a graphics card."""

from __future__ import annotations

from advisor.probes.probe import Probe, Varies, among
from advisor.probes.surroundings import Surroundings
from advisor.probes.workload import Workload

CPU = "cpu"
GPU = "gpu"


def _not_here(workload: Workload | None, surroundings: Surroundings) -> str | None:
    if surroundings.no_card is None and not surroundings.cuda:
        return f"A graphics card of the kind {surroundings.gpu_backend} cannot be timed yet, only those that CUDA programs."
    return surroundings.no_card


DEVICE = Probe(
    name="device",
    place=60,
    question="Does a training step of the plan's own network take less time on the graphics card or on the processor?",
    topic="compute.device",
    fact="probe.device.best",
    cost_seconds=15.0,
    varies=Varies.DEVICE,
    bound_by=("machine", "network", "torch", "batch_size"),  # not by what follows from the device
    not_here=_not_here,
    choose=among(CPU, GPU),
    recommended=lambda values, topic, *_: GPU if values.get(topic) in ("gpu", "multi_gpu", "cluster") else CPU,
)
