"""Strategies in which all workers wait for each other, in rounds: from one exchange to the next. Numpy, many rounds at a time."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy
from numpy.typing import NDArray

from advisor.distributed.strategies import Kind
from advisor.simulation.exchange import BACKWARD, IN_BUCKETS, OVERLAPPED, averaging, bucket_shares, hop_seconds
from advisor.simulation.faults import Clock
from advisor.simulation.scenario import Scenario
from advisor.simulation.sharing import together
from advisor.simulation.times import Seconds, StepTimes


@dataclass(frozen=True, slots=True)
class Rounds:
    """Some rounds, one after the other."""

    begins: Seconds
    """(rounds,)"""
    ends: Seconds
    """(rounds,): all have the new weights."""
    gathered: Seconds
    """(rounds,): the seconds from a beginning until the exchange alone is left."""
    computed: Seconds
    """(workers, rounds): seconds from the beginning of a round in which the worker computes."""
    steps: NDArray[numpy.int64]
    """(rounds,): of each worker."""
    bytes: int


class LockStep:
    """The rounds of a scenario. `clock` says what failures took."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.clock = Clock(scenario.faults, scenario.workers, scenario.seed)
        self._every = scenario.strategy.whole("every")
        self._exchange = averaging(scenario)
        in_buckets = scenario.bucket_bytes is not None and scenario.strategy.name in IN_BUCKETS
        self._buckets = bucket_shares(scenario) if in_buckets else None
        self._gather = _Pipelines(scenario).gather if scenario.strategy.kind is Kind.PIPELINE else _slowest

    def rounds(self) -> Iterator[Rounds]:
        """All of them, in order."""
        scenario = self.scenario
        whole, rest = divmod(scenario.steps, self._every)
        sizes = itertools.chain(itertools.repeat(self._every, whole), [rest] if rest else [])
        overlap = scenario.overlap if scenario.strategy.name in OVERLAPPED else 0.0
        for seconds in StepTimes(scenario).turns(sizes):
            steps = numpy.full(seconds.shape[1], self._every)
            whole -= len(steps)
            if whole < 0:
                steps[-1] = rest
            computed = together(seconds, scenario.cores, scenario.straggler)
            gathered = self._gather(computed)
            lasted = (
                gathered + numpy.maximum(0.0, self._exchange.seconds - overlap * gathered / steps)
                if self._buckets is None
                else gathered + _left_over(self._buckets, self._exchange.seconds, gathered / steps)
            )
            begins, ends = self.clock.rounds(lasted)
            yield Rounds(begins, ends, gathered, computed, steps, self._exchange.bytes * len(ends))


def _left_over(shares: Sequence[float], exchange: float, step: Seconds) -> Seconds:
    """The seconds of an exchange that are left when the backward pass ends, of steps (rounds,).

    A bucket is exchanged when it is full and those before it are done: so the exchange ends by the latest of the times at
    which one bucket is full and all from it on take their turn.
    """
    filled, latest = 0.0, numpy.zeros_like(step)
    for share in shares:
        before, filled = filled, filled + share
        latest = numpy.maximum(latest, exchange * (1 - before) - BACKWARD * step * (1 - filled))
    return latest


def _slowest(seconds: Seconds) -> Seconds:
    slowest: Seconds = seconds.max(axis=0)
    return slowest


class _Pipelines:
    """Stages one after the other: parts of a batch pass through them, the slowest sets the pace.

    All parts of a stage take as long: the last one leaves after the first has passed through all stages, and all others
    through the slowest (a flow line without variation). With equal stages the share (p-1)/(m+p-1) of the time is idle, of p
    stages and m parts (Huang et al. 2019, section 2.3).
    """

    def __init__(self, scenario: Scenario) -> None:
        self._stages, self._parts = scenario.strategy.whole("stages"), scenario.strategy.whole("parts")
        self._hops = numpy.array(hop_seconds(scenario))[:, None]
        """(stages, 1)"""

    def gather(self, seconds: Seconds) -> Seconds:
        """The seconds of all stages (workers, rounds) -> those of the slowest pipeline (rounds,)."""
        stages = seconds.reshape(-1, self._stages, seconds.shape[1]) / self._parts + self._hops
        passed = stages.sum(axis=1) + (self._parts - 1) * stages.max(axis=1)
        return _slowest(passed)
