"""Steps and exchanges timed by themselves, on the processes and links that train: what a simulation of them starts from."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import replace

import torch
from torch import distributed

from advisor.distributed.job import Calibrated, Job, Timed
from advisor.distributed.launching.pulse import Pulse
from advisor.distributed.learning.lesson import Lesson
from advisor.distributed.running.diary import Diary, Limits
from advisor.distributed.running.learner import Flat
from advisor.distributed.running.part import Assignment
from advisor.distributed.running.team import Team
from advisor.distributed.strategies import strategy
from advisor.distributed.updates import Server, server_optimizer, step
from advisor.distributed.wires.pacing import Pace

_SECONDS, _OF_ALL = 0.6, 3.0
"""Of steps at a time, and of all such times together at most."""
_FEWEST_STEPS, _MOST_STEPS, _WARM_UP = 3, 300, 3
_SMALL, _LARGE = 1_024, 2_000_000
"""Numbers of the shorter message, and of the longest that is tried."""
_GROWTH, _LONG_ENOUGH = 8, 0.03
"""The longer message grows so many times at once until it takes so many seconds."""
_SMALL_TIMES, _LARGE_TIMES = 20, 5
_APPLIED = 10


def calibrated(job: Job, lesson: Lesson, team: Team, pace: Pace | None) -> Calibrated:
    """Called by all ranks at once; all get the same."""
    even = replace(job, straggler=1.0)  # by which a simulation multiplies
    run = Assignment(even, lesson, strategy("synchronous"), 0, team, _diary(team), pace)
    seconds = min(_SECONDS, _OF_ALL / (team.workers + 1))
    steps = _Steps(run) if not team.is_server else None
    team.wait_for_all()
    together = team.gathered(steps.timed(seconds) if steps else [])
    alone = []
    for worker in range(team.workers):
        team.wait_for_all()
        alone.append(team.gathered(steps.timed(seconds) if steps and team.rank == worker else [])[worker])
    team.wait_for_all()
    reduced = _all_reduce(run) if not team.is_server else None
    team.wait_for_all()
    sent = _send(run)
    found = Calibrated(_tuples(together[: team.workers]), _tuples(alone), reduced or sent, sent, _apply(run))
    first = team.gathered([_values(found.all_reduce), _values(found.send), found.apply])[0]
    return replace(found, all_reduce=_line(*first[0]), send=_line(*first[1]), apply=first[2])


def _diary(team: Team) -> Diary:
    return Diary(team.rank, Pulse("", team.ranks), 0, Limits(1.0))


class _Steps:
    """Steps of one worker, which exchange nothing."""

    def __init__(self, run: Assignment) -> None:
        self._learner = run.learner()
        self._flat = Flat(self._learner.network)
        self._optimizer = server_optimizer(self._flat.weights, "sgd", 1e-6)  # the weights hardly move
        for _ in range(_WARM_UP):
            self._step()

    def timed(self, seconds: float) -> list[float]:
        """Seconds of each step, for so long."""
        begun, found = time.monotonic(), list[float]()
        while len(found) < _FEWEST_STEPS or (time.monotonic() - begun < seconds and len(found) < _MOST_STEPS):
            before = time.monotonic()
            self._step()
            found.append(time.monotonic() - before)
        return found

    def _step(self) -> None:
        self._flat.gradient.zero_()
        self._learner.gradient()
        step(self._optimizer, self._flat.weights, self._flat.gradient)


def _all_reduce(run: Assignment) -> Timed:
    """Among all workers, by the first one's clock."""
    count, group = run.team.workers, run.team.all_workers
    if count == 1:
        return Timed((), (), 0.0, 0.0)

    def once(numbers: int) -> None:
        begun = time.monotonic()
        values = torch.zeros(numbers, device=run.team.device)
        distributed.all_reduce(values, group=group)
        float(values[0])
        if run.pace is not None:
            rounds = 2 * (count - 1)
            run.pace.wait(rounds / count * values.nbytes, begun + (rounds - 1) * run.pace.latency)

    def agreed(seconds: float) -> float:
        told = torch.tensor([seconds], dtype=torch.float64)
        distributed.broadcast(told, 0, group=group)
        return float(told)

    return _timed(once, agreed)


def _send(run: Assignment) -> Timed:
    """There and back, halved, between the first worker and the last rank; others wait."""
    team = run.team
    there, back = 0, team.ranks - 1
    if there == back or team.rank not in (there, back):
        return Timed((), (), 0.0, 0.0)
    first = team.rank == there

    def once(numbers: int) -> None:
        values = torch.zeros(numbers)
        for sends in (first, not first):
            if sends:
                distributed.send(values, back if first else there)
            else:
                distributed.recv(values, back if first else there)
                if run.pace is not None:
                    run.pace.wait(values.nbytes, time.monotonic())

    def agreed(seconds: float) -> float:
        told = torch.tensor([seconds], dtype=torch.float64)
        if first:
            distributed.send(told, back)
        else:
            distributed.recv(told, there)
        return float(told)

    found = _timed(once, agreed)
    return _line(list(found.bytes), [one / 2 for one in found.seconds])


def _timed(once: Callable[[int], None], agreed: Callable[[float], float]) -> Timed:
    """Exchanges of two sizes. `agreed` gives all the time of the first."""
    small = _median(once, _SMALL, _SMALL_TIMES)
    numbers, took = _SMALL, 0.0
    while took < _LONG_ENOUGH and numbers < _LARGE:
        numbers = min(numbers * _GROWTH, _LARGE)
        once(numbers)
        took = agreed(_median(once, numbers, 1))
    large = _median(once, numbers, _LARGE_TIMES)
    return _line([4 * _SMALL, 4 * numbers], [small, large])


def _median(once: Callable[[int], None], numbers: int, times: int) -> float:
    found = []
    for _ in range(times):
        begun = time.monotonic()
        once(numbers)
        found.append(time.monotonic() - begun)
    return statistics.median(found)


def _line(sizes: list[int], seconds: list[float]) -> Timed:
    """Through two points; neither of its numbers is below 0."""
    if len(sizes) < 2:
        return Timed((), (), 0.0, 0.0)
    beta = max(0.0, (seconds[-1] - seconds[0]) / (sizes[-1] - sizes[0]))
    return Timed(tuple(sizes), tuple(seconds), max(0.0, seconds[0] - beta * sizes[0]), beta)


def _apply(run: Assignment) -> float:
    weights = Flat(run.lesson.fresh(0)).weights
    server, gradient = Server(weights, strategy("asynchronous"), 1e-6), torch.zeros_like(weights)
    return _median(lambda _: server.push(gradient), 0, _APPLIED)


def _values(timed: Timed) -> list[list[float]]:
    return [list(timed.bytes), list(timed.seconds)]


def _tuples(rows: list[list[float]]) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, rows))
