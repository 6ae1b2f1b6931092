"""The two phases of a measurement: a search for the rival, then a duel of pairs. No torch, and any clock."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable
from dataclasses import dataclass, field

from advisor.children.errors import CannotRunError, TooLongError
from advisor.facts.verdict import Verdict
from advisor.probes.judging.trial import Equipment, Trial
from advisor.probes.probe import Costs, Probe, Setting, Varies, Work
from advisor.probes.protocol import Duel, Message, Phase, Rehearsed, Sample, Skipped
from advisor.probes.verdict import MOST_PAIRS, SHORTEST_DUEL, checkpoints, compare

ALL_REHEARSALS_SHARE = 0.4
"""Of the time there is, after which no further setting is tried, if there is one to compare with."""
LONGEST_EQUAL_SAMPLE = 0.2
"""Seconds; beyond that the two sides of a pair run different numbers of steps."""
SEARCH_SHARE = 0.3
"""Of the time there is, for finding the rival."""
SEARCH_ROUNDS = 3
GAUGE_ROUNDS = 5
"""Rounds if the rates of the settings are wanted too."""
REHEARSAL_SHARE = 0.25
"""Of the time left, for the first run of one setting: what is slower is left out."""


class NothingToCompareError(Exception):
    """The recommended setting, or every other, cannot run here."""


class TimeOverError(NothingToCompareError):
    """There was no time left to begin the recommended setting, or any other."""


@dataclass
class Contest:
    """One measurement: its trials in the order of the settings, a clock in seconds, and somebody to tell."""

    probe: Probe
    before: Setting
    equipment: Equipment
    clock: Callable[[], float]
    until: float
    """A time of the clock, at which all must have been said but for what a fresh process says of the winner, ..."""
    last: float
    """... and at which that must have been said."""
    tell: Callable[[Message], None]
    memory_bytes: int
    """The memory that the larger of several batches may take, on the card where they lie there."""
    pauses: Callable[[], int] = lambda: 0
    """The number of times by now that this process was stopped from outside: what is timed meanwhile is timed again."""
    seed: int = 0
    _step_seconds: dict[Setting, float] = field(default_factory=dict)
    _step_cost: dict[Setting, float] = field(default_factory=dict)
    """The meter's reading for a step."""
    _last: Setting | None = None
    _thrown_away: float = 0.0
    """Seconds of what was timed again."""

    def hold(self) -> None:
        """Measure and tell. Raises NothingToCompareError."""
        costs = self._rehearse()
        others = [setting for setting in costs if setting != self.before]
        if len(others) > 1 or self.probe.work is Work.EXAMPLE:
            costs = self._search(costs)
        rival = self.probe.rival(costs, self.before)
        self.tell(Duel(rival))
        winner = self._duel(rival)
        if self.equipment.recheck is not None and winner is not None:
            self.tell(self.equipment.recheck(winner, self.last - self.clock()))

    def _rehearse(self) -> Costs:
        """The cost of every setting that can run here."""
        costs: dict[Setting, float] = {}
        reason: str | None = None
        refused, late = "", False
        enough = self.clock() + (self.until - self.clock()) * ALL_REHEARSALS_SHARE
        for setting, trial in self.equipment.trials.items():
            reason = reason or self.probe.enough(costs, self.before)
            if self.clock() > enough and costs.keys() - {self.before}:
                reason = reason or "There was no time left to try it."
            if reason and setting != self.before:
                self.tell(Skipped(setting, reason))
                continue
            left = self.until - self.clock()
            try:
                if left <= 0:
                    raise TooLongError("The time was over before it was begun.")
                self._warm_up(trial, left * REHEARSAL_SHARE)
            except CannotRunError as error:
                refused, late = f" {setting}: {error}", isinstance(error, TooLongError)
                self.tell(Skipped(setting, str(error)))
                if setting != self.before:
                    continue
                if late:
                    raise TimeOverError(f"There was too little time for {setting}: {error}") from error
                raise NothingToCompareError(f"{setting}, which is recommended, cannot be tried: {error}") from error
            self._last = setting
            self._repeats(setting)
            costs[setting] = self._step_cost[setting] / trial.work
            self.tell(Rehearsed(setting, costs[setting], trial.peak_memory_bytes()))
            if self.probe.varies is Varies.BATCH_SIZE and trial.peak_memory_bytes() > self.memory_bytes / 2:
                reason = reason or "Twice as much might not fit the memory."
        if len(costs) < 2 and (late or self.clock() >= self.until):
            raise TimeOverError(f"There was too little time for another setting than {self.before}.{refused}")
        if len(costs) < 2:
            raise NothingToCompareError(f"Apart from the recommended setting, none could be tried.{refused}")
        return costs

    def _warm_up(self, trial: Trial, seconds: float) -> None:
        """Raises CannotRunError, but not for the time that a pause took."""
        pauses = self.pauses()
        try:
            trial.warm_up(seconds)
        except CannotRunError:
            if self.pauses() == pauses:
                raise
            trial.warm_up(seconds)

    def _search(self, costs: Costs) -> Costs:
        """The median cost of every setting, in a few rounds over all of them, each in another order."""
        until = self.clock() + (self.until - self.clock()) * SEARCH_SHARE
        found: dict[Setting, list[float]] = {setting: [] for setting in costs}
        generator = random.Random(self.seed)  # noqa: S311  reproducible, no secret
        order = list(costs)
        for number in range(GAUGE_ROUNDS if self.probe.gauges else SEARCH_ROUNDS):
            if self.clock() + sum(map(self._sample_seconds, order)) > until:
                break
            generator.shuffle(order)
            for setting in order:
                if self.clock() > self.until:
                    break
                seconds = self._sample(setting, self._repeats(setting))
                found[setting].append(seconds)
                self.tell(Sample(Phase.SEARCH, setting, number, seconds))
        return {setting: statistics.median(found[setting] or [costs[setting]]) for setting in costs}

    def _duel(self, rival: Setting) -> Setting | None:
        """Pairs in alternating order until a checkpoint decides or the time is over; the setting that holds then."""
        repeats = self._repeats_of_pair(rival)
        pair_seconds = sum(self._sample_seconds(setting, repeats[setting]) for setting in repeats)
        margins = self.probe.margins(self.before, rival)
        looks = checkpoints()
        look = next(looks)
        begun, elapsed = self._seconds_worked(), 0.0
        pairs: list[tuple[float, float]] = []
        while len(pairs) < MOST_PAIRS and self.clock() + pair_seconds < self.until:
            order = (self.before, rival) if len(pairs) % 2 == 0 else (rival, self.before)
            seconds = {}
            for setting in order:
                if self.clock() >= self.until:
                    return None
                seconds[setting] = self._sample(setting, repeats[setting])
                elapsed = self._seconds_worked() - begun
                self.tell(Sample(Phase.DUEL, setting, len(pairs), seconds[setting], elapsed))
            pairs.append((seconds[self.before], seconds[rival]))
            if len(pairs) == look and elapsed < SHORTEST_DUEL:
                look = next(looks, 0)
            elif len(pairs) == look:
                verdict = compare(pairs, margins, self.seed).verdict
                if verdict is not Verdict.UNDECIDED:
                    return rival if verdict is Verdict.OVERTURNED else self.before
                look = next(looks, 0)
        return None

    def _seconds_worked(self) -> float:
        """The clock without what was thrown away."""
        return self.clock() - self._thrown_away

    def _repeats_of_pair(self, rival: Setting) -> dict[Setting, int]:
        """The same number of steps for both sides, unless the slower one would take very long over it."""
        repeats = {setting: self._repeats(setting) for setting in (self.before, rival)}
        most = max(repeats.values())
        slowest = max(self._step_seconds[setting] for setting in repeats)
        return dict.fromkeys(repeats, most) if most * slowest <= LONGEST_EQUAL_SAMPLE else repeats

    def _sample(self, setting: Setting, repeats: int) -> float:
        """Seconds per step or per example. After another setting a short step is run once untimed."""
        trial = self.equipment.trials[setting]
        if setting != self._last and repeats > 1:
            self._time(trial, 1)
        self._last = setting
        self._step_seconds[setting], spent = self._time(trial, repeats)
        return spent / trial.work

    def _time(self, trial: Trial, repeats: int) -> tuple[float, float]:
        """Seconds per step, and what the meter says; the end of the time ends the sample after the step it falls into."""
        meter = self.equipment.meter or self.clock
        while True:
            pauses, begun, meter_begun, done = self.pauses(), self.clock(), meter(), 0
            while done < repeats and (done == 0 or self.clock() < self.until):
                trial.step()
                done += 1
            trial.finish()
            seconds, metered = (self.clock() - begun) / done, (meter() - meter_begun) / done
            if self.pauses() == pauses:
                return seconds, metered
            self._thrown_away += self.clock() - begun

    def _repeats(self, setting: Setting) -> int:
        """The number of steps in a sample: doubled until they take long enough, then kept."""
        if setting in self._step_seconds:
            return max(1, round(self.probe.shortest_sample / self._step_seconds[setting] + 0.5))
        trial, repeats = self.equipment.trials[setting], 1
        while True:
            self._step_seconds[setting], self._step_cost[setting] = self._time(trial, repeats)
            if self._step_seconds[setting] * repeats >= self.probe.shortest_sample:
                return repeats
            repeats *= 2

    def _sample_seconds(self, setting: Setting, repeats: int | None = None) -> float:
        steps = self._repeats(setting) if repeats is None else repeats
        return self._step_seconds[setting] * (steps + (steps > 1))
