"""Workers that compute at the same time on one core, which they share equally: processor sharing (Kleinrock 1976, 4.4).

A straggler computes for a share of its time and rests for the others: so it never takes more of a core than that share, and who
computes beside it has what it leaves.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from heapq import heappop, heappush

import numpy

from advisor.simulation.times import Seconds


def together(seconds: Seconds, cores: Sequence[int] | None, straggler: float) -> Seconds:
    """When each is done, of workers that all begin at once.

    Of m on a core, the j-th to be done has by then had as much of it as each that is not done, and those before all they needed:
    it is done after the sum of the times up to its own, and m-j times its own.

    Args:
        seconds: that each needs alone, (workers, turns).
        cores: of each worker; None if each has one of its own, and is as slow as it is.
        straggler: the last worker takes so many times as long; what it takes longer loads no core.
    """
    if cores is None:
        return seconds
    done = seconds.copy()
    for core in set(cores):
        mine = [worker for worker, its in enumerate(cores) if its == core]
        if mine[-1] == len(cores) - 1 and straggler > 1:
            done[mine] = _beside_straggler(seconds[mine], straggler)
        elif len(mine) > 1:
            done[mine] = _shared(seconds[mine])
    return done


def _shared(seconds: Seconds) -> Seconds:
    """When each of those on one core is done, (workers, turns)."""
    order = seconds.argsort(axis=0, kind="stable")
    needed = numpy.take_along_axis(seconds, order, axis=0)
    others = numpy.arange(len(seconds))[::-1, None]
    done = numpy.empty_like(needed)
    numpy.put_along_axis(done, order, numpy.cumsum(needed, axis=0) + others * needed, axis=0)
    return done


def _beside_straggler(seconds: Seconds, straggler: float) -> Seconds:
    """The same where the last of them is the straggler. One is done after the other."""
    order = seconds[:-1].argsort(axis=0, kind="stable")
    needed, left = numpy.take_along_axis(seconds[:-1], order, axis=0), seconds[-1].copy()
    count, turns = needed.shape
    at, had, place = numpy.zeros(turns), numpy.zeros(turns), numpy.zeros(turns, numpy.int64)
    goes = numpy.ones(turns, dtype=bool)
    sorted_, last, every = numpy.empty_like(needed), numpy.zeros(turns), numpy.arange(turns)
    for _ in range(count + 1):
        others = count - place
        share = numpy.where(goes, numpy.minimum(1 / straggler, 1 / (others + 1)), 0.0)
        rate = (1 - share) / numpy.maximum(others, 1)
        following = needed[numpy.minimum(place, count - 1), every] - had if count else numpy.zeros(turns)
        first = numpy.where(others > 0, following / rate, math.inf)
        slow = numpy.where(goes, left / numpy.where(goes, share, 1.0), math.inf)
        passed = numpy.minimum(first, slow)
        at, had, left = at + passed, had + rate * passed, left - share * passed
        ends = slow <= first
        last[ends], goes[ends] = at[ends], False
        sorted_[place[~ends], every[~ends]] = at[~ends]
        place[~ends] += 1
    done = numpy.empty_like(seconds)
    numpy.put_along_axis(done[:-1], order, sorted_, axis=0)
    done[-1] = last
    return done


class Core:
    """A core, and the turns of workers that are computed on it, begun at any time.

    What needs s seconds alone is done when each on the core has had s seconds more than at its beginning: so the time that each
    has had, which passes the more slowly the more there are, is the only clock. The straggler has a share of its own.

    Args:
        straggler: takes so many times as long; what it takes longer loads no core.
    """

    def __init__(self, straggler: float = 1.0) -> None:
        self.changes = 0
        """Predictions from before the last one are void."""
        self._straggler = straggler
        self._at = 0.0
        self._had = 0.0
        """The seconds that one would have had that is there since the core was last idle."""
        self._turns: list[tuple[float, int, int]] = []
        """The seconds that each must have had, the turn, and the worker."""
        self._slow: tuple[float, int, int] | None = None
        """The seconds that the straggler still needs, its turn, and the worker."""

    def begin(self, at: float, turn: int, worker: int, seconds: float, *, slow: bool = False) -> None:
        """One begins that needs so many seconds alone; not before anything that has happened already.

        Args:
            slow: it is the straggler.
        """
        self._pass(at)
        if slow:
            self._slow = seconds, turn, worker
        else:
            heappush(self._turns, (self._had + seconds, turn, worker))
        self.changes += 1

    def end(self, at: float) -> tuple[int, int]:
        """The turn and the worker that are done, as predicted for now."""
        self._pass(at)
        self.changes += 1
        if self._slow is not None and self._of_straggler() <= self._of_others():
            (_, turn, worker), self._slow = self._slow, None
        else:
            self._had, turn, worker = heappop(self._turns)
        return turn, worker

    def foretold(self) -> tuple[float, int] | None:
        """When the next is done if no other begins before, and its turn; None where there is none."""
        slow, first = self._of_straggler(), self._of_others()
        if self._slow is not None and slow <= first:
            return self._at + slow, self._slow[1]
        return (self._at + first, self._turns[0][1]) if self._turns else None

    def _of_straggler(self) -> float:
        """Seconds until it is done, if nothing else changes."""
        return max(0.0, self._slow[0]) / self._share() if self._slow is not None else math.inf

    def _of_others(self) -> float:
        """Seconds until the first of them is done."""
        if not self._turns:
            return math.inf
        return max(0.0, self._turns[0][0] - self._had) * len(self._turns) / (1 - self._share())

    def _share(self) -> float:
        """The straggler's share of the core."""
        return min(1 / self._straggler, 1 / (len(self._turns) + 1)) if self._slow is not None else 0.0

    def _pass(self, at: float) -> None:
        passed, share = at - self._at, self._share()
        self._had = self._had + passed * (1 - share) / len(self._turns) if self._turns else 0.0
        if self._slow is not None:
            self._slow = (self._slow[0] - share * passed, *self._slow[1:])
        self._at = at
