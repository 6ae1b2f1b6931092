"""Published figures of a device, each with its unit, its source and whether it was checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from advisor.facts.vocabulary import Value

# Per lane, by generation; from the third on, 128 of 130 bits are data (PCI-SIG base specifications).
_PCIE_TRANSFERS_PER_SECOND = {3: 8e9, 4: 16e9, 5: 32e9}


class DeviceKind(StrEnum):
    CPU = "cpu"
    GPU = "gpu"


class Precision(StrEnum):
    FP32 = "fp32"
    TF32 = "tf32"
    BF16 = "bf16"
    FP16 = "fp16"
    FP8 = "fp8"


class Bound(StrEnum):
    """The sense of a figure: some devices are sold in several sizes."""

    EXACT = "exact"
    AT_MOST = "at_most"


@dataclass(frozen=True, slots=True)
class Figure:
    """One published number with its unit, its source, and whether somebody compared it with that source."""

    value: float
    unit: str
    verified: bool
    source: str
    note: str = ""
    bound: Bound = Bound.EXACT


@dataclass(frozen=True, slots=True)
class DeviceProfile:
    """One kind of GPU or processor. A figure that nobody published is None."""

    name: str
    title: str
    kind: DeviceKind
    backend: str
    """cuda, rocm or mps for a GPU; none for a processor"""
    aliases: tuple[str, ...]
    """Names that drivers and operating systems give to exactly this device."""
    features: frozenset[str]
    """Instruction sets of a processor, as in machine.cpu.features"""
    note: str
    peak_flops: Mapping[Precision, Figure]
    """Dense arithmetic without sparsity, FLOP/s (a multiplication and an addition count two)"""
    compute_capability: Figure | None
    memory_bytes: Figure | None
    memory_bytes_per_second: Figure | None
    pcie_generation: Figure | None
    link_bytes_per_second: Figure | None
    """To other devices of its kind (NVLink, xGMI), both directions together"""
    watts: Figure | None
    cores: Figure | None

    @property
    def pcie_bytes_per_second(self) -> float | None:
        """One direction of 16 lanes, computed from the generation; None before generation 3."""
        return None if self.pcie_generation is None else pcie_bytes_per_second(int(self.pcie_generation.value))


def pcie_bytes_per_second(generation: int, lanes: int = 16) -> float | None:
    """One direction; None for generations other than 3 to 5."""
    transfers = _PCIE_TRANSFERS_PER_SECOND.get(generation)
    return None if transfers is None else transfers * lanes * 128 / 130 / 8


UNITS: Mapping[str, str] = MappingProxyType(
    {
        "compute_capability": "version",
        "memory_bytes": "bytes",
        "memory_bytes_per_second": "bytes/s",
        "pcie_generation": "generation",
        "link_bytes_per_second": "bytes/s",
        "watts": "W",
        "cores": "cores",
    }
)
PEAK_UNIT = "FLOP/s"


def published_facts(profile: DeviceProfile) -> dict[str, Value]:
    """Facts of the profile about a machine that has the device, by the names of the vocabulary."""
    facts: dict[str, Value] = {}
    if profile.kind is DeviceKind.CPU:
        facts["machine.cpu.features"] = profile.features
        if profile.cores is not None:
            facts["machine.cpu.physical_cores"] = int(profile.cores.value)
        return facts
    facts["machine.gpu.backend"] = profile.backend
    memory = profile.memory_bytes
    if memory is not None and memory.bound is Bound.EXACT:
        facts["machine.gpu.memory_bytes"] = int(memory.value)
    if profile.compute_capability is not None:
        facts["machine.gpu.compute_capability"] = profile.compute_capability.value
    if profile.watts is not None and profile.watts.bound is Bound.EXACT:
        facts["machine.gpu.watts"] = profile.watts.value
    if profile.pcie_bytes_per_second is not None:
        facts["machine.link.host_to_device_bytes_per_second"] = profile.pcie_bytes_per_second
    return facts
