"""A probe's run in figures: rates with their intervals, each of a quantity that can be met again another day."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from advisor.probes.outcome import Outcome, Rate

_NOT_OF_THE_QUANTITY = ("machine", "torch", "python")
LABELS: Mapping[str, str] = {
    "probe.matmul.fp32": "Matrix product, fp32",
    "probe.matmul.tf32": "Matrix product, tf32",
    "probe.matmul.bf16": "Matrix product, bf16",
    "probe.matmul.fp16": "Matrix product, fp16",
    "probe.matmul.fp64": "Matrix product, fp64",
    "probe.memory.bytes_per_second": "Memory, all threads",
    "probe.memory.one_thread_bytes_per_second": "Memory, one thread",
    "probe.cache.l1_bytes_per_second": "L1 cache",
    "probe.cache.l2_bytes_per_second": "L2 cache",
    "probe.cache.l3_bytes_per_second": "L3 cache",
    "probe.storage.sequential_bytes_per_second": "Disk, in sequence",
    "probe.storage.random_bytes_per_second": "Disk, random reads",
    "probe.link.host_to_device_bytes_per_second": "Memory to card",
    "probe.link.pageable_bytes_per_second": "Unpinned to card",
    "probe.link.all_host_to_device_bytes_per_second": "Memory to all cards",
    "probe.link.device_to_host_bytes_per_second": "Card to memory",
    "probe.link.peer_to_peer_bytes_per_second": "Card to card",
    "probe.allreduce.bytes_per_second": "All-reduce",
}
"""Titles of the gauged facts, in the order in which they are shown; fp64 is none, and has a rate all the same."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """The quantity that a rate measures. Two runs measured the same if all of it agrees."""

    probe: str
    name: str
    """The fact that is gauged; for a comparison of settings, the setting"""
    conditions: tuple[tuple[str, str], ...]
    """Network, batch size, precision, ... apart from the machine and the versions"""

    @property
    def gauged(self) -> bool:
        """True for a property of the machine, false for the speed of one network."""
        return self.name.startswith("probe.")

    @property
    def label(self) -> str:
        return LABELS.get(self.name, self.name if self.gauged else f"{self.probe}: {self.name}")


@dataclass(frozen=True, slots=True)
class Reading:
    """One rate from one run."""

    quantity: Quantity
    rate: Rate
    outcome: Outcome


def readings(outcome: Outcome) -> tuple[Reading, ...]:
    """The rates that were gauged, and the speed of the two settings that were compared; nothing from a run that failed."""
    if outcome.failure is not None:
        return ()
    conditions = tuple(sorted((k, v) for k, v in outcome.applies.items() if k not in _NOT_OF_THE_QUANTITY))
    named = dict(outcome.gauges)
    timed = {f"probe.{outcome.probe}.{record.setting}": record.setting for record in outcome.settings}
    named |= {name: setting for name, setting in timed.items() if name in LABELS}
    compared = [setting for setting in (outcome.before, outcome.rival) if setting not in (None, *named.values())]
    named |= {str(setting): setting for setting in compared if setting is not None}
    found = []
    for name, setting in named.items():
        rate = outcome.rate(setting)
        if rate is not None:
            found.append(Reading(Quantity(outcome.probe, name, conditions), rate, outcome))
    return tuple(found)


def newest_readings(outcomes: Sequence[Outcome]) -> dict[Quantity, Reading]:
    """The last reading of each quantity, gauged ones first, in the order of their labels."""
    found: dict[Quantity, Reading] = {}
    for outcome in sorted(outcomes, key=lambda outcome: outcome.date):
        found.update({reading.quantity: reading for reading in readings(outcome)})
    return dict(sorted(found.items(), key=lambda pair: order_of(pair[0])))


def order_of(quantity: Quantity) -> tuple[int, str, str, tuple[tuple[str, str], ...]]:
    """The key that sorts it in a list."""
    names = list(LABELS)
    place = names.index(quantity.name) if quantity.name in LABELS else len(names) + (not quantity.gauged)
    return (place, quantity.probe, quantity.name, quantity.conditions)
