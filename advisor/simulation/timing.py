"""A scenario in virtual time: what a strategy achieves, without gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

import numpy
from numpy.typing import NDArray

from advisor.distributed.strategies import Kind
from advisor.simulation.lockstep import LockStep, Rounds
from advisor.simulation.result import SHOWN_TURNS, Bin, Doing, Result, Span, Staleness, shown
from advisor.simulation.scenario import Scenario
from advisor.simulation.serving import DROPPED, Serving, Turns

Tell: TypeAlias = Callable[[float], None]
"""Is told the share of the work that is done."""
_BINS = 40
"""Of a histogram, at most."""
_NO_TIME = 1e-100
"""Seconds; a rate for them would be no finite number."""


@dataclass(frozen=True, slots=True)
class Trace:
    """Rounds or turns, in order, for whoever computes the gradients."""

    rounds: tuple[Rounds, ...] = ()
    turns: tuple[Turns, ...] = ()
    units: tuple[range, ...] = ()
    """The workers of each unit that has turns."""
    short: Mapping[int, int] = field(default_factory=dict)
    """The steps of turns that have fewer than others, by their numbers."""


def keeps_step(scenario: Scenario) -> bool:
    """True if the strategy goes in rounds, for which all workers wait, rather than in turns at a server."""
    return scenario.strategy.kind not in (Kind.SERVER, Kind.GROUPS)


def timing(scenario: Scenario, tell: Tell = lambda share: None) -> Result:
    """Simulate the times alone. Raises InputError where failures let the work get nowhere."""
    summary = _summary(scenario)
    for share in summary.shares():
        tell(share)
    return summary.result()


def traced(scenario: Scenario) -> tuple[Result, Trace]:
    """The same, with all that happened: for few workers. Raises InputError as `timing` does."""
    summary = _summary(scenario, keep=True)
    for _ in summary.shares():
        pass
    return summary.result(), summary.trace()


class _Summary(Protocol):
    def shares(self) -> Iterator[float]:
        """Simulate piece by piece: the share that is done."""

    def result(self) -> Result:
        """Afterwards."""

    def trace(self) -> Trace:
        """Afterwards, where it was to be kept."""


def _summary(scenario: Scenario, *, keep: bool = False) -> _Summary:
    return _OfRounds(scenario, keep) if keeps_step(scenario) else _OfTurns(scenario, keep)


class _OfRounds:
    """Sums over rounds."""

    def __init__(self, scenario: Scenario, keep: bool) -> None:
        self._scenario, self._keep = scenario, keep
        self._kept: list[Rounds] = []
        self._engine = LockStep(scenario)
        self._computing, self._end = 0.0, 0.0
        self._updates, self._steps, self._bytes = 0, 0, 0
        self._timeline: tuple[Span, ...] = ()

    def shares(self) -> Iterator[float]:
        for rounds in self._engine.rounds():
            if not self._updates:
                self._timeline = tuple(_spans_of_rounds(rounds, self._scenario.workers))
            if self._keep:
                self._kept.append(rounds)
            self._computing += float(rounds.computed.sum())
            self._end = float(rounds.ends[-1])
            self._updates += len(rounds.ends)
            self._steps += int(rounds.steps.sum())
            self._bytes += rounds.bytes
            yield self._steps / self._scenario.steps

    def trace(self) -> Trace:
        return Trace(rounds=tuple(self._kept))

    def result(self) -> Result:
        scenario, clock = self._scenario, self._engine.clock
        stopped = clock.lost + clock.checkpoints * scenario.faults.checkpoint_cost
        waited = (self._end - stopped) * scenario.workers - self._computing
        stale = _staleness(numpy.array([self._updates]))
        taken = numpy.full(scenario.workers, self._steps)
        return _result(
            scenario, self._end, self._steps * scenario.workers, self._updates, taken * scenario.batch, stale,
            waited, self._end * scenario.workers, self._bytes, self._timeline,
            clock.failures, clock.checkpoints, clock.lost * scenario.workers,
        )  # fmt: skip


class _OfTurns:
    """Sums over turns."""

    def __init__(self, scenario: Scenario, keep: bool) -> None:
        self._scenario, self._keep = scenario, keep
        self._kept: list[Turns] = []
        self._engine = Serving(scenario)
        self._stale = numpy.zeros(1, numpy.int64)
        self._turns = numpy.zeros((2, len(self._engine.units)), numpy.int64)
        """Of each unit: all, and those whose gradient was applied."""
        self._updates = 0
        self._times: dict[int, tuple[float, float]] = {}
        """Of the first turns: when the gradient arrived, and when it was applied."""

    def shares(self) -> Iterator[float]:
        units = len(self._engine.units)
        for turns in self._engine.turns():
            if self._keep:
                self._kept.append(turns)
            applied = turns.updates != DROPPED
            self._stale = _added(self._stale, numpy.bincount((turns.updates - turns.pulled)[applied]))
            self._updates = max(self._updates, int(turns.updates.max(initial=DROPPED)) + 1)
            for row, chosen in zip(self._turns, (turns.numbers, turns.numbers[applied]), strict=True):
                row += numpy.bincount(chosen % units, minlength=units)
            for place in numpy.flatnonzero(turns.numbers < SHOWN_TURNS * units):
                times = float(turns.arrived[place]), float(turns.applied[place])
                self._times[int(turns.numbers[place])] = times
            yield min(1.0, float(self._steps(1).sum()) / (self._scenario.workers * self._scenario.steps))

    def trace(self) -> Trace:
        return Trace(turns=tuple(self._kept), units=tuple(self._engine.units), short=self._engine.work.short)

    def _steps(self, place: int) -> NDArray[numpy.int64]:
        """Of each worker (workers,): all, or with 1 those whose gradient was applied."""
        work = self._engine.work
        steps = self._turns[place] * work.every
        for number, fewer in work.short.items():
            steps[number % len(steps)] += fewer - work.every
        return numpy.repeat(steps, [len(members) for members in work.units])

    def result(self) -> Result:
        scenario, engine = self._scenario, self._engine
        seconds = max(engine.ends)
        there = sum(len(members) * end for members, end in zip(engine.units, engine.ends, strict=True))
        if scenario.strategy.name == "backup_workers":  # whoever is at work then stops
            there = seconds * scenario.workers
        lost = engine.absences.lost if engine.absences else 0.0
        messages = int(self._turns[0].sum()) + engine.answers
        return _result(
            scenario, seconds, int(self._steps(0).sum()), self._updates, self._steps(1) * scenario.batch,
            _staleness(self._stale), there - engine.work.seconds - lost, there,
            messages * engine.message_bytes + int(self._turns[0] @ numpy.array(engine.inside_bytes)),
            tuple(_spans_of_turns(engine, self._times)),
            engine.absences.failures if engine.absences else 0, engine.checkpoints, lost,
        )  # fmt: skip


def _result(
    scenario: Scenario,
    seconds: float,
    steps: int,
    updates: int,
    examples: NDArray[numpy.int64],
    staleness: Staleness,
    waited: float,
    there: float,
    sent: int,
    timeline: tuple[Span, ...],
    failures: int,
    checkpoints: int,
    lost: float,
) -> Result:
    total = int(examples.sum())
    return Result(
        strategy=str(scenario.strategy),
        workers=scenario.workers,
        seconds=seconds,
        steps=steps,
        updates=updates,
        examples=total,
        examples_per_s=total / seconds if seconds > _NO_TIME else None,
        staleness=staleness,
        waiting_share=min(max(waited / there, 0.0), 1.0) if there else 0.0,
        bytes=sent,
        worker_examples=tuple(examples.tolist()),
        timeline=timeline,
        failures=failures,
        checkpoints=checkpoints,
        lost_seconds=lost,
    )


def _staleness(counts: NDArray[numpy.int64]) -> Staleness:
    """Of gradients, by how many there are of each staleness from 0 on."""
    below = counts.cumsum()
    most = int(counts.nonzero()[0].max(initial=0))
    width = -(-(most + 1) // _BINS)
    bins = [
        Bin(least, min(least + width - 1, most), int(counts[least : least + width].sum()))
        for least in range(0, most + 1, width)
    ]
    total = int(below[-1])
    mean = float(counts @ numpy.arange(len(counts)) / total) if total else 0.0
    median, p95 = (float(numpy.searchsorted(below, share * total)) for share in (0.5, 0.95))
    return Staleness(mean, median, p95, most, tuple(bins))


def _added(one: NDArray[numpy.int64], other: NDArray[numpy.int64]) -> NDArray[numpy.int64]:
    found = numpy.zeros(max(len(one), len(other)), numpy.int64)
    found[: len(one)] += one
    found[: len(other)] += other
    return found


def _spans_of_rounds(rounds: Rounds, workers: int) -> Iterator[Span]:
    """The first rounds: computing, waiting until all are ready, exchanging. What failures took is among the waiting."""
    for worker in sorted(shown(workers)):
        for place in range(min(SHOWN_TURNS, len(rounds.ends))):
            begin, end = float(rounds.begins[place]), float(rounds.ends[place])
            done = begin + float(rounds.computed[worker, place])
            ready = min(max(begin + float(rounds.gathered[place]), done), end)
            yield from _spans(worker, [begin, done, ready, end], [Doing.COMPUTING, Doing.WAITING, Doing.EXCHANGING])


def _spans_of_turns(engine: Serving, times: dict[int, tuple[float, float]]) -> Iterator[Span]:
    """The first turns: computing, waiting for the group, on the way, waiting, applied, waiting for the answer, on the way back,
    and waiting until the next may begin."""
    begins = {(worker, number): begin for number, worker, begin, _ in engine.work.spans}
    units, message = len(engine.units), engine.message_seconds
    takes = message + engine.apply_seconds
    for number, worker, begin, end in sorted(engine.work.spans, key=lambda one: (one[1], one[0])):
        if number not in times:
            continue
        arrived, applied = times[number]
        sent = engine.answered.get(number, applied + message)
        back = sent + engine.back[number % units]
        follows = begins.get((worker, number + units), back)
        marks = [
            begin, end, arrived - engine.there[number % units], arrived, applied - takes, applied, sent - message, back, follows
        ]  # fmt: skip
        doing = [Doing.COMPUTING, *([Doing.WAITING, Doing.EXCHANGING] * 3), Doing.WAITING]
        yield from _spans(worker, marks, doing)


def _spans(worker: int, marks: list[float], doing: list[Doing]) -> Iterator[Span]:
    """The whiles between marks; rounding may have put them out of order."""
    begin = marks[0]
    for end, what in zip(marks[1:], doing, strict=True):
        if end > begin:
            yield Span(worker, begin, end, what)
            begin = end
