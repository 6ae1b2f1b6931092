"""One computer as its operating system describes it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from advisor.facts.vocabulary import Value
from advisor.machine.cards import IDENTITY, Gpu, GpuDriver, GpuPair, Topology
from advisor.plain import decode, encode

if TYPE_CHECKING:
    from advisor.machine.parts import Cache, Clocks, Disk, MemoryModules, NumaNode

SCHEMA = "advisor/machine/1"
_SHARED_WAY = (Topology.BOARD, Topology.SWITCH, Topology.SWITCHES)


@dataclass(frozen=True)
class Machine:
    """None where a machine does not tell. The second half is only known after a closer look."""

    cpu_model: str | None = None
    physical_cores: int | None = None
    logical_cores: int | None = None
    usable_cores: int | None = None
    """Hardware threads that this process may use at once: by affinity or quota, whichever is less."""
    features: frozenset[str] | None = None
    """avx2, avx512, avx512_bf16, amx_bf16, neon, sve"""
    memory_bytes: int | None = None
    """Main memory within the container's limit."""
    gpus: tuple[Gpu, ...] | None = None
    notes: tuple[str, ...] = field(default=(), metadata=IDENTITY)
    """Things that could not be read and why, in words for people."""
    system: str | None = None
    """Linux, Darwin or Windows"""
    architecture: str | None = None
    """x86_64, aarch64, arm64, ..."""
    sockets: int | None = None
    cores: tuple[tuple[int, ...], ...] | None = None
    """The hardware threads of each physical core, by number."""
    usable_threads: tuple[int, ...] | None = None
    """Numbers of the hardware threads that affinity allows."""
    quota_cores: float | None = None
    """The processor time that the container may use, in cores; None where there is no limit."""
    gpu_driver: GpuDriver | None = None
    gpu_pairs: tuple[GpuPair, ...] = ()
    host_name: str | None = field(default=None, metadata=IDENTITY)

    kernel: str | None = None
    smt: bool | None = None
    """True if several hardware threads share a core now (hyper-threading)."""
    caches: tuple[Cache, ...] | None = None
    numa_nodes: tuple[NumaNode, ...] | None = None
    memory_nodes: tuple[int, ...] | None = None
    """Numbers of the NUMA nodes whose memory this process may use."""
    clocks: Clocks | None = None
    memory_modules: MemoryModules | None = None
    memory_available_bytes: int | None = None
    """Bytes that programs can have without swapping, at this moment."""
    swap_bytes: int | None = None
    swap_used_bytes: int | None = None
    virtual: bool | None = None
    """True if a hypervisor runs this computer."""
    hypervisor: str | None = None
    container: str | None = None
    """docker, podman, kubernetes, ...; None where nothing speaks of one."""
    disks: tuple[Disk, ...] = ()
    """Behind the folders that were asked about."""

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits for this machine under this quota; measurements under another do not count.

        Memory counts in whole GiB, since kernels reserve a little more or less from version to version.
        """
        memory = None if self.memory_bytes is None else round(self.memory_bytes / 2**30)
        cards = None if self.gpus is None else sorted(str(gpu.name or gpu.backend) for gpu in self.gpus)
        identity = (self.cpu_model, self.physical_cores, self.usable_cores, memory, cards)
        return hashlib.sha256(repr(identity).encode()).hexdigest()[:16]

    @property
    def threads_per_core(self) -> int | None:
        """The most hardware threads that a core has."""
        return max(map(len, self.cores), default=None) if self.cores else None

    @property
    def nvlink(self) -> bool | None:
        """True if every card reaches every other over NVLink, if need be through a third one."""
        if self.gpus is None or len(self.gpus) < 2 or not self.gpu_pairs:
            return None
        if _joined([pair for pair in self.gpu_pairs if pair.nvlink], len(self.gpus)):
            return True
        return None if any(pair.nvlink is None for pair in self.gpu_pairs) else False

    @property
    def same_pcie_bus(self) -> bool | None:
        """True if all cards hang on one PCIe switch (or several in a row), so that they share one way to memory."""
        paths = [pair.path for pair in self.gpu_pairs]
        if any(path is not None and path not in _SHARED_WAY for path in paths):
            return False
        return True if paths and None not in paths else None

    def facts(self) -> dict[str, Value]:
        """Everything known, by the names of the vocabulary, in bytes, watts and counts.

        Where cards differ, the facts are those that hold for every card.
        """
        known: dict[str, Value | None] = {
            "machine.cpu.model": self.cpu_model,
            "machine.cpu.physical_cores": self.physical_cores,
            "machine.cpu.logical_cores": self.logical_cores,
            "machine.cpu.usable_cores": self.usable_cores,
            "machine.cpu.sockets": self.sockets,
            "machine.cpu.numa_nodes": sum(bool(node.threads) for node in self.numa_nodes or ()) or None,
            "machine.cpu.features": self.features,
            "machine.memory_bytes": self.memory_bytes,
        }
        if self.gpus is not None:
            known["machine.gpu.count"] = len(self.gpus)
        if self.gpus:
            known["machine.gpu.name"] = _common([gpu.name for gpu in self.gpus])
            known["machine.gpu.backend"] = _common([gpu.backend for gpu in self.gpus])
            known["machine.gpu.memory_bytes"] = _least([gpu.memory_bytes for gpu in self.gpus])
            known["machine.gpu.compute_capability"] = _least([gpu.compute_capability for gpu in self.gpus])
            known["machine.gpu.watts"] = _least([gpu.power_limit_watts for gpu in self.gpus])
            known["machine.gpu.nvlink"] = self.nvlink
            known["machine.gpu.same_pcie_bus"] = self.same_pcie_bus
        return {name: value for name, value in known.items() if value is not None}

    def to_json(self) -> dict[str, Any]:
        """Everything by field names, None as null, with the fingerprint for readers; `from_json` reads it back."""
        return {"schema": SCHEMA, "fingerprint": self.fingerprint, **encode(self)}

    @classmethod
    def from_json(cls, data: object) -> Machine:
        """The machine that `to_json` wrote. Unknown keys are ignored, missing ones are unknown.

        Raises ValueError where that is not what a machine consists of; the message names the place.
        """
        from advisor.machine import parts  # 3 ms that a start of the program does not need

        return decode(cls, data, "machine", vars(parts))

    def anonymous(self) -> Machine:
        """The same without what tells this computer from others of its kind.

        That is host name, numbers of cards and programs, folders, mount points, devices, and notes, which may hold any;
        of the kernel and of file systems outside it, which people may have named themselves, the version and `fuse`.
        """
        bare: Machine = _without_identity(self)
        number = re.match(r"\d+(\.\d+)*", self.kernel or "")
        disks = tuple(replace(disk, file_system=_known_family(disk.file_system)) for disk in bare.disks)
        return replace(bare, kernel=number[0] if number else None, disks=disks)


def _without_identity(value: Any) -> Any:
    """The same with every field marked IDENTITY back at its default, at any depth."""
    if isinstance(value, tuple):
        return tuple(_without_identity(part) for part in value)
    if not is_dataclass(value) or isinstance(value, type):
        return value
    changed = {
        field.name: field.default if field.metadata.get("identity") else _without_identity(getattr(value, field.name))
        for field in fields(value)
    }
    return replace(value, **changed)


def _known_family(file_system: str | None) -> str | None:
    return "fuse" if file_system is not None and file_system.startswith("fuse.") else file_system


def _joined(pairs: Sequence[GpuPair], cards: int) -> bool:
    """Return whether the pairs connect all cards."""
    reached, before = {0}, 0
    while len(reached) > before:
        before = len(reached)
        for pair in pairs:
            if reached & {pair.first, pair.second}:
                reached |= {pair.first, pair.second}
    return len(reached) == cards


def _common(values: list[str | None]) -> str | None:
    return values[0] if len(set(values)) == 1 else None


def _least(values: list[int | None] | list[float | None]) -> int | float | None:
    """The smallest, but only when all are known."""
    known = [value for value in values if value is not None]
    return min(known) if len(known) == len(values) else None
