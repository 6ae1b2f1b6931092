"""Strategies with a parameter server: pushes in the order in which they arrive, and what they are answered."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from struct import Struct
from typing import Protocol

import numpy
from numpy.typing import NDArray

from advisor.distributed.strategies import Kind
from advisor.simulation.computing import Alone, Computing, OnCores, Work
from advisor.simulation.exchange import Exchange, broadcast, ring
from advisor.simulation.faults import Absences
from advisor.simulation.result import SHOWN_TURNS
from advisor.simulation.scenario import Scenario
from advisor.simulation.times import Seconds

DROPPED = -1
"""In place of the number of an update."""
QUEUED = 65_536
"""Bytes of an answer that lie in the queue of a link, before what the server asks of the next worker: as measured between
workers with gloo on links of 100 Mbit/s, messages of 36 and of 340 kB."""
_AT_ONCE = 65_536
"""Turns that are told at once, about."""
_ROW = Struct("=qddqq")
_COLUMNS = numpy.dtype([(name, {"q": "i8", "d": "f8"}[kind]) for name, kind in zip(
    ("number", "arrived", "applied", "pulled", "update"), "qddqq", strict=True)])  # fmt: skip
"""The same, as numpy has it, in the order of `Turns`."""


@dataclass(frozen=True, slots=True)
class Turns:
    """Some turns, in the order in which the server applied or dropped their gradients; arrays are (turns,)."""

    numbers: NDArray[numpy.int64]
    """The k-th turn of unit u, of n units, has the number k*n + u."""
    arrived: Seconds
    """The gradient is at the server's link."""
    applied: Seconds
    """It is in the weights, or dropped."""
    pulled: NDArray[numpy.int64]
    """Updates that the weights had by which it was computed."""
    updates: NDArray[numpy.int64]
    """The update that it was part of, counted from 0, or DROPPED."""


def units(scenario: Scenario) -> list[range]:
    """The workers of each unit that talks to the server: each of its own, or groups of neighbours, the first ones larger by one
    where they cannot be equal."""
    workers = scenario.workers
    groups = scenario.strategy.whole("groups") if scenario.strategy.kind is Kind.GROUPS else workers
    size, more = divmod(workers, groups)
    cuts = [group * size + min(group, more) for group in range(groups + 1)]
    return [range(begin, end) for begin, end in pairwise(cuts)]


class Serving:
    """The turns of a scenario at the server.

    The server's link carries one push after the other, and one answer after the other. A push begins when the server asks for it,
    as with gloo, and while an answer is under way, that waits behind as much of it as lies in the queue of the link, at most
    QUEUED bytes: small messages so take turns in both directions, large ones hardly. What is asked for comes after the latency.
    Between the two it applies one gradient after the other. All weights are in every message. A group averages its gradient by
    a ring, its first worker pushes, and tells the others what it pulled by a tree. One group alone needs no server. Of several
    servers each has its share of the weights, and a link of its own.
    """

    def __init__(self, scenario: Scenario) -> None:
        self.units = units(scenario)
        alone = scenario.strategy.kind is Kind.GROUPS and len(self.units) == 1
        link, size = scenario.link, 0 if alone else scenario.size
        latency = 0.0 if alone else link.latency
        inside = [ring(len(members), scenario.size, scenario.inside) for members in self.units]
        told = [Exchange() if alone else broadcast(len(members), size, scenario.inside) for members in self.units]
        part = -(-size // scenario.servers)
        """Of each server."""
        rest = link.seconds(size - part)
        """Of a worker's own link, that carries the parts of all servers."""
        self.there = [latency + one.seconds + rest for one in inside]
        """For each unit the seconds from the end of its computing until its gradient is at the server's link."""
        self.back = [latency + one.seconds + rest for one in told]
        """For each the seconds from the server's link until all of it can begin."""
        self.message_seconds = link.seconds(part)
        self.apply_seconds = 0.0 if alone else scenario.apply_seconds / scenario.servers
        usual = link.seconds(min(part, QUEUED)) + latency
        self._between_pushes = usual if scenario.between_pushes is None or alone else scenario.between_pushes
        self.message_bytes = size
        self.inside_bytes = [one.bytes + other.bytes for one, other in zip(inside, told, strict=True)]
        """Bytes that a turn of each unit sends without those to and from the server."""
        self.work = Work(scenario, self.units)
        self.absences = Absences(scenario.faults, scenario.workers, scenario.seed) if scenario.faults.leaves else None
        self.ends = [0.0] * len(self.units)
        """When each unit had its last answer, or its last gradient was applied."""
        self.answered: dict[int, float] = {}
        """Of the first turns: when the answer left the server."""
        self.checkpoints, self.answers = 0, 0
        """So far."""
        self._faults = scenario.faults
        self._rule = _rule(scenario)
        self._most = scenario.steps if isinstance(self._rule, _Backups) else None
        """Updates, after which all stop; None to go on until all steps are taken."""
        self._computing: Computing = (
            Alone(self.work, self.there, self.absences) if scenario.cores is None
            else OnCores(self.work, self.there, scenario.cores, scenario.straggler)
        )  # fmt: skip

    def turns(self) -> Iterator[Turns]:
        """All turns. Raises InputError where failures let the work get nowhere."""
        begin, following, push = self._computing.begin, self._computing.following, self._rule.push
        count, message, apply, back, ends = (
            len(self.units), self.message_seconds, self.apply_seconds, self.back, self.ends,
        )  # fmt: skip
        every = self._faults.checkpoint_every or math.inf
        checkpoint, received, sent, posted, clear, free, done, answers = every, 0.0, 0.0, 0.0, 0.0, 0.0, 0, 0
        between = self._between_pushes
        versions, since, first = [0] * count, [0.0] * count, SHOWN_TURNS * count
        rows, kept = _Rows(), list[tuple[int, float, int]]()
        for unit in range(count):
            begin(0.0, unit)
        while done != self._most:
            try:
                now, number = following()
            except IndexError:
                break
            if number < 0:
                ready: Sequence[int] = (~number,)
                free = max(now, received, free)
            else:
                unit = number % count
                if now > received:
                    received = now
                if posted > received:
                    received = posted
                if received < clear:
                    received = min(received + between, clear)
                received += message
                if received > free:
                    free = received
                if free == since[unit]:  # nothing comes between a pull and a push at the same moment
                    versions[unit] = done
                if free >= checkpoint:
                    free += self._faults.checkpoint_cost
                    checkpoint = free + every
                    self.checkpoints += 1
                does, ready = push(number, versions[unit] == done)
                if does is _Does.APPLY:
                    free += apply
                    if kept:
                        for row in kept:
                            rows.add(row[0], row[1], free, row[2], done)
                        kept.clear()
                    rows.add(number, now, free, versions[unit], done)
                    done += 1
                elif does is _Does.DROP:
                    rows.add(number, now, free, versions[unit], DROPPED)
                else:
                    kept.append((number, now, versions[unit]))
                ends[unit] = free
            for turn in ready:
                unit = turn % count
                versions[unit], since[unit] = done, free
                posted = free
                if free > sent:
                    sent = free
                clear = sent + max(between, message)
                sent += message
                ends[unit] = at = sent + back[unit]
                answers += 1
                if count <= turn < first and number >= 0:
                    self.answered[turn - count] = sent
                begin(at, turn)
            if rows.full:
                yield rows.told()
        self.answers = answers
        self.work.seconds += self._computing.unfinished(max(ends))
        yield rows.told()


class _Rows:
    """Turns that are not told yet, as they lie in memory: a list of Python's numbers takes longer to become an array."""

    def __init__(self) -> None:
        self._memory = bytearray(_ROW.size * 2 * _AT_ONCE)
        self._end = 0

    @property
    def full(self) -> bool:
        return self._end >= _ROW.size * _AT_ONCE

    def add(self, number: int, arrived: float, applied: float, pulled: int, update: int) -> None:
        _ROW.pack_into(self._memory, self._end, number, arrived, applied, pulled, update)
        self._end += _ROW.size

    def told(self) -> Turns:
        """All of them, which are then forgotten."""
        rows = numpy.frombuffer(self._memory, _COLUMNS, self._end // _ROW.size)
        self._end = 0
        return Turns(*(rows[name].copy() for name in _COLUMNS.names or ()))


class _Does(Enum):
    """The server's, with a gradient."""

    APPLY = "it is applied, with those that were kept"
    KEEP = "it is kept"
    DROP = "it is dropped"


class _Rule(Protocol):
    """Says what a server does with gradients, and who may go on."""

    def push(self, number: int, fresh: bool) -> tuple[_Does, Sequence[int]]:
        """For the gradient of a turn: what is done with it, and the turns that may begin now.

        Args:
            fresh: whether nothing was applied since the weights were pulled by which it was computed.
        """


def _rule(scenario: Scenario) -> _Rule:
    settings, workers = scenario.strategy.settings, len(units(scenario))
    if "bound" in settings:
        return _Bound(scenario.strategy.whole("bound"), workers)
    if "backups" in settings:
        return _Backups(workers - scenario.strategy.whole("backups"), workers)
    return _Everyone(workers)


class _Everyone:
    """All gradients are applied as they come, and nobody waits for others."""

    def __init__(self, units: int) -> None:
        self._units = units

    def push(self, number: int, fresh: bool) -> tuple[_Does, Sequence[int]]:
        return _Does.APPLY, (number + self._units,)


class _Bound:
    """A worker begins step t, and pulls for it, only when all have finished step t-1-bound (Ho et al. 2013)."""

    def __init__(self, bound: int, workers: int) -> None:
        self._bound, self._workers = bound, workers
        self._all = 0
        """Steps that all workers have finished."""
        self._finished: Counter[int] = Counter()
        """Workers that have finished a step, by step."""
        self._waiting: defaultdict[int, list[int]] = defaultdict(list)
        """Turns, by the step, that wait for others."""

    def push(self, number: int, fresh: bool) -> tuple[_Does, Sequence[int]]:
        step = number // self._workers
        before = self._all
        self._finished[step] += 1
        while self._finished[self._all] == self._workers:
            del self._finished[self._all]
            self._all += 1
        if step >= self._all + self._bound:
            self._waiting[step + 1].append(number + self._workers)
            return _Does.APPLY, ()
        if self._all == before:
            return _Does.APPLY, (number + self._workers,)
        free = range(before + self._bound + 1, self._all + self._bound + 1)
        waited = [turn for one in free for turn in self._waiting.pop(one, ())]
        return _Does.APPLY, sorted([*waited, number + self._workers])


class _Backups:
    """An update is made of the first gradients that come; whoever comes later has it dropped, and goes on with new weights
    (Chen et al. 2016)."""

    def __init__(self, wanted: int, workers: int) -> None:
        self._wanted, self._workers = wanted, workers
        self._waiting: list[int] = []

    def push(self, number: int, fresh: bool) -> tuple[_Does, Sequence[int]]:
        if not fresh:
            return _Does.DROP, (number + self._workers,)
        self._waiting.append(number + self._workers)
        if len(self._waiting) < self._wanted:
            return _Does.KEEP, ()
        ready, self._waiting = sorted(self._waiting, key=lambda turn: turn % self._workers), []
        return _Does.APPLY, ready
