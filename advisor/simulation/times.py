"""The times of steps, drawn.

Every worker has a stream of its own, so that its k-th step takes the same time under every strategy, and whatever the number of
other workers.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy
from numpy.random import PCG64, Generator, SeedSequence
from numpy.typing import NDArray

from advisor.simulation.scenario import Law, Scenario, StepTime

Seconds: TypeAlias = NDArray[numpy.float64]
AT_ONCE = 1_000_000
"""Times that are held at once, about."""
_FILLED: Mapping[Law, Callable[[Generator, Seconds, float], Any]] = MappingProxyType({
    Law.EXPONENTIAL: lambda drawn, out, _: drawn.standard_exponential(out=out),
    Law.LOGNORMAL: lambda drawn, out, _: drawn.standard_normal(out=out),
    Law.GAMMA: lambda drawn, out, spread: drawn.standard_gamma(spread**-2, out=out),
    Law.SAMPLES: lambda drawn, out, _: drawn.random(out=out),
})  # fmt: skip
_NO_SPREAD = 1e-6
_MOST_PAUSES = 1e12
"""In a step, on average: more cannot be drawn."""
_STEPS, _PAUSES = 0, 1
"""Streams of a worker."""


class StepTimes:
    """The seconds of the next steps of each worker, with pauses; a straggler's as many times as long, unless workers share cores:
    then what it takes longer is no work for a core."""

    def __init__(self, scenario: Scenario) -> None:
        self._time: StepTime = scenario.step_time
        self._seed, self._workers = scenario.seed, scenario.workers
        self._straggler = scenario.straggler if scenario.cores is None else 1.0
        self.first = numpy.full(self._workers, scenario.after_exchange)
        """Of each worker (workers,): the seconds that the first step of a turn takes longer."""
        self.first[-1] *= self._straggler
        self._faults = scenario.faults
        self._samples = [numpy.asarray(some, numpy.float64) for some in self._time.samples]
        self._fixed = self._time.law is Law.CONSTANT or (self._time.law in _SPREAD and self._time.spread < _NO_SPREAD)
        self._steps = self._streams(_STEPS) if not self._fixed else []
        self._pauses = self._streams(_PAUSES) if self._faults.pauses_per_second * self._faults.pause else []

    def _streams(self, which: int) -> Sequence[Generator]:
        return [Generator(PCG64(SeedSequence(self._seed, spawn_key=(one, which)))) for one in range(self._workers)]

    def next(self, count: int) -> Seconds:
        """So many steps of every worker: (workers, count)."""
        drawn = numpy.empty((self._workers, count))
        for worker, row in enumerate(drawn):
            self._draw(worker, row)
        return drawn

    def of(self, worker: int, count: int) -> Seconds:
        """So many steps of one worker: (count,)."""
        row = numpy.empty(count)
        self._draw(worker, row)
        return row

    def turns(self, steps: Iterable[int]) -> Iterator[Seconds]:
        """The seconds of turns of so many steps each, many turns at a time: (workers, turns)."""
        return (seconds + self.first[:, None] for seconds in self._turns(steps))

    def _turns(self, steps: Iterable[int]) -> Iterator[Seconds]:
        """Without what the first step of a turn takes longer."""
        most = max(1, AT_ONCE // self._workers)
        for some in _batches(steps, most):
            if len(some) == 1:
                parts = [min(most, some[0] - done) for done in range(0, some[0], most)]
                yield sum((self.next(part).sum(1, keepdims=True) for part in parts), numpy.zeros((self._workers, 1)))
            else:
                drawn = self.next(sum(some))
                starts = [0, *itertools.accumulate(some)][:-1]
                yield drawn if len(starts) == drawn.shape[1] else numpy.add.reduceat(drawn, starts, axis=1)

    def _draw(self, worker: int, row: Seconds) -> None:
        if self._fixed:
            row.fill(self._time.seconds)
        else:
            _FILLED[self._time.law](self._steps[worker], row, self._time.spread)
            self._scale(worker, row)
        if worker == self._workers - 1:
            row *= self._straggler
        if self._pauses:
            expected = numpy.minimum(self._faults.pauses_per_second * row, _MOST_PAUSES)
            row += self._faults.pause * self._pauses[worker].poisson(expected)

    def _scale(self, worker: int, row: Seconds) -> None:
        time = self._time
        if time.law is Law.SAMPLES:
            samples = self._samples[worker % len(self._samples)]
            row[:] = samples[(row * len(samples)).astype(numpy.intp)]
            return
        if time.law is Law.LOGNORMAL:
            row *= time.spread
            numpy.exp(row, out=row)
        elif time.law is Law.GAMMA:
            row *= time.spread**2
        row *= time.seconds


_SPREAD = (Law.LOGNORMAL, Law.GAMMA)


def _batches(steps: Iterable[int], most: int) -> Iterator[Sequence[int]]:
    """Turns in pieces of at most so many steps, one turn at least."""
    piece: list[int] = []
    held = 0
    for one in steps:
        if piece and held + one > most:
            yield piece
            piece, held = [], 0
        piece.append(one)
        held += one
    if piece:
        yield piece
