"""The workers, or groups of them, that compute for a parameter server: when each of their turns is done.

A turn is what happens from a pull to the push. The k-th turn of unit u, of n units (workers or groups), has the number k*n + u.
Whoever is ready takes a turn, until all steps are taken.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from enum import IntEnum
from heapq import heappop, heappush
from typing import Protocol

import numpy

from advisor.simulation.faults import Absences
from advisor.simulation.result import SHOWN_TURNS, shown
from advisor.simulation.scenario import Scenario
from advisor.simulation.sharing import Core
from advisor.simulation.times import StepTimes

_DRAWN = 128
"""Times of steps that are drawn at once for a worker."""


class Computing(Protocol):
    """Turns that are begun, and come to their end in the order of time."""

    def begin(self, at: float, number: int) -> None:
        """Let a unit begin a turn at this time, unless all steps are taken."""

    def following(self) -> tuple[float, int]:
        """The turn that is done next: when its gradient is at the server, and its number.

        Minus the number, minus one, where a worker that was away is back, asks for the weights, and is to begin the turn anew.
        Raises IndexError where nothing is under way.
        """

    def unfinished(self, end: float) -> float:
        """The seconds that the sum of all computing lacks, if all stop at this time."""


class Work:
    """The steps that are left, and the seconds that each turn takes.

    Args:
        units: the workers of each.
    """

    def __init__(self, scenario: Scenario, units: Sequence[range]) -> None:
        self.units = units
        self.every = scenario.strategy.whole("every")
        """Steps of a turn."""
        self.short: dict[int, int] = {}
        """The steps of turns that have fewer: one is the last to be taken."""
        self.seconds = 0.0
        """Of computing, of all workers so far, alone or with others on a core."""
        self.spans: list[tuple[int, int, float, float]] = []
        """For pictures: a turn, a worker, when it began to compute and when it was done."""
        self._left = math.inf if "backups" in scenario.strategy.settings else scenario.workers * scenario.steps
        self._times = StepTimes(scenario)
        self._first = self._times.first.tolist() if self.every > 1 else [0.0] * scenario.workers
        """Of each worker: what the first of several steps takes longer."""
        self._each = self._times.first if self.every == 1 else numpy.zeros(scenario.workers)
        """The same where every step is the first."""
        self._drawn = [array("d") for _ in range(scenario.workers)]
        self._shown = shown(scenario.workers)

    def take_step(self, worker: int) -> float | None:
        """Take one step, the whole turn of one worker: its seconds; None where all steps are taken."""
        if self._left <= 0:
            return None
        self._left -= 1
        try:
            seconds = self._drawn[worker].pop()
        except IndexError:
            seconds = self._step(worker)
        self.seconds += seconds
        return seconds

    def take(self, number: int) -> Sequence[float]:
        """Take the steps of a turn: the seconds of each worker of the unit; none where all steps are taken."""
        if self._left <= 0:
            return ()
        members = self.units[number % len(self.units)]
        steps = self.every if self._left >= self.every * len(members) else -(-int(self._left) // len(members))
        self._left -= steps * len(members)
        if steps < self.every:
            self.short[number] = steps
        return [self._first[worker] + sum(self._step(worker) for _ in range(steps)) for worker in members]

    def show(self, number: int, worker: int, begin: float, end: float) -> None:
        """Note for pictures what a worker did in one of its first turns."""
        if number < SHOWN_TURNS * len(self.units) and worker in self._shown:
            self.spans.append((number, worker, begin, end))

    def _step(self, worker: int) -> float:
        try:
            return self._drawn[worker].pop()
        except IndexError:
            drawn = self._times.of(worker, _DRAWN) + self._each[worker]
            self._drawn[worker] = array("d", drawn[::-1].tobytes())
            return self._drawn[worker].pop()


class Alone:
    """Every worker computes on a core of its own.

    Args:
        leads: for each unit the seconds from the end of its computing until its gradient is at the server.
        absences: None where no worker fails or is taken away.
    """

    def __init__(self, work: Work, leads: Sequence[float], absences: Absences | None = None) -> None:
        self._work, self._leads, self._absences = work, leads, absences
        self._units = len(work.units)
        self._events: list[tuple[float, int]] = []
        self._again: dict[int, Sequence[float]] = {}
        """Turns whose workers are to begin anew, with their seconds."""
        self._first = SHOWN_TURNS * self._units
        self._simple = absences is None and work.every == 1 and len(set(leads)) == 1 and max(map(len, work.units)) == 1
        """The case with the most turns."""
        self._lead = leads[0]

    def begin(self, at: float, number: int) -> None:
        if not self._simple:
            self._begin(at, number)
            return
        seconds = self._work.take_step(number % self._units)
        if seconds is not None:
            if number < self._first:
                self._work.show(number, number % self._units, at, at + seconds)
            heappush(self._events, (at + seconds + self._lead, number))

    def _begin(self, at: float, number: int) -> None:
        seconds = self._again.pop(number, None) or self._work.take(number)
        if not seconds:
            return
        unit = number % self._units
        if self._absences is not None:
            members = zip(self._work.units[unit], seconds, strict=True)
            backs = [back for one, its in members if (back := self._absences.back(one, at, its)) is not None]
            if backs:
                self._again[number] = seconds
                heappush(self._events, (max(backs) + self._leads[unit], ~number))
                return
        self._work.seconds += sum(seconds)
        if number < self._first:
            for worker, its in zip(self._work.units[unit], seconds, strict=True):
                self._work.show(number, worker, at, at + its)
        heappush(self._events, (at + max(seconds) + self._leads[unit], number))

    def following(self) -> tuple[float, int]:
        return heappop(self._events)

    def unfinished(self, end: float) -> float:
        done = ((at - self._leads[number % self._units], len(self._work.units[number % self._units]))
                for at, number in self._events if number >= 0)  # fmt: skip
        return sum(members * min(0.0, end - at) for at, members in done)


class OnCores:
    """Workers that share cores.

    Args:
        leads: as of `Alone`.
        cores: of each worker.
        straggler: the last worker takes so many times as long; what it takes longer loads no core.
    """

    def __init__(self, work: Work, leads: Sequence[float], cores: Sequence[int], straggler: float) -> None:
        self._work, self._leads, self._of, self._straggler = work, leads, cores, straggler
        self._last = len(cores) - 1
        self._units = len(work.units)
        self._cores = {number: Core(straggler) for number in set(cores)}
        self._events: list[tuple[float, int, _Event, int, int]] = []
        """The time, the turn, what happens, on which core, and the core's changes when it was predicted."""
        self._seconds: dict[int, Sequence[float]] = {}
        """Of turns that are to begin."""
        self._begun: dict[int, float] = {}
        """When turns that are computed began."""
        self._waits: dict[int, int] = {}
        """Workers that are not done with their turn."""

    def begin(self, at: float, number: int) -> None:
        if seconds := self._work.take(number):
            self._seconds[number] = seconds
            heappush(self._events, (at, number, _Event.BEGIN, 0, 0))

    def following(self) -> tuple[float, int]:
        while True:
            at, number, event, core, changes = heappop(self._events)
            match event:
                case _Event.ARRIVE:
                    return at, number
                case _Event.BEGIN:
                    self._compute(at, number)
                case _ if changes == self._cores[core].changes:
                    self._end(at, core)

    def unfinished(self, end: float) -> float:
        return sum(max(0.0, end - self._begun[number]) * waits for number, waits in self._waits.items())

    def _compute(self, at: float, number: int) -> None:
        members, seconds = self._work.units[number % self._units], self._seconds.pop(number)
        self._begun[number], self._waits[number] = at, len(members)
        for worker, its in zip(members, seconds, strict=True):
            core = self._of[worker]
            slow = worker == self._last and self._straggler > 1
            self._cores[core].begin(at, number, worker, its, slow=slow)
            self._foretell(core)

    def _end(self, at: float, core: int) -> None:
        number, worker = self._cores[core].end(at)
        self._foretell(core)
        self._work.seconds += at - self._begun[number]
        self._work.show(number, worker, self._begun[number], at)
        self._waits[number] -= 1
        if not self._waits[number]:
            del self._waits[number], self._begun[number]
            heappush(self._events, (at + self._leads[number % self._units], number, _Event.ARRIVE, 0, 0))

    def _foretell(self, core: int) -> None:
        foretold = self._cores[core].foretold()
        if foretold is not None:
            heappush(self._events, (*foretold, _Event.END, core, self._cores[core].changes))


class _Event(IntEnum):
    BEGIN = 0
    END = 1
    ARRIVE = 2
