"""What a child has said so far, and the outcome that follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from advisor.probes.conditions import Moment, conditions
from advisor.probes.outcome import ProbeOutcome, SettingRecord
from advisor.probes.probe import Probe, Setting
from advisor.probes.protocol import Duel, Failed, Message, Phase, Ready, Rehearsed, Sample, Skipped
from advisor.probes.verdict import FEWEST_PAIRS, Comparison, Verdict, compare
from advisor.probes.workload import Workload


@dataclass
class Record:
    """Collects messages of settings that were asked for; what else a child says of is not believed."""

    probe: Probe
    workload: Workload
    before: Setting
    settings: Sequence[Setting]
    seed: int
    ready: Ready | None = None
    rival: Setting | None = None
    failed: str | None = None
    misunderstood: int = 0
    samples: list[Sample] = field(default_factory=list)
    rehearsed: dict[Setting, Rehearsed] = field(default_factory=dict)
    skipped: dict[Setting, str] = field(default_factory=dict)

    def add(self, message: Message) -> None:
        match message:
            case Ready():
                self.ready = message
            case Duel(rival) if rival in self.settings and rival != self.before:
                self.rival = rival
            case Rehearsed(setting) if setting in self.settings:
                self.rehearsed[setting] = message
            case Skipped(setting, reason) if setting in self.settings:
                self.skipped[setting] = reason
            case Sample(_, setting) if setting in self.settings:
                self.samples.append(message)
            case Failed(reason):
                self.failed = reason
            case Duel() | Rehearsed() | Skipped() | Sample():
                self.misunderstood += 1

    def pairs(self) -> list[tuple[float, float]]:
        """Seconds of both sides of every complete round of the duel."""
        sides: dict[Setting, dict[int, float]] = {self.before: {}}
        if self.rival is not None:
            sides[self.rival] = {}
        for sample in self.samples:
            if sample.phase is Phase.DUEL and sample.setting in sides:
                sides[sample.setting][sample.round] = sample.seconds
        if self.rival is None:
            return []
        own, other = sides[self.before], sides[self.rival]
        return [(own[number], other[number]) for number in sorted(own.keys() & other.keys())]

    def outcome(self, failure: str | None, begun: Moment, ended: Moment, date: str, machine: str) -> ProbeOutcome:
        """The outcome. A failure leaves it undecided, with whatever was timed before it."""
        pairs = self.pairs()
        found: Comparison | None = None
        if pairs and self.rival is not None:
            found = compare(pairs, self.probe.margins(self.before, self.rival), self.seed)
        verdict = found.verdict if found and failure is None else Verdict.UNDECIDED
        notes = []
        if self.misunderstood:
            notes.append(f"{self.misunderstood} lines from the probe's process could not be understood.")
        if failure is None and len(pairs) < FEWEST_PAIRS:
            notes.append(f"The time was enough for {len(pairs)} pairs; {FEWEST_PAIRS} are the fewest that decide.")
        speed_up: tuple[float | None, ...] = (None, None, None)
        if found:
            speed_up = (found.median, found.low, found.high)
            if verdict is Verdict.OVERTURNED:
                speed_up = (1 / found.median, 1 / found.high, 1 / found.low)
        median, low, high = speed_up
        return ProbeOutcome(
            probe=self.probe.name,
            topic=self.probe.topic,
            fact=self.probe.fact,
            before=self.before,
            after={Verdict.OVERTURNED: self.rival, Verdict.UNDECIDED: None}.get(verdict, self.before),
            rival=self.rival,
            verdict=verdict,
            median=median,
            low=low,
            high=high,
            n=len(pairs),
            applies=self._applies(machine),
            date=date,
            settings=tuple(map(self._of, self.settings)),
            conditions=conditions(begun, ended, self._duel_samples(), notes),
            failure=failure,
        )

    def _applies(self, machine: str) -> dict[str, str]:
        applies = self.probe.scope(self.workload)
        if self.ready is not None:
            versions = {"torch": self.ready.torch, "python": self.ready.python}
            threads = {} if self.probe.varies == "threads" else {"threads": str(self.ready.threads)}
            applies |= versions | threads
        return applies | ({"machine": machine} if machine else {})

    def _of(self, setting: Setting) -> SettingRecord:
        rehearsed = self.rehearsed.get(setting)
        return SettingRecord(
            setting=setting,
            search=self._seconds(Phase.SEARCH, setting),
            duel=self._seconds(Phase.DUEL, setting),
            peak_memory_bytes=rehearsed.peak_memory_bytes if rehearsed else None,
            skipped=self.skipped.get(setting),
        )

    def _duel_samples(self) -> dict[str, tuple[float, ...]]:
        return {str(setting): self._seconds(Phase.DUEL, setting) for setting in self.settings}

    def _seconds(self, phase: Phase, setting: Setting) -> tuple[float, ...]:
        return tuple(s.seconds for s in self.samples if s.phase is phase and s.setting == setting)
