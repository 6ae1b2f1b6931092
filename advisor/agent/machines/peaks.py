"""The most that a part of the machine could do, as far as that is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from advisor.agent.machines.quantities import LABELS, Reading
from advisor.machine.cards import Gpu
from advisor.machine.machine import Machine
from advisor.machine.profiles.devices import Bound, DeviceProfile, Figure, Precision, pcie_bytes_per_second

FindDevice = Callable[[str], "DeviceProfile | None"]

_TO_COMPARE_WITH: Mapping[str, str] = {
    "probe.memory.one_thread_bytes_per_second": "probe.memory.bytes_per_second",
    "probe.cache.l2_bytes_per_second": "probe.cache.l1_bytes_per_second",
    "probe.cache.l3_bytes_per_second": "probe.cache.l2_bytes_per_second",
    "probe.storage.random_bytes_per_second": "probe.storage.sequential_bytes_per_second",
    "probe.link.pageable_bytes_per_second": "probe.link.host_to_device_bytes_per_second",
    "probe.link.all_host_to_device_bytes_per_second": "probe.link.host_to_device_bytes_per_second",
}
"""Quantities that another one puts into proportion, where no peak is known."""
_OVER_PCIE = ("probe.link.host_to_device_bytes_per_second", "probe.link.device_to_host_bytes_per_second")
_CHANNEL_BYTES = 8
"""The bytes that one memory channel moves in a transfer (JEDEC; the two halves of a DDR5 module together)."""


class Basis(StrEnum):
    """The origin of a peak."""

    PUBLISHED = "published"
    DETECTED = "detected"
    MEASURED = "measured"
    """No peak: another quantity that was measured here"""


@dataclass(frozen=True, slots=True)
class Peak:
    """The peak that a rate is compared with, in the unit of the rate."""

    value: float
    basis: Basis
    source: str
    """profile a100-sxm-80gb; 16 lanes of PCIe 4; L1 cache"""
    about: bool = False
    """True for an estimate: a peak computed from a processor's base clock can be exceeded at a higher one."""

    @property
    def limit(self) -> float:
        """The rate that cannot be exceeded if the peak is right: no processor runs at twice its base clock with all its cores."""
        return self.value * (2 if self.about else 1)

    @property
    def known(self) -> bool:
        """True if nothing can be faster."""
        return self.basis is not Basis.MEASURED


def peak_of(
    reading: Reading, machine: Machine | None, find: FindDevice, measured: Mapping[str, Reading]
) -> Peak | None:
    """The peak of what was gauged, or None where none is known: never that of a similar device.

    Args:
        reading: the rate, whose unit the peak has.
        machine: where it was measured.
        find: the profile of a device by the name that the machine gives it.
        measured: the machine's other readings by the fact that they gauge.
    """
    name = reading.quantity.name
    family, _, what = name.removeprefix("probe.").partition(".")
    peak: Peak | None = None
    if machine is not None:
        if family == "matmul":
            peak = _matmul(what, reading, machine, find)
        elif name == "probe.memory.bytes_per_second":
            peak = _memory(machine, find)
        elif name == "probe.link.peer_to_peer_bytes_per_second":
            peak = _between_cards(machine, find)
        elif name in _OVER_PCIE:
            peak = _pcie(machine)
    other = measured.get(_TO_COMPARE_WITH.get(name, ""))
    if peak is None and other is not None:
        return Peak(other.rate.median, Basis.MEASURED, LABELS[other.quantity.name])
    return peak


def _matmul(what: str, reading: Reading, machine: Machine, find: FindDevice) -> Peak | None:
    """Of the device that it ran on: of its processor's usable cores, or of one card.

    A processor without a profile has no known peak. Neither clocks nor instruction sets give one: processors with AVX2
    or NEON have one, two or four units for it, those with AVX-512 one or two, and nothing tells how many.
    """
    if what not in list(Precision):
        return None
    device = dict(reading.quantity.conditions).get("device") or _ran_on(reading, machine)
    if device == "cpu":
        profile = find(machine.cpu_model or "")
        cores = min(known) if (known := [n for n in (machine.physical_cores, machine.usable_cores) if n]) else None
        if profile is None or profile.cores is None or cores is None:
            return None
        share = cores / profile.cores.value
        part = "" if share == 1 else f", {cores} of {profile.cores.value:.0f} cores"
        peak = _published(profile, profile.peak_flops.get(Precision(what)), share, f"{part}, at its base clock")
        return None if peak is None else replace(peak, about=True)
    card = _card(machine) if device == "cuda" else None
    profile = find(card.name or "") if card is not None else None
    return None if profile is None else _published(profile, profile.peak_flops.get(Precision(what)))


def _ran_on(reading: Reading, machine: Machine) -> str:
    """The device of a run that does not name it: fp16 is only tried on cards; empty where that does not decide."""
    if not machine.gpus:
        return "cpu"
    return "cuda" if any(record.setting == "fp16" for record in reading.outcome.settings) else ""


def _memory(machine: Machine, find: FindDevice) -> Peak | None:
    """Of the modules that are plugged in; else of the processor's profile, for as many as there are sockets.

    None unless the whole computer is at hand: a few of its cores cannot draw what all its channels give, and what a
    virtual machine says of its modules is its host's invention.
    """
    if not _is_whole(machine):
        return None
    modules = machine.memory_modules
    if modules is not None and modules.transfers_per_second is not None and modules.channels is not None:
        value = modules.transfers_per_second * modules.channels * _CHANNEL_BYTES
        kind = modules.kind or "memory"
        transfers = f"{modules.transfers_per_second / 1e6:.0f} million transfers/s"
        return Peak(value, Basis.DETECTED, f"{modules.channels} channels of {kind} with {transfers}")
    profile = find(machine.cpu_model or "")
    if profile is None or profile.cores is None or machine.physical_cores is None:
        return None
    sockets = round(machine.physical_cores / profile.cores.value)
    if sockets < 1:
        return None
    return _published(profile, profile.memory_bytes_per_second, sockets, f", {sockets} sockets" if sockets > 1 else "")


def _is_whole(machine: Machine) -> bool:
    """True if this is known to be no virtual machine, and most of its hardware threads may be used."""
    usable, threads = machine.usable_cores, machine.logical_cores
    if machine.virtual is not False or machine.quota_cores is not None or usable is None or threads is None:
        return False
    return usable > threads / 2


def _between_cards(machine: Machine, find: FindDevice) -> Peak | None:
    """One direction over NVLink where all cards have it, over PCIe where none has."""
    card = _card(machine)
    if card is None or machine.nvlink is None:
        return None
    if not machine.nvlink:
        return _pcie(machine)
    profile = find(card.name or "")
    return None if profile is None else _published(profile, profile.link_bytes_per_second, 0.5, ", one direction")


def _pcie(machine: Machine) -> Peak | None:
    card = _card(machine)
    if card is None or card.pcie_generation is None or card.pcie_lanes is None:
        return None
    value = pcie_bytes_per_second(card.pcie_generation, card.pcie_lanes)
    source = f"{card.pcie_lanes} lanes of PCIe {card.pcie_generation}"
    return None if value is None else Peak(value, Basis.DETECTED, source)


def _card(machine: Machine) -> Gpu | None:
    """One card that stands for all, where they are alike."""
    alike = {(card.name, card.pcie_generation, card.pcie_lanes) for card in machine.gpus or ()}
    return machine.gpus[0] if machine.gpus and len(alike) == 1 else None


def _published(profile: DeviceProfile, figure: Figure | None, times: float = 1.0, note: str = "") -> Peak | None:
    if figure is None or figure.bound is not Bound.EXACT:
        return None
    checked = "" if figure.verified else ", not verified"
    return Peak(figure.value * times, Basis.PUBLISHED, f"profile {profile.name}{note}{checked}")
