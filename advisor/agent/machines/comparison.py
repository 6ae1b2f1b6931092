"""Two machines, or one machine on two days: what became faster or slower, and whether that can be told at all."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from advisor.agent.machines.quantities import Quantity, Reading, order_of, readings
from advisor.agent.remembered.profile import MachineProfile
from advisor.machine.machine import Machine
from advisor.probes.outcome import Outcome, Rate
from advisor.probes.verdict import FEWEST_PAIRS, MATTERS

NEWEST_RUNS = 5
"""Of each side; what was before them says little of the machine as it is."""


class Change(StrEnum):
    """The second side, seen from the first."""

    FASTER = "faster"
    SLOWER = "slower"
    NO_DIFFERENCE = "no_difference"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two: a machine, or its measurements of some days."""

    title: str
    machine: Machine | None
    outcomes: tuple[Outcome, ...]

    @property
    def dates(self) -> tuple[str, str]:
        """The days of the first and the last measurement; empty where there is none."""
        days = sorted(outcome.date[:10] for outcome in self.outcomes)
        return (days[0], days[-1]) if days else ("", "")


@dataclass(frozen=True, slots=True)
class Difference:
    """One quantity on both sides, and the second over the first."""

    quantity: Quantity
    first: Rate
    second: Rate
    first_runs: int
    second_runs: int
    ratio: float
    low: float
    high: float
    change: Change


@dataclass(frozen=True, slots=True)
class MachinesCompared:
    first: Side
    second: Side
    same_machine: bool
    """One machine at two times; otherwise two machines."""
    differences: tuple[Difference, ...]
    identical: tuple[Quantity, ...]
    """Of which both sides hold the very same runs, so that there is nothing to compare"""
    first_only: tuple[Quantity, ...]
    second_only: tuple[Quantity, ...]
    context: tuple[str, ...]
    """Other differences between the two, a sentence each: any difference in speed may come from them."""

    def count(self, change: Change) -> int:
        return sum(difference.change is change for difference in self.differences)


def sides_of(profile: MachineProfile, since: str) -> tuple[Side, Side]:
    """One profile's measurements before a date, and from it on.

    Args:
        since: ISO 8601, a day or a time as the measurements carry it.
    """
    before = tuple(outcome for outcome in profile.outcomes if outcome.date < since)
    after = tuple(outcome for outcome in profile.outcomes if outcome.date >= since)
    title = profile.name or "this machine"
    return (
        Side(f"{title} before {since[:10]}", _machine_then(profile, before), before),
        Side(f"{title} since {since[:10]}", _machine_then(profile, after), after),
    )


def side_of(profile: MachineProfile, title: str = "") -> Side:
    """A profile, under its name or another title, with what was measured on its machine as it was last."""
    own = tuple(o for o in profile.outcomes if o.applies.get("machine") == profile.fingerprint)
    return Side(title or profile.name, profile.machine, own)


def one_machine_later(first: MachineProfile, second: MachineProfile) -> bool:
    """True if the second was measured after the first on the same host, so that it can be slower than it was."""
    same = bool(first.host) and (first.host, first.fingerprint) == (second.host, second.fingerprint)
    begun = min((outcome.date for outcome in second.outcomes), default="")
    return same and first.date < begun


def last_day(profile: MachineProfile) -> str:
    """The day of the newest measurement, if there are earlier ones too; otherwise empty."""
    days = sorted({outcome.date[:10] for outcome in profile.outcomes})
    return days[-1] if len(days) > 1 else ""


def compare(first: Side, second: Side, *, same_machine: bool = False) -> MachinesCompared:
    """Every quantity that both sides have measured; exchanging the sides gives the reciprocal ratios."""
    mine, theirs = _runs(first.outcomes), _runs(second.outcomes)
    both = sorted(mine.keys() & theirs.keys(), key=order_of)
    identical = tuple(quantity for quantity in both if _are_same_runs(mine[quantity], theirs[quantity]))
    return MachinesCompared(
        first=first,
        second=second,
        same_machine=same_machine,
        differences=tuple(
            _difference(quantity, mine[quantity], theirs[quantity]) for quantity in both if quantity not in identical
        ),
        identical=identical,
        first_only=tuple(sorted(mine.keys() - theirs.keys(), key=order_of)),
        second_only=tuple(sorted(theirs.keys() - mine.keys(), key=order_of)),
        context=tuple(_context(first, second)),
    )


def _runs(outcomes: Sequence[Outcome]) -> Mapping[Quantity, list[Reading]]:
    """The newest runs of each quantity in each unit."""
    found: dict[Quantity, list[Reading]] = {}
    for outcome in sorted(outcomes, key=lambda outcome: outcome.date):
        for reading in readings(outcome):
            found.setdefault(reading.quantity, []).append(reading)
    return {quantity: runs[-NEWEST_RUNS:] for quantity, runs in found.items()}


def _are_same_runs(mine: Sequence[Reading], theirs: Sequence[Reading]) -> bool:
    """True if they were made at the same moments with the same result, whatever the machine's name."""
    return [(run.outcome.date, run.rate) for run in mine] == [(run.outcome.date, run.rate) for run in theirs]


def _difference(quantity: Quantity, mine: Sequence[Reading], theirs: Sequence[Reading]) -> Difference:
    """The ratio of two independent rates with its interval.

    The interval is found from the two intervals on a logarithmic scale (Zou and Donner 2008, Construction of confidence
    limits about effect measures, section 3): the distances from the medians add up by their squares.
    """
    first, second = _pooled(mine), _pooled(theirs)
    down = math.hypot(math.log(second.median / second.low), math.log(first.high / first.median))
    up = math.hypot(math.log(second.high / second.median), math.log(first.median / first.low))
    ratio = second.median / first.median
    low, high = ratio * math.exp(-down), ratio * math.exp(up)
    enough = min(first.n, second.n) >= FEWEST_PAIRS and first.unit == second.unit
    change = _change(low, high) if enough else Change.UNDECIDED
    return Difference(quantity, first, second, len(mine), len(theirs), ratio, low, high, change)


def _pooled(runs: Sequence[Reading]) -> Rate:
    """One run as it is; of several the middle one, with an interval that holds those of all.

    The interval of one run knows nothing of what changes from run to run; those of several runs show it.
    """
    rates = [run.rate for run in runs]
    median = statistics.median(rate.median for rate in rates)
    low, high = min(rate.low for rate in rates), max(rate.high for rate in rates)
    return Rate(median, min(low, median), max(high, median), rates[-1].unit, sum(rate.n for rate in rates))


def _change(low: float, high: float) -> Change:
    """By the rule of all verdicts here: outside 3 % either way it is decided, wholly inside it does not matter."""
    if low > MATTERS:
        return Change.FASTER
    if high < 1 / MATTERS:
        return Change.SLOWER
    if low >= 1 / MATTERS and high <= MATTERS:
        return Change.NO_DIFFERENCE
    return Change.UNDECIDED


def _machine_then(profile: MachineProfile, outcomes: Sequence[Outcome]) -> Machine | None:
    """The machine as it was when the newest of these was measured."""
    newest = max(outcomes, key=lambda outcome: outcome.date, default=None)
    return None if newest is None else profile.machine_of(newest.applies.get("machine", ""))


def _context(first: Side, second: Side) -> list[str]:
    """Differences in versions, in the machine and in its quota."""
    found = []
    for name, title in (("torch", "PyTorch"), ("python", "Python")):
        mine, theirs = (_said(side.outcomes, name) for side in (first, second))
        if mine and theirs and mine != theirs:
            found.append(f"{title}: {' and '.join(mine)} against {' and '.join(theirs)}.")
    if first.machine is not None and second.machine is not None:
        for title, mine_is, theirs_is in machine_features(first.machine, second.machine):
            if mine_is != theirs_is:
                found.append(f"{title}: {_known(mine_is)} against {_known(theirs_is)}.")
    fingerprints = [set(_said(side.outcomes, "machine")) for side in (first, second)]
    if not found and fingerprints[0] != fingerprints[1]:
        found.append("The processor, the number of cores, the memory or the cards: the fingerprints differ.")
    return found


def _said(outcomes: Sequence[Outcome], name: str) -> list[str]:
    return sorted({outcome.applies[name] for outcome in outcomes if name in outcome.applies})


def machine_features(first: Machine, second: Machine) -> list[tuple[str, object, object]]:
    """Features that a measurement may depend on, by title, of the first and of the second; None where unknown."""
    return [(title, feature(first), feature(second)) for title, feature in _FEATURES.items()]


def _cards(machine: Machine) -> str | None:
    names = [card.name or card.backend for card in machine.gpus or ()]
    return None if machine.gpus is None else ", ".join(sorted(names)) or "none"


_FEATURES: Mapping[str, Callable[[Machine], object]] = {
    "Processor": lambda machine: machine.cpu_model,
    "Physical cores": lambda machine: machine.physical_cores,
    "Usable hardware threads (affinity and quota)": lambda machine: machine.usable_cores,
    "Quota of the container, in cores": lambda machine: machine.quota_cores,
    "Memory": lambda machine: machine.memory_bytes and f"{machine.memory_bytes / 2**30:.0f} GiB",
    "Graphics cards": _cards,
    "Driver of the cards": lambda machine: machine.gpu_driver and machine.gpu_driver.version,
    "Kernel": lambda machine: machine.kernel,
}


def _known(value: object) -> str:
    return "unknown" if value is None else str(value)
