"""A probe's run in figures: rates with their intervals, each of a quantity that can be met again another day."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from advisor.probes.catalogue import PROBES
from advisor.probes.outcome import Outcome, Rate

_NOT_OF_THE_QUANTITY = ("machine", "torch", "python")
LABELS: Mapping[str, str] = {
    fact: label
    for probe in sorted(PROBES, key=lambda probe: probe.needs_network)
    for fact, label in probe.labels.items()
}
"""Titles of the gauged facts, in the order in which they are shown: rates of the machine before those of a network."""


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
