"""Probes of the number format: 32 bits, and those that the processor or the card has units for, by time and by energy.

Joules are compared where the machine counts them. Processors count in the kernel's power capping framework
(Documentation/power/powercap/powercap.rst: energy_uj in microjoules, back to 0 after max_energy_range_uj), NVIDIA's cards
from Volta on in NVML.
"""

from __future__ import annotations

from pathlib import Path

from advisor.machine.host import Tree
from advisor.probes.probe import STEADY, Probe, Setting, Varies, Work
from advisor.probes.surroundings import Surroundings
from advisor.probes.workload import Precision

BF16_FEATURES = frozenset({"avx512_bf16", "amx_bf16"})
"""Instruction sets that multiply bf16; without them a CPU emulates it, many times slower."""


def no_bf16(here: Surroundings) -> str | None:
    """The reason why the processor does not multiply bf16, None where nothing is known to rule it out."""
    if here.features is None or here.features & BF16_FEATURES:
        return None
    return f"The processor has no instructions for bf16 (none of {', '.join(sorted(BF16_FEATURES))})."


def _only_32_bits(here: Surroundings) -> str | None:
    if not here.on_card:
        return "The instruction sets of the processor are not known." if here.features is None else no_bf16(here)
    if here.compute_capability is None:
        return "The compute capability of the graphics card is not known."
    if here.compute_capability < 7:
        return f"Compute capability {here.compute_capability:g} has no units for formats below 32 bits."
    return None


def _formats(here: Surroundings, recommended: Setting) -> tuple[Setting, ...]:
    """32 bits first: a format that is very slow shows beside it.

    Compute capability 7 has units for fp16, 8 adds tf32 and bf16 (NVIDIA, CUDA C++ Programming Guide, compute
    capabilities).
    """
    if not here.on_card:
        return (Precision.FP32.value, Precision.BF16.value)
    formats = [Precision.FP32, Precision.FP16]
    if (here.compute_capability or 0) >= 8:
        formats += [Precision.TF32, Precision.BF16]
    return tuple(number_format.value for number_format in formats)


PRECISION = Probe(
    name="precision",
    place=30,
    question="Which number format takes the least time for a training step of the plan's own network?",
    topic="training.precision",
    cost_seconds=6.0,
    varies=Varies.PRECISION,
    shortest_sample=STEADY,
    bound_by=("machine", "network", "torch", "device", "batch_size"),
    not_here=_only_32_bits,
    choose=_formats,
)

_POWERCAP = "/sys/class/powercap"
_FIRST_CAPABILITY = 7.0
"""Volta: the first cards whose total energy NVML tells (NVML API, nvmlDeviceGetTotalEnergyConsumption)."""


def zones(tree: Tree) -> dict[str, float]:
    """The counters of processors and of the memory beside them, readable or not: joules after which each begins again.

    Cores and graphics units are parts of their package, and psys contains the packages: they would be counted twice.
    """
    found: dict[str, float] = {}
    for folder in tree.names(_POWERCAP):
        path = f"{_POWERCAP}/{folder}"
        name = tree.read_word(f"{path}/name") or ""
        most = tree.read_integer(f"{path}/max_energy_range_uj")
        if folder.startswith("intel-rapl:") and most and (name.startswith("package") or name == "dram"):
            found[f"{path}/energy_uj"] = most / 1e6
    return found


def no_counter(tree: Tree) -> str | None:
    """The reason why the energy of the processor cannot be counted, with a remedy; None where it can."""
    counters = zones(tree)
    if not counters:
        return "The processor shows no energy counter (/sys/class/powercap/intel-rapl); virtual machines rarely do."
    closed = [path for path in counters if tree.read_integer(path) is None]
    if closed:
        return (
            f"The energy counter cannot be read ({closed[0]}). Run this as root, or let an administrator allow it until "
            f"the next start: sudo chmod a+r {_POWERCAP}/intel-rapl:*/energy_uj. It is closed because other users "
            "could learn secrets from it (CVE-2020-8694)."
        )
    return None


def _nothing_to_meter(here: Surroundings) -> str | None:
    if reason := _only_32_bits(here):
        return f"There is no second number format to compare with. {reason}"
    if here.on_card:
        old = (here.compute_capability or 0) < _FIRST_CAPABILITY
        return "The graphics card counts no energy: that begins with compute capability 7." if old else None
    return no_counter(Tree(Path("/")))


ENERGY = Probe(
    name="energy",
    title="Energy by number format",
    place=160,
    per="J",
    question="In which number format does the plan's own network take the least energy for an example?",
    topic="practice",
    cost_seconds=25.0,
    varies=Varies.PRECISION,
    bench="energy",
    work=Work.EXAMPLE,
    shortest_sample=0.5,  # cards count about ten times a second
    bound_by=PRECISION.bound_by,
    not_here=_nothing_to_meter,
    choose=_formats,
    recommended=lambda values, _: values.get(PRECISION.topic) or Precision.FP32.value,
)
