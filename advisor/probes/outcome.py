"""The outcome of a probe, as it is kept and shown."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from advisor.children.stopping import STOPPED
from advisor.facts.verdict import Verdict
from advisor.plain import decode, encode
from advisor.probes.conditions import Conditions
from advisor.probes.probe import USUAL_BINDING, Setting
from advisor.probes.verdict import FEW_PAIRS, FEWEST_PAIRS, interval_of, median_interval
from advisor.wording import shorten

SPEED_UP = "speed-up"
FROM_MEMORY = "(answered from memory)"
"""In place of the kind of a disk whose reads the page cache may have answered: such rates are no facts."""


@dataclass(frozen=True, slots=True)
class SettingRecord:
    """All that was timed in one setting: seconds (joules where energy is measured) per unit of work."""

    setting: Setting
    search: tuple[float, ...] = ()
    """Samples of the first phase, which finds the rival."""
    duel: tuple[float, ...] = ()
    """Samples of the pairs, in their order; only these decide."""
    peak_memory_bytes: int | None = None
    """The most that was held up to the end of its first run."""
    skipped: str | None = None
    """The reason why it was not tried."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Units of work per second: the median of n samples, with the 95 % interval of the median."""

    median: float
    low: float
    high: float
    unit: str
    """steps/s, examples/s, bytes/s, FLOP/s"""
    n: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one experiment, with its verdict on the value that was recommended before.

    `median`, `low` and `high` are a speed-up with its 95 % interval: of `after` over the other side when the verdict is
    confirmed or overturned (so above 1), of `before` over the rival otherwise; None where there was no pair.
    """

    probe: str
    topic: str
    fact: str
    before: Setting
    verdict: Verdict
    after: Setting | None = None
    """The value that holds now: the rival when overturned, `before` otherwise, None when undecided. Trials take over what
    won, though it may not be shown to be better.
    """
    rival: Setting | None = None
    median: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    """Pairs."""
    unit: str = SPEED_UP
    applies: Mapping[str, str] = field(default_factory=dict)
    """The conditions that the result holds for: network, batch_size, precision, threads, torch, python, machine."""
    date: str = ""
    """ISO 8601, as the caller gave it."""
    settings: tuple[SettingRecord, ...] = ()
    conditions: Conditions = field(default_factory=Conditions)
    failure: str | None = None
    """The reason why there is no verdict, in a sentence; samples that came before are kept."""
    work: str = "step"
    """The unit of work."""
    per: str = "s"
    """The unit of samples: seconds, or J where energy is measured."""
    gauges: Mapping[str, Setting] = field(default_factory=dict)
    """Facts that take the rate of a setting."""
    also: Mapping[str, bool | int | float | str] = field(default_factory=dict)
    """Further facts that hold with `after`."""
    besides: Mapping[str, int | str] = field(default_factory=dict)
    """Further facts that hold whatever the verdict."""
    kept: bool = False
    """True if later plans count on `after` in any case: it is what they have, with settings that were found."""
    bound_by: tuple[str, ...] = USUAL_BINDING
    """The conditions under which alone it counts."""
    step_seconds: float | None = None
    """Of a whole step of the network in the setting that was recommended: run, or expected from smaller ones."""
    start_seconds: float | None = None
    """From the start of the process until it was ready to measure; where it never was, until it ended."""
    too_slow: bool = False
    """True if nothing was compared since the start, or such a step, would take longer than there was time for."""
    late: bool = False
    """True if it failed for want of time."""
    second_start: str = ""
    """The result of a second start for a bet that was overturned: the end of a sentence. Empty without one."""

    @property
    def measured(self) -> bool:
        """True if nothing went wrong and pairs were timed; or trials had no time for what was planned, and so no pairs."""
        of_trials = self.unit != SPEED_UP and self.after is not None
        return self.failure is None and (self.n > 0 or self.median is not None or of_trials)

    @property
    def disk_kind(self) -> str | None:
        """nvme, ssd, hdd, ... of the disk that was measured, which `applies` has as `/data (ssd)`; None where it says none."""
        found = re.search(r"\(([^()]+)\)$", self.applies.get("disk", ""))
        return found[1] if found else None

    @property
    def stopped(self) -> bool:
        """True if somebody ended this probe before its end."""
        return STOPPED in self.conditions.warnings

    @property
    def contradicted(self) -> bool:
        """True if a second start contradicted the first."""
        return self.verdict is Verdict.UNDECIDED and bool(self.second_start)

    def facts(self) -> dict[str, Setting | float]:
        """The measured fact, where the verdict is decided, the rates that were gauged while the machine was at rest, and what
        holds in any case."""
        found: dict[str, Setting | float] = dict(self.besides)
        for fact, setting in self.gauges.items():
            samples = self._samples(setting)
            if samples and self.failure is None and self._counts:
                found[fact] = 1 / statistics.median(samples)  # without the interval, which takes milliseconds
        changes = self.verdict in (Verdict.CONFIRMED, Verdict.OVERTURNED) or self.after not in (None, self.before)
        changes = changes or self.kept
        if self.fact and changes and self.after is not None:
            found |= {self.fact: self.after, **self.also}
        return found

    @property
    def worth_keeping(self) -> bool:
        """True if later plans may count on it: not where the machine was too busy for it to say anything."""
        return not self.conditions.too_busy or bool(self.facts())

    @property
    def _counts(self) -> bool:
        """True if its rates are those of the machine at rest, and of what was to be measured."""
        return not self.conditions.too_busy and not self.applies.get("disk", "").endswith(FROM_MEMORY)

    def rate(self, setting: Setting) -> Rate | None:
        """Units of work per second in a setting, None where it was not timed."""
        samples = self._samples(setting)
        if not samples:
            return None
        median, low, high = median_interval(samples)
        if FEWEST_PAIRS <= len(samples) < FEW_PAIRS:  # of logarithms, so that no rate is below zero
            _, low, high = map(math.exp, interval_of([math.log(seconds) for seconds in samples]))
        unit = f"{self.work}{'' if self.work == 'FLOP' else 's'}/{self.per}"
        return Rate(1 / median, 1 / high, 1 / low, unit, len(samples))

    def _samples(self, setting: Setting) -> tuple[float, ...]:
        """Of the pairs where there are any, else of the search; empty where the setting was not timed."""
        timed = (record.duel or record.search for record in self.settings if record.setting == setting)
        return next(filter(None, timed), ())

    def to_json(self) -> dict[str, Any]:
        fields: dict[str, Any] = encode(self)
        return fields

    @classmethod
    def from_json(cls, data: object) -> Outcome:
        """The reverse of `to_json`. Raises ValueError for anything else."""
        return decode(cls, data, "outcome")


def newest_of(outcomes: Sequence[Outcome]) -> dict[str, Outcome]:
    """The last outcome of each probe, one that came to nothing only where there is no better."""
    found: dict[str, Outcome] = {}
    for outcome in outcomes:
        if outcome.failure is None or outcome.probe not in found or found[outcome.probe].failure is not None:
            found[outcome.probe] = outcome
    return found


def readable(
    entries: Iterable[object], check: Callable[[Outcome], Outcome], what: str
) -> tuple[list[Outcome], list[str]]:
    """The outcomes of a file that can be read, and a sentence for each of the others.

    Args:
        check: gives an outcome back, or raises ValueError.
        what: the words for an entry.
    """
    found, damaged = [], []
    for entry in entries:
        try:
            found.append(check(Outcome.from_json(entry)))
        except ValueError as error:
            damaged.append(f"{what} in it is damaged ({shorten(error)}).")
    return found, damaged
