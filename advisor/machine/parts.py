"""The parts of a machine besides its GPUs, as far as they are known: caches, memory nodes, clocks, disks."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from advisor.machine.cards import IDENTITY


class CacheKind(StrEnum):
    DATA = "data"
    INSTRUCTION = "instruction"
    UNIFIED = "unified"


@dataclass(frozen=True, slots=True)
class Cache:
    """All caches of one level that are alike."""

    level: int
    kind: CacheKind
    size_bytes: int
    """Of one of them"""
    threads: int
    """Hardware threads that share one"""
    instances: int


@dataclass(frozen=True, slots=True)
class NumaNode:
    """Processors and the memory that is near to them."""

    id: int
    threads: tuple[int, ...]
    """Numbers of its hardware threads; none for a node that only has memory"""
    memory_bytes: int | None = None
    distances: tuple[int, ...] = ()
    """To every node in order of their numbers, 10 for itself (ACPI, table SLIT)"""


@dataclass(frozen=True, slots=True)
class Clocks:
    """The processor's clock and its governor. Frequencies in Hz, over all cores."""

    governors: tuple[str, ...] = ()
    """Of the kernel's cpufreq, each once; none where the system does not govern the clock itself"""
    preferences: tuple[str, ...] = ()
    """The preference that the processor itself was told: performance, balance_power, power, ..."""
    driver: str | None = None
    now_hertz: int | None = None
    """Of the fastest core at this moment"""
    min_hertz: int | None = None
    max_hertz: int | None = None
    turbo: bool | None = None
    """True if clocks above the nominal one are allowed"""


@dataclass(frozen=True, slots=True)
class MemoryModules:
    """The memory modules that are plugged in, as the firmware describes them."""

    count: int
    kind: str | None = None
    """DDR4, DDR5, ..."""
    transfers_per_second: int | None = None
    """Of the slowest, as configured; each moves 8 bytes a channel"""
    channels: int | None = None


class DiskKind(StrEnum):
    NVME = "nvme"
    SSD = "ssd"
    HDD = "hdd"
    NETWORK = "network"
    MEMORY = "memory"


@dataclass(frozen=True, slots=True)
class Disk:
    """The disk behind a folder."""

    kind: DiskKind | None = None
    """None where nothing tells, as with most virtual disks"""
    file_system: str | None = None
    virtual: bool = False
    """A disk that a hypervisor makes: what it stands for is not visible from here"""
    total_bytes: int | None = None
    free_bytes: int | None = None
    """For this user"""
    folder: str | None = field(default=None, metadata=IDENTITY)
    mount_point: str | None = field(default=None, metadata=IDENTITY)
    device: str | None = field(default=None, metadata=IDENTITY)
