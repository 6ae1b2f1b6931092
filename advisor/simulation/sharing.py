"""Workers that compute at the same time on one core, which they share equally: processor sharing (Kleinrock 1976, 4.4)."""

from __future__ import annotations

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
        if len(mine) > 1:
            order = seconds[mine].argsort(axis=0, kind="stable")
            needed = numpy.take_along_axis(seconds[mine], order, axis=0)
            others = numpy.arange(len(mine))[::-1, None]
            shared = numpy.empty_like(needed)
            numpy.put_along_axis(shared, order, numpy.cumsum(needed, axis=0) + others * needed, axis=0)
            done[mine] = shared
    done[-1] *= straggler
    return done


class Core:
    """A core, and the turns of workers that are computed on it, begun at any time.

    What needs s seconds alone is done when each on the core has had s seconds more than at its beginning: so the time that each
    has had, which passes the more slowly the more there are, is the only clock.
    """

    def __init__(self) -> None:
        self.changes = 0
        """Predictions from before the last one are void."""
        self._at = 0.0
        self._had = 0.0
        """The seconds that one would have had that is there since the core was last idle."""
        self._turns: list[tuple[float, int, int]] = []
        """The seconds that each must have had, the turn, and the worker."""

    def begin(self, at: float, turn: int, worker: int, seconds: float) -> None:
        """One begins that needs so many seconds alone; not before anything that has happened already."""
        self._pass(at)
        heappush(self._turns, (self._had + seconds, turn, worker))
        self.changes += 1

    def end(self, at: float) -> tuple[int, int]:
        """The turn and the worker that are done, as predicted for now."""
        self._pass(at)
        self._had, turn, worker = heappop(self._turns)
        self.changes += 1
        return turn, worker

    def foretold(self) -> tuple[float, int] | None:
        """When the next is done if no other begins before, and its turn; None where there is none."""
        if not self._turns:
            return None
        needed, turn, _ = self._turns[0]
        return self._at + max(0.0, needed - self._had) * len(self._turns), turn

    def _pass(self, at: float) -> None:
        self._had = self._had + (at - self._at) / len(self._turns) if self._turns else 0.0
        self._at = at
