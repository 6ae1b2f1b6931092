"""The record of a child's messages so far, and the outcome that follows from them."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from advisor.children.errors import NonsenseError
from advisor.facts.verdict import Verdict
from advisor.probes.conditions import Conditions, Moment, conditions
from advisor.probes.outcome import SPEED_UP, Outcome, SettingRecord
from advisor.probes.probe import Probe, Setting, Varies, Work
from advisor.probes.protocol import (
    Duel,
    Failed,
    Message,
    Note,
    Phase,
    Predicted,
    Ready,
    Rechecked,
    Rehearsed,
    Sample,
    Skipped,
    Told,
)
from advisor.probes.verdict import FEW_PAIRS, FEWEST_PAIRS, SHORTEST_DUEL, Comparison, compare
from advisor.probes.workload import Workload

MOST_NOTES = 20


@dataclass
class Record:
    """The messages of a child about the settings that were asked for; others are not believed."""

    probe: Probe
    workload: Workload | None
    before: Setting
    settings: Sequence[Setting]
    seed: int
    ready: Ready | None = None
    start_seconds: float | None = None
    """Until it was ready, or ended without having been."""
    rival: Setting | None = None
    failed: str | None = None
    misunderstood: int = 0
    """Lines that were no messages, or spoke of what was not asked for."""
    samples: list[Sample] = field(default_factory=list)
    rechecked: dict[Setting, Rechecked] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    told: dict[Setting, dict[str, int]] = field(default_factory=dict)
    rehearsed: dict[Setting, Rehearsed] = field(default_factory=dict)
    predicted: dict[Setting, Predicted] = field(default_factory=dict)
    late: bool = False
    """True if the time ended before the child had said all, or before it could begin to compare."""
    skipped: dict[Setting, str] = field(default_factory=dict)

    def add(self, message: Message) -> None:
        """Take down a message. Raises NonsenseError for one that speaks of what was not asked for."""
        match message:
            case Ready():
                self.ready = message
            case Duel(rival) if rival in self.settings and rival != self.before:
                self.rival = rival
            case Rehearsed(setting) if setting in self.settings:
                self.rehearsed[setting] = message
            case Predicted(setting) if setting in self.settings:
                self.predicted[setting] = message
            case Skipped(setting, reason) if setting in self.settings:
                self.skipped[setting] = reason
            case Sample(_, setting) if setting in self.settings:
                self.samples.append(message)
            case Rechecked(setting) if setting in self.settings:
                self.rechecked[setting] = message
            case Told(setting, fact, value) if setting in self.settings and fact in self.probe.also:
                self.told.setdefault(setting, {})[fact] = value
            case Note(text):
                if len(self.notes) < MOST_NOTES:
                    self.notes.append(text)
            case Failed(reason, late):
                self.failed, self.late = reason, late
            case Duel() | Rehearsed() | Predicted() | Skipped() | Sample() | Rechecked() | Told():
                raise NonsenseError("it was not asked for")

    def pairs(self) -> list[tuple[float, float]]:
        """Seconds of both sides of every complete round of the duel."""
        if self.rival is None:
            return []
        duel = [sample for sample in self.samples if sample.phase is Phase.DUEL]
        own, other = (
            {sample.round: sample.seconds for sample in duel if sample.setting == side}
            for side in (self.before, self.rival)
        )
        return [(own[number], other[number]) for number in sorted(own.keys() & other.keys())]

    def outcome(self, failure: str | None, begun: Moment, ended: Moment, date: str, machine: str) -> Outcome:
        """The outcome. A failure leaves it undecided, with whatever was timed before it."""
        pairs = self.pairs()
        found: Comparison | None = None
        if pairs and self.rival is not None:
            found = compare(pairs, self.probe.margins(self.before, self.rival), self.seed)
        verdict = found.verdict if found and failure is None else Verdict.UNDECIDED
        notes = list(self.notes)
        if self.misunderstood:
            notes.append(f"{self.misunderstood} lines from the probe's process could not be understood.")
        samples = {str(setting): self._seconds(Phase.DUEL, setting) for setting in self.settings}
        noted = conditions(begun, ended, samples)
        after = {Verdict.OVERTURNED: self.rival, Verdict.UNDECIDED: None}.get(verdict, self.before)
        doubt = self._too_short(pairs) or (self._doubt(after, noted) if after is not None else None)
        if doubt is not None:
            verdict, after = Verdict.UNDECIDED, None
            notes.append(doubt)
        if failure is None and len(pairs) < FEWEST_PAIRS:
            notes.append(f"The time was enough for {len(pairs)} pairs; {FEWEST_PAIRS} are the fewest that decide.")
        elif failure is None and verdict is Verdict.UNDECIDED and len(pairs) < FEW_PAIRS:
            notes.append(f"The time was enough for {len(pairs)} pairs, which decide only what they show very clearly.")
        median, low, high = (found.median, found.low, found.high) if found else (None, None, None)
        if found and verdict is Verdict.OVERTURNED:
            median, low, high = 1 / found.median, 1 / found.high, 1 / found.low
        return Outcome(
            probe=self.probe.name,
            topic=self.probe.topic,
            fact=self.probe.fact,
            before=self.before,
            after=after,
            rival=self.rival,
            verdict=verdict,
            median=median,
            low=low,
            high=high,
            n=len(pairs),
            applies=self._applies(machine),
            date=date,
            settings=tuple(map(self._of, self.settings)),
            step_seconds=(step_seconds := self._step_seconds()),
            start_seconds=self.start_seconds,
            too_slow=not pairs and self._had_no_time(step_seconds),
            late=failure is not None and self.late,
            conditions=replace(noted, warnings=(*notes, *noted.warnings)),
            failure=failure,
            work=self.probe.work.value,
            per=self.probe.per,
            unit=SPEED_UP if self.probe.per == "s" else "work per joule",
            gauges=dict(self.probe.gauges),
            bound_by=self.probe.bound_by,
            also=self.told.get(after, {}) if after is not None else {},
        )

    def _too_short(self, pairs: Sequence[tuple[float, float]]) -> str | None:
        """The contest does not look at pairs so early; where the time ended before it could, they decide nothing either."""
        told = [sample.elapsed for sample in self.samples if sample.phase is Phase.DUEL and sample.elapsed is not None]
        if len(pairs) < FEWEST_PAIRS or not told or max(told) >= SHORTEST_DUEL:
            return None
        return (
            f"The pairs took {max(told):.1f} s, which one disturbance can fill: {SHORTEST_DUEL} s are the shortest time "
            "that decides."
        )

    def _doubt(self, after: Setting, noted: Conditions) -> str | None:
        """The reason why the pairs do not decide although they agree."""
        if busy := noted.doubt(shares_cores=self.probe.shares_cores):
            return busy
        if not self.probe.recheck:
            return None
        checked = self.rechecked.get(after)
        if checked is None:
            return f"{after} came out best, but there was no time to run it once more in a fresh process."
        if checked.reason:
            return f"{after} came out best, but did not run in a fresh process: {checked.reason}"
        return None

    def _applies(self, machine: str) -> dict[str, str]:
        told = {"machine": machine}
        if (ready := self.ready) is not None:
            counts = self.probe.needs_network and self.probe.varies is not Varies.THREADS
            threads = str(ready.threads) if counts else ""
            versions = {"python": ready.python, "torch": ready.torch}
            weights = str(ready.weights) if ready.weights else ""
            told = {
                "device": ready.device,
                "disk": ready.disk,
                **versions,
                "threads": threads,
                "weights": weights,
                **told,
            }
        return self.probe.scope(self.workload) | {name: value for name, value in told.items() if value}

    def _step_seconds(self) -> float | None:
        """Of a step of the plan's network in the recommended setting, as far as this probe times whole steps."""
        if self.workload is None or self.probe.per != "s" or self.probe.bench != "step":
            return None
        each = list(self._seconds(Phase.DUEL, self.before) or self._seconds(Phase.SEARCH, self.before))
        if each:
            return statistics.median(each) * self._examples(self.before)
        steps = {setting: predicted.seconds for setting, predicted in self.predicted.items()}
        steps |= {setting: seen.seconds * self._examples(setting) for setting, seen in self.rehearsed.items()}
        if self.before in steps:
            return steps[self.before]
        batches = self.probe.varies is Varies.BATCH_SIZE
        scale = {setting: int(self.before) / int(setting) if batches else 1.0 for setting in steps}
        return min((seconds * scale[setting] for setting, seconds in steps.items()), default=None)

    def _examples(self, setting: Setting) -> int:
        """Units of work in a step."""
        if self.workload is None or self.probe.work is not Work.EXAMPLE:
            return 1
        return self.probe.variant(self.workload, setting).batch_size

    def _had_no_time(self, step_seconds: float | None) -> bool:
        if step_seconds is None:  # its start took all of it, or what was kept for another
            started = self.ready is None or self.probe.bench == "step"
            return self.late and self.probe.needs_network and started and not (self.rehearsed or self.predicted)
        said = self.predicted.get(self.before)
        return self.before not in self.rehearsed and (self.late or (said is not None and said.too_long))

    def _of(self, setting: Setting) -> SettingRecord:
        seen = self.rechecked.get(setting) or self.rehearsed.get(setting)  # a fresh process held nothing for others
        return SettingRecord(
            setting=setting,
            search=self._seconds(Phase.SEARCH, setting),
            duel=self._seconds(Phase.DUEL, setting),
            peak_memory_bytes=seen.peak_memory_bytes if seen else None,
            skipped=self.skipped.get(setting),
        )

    def _seconds(self, phase: Phase, setting: Setting) -> tuple[float, ...]:
        return tuple(s.seconds for s in self.samples if s.phase is phase and s.setting == setting)
