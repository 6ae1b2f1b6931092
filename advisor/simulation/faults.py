"""Failures, preemptions and checkpoints: what they do to rounds and to single workers, and how often a checkpoint pays."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass

import numpy
from numpy.random import PCG64, Generator, SeedSequence

from advisor.errors import InputError, input_error
from advisor.simulation.scenario import Faults
from advisor.simulation.times import Seconds

MOST_FAILURES = 200_000
"""After which it is said that the work gets nowhere."""
_STREAM = 2
"""Of random numbers, beside those of step times."""
_DRAWN = 1024
_ATTEMPTS = 200_000
_NARROW = 0.01
"""Of the logarithm of the interval, where a search ends."""
_GOLDEN = (math.sqrt(5) - 1) / 2


class Leaving:
    """Failures and preemptions of so many workers, at random: exponential times, which have no memory."""

    def __init__(self, faults: Faults, workers: int, seed: int) -> None:
        failing = workers / faults.between_failures if faults.between_failures else 0.0
        taken = workers / faults.between_preemptions if faults.between_preemptions else 0.0
        self.count = 0
        """Workers that have left so far."""
        self._mean = 1 / (failing + taken) if failing + taken else math.inf
        self._share = failing * self._mean if failing else 0.0
        self._lengths = {True: faults.restart, False: faults.away}
        self._random = Generator(PCG64(SeedSequence(seed, spawn_key=(_STREAM,))))
        self._gaps: list[float] = []

    def gap(self) -> float:
        """Seconds until the next one leaves."""
        if self._mean == math.inf:
            return math.inf
        if not self._gaps:
            self._gaps = (self._random.standard_exponential(_DRAWN) * self._mean).tolist()
        return self._gaps.pop()

    def leave(self) -> tuple[bool, float]:
        """One leaves: whether by a failure, rather than a preemption, and the seconds until it is back.

        Raises InputError where so many have that the work gets nowhere.
        """
        self.count += 1
        if self.count > MOST_FAILURES:
            raise _endless(self._mean)
        fails = bool(self._random.random() < self._share)
        return fails, self._lengths[fails]


class Clock:
    """The time of rounds in which all keep step: it goes on with their work, and with what failures and checkpoints take."""

    def __init__(self, faults: Faults, workers: int, seed: int) -> None:
        self.checkpoints, self.lost = 0, 0.0
        """So far; lost: seconds in which all did what had to be done anew, or nothing at all."""
        self._leaving = Leaving(faults, workers, seed)
        self._every = faults.checkpoint_every or math.inf
        self._cost = faults.checkpoint_cost
        self._now, self._next = 0.0, self._leaving.gap()
        self._marks = [0.0]
        """The seconds of work since the last checkpoint at which a round ended."""

    @property
    def failures(self) -> int:
        return self._leaving.count

    def rounds(self, lasted: Seconds) -> tuple[Seconds, Seconds]:
        """When rounds begin and end, for the first time, that last so long where nothing happens: (rounds,) each.

        Raises InputError where the work gets nowhere.
        """
        if self._next == self._every == math.inf:
            times = numpy.cumsum(numpy.concatenate(([self._now], lasted)))
            self._now = float(times[-1])
            return times[:-1], times[1:]
        begins, ends = numpy.empty_like(lasted), numpy.empty_like(lasted)
        for place, seconds in enumerate(lasted.tolist()):
            if self._marks[-1] >= self._every:
                self._work(self._cost)
                self._marks = [0.0]
                self.checkpoints += 1
            begins[place] = self._now
            self._work(seconds)
            ends[place] = self._now
        return begins, ends

    def _work(self, seconds: float) -> None:
        """Go on until so many more seconds of work are done, and all that is lost meanwhile is done again."""
        done, wanted = self._marks[-1], self._marks[-1] + seconds
        while self._next < self._now + (wanted - done):
            done += self._next - self._now
            self._now = self._next
            kept = 0.0 if self._stand_still() else self._marks[bisect_right(self._marks, done) - 1]
            self.lost += done - kept
            done = kept
        self._now += wanted - done
        self._marks.append(wanted)

    def _stand_still(self) -> bool:
        """Somebody has left, and others may meanwhile: wait until all are back. True where all goes back to the checkpoint."""
        begun = self._now
        failed, left = self._leaving.leave()
        while (gap := self._leaving.gap()) < left:
            self._now += gap
            again, length = self._leaving.leave()
            failed, left = failed or again, max(left - gap, length)
        self._now += left
        self._next = self._now + gap - left
        self.lost += self._now - begun
        return failed


class Absences:
    """When single workers, of which none waits for another, are away."""

    def __init__(self, faults: Faults, workers: int, seed: int) -> None:
        self.lost = 0.0
        """Seconds of all workers: away, or at work that was lost."""
        self._leaving = Leaving(faults, 1, seed)
        self._next = [self._leaving.gap() for _ in range(workers)]

    @property
    def failures(self) -> int:
        return self._leaving.count

    def back(self, worker: int, at: float, seconds: float) -> float | None:
        """When a worker is back that leaves before it has worked so long; None if it does not leave.

        Raises InputError where the work gets nowhere.
        """
        if self._next[worker] >= at + seconds:
            return None
        left = max(at, self._next[worker])
        _, length = self._leaving.leave()
        self.lost += left - at + length
        self._next[worker] = left + length + self._leaving.gap()
        return left + length


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """Checkpoints of a training in which all keep step, and what they are worth. All times in seconds."""

    every: float
    """Between two of them."""
    useful_share: float
    """Of the time, as simulated: work that is not lost, without checkpoints and restarts."""


def useful_share(
    every: float,
    cost: float,
    between_failures: float,
    restart: float = 0.0,
    *,
    seed: int = 0,
    attempts: int = _ATTEMPTS,
) -> float:
    """The share of time that goes into work that counts, simulated: a stretch of work with its checkpoint is tried until it is
    done without a failure; after each failure a restart is tried likewise.

    Args:
        every: work between two checkpoints.
        cost: of a checkpoint.
        between_failures: the mean time between failures of all workers together: of one, divided by their number.
        restart: from a failure until the work goes on.
        attempts: at stretches.

    Raises InputError where no stretch is ever done.
    """
    drawn = Generator(PCG64(SeedSequence(seed, spawn_key=(_STREAM,))))
    until = drawn.standard_exponential(attempts) * between_failures
    stretch = every + cost
    done = int((until >= stretch).sum())
    if not done:
        raise _endless(between_failures)
    total = float(numpy.minimum(until, stretch).sum())
    failed = attempts - done
    while failed and restart:
        until = drawn.standard_exponential(failed) * between_failures
        total += float(numpy.minimum(until, restart).sum())
        failed = int((until < restart).sum())
        if total > attempts * LONGEST_RESTARTS * stretch:
            raise _endless(between_failures)
    return done * every / total


LONGEST_RESTARTS = 1e4
"""Times as long as the work itself that restarts may take."""


def best_checkpoints(
    cost: float, between_failures: float, restart: float = 0.0, *, seed: int = 0, attempts: int = _ATTEMPTS
) -> Checkpoints:
    """The interval with the greatest useful share, searched by simulations with the same random numbers (golden section).

    Arguments as of `useful_share`. Raises InputError where the work gets nowhere with any interval.
    """

    def share(logarithm: float) -> float:
        return useful_share(math.exp(logarithm), cost, between_failures, restart, seed=seed, attempts=attempts)

    usual = math.log(young(max(cost, 1e-9 * between_failures), between_failures))
    # Far beyond the mean time between failures nearly no stretch is ever done.
    found = _greatest(share, usual - 3, min(usual + 3, math.log(4 * between_failures)))
    return Checkpoints(math.exp(found), share(found))


def young(cost: float, between_failures: float) -> float:
    """The interval of Young 1974: sqrt(2 * cost * mean time between failures of all workers)."""
    return math.sqrt(2 * cost * between_failures)


def daly(cost: float, between_failures: float) -> float:
    """The interval of Daly 2006, equation 37: Young's to higher order; the mean time itself where a checkpoint takes twice it."""
    if cost >= 2 * between_failures:
        return between_failures
    ratio = cost / (2 * between_failures)
    return young(cost, between_failures) * (1 + math.sqrt(ratio) / 3 + ratio / 9) - cost


def _greatest(value: Callable[[float], float], low: float, high: float) -> float:
    """The place of a function's only maximum."""
    inner, outer = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_inner, at_outer = value(inner), value(outer)
    while high - low > _NARROW:
        if at_inner >= at_outer:
            high, outer, at_outer = outer, inner, at_inner
            inner = high - _GOLDEN * (high - low)
            at_inner = value(inner)
        else:
            low, inner, at_inner = inner, outer, at_outer
            outer = low + _GOLDEN * (high - low)
            at_outer = value(outer)
    return (low + high) / 2


def _endless(mean: float) -> InputError:
    return input_error(
        "The work gets nowhere", f"a worker leaves every {mean:.3g} seconds, and what is done is lost each time",
        where="faults", remedy="Save checkpoints, or save them more often, or take fewer workers.",
    )  # fmt: skip
