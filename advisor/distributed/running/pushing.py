"""Workers of a parameter server: they push gradients to it, and pull weights from it."""

from __future__ import annotations

import time

import torch
from torch import Tensor, distributed

from advisor.distributed.running.diary import Doing
from advisor.distributed.running.learner import Flat
from advisor.distributed.running.part import Assignment, Part
from advisor.distributed.running.serving import HEADER, groups_of
from advisor.distributed.updates import server_optimizer, step
from advisor.distributed.wires.pacing import Way


class Pushing(Part):
    """A worker that pushes after `every` gradients, and pulls.

    Of several gradients between two exchanges it follows each itself, with plain SGD, and pushes their sum
    (Dean et al. 2012, algorithm 7.1).
    """

    def __init__(self, run: Assignment) -> None:
        super().__init__(run)
        self.learner = run.learner()
        self.flat = Flat(self.learner.network)
        self._every = run.strategy.whole("every")
        self._own = server_optimizer(self.flat.weights, "sgd", run.job.task.rate)
        self._message = torch.zeros(HEADER + len(self.flat.weights), dtype=self.flat.weights.dtype)

    def work(self) -> None:
        goes_on = True
        while goes_on:
            self.gradients()
            goes_on = self.exchange(self.flat.gradient)
            self.diary.did(Doing.EXCHANGING)

    def gradients(self) -> None:
        """The sum of so many gradients, each at the weights after the steps before it."""
        total = torch.zeros_like(self.flat.gradient) if self._every > 1 else None
        for _ in range(self._every):
            self.flat.gradient.zero_()
            self.learner.gradient()
            if total is not None:
                total += self.flat.gradient
                step(self._own, self.flat.weights, self.flat.gradient)
        if total is not None:
            self.flat.gradient.copy_(total)

    def exchange(self, gradient: Tensor) -> bool:
        """Push this gradient and pull weights; False where the run is over."""
        message, size = self._message, self._message.numel() * self._message.element_size()
        message[0], message[1] = self.diary.losses[-1], self._every
        message[HEADER:] = gradient
        self._at_server(size, Way.TO_SERVER)
        distributed.send(message, self.team.server)
        self.diary.bytes += size
        distributed.recv(message, self.team.server)
        self._at_server(size, Way.FROM_SERVER)
        self.flat.weights.copy_(message[HEADER:])
        return not bool(message[0])

    def _at_server(self, size: float, way: Way) -> None:
        if self.run.pace is not None:
            self.run.pace.wait_at_server(size, way)


class Grouped(Pushing):
    """A worker of a group: all average their gradient, the first pushes and pulls for them, and tells the others."""

    def __init__(self, run: Assignment) -> None:
        super().__init__(run)
        mine = next(group for group in groups_of(run.strategy, self.team.workers) if self.team.rank in group)
        self._leader, self._size, self._group = mine[0], len(mine), self.team.group(mine)

    def exchange(self, gradient: Tensor) -> bool:
        goes_on = torch.ones(1, dtype=gradient.dtype)
        begun, size = time.monotonic(), gradient.numel() * gradient.element_size()
        if self._size > 1:
            distributed.all_reduce(gradient, group=self._group)
            gradient /= self._size
            self._count(2 * (self._size - 1) / self._size * size, begun)
        if self.team.rank == self._leader:
            goes_on[0] = float(super().exchange(gradient))
        if self._size > 1:
            begun = time.monotonic()
            distributed.broadcast(goes_on, self._leader, group=self._group)
            distributed.broadcast(self.flat.weights, self._leader, group=self._group)
            self._count((self._size - 1) * size if self.team.rank == self._leader else 0, begun)
        return bool(goes_on)

    def _count(self, sent: float, begun: float) -> None:
        self.diary.bytes += sent
        if self.run.pace is not None:
            self.run.pace.wait(sent, begun)
