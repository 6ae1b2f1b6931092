"""Real gradients in the order that a simulation found: the loss against virtual time.

The rules by which weights change are those of real runs (`advisor.distributed.updates`), as are the lesson, the initial weights,
the order of batches and the learning rates. Everything is computed in 64 bits.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Protocol

import numpy
import torch
from torch import Tensor

from advisor.distributed.learning.lesson import Lesson, lesson
from advisor.distributed.running.learner import Flat, optimizer_of
from advisor.distributed.strategies import Strategy
from advisor.distributed.task import Task
from advisor.distributed.updates import Outer, Server, server_optimizer, step
from advisor.simulation.compression import Averaging, averaging
from advisor.simulation.result import Result
from advisor.simulation.scenario import Scenario
from advisor.simulation.serving import DROPPED
from advisor.simulation.timing import Tell, Trace, traced

FEWEST_POINTS, POINTS = 10, 40
"""Of a curve, besides the beginning and the end."""
_BENT = 1.5
"""They are closer together at the beginning, where the loss falls fastest."""
_BYTES = 4
_AVERAGE_WEIGHTS = ("local_sgd", "diloco")


def learned(scenario: Scenario, task: Task, tell: Tell = lambda share: None) -> Result:
    """Simulate the strategy, with the loss on held-out examples while it learns a task.

    Raises InputError where the lesson cannot be made, or failures let the work get nowhere.
    """
    return taught(scenario, task, lesson(replace(task, batch=scenario.batch), torch.float64), tell)


def taught(scenario: Scenario, task: Task, given: Lesson, tell: Tell = lambda share: None) -> Result:
    """The same with a lesson that is made already, in 64 bits. The batch is that of the scenario, as is the seed: of the initial
    weights, the order of batches, and the times."""
    pupil = Pupil(scenario, task, given)
    result, trace = traced(_sized(scenario, pupil))
    curve = _Curve(pupil, result.seconds, points_for(result.examples, len(given.held_targets)))
    learning = _learning(scenario.strategy, pupil, trace)
    at, done, diverged_at = 0.0, 0, None
    try:
        curve.look(at, learning.weights)
        for at in learning.updates():
            done += 1
            if curve.due(at) or done == result.updates:
                curve.look(at, learning.weights)
                tell(done / result.updates)
    except _NoNumberError:
        diverged_at = at
    return replace(
        result, loss=tuple(curve.losses), metric=tuple(curve.metrics), metric_name=given.metric, diverged_at=diverged_at
    )


def points_for(examples: int, held_out: int) -> int:
    """Of the curve of a run that learns from so many examples: looking at held-out ones takes no longer than learning, about."""
    return max(FEWEST_POINTS, min(POINTS, examples // max(1, held_out)))


class _NoNumberError(ArithmeticError):
    """A loss is infinite, or no number."""


class Pupil:
    """The network of a lesson, which computes gradients at any weights: one vector of them."""

    def __init__(self, scenario: Scenario, task: Task, given: Lesson) -> None:
        torch.manual_seed(scenario.seed)  # for dropout
        self.task, self.workers = task, scenario.workers
        self._lesson = given
        self._stream = given.stream(scenario.batch, scenario.seed)
        self.network = given.fresh(scenario.seed)
        self._flat = Flat(self.network)

    @property
    def initial(self) -> Tensor:
        """A copy of the present weights (weights,)."""
        return self._flat.weights.clone()

    def gradient(self, weights: Tensor, worker: int, step: int) -> Tensor:
        """A worker's gradient (weights,) at these weights in its so-manieth step, counted from 0; overwritten by the next one.

        Raises _NoNumberError where the loss is no number.
        """
        rows = self._stream.rows(step * self.workers + worker)
        self._flat.weights.copy_(weights)
        self._flat.gradient.zero_()
        loss = self._lesson.loss(self.network(self._lesson.inputs[rows]), self._lesson.targets[rows])
        if not math.isfinite(float(loss.detach())):
            raise _NoNumberError
        loss.backward()  # type: ignore[no-untyped-call]
        return self._flat.gradient

    def judged(self, weights: Tensor) -> tuple[float, float]:
        """The mean loss on the held-out examples, and the mean of the metric."""
        self._flat.weights.copy_(weights)
        loss, scores = self._lesson.held_out(self.network)
        return loss, float(scores.mean())


def _sized(scenario: Scenario, pupil: Pupil) -> Scenario:
    """With the size of the network, where no other is told."""
    if scenario.message_bytes is not None:
        return scenario
    shapes = [tuple(one.flatten(1).shape) for one in pupil.network.parameters() if one.dim() > 1]
    return replace(scenario, message_bytes=_BYTES * len(pupil.initial), shapes=scenario.shapes or tuple(shapes))


class _Curve:
    """The loss and the metric against time."""

    def __init__(self, pupil: Pupil, seconds: float, points: int) -> None:
        self.losses: list[tuple[float, float]] = []
        self.metrics: list[tuple[float, float]] = []
        self._pupil, self._seconds, self._points, self._place = pupil, seconds, points, 1

    def due(self, at: float) -> bool:
        """True if another point is to be looked at by this time."""
        return at >= self._seconds * float((self._place / self._points) ** _BENT)

    def look(self, at: float, weights: Tensor) -> None:
        """Add a point. Raises _NoNumberError where the loss is none."""
        while self._place <= self._points and self.due(at):
            self._place += 1
        loss, metric = self._pupil.judged(weights)
        if not math.isfinite(loss):
            raise _NoNumberError
        self.losses.append((at, loss))
        self.metrics.append((at, metric))


class _Learning(Protocol):
    """The weights that all share, and how they change."""

    weights: Tensor
    """(weights,), changed in place."""

    def updates(self) -> Iterator[float]:
        """Make all updates in order: when each was made. Raises _NoNumberError where a loss is none."""


def _learning(strategy: Strategy, pupil: Pupil, trace: Trace) -> _Learning:
    if trace.turns:
        return _AtServer(strategy, pupil, trace)
    if strategy.name in _AVERAGE_WEIGHTS:
        return _OfWeights(strategy, pupil, trace)
    return _OfGradients(strategy, pupil, trace)


class _OfGradients:
    """All workers average the gradient of their batches, or the sum of several, and take one step."""

    def __init__(self, strategy: Strategy, pupil: Pupil, trace: Trace) -> None:
        self.weights = pupil.initial
        self._pupil, self._trace = pupil, trace
        self._optimizer = optimizer_of(pupil.task, self.weights, pupil.workers)
        self._averaging: Averaging = averaging(strategy, list(pupil.network.parameters()), pupil.workers)

    def updates(self) -> Iterator[float]:
        for at, first, steps in _rounds(self._trace):
            self._update(first, steps)
            yield at

    def _update(self, first: int, steps: int) -> None:
        for worker in range(self._pupil.workers):
            total = torch.zeros_like(self.weights)
            for number in range(first, first + steps):
                total += self._pupil.gradient(self.weights, worker, number)
            self._averaging.add(worker, total)
        step(self._optimizer, self.weights, self._averaging.mean())


class _OfWeights:
    """Every worker takes steps of its own, then all take the average of their weights, or step towards it (DiLoCo)."""

    def __init__(self, strategy: Strategy, pupil: Pupil, trace: Trace) -> None:
        self.weights = pupil.initial
        self._pupil, self._trace = pupil, trace
        self._own = [self.weights.clone() for _ in range(pupil.workers)]
        self._optimizers = [optimizer_of(pupil.task, one, pupil.workers) for one in self._own]
        self._outer = Outer(self.weights, strategy) if strategy.name == "diloco" else None

    def updates(self) -> Iterator[float]:
        for at, first, steps in _rounds(self._trace):
            self._update(first, steps)
            yield at

    def _update(self, first: int, steps: int) -> None:
        mean = torch.zeros_like(self.weights)
        for worker, (own, optimizer) in enumerate(zip(self._own, self._optimizers, strict=True)):
            own.copy_(self.weights)
            for number in range(first, first + steps):
                step(optimizer, own, self._pupil.gradient(own, worker, number))
            mean += own / self._pupil.workers
        if self._outer is None:
            self.weights.copy_(mean)
        else:
            self._outer.average(mean)


def _rounds(trace: Trace) -> Iterator[tuple[float, int, int]]:
    """Of each round: when it ends, the number of its first step, and its steps."""
    first = 0
    for some in trace.rounds:
        for at, steps in zip(some.ends.tolist(), some.steps.tolist(), strict=True):
            yield at, first, steps
            first += steps


class _AtServer:
    """Gradients are applied in the order in which they were simulated, each computed by the weights that were pulled for it.

    Of several steps between two exchanges a worker follows each itself, with plain SGD, and pushes the sum of their gradients
    (Dean et al. 2012, algorithm 7.1).
    """

    def __init__(self, strategy: Strategy, pupil: Pupil, trace: Trace) -> None:
        self._server = Server(pupil.initial, strategy, pupil.task.rate)
        self.weights = self._server.weights
        self._pupil, self._trace, self._every = pupil, trace, strategy.whole("every")
        self._held: dict[int, Tensor] = {}
        """The weights that were pulled for turns that are not applied yet."""

    def updates(self) -> Iterator[float]:
        numbers, applied, pulled, updates = (
            numpy.concatenate([getattr(some, name) for some in self._trace.turns])
            for name in ("numbers", "applied", "pulled", "updates")
        )
        pulls: defaultdict[int, list[int]] = defaultdict(list)
        pushes: defaultdict[int, list[int]] = defaultdict(list)
        for number, version, update in zip(numbers.tolist(), pulled.tolist(), updates.tolist(), strict=True):
            if update != DROPPED:
                pulls[version].append(number)
                pushes[update].append(number)
        times = dict(zip(updates.tolist(), applied.tolist(), strict=True))
        for update in range(len(pushes)):
            self._update(pushes[update], pulls[update])
            yield times[update]

    def _update(self, pushed: Sequence[int], pulled: Sequence[int]) -> None:
        """Apply the mean of the gradients of these turns; before that the weights are pulled for other turns, or the same."""
        if pulled:
            self._held |= dict.fromkeys(pulled, self.weights.clone())
        total, count = torch.zeros_like(self.weights), 0
        for number in pushed:
            weights = self._held.pop(number)
            turn, unit = divmod(number, len(self._trace.units))
            for worker in self._trace.units[unit]:
                total += self._pushed(weights, worker, turn, self._trace.short.get(number, self._every))
                count += 1
        self._server.push(total / count, weights, count)

    def _pushed(self, weights: Tensor, worker: int, turn: int, steps: int) -> Tensor:
        first = turn * self._every
        if steps == 1:
            return self._pupil.gradient(weights, worker, first)
        own, total = weights.clone(), torch.zeros_like(weights)
        optimizer = server_optimizer(own, "sgd", self._pupil.task.rate)
        for number in range(first, first + steps):
            gradient = self._pupil.gradient(own, worker, number)
            total += gradient
            step(optimizer, own, gradient)
        return total
