"""The two phases of a measurement: a search for the rival, then a duel of pairs. No torch, and any clock."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from advisor.probes.probe import Costs, Probe, Rehearsal, Setting
from advisor.probes.protocol import Duel, Message, Phase, Rehearsed, Result, Sample, Skipped
from advisor.probes.verdict import MOST_PAIRS, Verdict, checkpoints, compare

SHORTEST_SAMPLE = 0.02
"""Seconds; steps are repeated until a sample takes as long."""
ALL_REHEARSALS_SHARE = 0.4
"""Of the time there is, after which no further setting is tried, if there is one to compare with."""
LONGEST_EQUAL_SAMPLE = 0.2
"""Seconds; beyond that the two sides of a pair run different numbers of steps."""
SEARCH_SHARE = 0.3
"""Of the time there is, for finding the rival."""
SEARCH_ROUNDS = 5
REHEARSAL_SHARE = 0.25
"""Of the time left, for the first run of one setting: what is slower is left out."""


class CannotRunError(Exception):
    """A setting is too slow or too large to be tried here; the message says which and by how much."""


class NothingToCompareError(Exception):
    """The recommended setting, or every other, cannot run here."""


class Trial(Protocol):
    """The training step in one setting."""

    @property
    def setting(self) -> Setting: ...

    @property
    def examples(self) -> int:
        """In a step."""

    def warm_up(self, seconds: float) -> None:
        """Runs the step in growing sizes, up to its own. Raises CannotRunError if that would take longer than this."""

    def step(self) -> None:
        """Begins one step; a graphics card may still be at it afterwards."""

    def finish(self) -> None:
        """Returns when all steps are done."""

    def peak_memory_bytes(self) -> int:
        """The most that was held since the process began."""


@dataclass
class Contest:
    """One measurement: its trials in the order of the settings, a clock in seconds, and somebody to tell.

    `until` is a time of the clock at which everything must have been said.
    """

    probe: Probe
    before: Setting
    trials: dict[Setting, Trial]
    clock: Callable[[], float]
    until: float
    tell: Callable[[Message], None]
    memory_bytes: int
    seed: int = 0
    _step_seconds: dict[Setting, float] = field(default_factory=dict)
    _last: Setting | None = None

    def hold(self) -> None:
        """Measures and tells. Raises NothingToCompareError."""
        costs = self._rehearse()
        others = [setting for setting in costs if setting != self.before]
        if len(others) > 1 or self.probe.per_example:
            costs = self._search(costs)
        rival = self.probe.rival(costs, self.before)
        self.tell(Duel(rival))
        self._duel(rival)
        self.tell(Result())

    def _rehearse(self) -> Costs:
        """The cost of every setting that can run here."""
        done: list[Rehearsal] = []
        reason: str | None = None
        enough = self.clock() + (self.until - self.clock()) * ALL_REHEARSALS_SHARE
        for setting, trial in self.trials.items():
            reason = reason or self.probe.enough(done, self.before)
            if self.clock() > enough and any(rehearsal.setting != self.before for rehearsal in done):
                reason = reason or "There was no time left to try it."
            if reason and setting != self.before:
                self.tell(Skipped(setting, reason))
                continue
            left = self.until - self.clock()
            try:
                if left <= 0:
                    raise CannotRunError("the time was over.")
                trial.warm_up(left * REHEARSAL_SHARE)
            except CannotRunError as error:
                self.tell(Skipped(setting, str(error)))
                if setting == self.before:
                    raise NothingToCompareError(f"{setting}, which is recommended, cannot be tried: {error}") from error
                continue
            self._last = setting
            self._repeats(setting)
            cost = self._step_seconds[setting] / (trial.examples if self.probe.per_example else 1)
            done.append(Rehearsal(setting, cost, trial.peak_memory_bytes()))
            self.tell(Rehearsed(setting, cost, trial.peak_memory_bytes()))
            if self.probe.per_example and trial.peak_memory_bytes() > self.memory_bytes / 2:
                reason = reason or "Twice as much might not fit the memory."
        if len(done) < 2:
            raise NothingToCompareError("Apart from the recommended setting, none could be tried.")
        return {rehearsal.setting: rehearsal.cost for rehearsal in done}

    def _search(self, costs: Costs) -> Costs:
        """The median cost of every setting, in a few rounds over all of them, each in another order."""
        until = self.clock() + (self.until - self.clock()) * SEARCH_SHARE
        found: dict[Setting, list[float]] = {setting: [] for setting in costs}
        generator = random.Random(self.seed)  # noqa: S311  reproducible, no secret
        order = list(costs)
        for number in range(SEARCH_ROUNDS):
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

    def _duel(self, rival: Setting) -> None:
        """Pairs in alternating order until a checkpoint decides or the time is over."""
        repeats = self._repeats_of_pair(rival)
        pair_seconds = sum(self._sample_seconds(setting, repeats[setting]) for setting in repeats)
        margins = self.probe.margins(self.before, rival)
        looks = checkpoints()
        look = next(looks)
        pairs: list[tuple[float, float]] = []
        while len(pairs) < MOST_PAIRS and self.clock() + pair_seconds < self.until:
            order = (self.before, rival) if len(pairs) % 2 == 0 else (rival, self.before)
            seconds = {}
            for setting in order:
                if self.clock() >= self.until:
                    return
                seconds[setting] = self._sample(setting, repeats[setting])
                self.tell(Sample(Phase.DUEL, setting, len(pairs), seconds[setting]))
            pairs.append((seconds[self.before], seconds[rival]))
            if len(pairs) == look:
                if compare(pairs, margins, self.seed).verdict is not Verdict.UNDECIDED:
                    return
                look = next(looks, 0)

    def _repeats_of_pair(self, rival: Setting) -> dict[Setting, int]:
        """The same number of steps for both sides, unless the slower one would take very long over it."""
        repeats = {setting: self._repeats(setting) for setting in (self.before, rival)}
        most = max(repeats.values())
        slowest = max(self._step_seconds[setting] for setting in repeats)
        return dict.fromkeys(repeats, most) if most * slowest <= LONGEST_EQUAL_SAMPLE else repeats

    def _sample(self, setting: Setting, repeats: int) -> float:
        """Seconds per step or per example. After another setting a short step is run once untimed."""
        trial = self.trials[setting]
        if setting != self._last and repeats > 1:
            self._time(trial, 1)
        self._last = setting
        seconds = self._time(trial, repeats)
        self._step_seconds[setting] = seconds
        return seconds / trial.examples if self.probe.per_example else seconds

    def _time(self, trial: Trial, repeats: int) -> float:
        """Seconds per step; the end of the time ends the sample after the step that it falls into."""
        begun, done = self.clock(), 0
        while done < repeats and (done == 0 or self.clock() < self.until):
            trial.step()
            done += 1
        trial.finish()
        return (self.clock() - begun) / done

    def _repeats(self, setting: Setting) -> int:
        """How many steps make a sample: doubled until they take long enough, then kept."""
        if setting in self._step_seconds:
            return max(1, round(SHORTEST_SAMPLE / self._step_seconds[setting] + 0.5))
        trial, repeats = self.trials[setting], 1
        while True:
            self._step_seconds[setting] = self._time(trial, repeats)
            if self._step_seconds[setting] * repeats >= SHORTEST_SAMPLE:
                return repeats
            repeats *= 2

    def _sample_seconds(self, setting: Setting, repeats: int | None = None) -> float:
        steps = self._repeats(setting) if repeats is None else repeats
        return self._step_seconds[setting] * (steps + (1 if steps > 1 else 0))
