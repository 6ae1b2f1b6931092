"""Steps and exchanges timed by themselves, on the processes and links that train: what a simulation of them starts from.

Means are taken, as a rate needs them: threads of one process that share a processor now and then wait for a whole turn of the
kernel's scheduler (some milliseconds), which no median shows. Exchanges come after a pause, as between steps: one that follows
the other at once begins while the first is still under way elsewhere.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import accumulate

import psutil
import torch
from torch import distributed
from torch._C._distributed_c10d import GradBucket
from torch.nn.parallel import DistributedDataParallel

from advisor.distributed.job import Calibrated, Job, Timed
from advisor.distributed.learning.lesson import Lesson
from advisor.distributed.running.diary import Diary, Limits
from advisor.distributed.running.learner import Flat
from advisor.distributed.running.part import Assignment
from advisor.distributed.running.serving import HEADER
from advisor.distributed.running.team import Team
from advisor.distributed.strategies import strategy
from advisor.distributed.updates import Server, server_optimizer, step
from advisor.distributed.wires.pacing import Pace, Way

_SECONDS, _OF_ALL = 0.6, 3.0
"""Of steps at a time, and of all such times together at most."""
_FEWEST_STEPS, _MOST_STEPS, _WARM_UP = 3, 300, 3
_SMALL, _LARGE = 1_024, 2_000_000
"""Numbers of the shorter message, and of the longest that is tried."""
_GROWTH, _LONG_ENOUGH = 8, 0.03
"""The longer message grows so many times at once until it takes so many seconds."""
_THROUGH_DDP = ("synchronous", "gradient_accumulation", "fp16_compression", "powersgd")
_BURST = 4
"""Steps after an exchange that may take longer than others."""
_PAUSE = 0.002
"""Seconds before an exchange that is timed."""
_SMALL_TIMES, _LARGE_TIMES = 20, 8
_WHOLE_SECONDS, _WHOLE_TIMES = 1.0, 20
"""Of exchanges of all weights at a time, and their number at most; three in any case."""


def calibrated(job: Job, lesson: Lesson, team: Team, pace: Pace | None) -> Calibrated:
    """Called by all ranks at once; all get the same."""
    even = replace(job, straggler=1.0)  # by which a simulation multiplies
    run = Assignment(even, lesson, strategy("synchronous"), 0, team, _diary(team), pace)
    seconds = min(_SECONDS, _OF_ALL / (team.workers + 1))
    steps = _Steps(run) if not team.is_server else None
    team.wait_for_all()
    together = team.gathered(steps.timed(seconds) if steps else [])[: team.workers]
    alone = []
    for worker in range(team.workers):
        team.wait_for_all()
        alone.append(team.gathered(steps.timed(seconds) if steps and team.rank == worker else [])[worker])
    team.wait_for_all()
    reduced = _all_reduce(run) if not team.is_server else None
    team.wait_for_all()
    sent = _send(run)
    first = team.gathered([_values(reduced or sent), _values(sent)])[0]
    reduced, sent = _line(*first[0]), _line(*first[1])
    found = Calibrated(_tuples(together), _tuples(alone), reduced, sent, _apply(run))
    return _for_simulation(run, steps, found) if job.for_simulation else found


def _for_simulation(run: Assignment, steps: _Steps | None, known: Calibrated) -> Calibrated:
    """With the rest."""
    usual = statistics.fmean([statistics.fmean(own) for own in known.together])
    after, whole = _rounds(run, steps, known.all_reduce, usual)
    shared = any(one.name in _THROUGH_DDP for one in run.job.chosen)
    turn, apply, served, busy = _turns(run, known.send)
    return replace(
        known,
        apply=apply or known.apply,
        whole=whole,
        turn=turn,
        served=served,
        busy=busy,
        after_exchange=after,
        after_shared=_after_shared(run, known.all_reduce, usual) if shared else 0.0,
    )


def _diary(team: Team) -> Diary:
    return Diary(team.rank, team.pulse, 0, Limits(1.0))


class _Steps:
    """Steps of one worker, which exchange nothing.

    Args:
        shared: through DistributedDataParallel, which gathers gradients for an exchange.
    """

    def __init__(self, run: Assignment, *, shared: bool = False) -> None:
        self._learner = run.learner()
        self._flat = Flat(self._learner.network)
        self._optimizer = server_optimizer(self._flat.weights, "sgd", 1e-6)  # the weights hardly move
        self._forward: Callable[[torch.Tensor], torch.Tensor] | None = None
        if shared:
            wrapped = DistributedDataParallel(
                self._learner.network, process_group=run.team.all_workers, broadcast_buffers=False
            )
            wrapped.register_comm_hook(None, lambda _, bucket: _kept(bucket))  # torch refuses annotations in words
            self._forward = wrapped
        for _ in range(_WARM_UP):
            self._step()

    def timed(self, seconds: float) -> list[float]:
        """Seconds of each step, for so long."""
        begun, found = time.monotonic(), list[float]()
        while len(found) < _FEWEST_STEPS or (time.monotonic() - begun < seconds and len(found) < _MOST_STEPS):
            found.append(self.once())
        return found

    @property
    def weights(self) -> torch.Tensor:
        """(weights,)"""
        return self._flat.weights

    def once(self) -> float:
        """Seconds of one step."""
        before = time.monotonic()
        self._step()
        return time.monotonic() - before

    def _step(self) -> None:
        self._flat.gradient.zero_()
        self._learner.gradient(self._forward)
        step(self._optimizer, self._flat.weights, self._flat.gradient)


def _kept(bucket: GradBucket) -> torch.futures.Future[torch.Tensor]:
    """In place of an exchange."""
    future: torch.futures.Future[torch.Tensor] = torch.futures.Future()
    future.set_result(bucket.buffer())
    return future


def _all_reduce(run: Assignment) -> Timed:
    """Among all workers, by the first one's clock."""
    if run.team.workers == 1:
        return Timed((), (), 0.0, 0.0)

    def agreed(seconds: float) -> float:
        told = torch.tensor([seconds], dtype=torch.float64)
        distributed.broadcast(told, 0, group=run.team.all_workers)
        return float(told)

    return _timed(lambda numbers: _reduce(run, torch.zeros(numbers, device=run.team.device)), agreed)


def _reduce(run: Assignment, values: torch.Tensor) -> None:
    """Sum over all workers, and wait for it."""
    count, begun = run.team.workers, time.monotonic()
    distributed.all_reduce(values, group=run.team.all_workers)
    run.team.finish()
    if run.pace is not None:
        rounds = 2 * (count - 1)
        run.pace.wait(rounds / count * values.nbytes, begun + (rounds - 1) * run.pace.latency)


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
    once(_SMALL)
    small = _mean(once, _SMALL, _SMALL_TIMES)
    numbers, took = _SMALL, 0.0
    while took < _LONG_ENOUGH and numbers < _LARGE:
        numbers = min(numbers * _GROWTH, _LARGE)
        once(numbers)
        took = agreed(_mean(once, numbers, 1))
    large = _mean(once, numbers, _LARGE_TIMES)
    return _line([4 * _SMALL, 4 * numbers], [small, large])


def _mean(once: Callable[[int], None], numbers: int, times: int) -> float:
    found = []
    for _ in range(times):
        time.sleep(_PAUSE)
        begun = time.monotonic()
        once(numbers)
        found.append(time.monotonic() - begun)
    return statistics.fmean(found)


def _line(sizes: list[int], seconds: list[float]) -> Timed:
    """Through two points; neither of its numbers is below 0."""
    if len(sizes) < 2:
        return Timed((), (), 0.0, 0.0)
    beta = max(0.0, (seconds[-1] - seconds[0]) / (sizes[-1] - sizes[0]))
    return Timed(tuple(sizes), tuple(seconds), max(0.0, seconds[0] - beta * sizes[0]), beta)


def _rounds(
    run: Assignment, steps: _Steps | None, timed: Timed, usual: float, burst: int = _BURST
) -> tuple[tuple[float, ...], float]:
    """Some steps after an exchange of as many numbers as there are weights, again and again; nothing for one worker.

    Returns the seconds that the first, the first two, ... take longer than as many usual ones, and those of an exchange: of the
    worker that comes last to it, who waits for nobody. Where workers share processors, a burst is as long as that of the last.
    """
    team, own = run.team, list[tuple[float, ...]]()
    if team.workers == 1:
        return (), 0.0
    team.wait_for_all()
    if steps is not None:
        values = torch.zeros_like(steps.weights)
        for _ in range(1 + _times(timed.alpha + timed.beta * values.nbytes + burst * usual)):
            begun = time.monotonic()
            _reduce(run, values)
            team.pulse.rest(team.rank)
            own.append((time.monotonic() - begun, *(steps.once() for _ in range(burst))))
    rounds = list(zip(*team.gathered(own[1:])[: team.workers], strict=True))
    of_them = max if _shares_processors(run) else statistics.fmean
    ends = [[of_them(some) for some in zip(*(accumulate(one[1:]) for one in each), strict=True)] for each in rounds]
    means = map(statistics.fmean, zip(*ends, strict=True))
    longer = [max(0.0, mean - place * usual) for place, mean in enumerate(means, 1)]
    return tuple(longer), statistics.fmean(min(one[0] for one in of_all) for of_all in rounds)


def _after_shared(run: Assignment, timed: Timed, usual: float) -> float:
    """See `Calibrated.after_shared`."""
    if run.team.workers == 1:
        return 0.0
    steps = _Steps(run, shared=True) if not run.team.is_server else None
    return _rounds(run, steps, timed, usual, burst=1)[0][0]


def _shares_processors(run: Assignment) -> bool:
    """True if there are more workers than hardware threads on which they may run."""
    mine = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))
    there = {one for rank in run.team.gathered(mine)[: run.team.workers] for one in rank}
    return run.job.device == "cpu" and run.job.workers * run.job.threads > len(there)


def _turns(run: Assignment, timed: Timed) -> tuple[float, float, float, float]:
    """Pushes and pulls of all weights: see `Calibrated.turn`, `apply`, `served` and `busy`."""
    team = run.team
    if team.ranks == team.workers:
        return 0.0, 0.0, 0.0, 0.0
    times = 1 + _times(2 * (timed.alpha + timed.beta * _message(run).nbytes))
    team.wait_for_all()
    turns, applied, _ = _exchanges(run, [0], times)
    team.wait_for_all()
    before = _processors()
    *_, served = _exchanges(run, list(range(team.workers)), times)
    busy = (_processors() - before) / times / team.workers
    told = team.gathered([turns[1:], applied[1:], served, busy])
    return statistics.fmean(told[0][0]), statistics.fmean(told[-1][1]), told[-1][2], told[-1][3]


def _processors() -> float:
    """Seconds that all processors of this computer have been busy."""
    times = psutil.cpu_times()
    return float(times.user + times.system + getattr(times, "irq", 0.0) + getattr(times, "softirq", 0.0))


def _exchanges(run: Assignment, workers: list[int], times: int) -> tuple[list[float], list[float], float]:
    """Let each of these workers push and pull so often: the seconds of each turn, of each of the server's parts, and of one push
    and answer at the server."""
    team, message, turns, applied = run.team, _message(run), list[float](), list[float]()
    weights = message[HEADER:].clone()
    began = 0.0
    if team.is_server:
        server, answer = Server(weights, strategy("asynchronous"), 1e-6), message.clone()
        for _ in range(times * len(workers)):
            pusher = distributed.recv(message)
            begun = time.monotonic()
            began = began or begun
            server.push(message[HEADER:], answer[HEADER:])
            answer[HEADER:] = server.weights
            applied.append(time.monotonic() - begun)
            distributed.send(answer, pusher)
        count = max(1, len(applied) - 1)
        return turns, applied, (time.monotonic() - began) / count
    if team.rank in workers:
        own = weights.to(team.device)
        for _ in range(times):
            if len(workers) == 1:
                time.sleep(_PAUSE)
            begun = time.monotonic()
            message[HEADER:] = own
            _paced(run, message, Way.TO_SERVER)
            distributed.send(message, team.server)
            distributed.recv(message, team.server)
            _paced(run, message, Way.FROM_SERVER)
            own.copy_(message[HEADER:])
            turns.append(time.monotonic() - begun)
    return turns, applied, 0.0


def _message(run: Assignment) -> torch.Tensor:
    """All weights, with the numbers before them."""
    weights = Flat(run.lesson.fresh(0)).weights
    return torch.zeros(HEADER + len(weights), dtype=weights.dtype)


def _paced(run: Assignment, message: torch.Tensor, way: Way) -> None:
    if run.pace is not None:
        run.pace.wait_at_server(message.nbytes, way)


def _times(seconds: float) -> int:
    """Exchanges of so many seconds each that there is time for: the same on every rank."""
    return max(_FEWEST_STEPS, min(_WHOLE_TIMES, int(_WHOLE_SECONDS / max(seconds, 1e-6))))


def _apply(run: Assignment) -> float:
    weights = Flat(run.lesson.fresh(0)).weights
    server, gradient = Server(weights, strategy("asynchronous"), 1e-6), torch.zeros_like(weights)
    return _mean(lambda _: server.push(gradient), 0, _FEWEST_STEPS)


def _values(timed: Timed) -> list[list[float]]:
    return [list(timed.bytes), list(timed.seconds)]


def _tuples(rows: list[list[float]]) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, rows))
