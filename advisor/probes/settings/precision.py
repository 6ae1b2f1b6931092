"""The number format: the whole training step in 32 bits and in those that the processor or the card has units for."""

from __future__ import annotations

from advisor.probes.probe import Probe, Setting, Varies
from advisor.probes.surroundings import Surroundings
from advisor.probes.workload import Device, Precision, Workload

BF16_FEATURES = frozenset({"avx512_bf16", "amx_bf16"})
"""Instruction sets that multiply bf16; without them a CPU emulates it, many times slower."""


def _not_here(workload: Workload | None, surroundings: Surroundings) -> str | None:
    if workload is not None and workload.device is Device.CUDA:
        if surroundings.compute_capability is None:
            return "The compute capability of the graphics card is not known."
        if surroundings.compute_capability < 7:
            return f"Compute capability {surroundings.compute_capability:g} has no units for formats below 32 bits."
        return None
    if surroundings.features is None:
        return "The instruction sets of the processor are not known."
    if not surroundings.features & BF16_FEATURES:
        return f"The processor has no instructions for bf16 (none of {', '.join(sorted(BF16_FEATURES))})."
    return None


def _choose(workload: Workload | None, surroundings: Surroundings, recommended: Setting) -> tuple[Setting, ...]:
    """32 bits first: a format that is very slow shows beside it.

    Compute capability 7 has units for fp16, 8 adds tf32 and bf16 (NVIDIA, CUDA C++ Programming Guide, compute
    capabilities).
    """
    if workload is not None and workload.device is Device.CPU:
        return (Precision.FP32.value, Precision.BF16.value)
    formats = [Precision.FP32, Precision.FP16]
    if (surroundings.compute_capability or 0) >= 8:
        formats += [Precision.TF32, Precision.BF16]
    return tuple(number_format.value for number_format in formats)


PRECISION = Probe(
    name="precision",
    place=30,
    question="Which number format takes the least time for a training step of the plan's own network?",
    topic="training.precision",
    fact="probe.precision.best",
    cost_seconds=6.0,
    varies=Varies.PRECISION,
    bound_by=("machine", "network", "torch", "device", "batch_size"),
    not_here=_not_here,
    choose=_choose,
)
