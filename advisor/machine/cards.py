"""GPUs as they describe themselves, None being unknown throughout, and the mark of what identifies a machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

IDENTITY: Mapping[str, bool] = MappingProxyType({"identity": True})
"""Metadata of a field that tells one machine from another of its kind: a name, a serial number, a path."""


class Throttle(StrEnum):
    """Reasons for which a card runs slower than it could."""

    POWER_CAP = "power_cap"
    HARDWARE_SLOWDOWN = "hardware_slowdown"
    SOFTWARE_THERMAL = "software_thermal"
    HARDWARE_THERMAL = "hardware_thermal"
    POWER_BRAKE = "power_brake"
    SYNC_BOOST = "sync_boost"
    SET_BY_USER = "set_by_user"


class Topology(StrEnum):
    """The nearest thing that two cards have in common on the way through the machine."""

    BOARD = "board"
    SWITCH = "switch"
    SWITCHES = "switches"
    HOST_BRIDGE = "host_bridge"
    NUMA_NODE = "numa_node"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class GpuProcess:
    """A program that has memory of the card."""

    memory_bytes: int | None = None
    pid: int | None = field(default=None, metadata=IDENTITY)


@dataclass(frozen=True, slots=True)
class GpuState:
    """A card's activity at this moment."""

    memory_used_bytes: int | None = None
    memory_free_bytes: int | None = None
    pcie_generation: int | None = None
    """May be low at rest; the lanes are not"""
    pcie_lanes: int | None = None
    power_watts: float | None = None
    temperature_celsius: int | None = None
    utilisation: float | None = None
    """0..1, the part of the last moment in which something was computed"""
    throttling: tuple[Throttle, ...] | None = None
    uncorrected_errors: int | None = None
    """Memory errors that ECC could only detect, since the driver started"""
    processes: tuple[GpuProcess, ...] | None = None


@dataclass(frozen=True, slots=True)
class Gpu:
    """One card. None is unknown."""

    backend: str
    """cuda, rocm or mps"""
    name: str | None = None
    memory_bytes: int | None = None
    compute_capability: float | None = None
    pcie_generation: int | None = None
    """The best that card and slot can do together; an idle card may run slower."""
    pcie_lanes: int | None = None
    power_limit_watts: float | None = None
    nvlinks: int | None = None
    """Active NVLink connections of this card"""
    mig: bool | None = None
    """True if the card is divided into instances (MIG)"""
    ecc: bool | None = None
    state: GpuState | None = None
    """None where nobody looked"""
    uuid: str | None = field(default=None, metadata=IDENTITY)


@dataclass(frozen=True, slots=True)
class GpuPair:
    """Two cards, by their numbers, and what joins them."""

    first: int
    second: int
    path: Topology | None = None
    nvlink: bool | None = None
    peer_to_peer: bool | None = None
    """True if one reads the other's memory directly"""


@dataclass(frozen=True, slots=True)
class GpuDriver:
    """The driver of the cards."""

    version: str | None = None
    cuda: str | None = None
    """The newest CUDA that it supports, such as 12.8"""


@dataclass(frozen=True, slots=True)
class FoundGpus:
    """The cards (empty when there are none, None when nobody can say), what joins them, and their driver."""

    gpus: tuple[Gpu, ...] | None
    pairs: tuple[GpuPair, ...] = ()
    driver: GpuDriver | None = None
