"""The events of a measurement so far, as values that a screen can show."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from advisor.agent.events import (
    JournalFailed,
    MeasuringEvent,
    MeasuringResumed,
    NetworkUntimed,
    ProbeFinished,
    ProbeSkipped,
    ProbeStarted,
)
from advisor.agent.timed import Timed
from advisor.facts.verdict import Verdict
from advisor.probes.outcome import Outcome
from advisor.probes.probe import Setting
from advisor.probes.protocol import Duel, Message, Phase, Ready, Rechecked, Rehearsed, Sample, Skipped
from advisor.probes.verdict import median_interval
from advisor.tui.widgets.curves import Point

Timing = TypeVar("Timing")


def finding(outcome: Outcome) -> str:
    """The result as a key of SYMBOLS."""
    if outcome.failure:
        return "failed"
    if outcome.stopped:
        return "stopped"
    if not outcome.fact:
        return "measured"
    return outcome.verdict.value


@dataclass
class Current:
    """The probe under way."""

    step: ProbeStarted
    begun: float
    """On the screen's clock."""
    again: bool = False
    ready: bool = False
    rival: Setting | None = None
    first: dict[Setting, float] = field(default_factory=dict)
    """Seconds per unit of work of the first runs."""
    search: dict[Setting, list[float]] = field(default_factory=dict)
    duel: dict[Setting, list[float]] = field(default_factory=dict)
    skipped: dict[Setting, str] = field(default_factory=dict)
    rechecking: bool = False

    def add(self, message: Message) -> None:
        match message:
            case Ready():
                self.ready = True
            case Rehearsed(setting, seconds):
                self.ready = True
                self.first[setting] = seconds
            case Skipped(setting, reason):
                self.skipped[setting] = reason
            case Duel(rival):
                self.rival = rival
            case Sample(Phase.DUEL, setting, _, seconds):
                self.duel.setdefault(setting, []).append(seconds)
            case Sample(_, setting, _, seconds):
                self.search.setdefault(setting, []).append(seconds)
            case Rechecked():
                self.rechecking = True

    @property
    def pairs(self) -> int:
        return min((len(samples) for samples in self.duel.values()), default=0) if len(self.duel) > 1 else 0

    @property
    def doing(self) -> str:
        """The present activity in words."""
        if self.rechecking:
            return "the winner has run once more in a fresh process"
        if self.duel:
            return f"in pairs: {' against '.join(map(str, self.duel))}, {self.pairs} so far"
        if self.search:
            return "looking for the strongest rival"
        if self.first:
            return "each setting runs for the first time"
        return "warming up" if self.ready else "starting a process"

    def samples(self) -> dict[Setting, list[float]]:
        """By setting, the best samples so far: of the pairs, else of the search, else of the first run."""
        known: dict[Setting, list[float]] = {setting: [seconds] for setting, seconds in self.first.items()}
        return {**known, **self.search, **self.duel}


@dataclass
class Measuring(Timed):
    """Everything that a measurement has told."""

    current: Current | None = None
    outcomes: list[Outcome] = field(default_factory=list)
    resumed: tuple[str, ...] | None = None
    """The probes that an earlier run had finished; None where there was none."""
    not_run: list[ProbeSkipped] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def tell(self, event: MeasuringEvent) -> None:
        match event:
            case MeasuringResumed(outcomes, spent):
                self.resumed = tuple(outcome.probe for outcome in outcomes if outcome.failure is None)
                self.outcomes += outcomes
                self.spent = spent
            case ProbeStarted(probe):
                again = any(outcome.probe == probe.name for outcome in self.outcomes)
                self.current = Current(event, self.clock(), again)
            case ProbeFinished(outcome):
                self.outcomes = [*(one for one in self.outcomes if one.probe != outcome.probe), outcome]
                self.current = None
            case ProbeSkipped():
                self.not_run.append(event)
            case NetworkUntimed(reason):
                self.warnings.append(reason)
            case JournalFailed(error):
                self.warnings.append(str(error.problems[0]))
            case _ if self.current is not None:
                self.current.add(event)

    @property
    def seconds_of_part(self) -> float | None:
        if self.current is None:
            return None
        return max(0.0, self.current.step.seconds - (self.clock() - self.current.begun))

    def points(self, before: Setting | None) -> list[Point]:
        """The rates of the current probe so far, by setting; numbers in their order.

        Args:
            before: the setting that the plan recommends.
        """
        if self.current is None:
            return []
        found = []
        for setting, samples in in_order(self.current.samples()).items():
            median, low, high = _interval(tuple(samples))
            note = "plan" if setting == before else "rival" if setting == self.current.rival else ""
            found.append(Point(str(setting), 1 / median, 1 / high, 1 / low, len(samples), note))
        return found


@functools.lru_cache(maxsize=64)
def _interval(samples: tuple[float, ...]) -> tuple[float, float, float]:
    """The median with its interval, which takes milliseconds; empty for a single sample."""
    return median_interval(samples) if len(samples) > 1 else (samples[0], samples[0], samples[0])


def in_order(found: Mapping[Setting, Timing]) -> dict[Setting, Timing]:
    """By setting: numbers from small to large, names as they came."""
    if all(isinstance(setting, int) for setting in found):
        return {setting: found[setting] for setting in sorted(found)}
    return dict(found)


def points_of(outcome: Outcome) -> list[Point]:
    """The rates of a finished probe, by setting."""
    timed = {record.setting: rate for record in outcome.settings if (rate := outcome.rate(record.setting)) is not None}
    found = []
    for setting, rate in in_order(timed).items():
        note = "plan" if setting == outcome.before else "rival" if setting == outcome.rival else ""
        if outcome.verdict is Verdict.OVERTURNED and setting == outcome.after:
            note = "better"
        if not outcome.fact:
            note = ""  # rates of different things, of which none is the plan's
        found.append(Point(str(setting), rate.median, rate.low, rate.high, rate.n, note))
    return found
