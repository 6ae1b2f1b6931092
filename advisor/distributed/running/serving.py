"""The parameter server: it applies gradients as they come, and decides who may go on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, distributed

from advisor.distributed.running.diary import Doing
from advisor.distributed.running.learner import Flat
from advisor.distributed.running.part import Assignment, Part
from advisor.distributed.strategies import Strategy
from advisor.distributed.updates import Server

HEADER = 2
"""Numbers before the gradient or the weights of a message: see `Head` and `ParameterServer._answer`."""


@dataclass(frozen=True, slots=True)
class Head:
    """The beginning of a message of a worker."""

    loss: float
    gradients: int
    """The number that is added up in it."""

    @classmethod
    def of(cls, message: Tensor) -> Head:
        loss, gradients = message[:2].tolist()
        return cls(loss, int(gradients))


class ParameterServer(Part):
    """The server of Downpour (Dean et al. 2012, section 4.1) and its relatives: it waits for nobody.

    Staleness is counted here: the updates between the answer to a worker and its next gradient.
    """

    def __init__(self, run: Assignment) -> None:
        super().__init__(run)
        weights = Flat(run.lesson.fresh(run.seed)).weights
        self.server = Server(weights, run.strategy, run.job.task.rate)
        self.pushers = list(self._pushers(run))
        self.sizes = dict.fromkeys(self.pushers, 1)
        """Workers behind each that pushes."""
        self._message = torch.zeros(HEADER + len(weights), dtype=weights.dtype)
        self._answers = {pusher: self._message.clone() for pusher in self.pushers}
        """The weights that each pulled last, with a header: kept for the correction of late gradients too."""
        for answer in self._answers.values():
            answer[HEADER:] = weights
        self._sent: dict[int, distributed.Work | None] = {}
        self.pulled = dict.fromkeys(self.pushers, 0)
        """Updates that were applied when each pulled."""
        self.taken = dict.fromkeys(self.pushers, 0)
        """Messages of each."""
        self.over = False

    def _pushers(self, run: Assignment) -> Iterator[int]:
        yield from range(self.team.workers)

    def work(self) -> None:
        self.diary.look(0, lambda: self.server.weights)
        going = set(self.pushers)
        while going:
            pusher, head = self._next()
            answered = self.take(pusher, head) if not self.over else [pusher]
            self._look_at_the_end()
            for one in [*answered, *(self.let_go() if self.over else ())]:
                self._answer(one)
                if self.over:
                    going.discard(one)
        for work in self._sent.values():
            if work is not None:
                work.wait()

    def take(self, pusher: int, head: Head) -> Sequence[int]:
        """Do what a gradient asks for; those that may go on now."""
        self.apply(pusher, head)
        return [pusher]

    def let_go(self) -> Sequence[int]:
        """Those that wait for an answer, which nobody does any more."""
        return ()

    def apply(self, pusher: int, head: Head) -> None:
        """Apply the gradient of the message to the weights."""
        self.diary.staleness[self.server.updates - self.pulled[pusher]] += 1
        self.server.push(self.gradient, self._answers[pusher][HEADER:], self.sizes[pusher])
        self.note(head, self.sizes[pusher] * head.gradients)

    def note(self, head: Head, batches: int) -> None:
        """An update was made of so many batches."""
        self.diary.losses.append(head.loss)
        self.diary.updated(batches * self.run.examples)
        self.diary.pulse.beat(self.diary.rank, self.diary.updates)
        self.diary.did(Doing.APPLYING)

    @property
    def gradient(self) -> Tensor:
        """Of the message."""
        return self._message[HEADER:]

    def _next(self) -> tuple[int, Head]:
        pusher = distributed.recv(self._message)
        head = Head.of(self._message)
        self.taken[pusher] += 1
        self.diary.did(Doing.WAITING)
        return pusher, head

    def _look_at_the_end(self) -> None:
        limits, batches = self.diary.limits, self.diary.examples / self.run.examples
        share = limits.share(self.diary.elapsed, batches / self.team.workers)
        if not self.over:
            self.diary.look(share, lambda: self.server.weights)
        self.over = self.over or share >= 1

    def _answer(self, pusher: int) -> None:
        """Send the weights; a worker that is still busy with an earlier message is not waited for."""
        sent = self._sent.get(pusher)
        if sent is not None:
            sent.wait()
        answer = self._answers[pusher]
        answer[0] = float(self.over)
        answer[HEADER:] = self.server.weights
        self.pulled[pusher] = self.server.updates
        self._sent[pusher] = distributed.isend(answer, pusher)
        self.diary.bytes += answer.numel() * answer.element_size()


class BoundedServer(ParameterServer):
    """Stale-synchronous: who is more than `bound` gradients ahead of the slowest waits (Ho et al. 2013)."""

    def __init__(self, run: Assignment) -> None:
        super().__init__(run)
        self._bound = run.strategy.whole("bound", 0)
        self._waiting: list[int] = []

    def take(self, pusher: int, head: Head) -> Sequence[int]:
        self.apply(pusher, head)
        self._waiting.append(pusher)
        slowest = min(self.taken.values())
        free = [one for one in self._waiting if self.taken[one] - slowest <= self._bound]
        self._waiting = [one for one in self._waiting if one not in free]
        return free

    def let_go(self) -> Sequence[int]:
        waiting, self._waiting = self._waiting, []
        return waiting


class BackupServer(ParameterServer):
    """Synchronous steps of the first gradients that come; those of the slowest `backups` are dropped (Chen et al. 2016)."""

    def __init__(self, run: Assignment) -> None:
        super().__init__(run)
        self._wanted = self.team.workers - run.strategy.whole("backups", 0)
        self._sum = torch.zeros_like(self.server.weights)
        self._waiting: list[int] = []

    def take(self, pusher: int, head: Head) -> Sequence[int]:
        if self.pulled[pusher] != self.server.updates:
            self.diary.dropped += 1
            return [pusher]
        self._waiting.append(pusher)
        self._sum += self.gradient
        if len(self._waiting) < self._wanted:
            self.diary.did(Doing.APPLYING)
            return []
        self.diary.staleness[0] += self._wanted
        self.server.push(self._sum / self._wanted, times=self._wanted)
        self.note(head, self._wanted)
        self._sum.zero_()
        free, self._waiting = self._waiting, []
        return free

    def let_go(self) -> Sequence[int]:
        waiting, self._waiting = self._waiting, []
        return waiting


class GroupServer(ParameterServer):
    """The server between groups that keep step: their leaders push the average of a group, which counts as many times."""

    def __init__(self, run: Assignment) -> None:
        super().__init__(run)
        self.sizes = {group[0]: len(group) for group in groups_of(run.strategy, self.team.workers)}

    def _pushers(self, run: Assignment) -> Iterator[int]:
        yield from (group[0] for group in groups_of(run.strategy, self.team.workers))


def groups_of(strategy: Strategy, workers: int) -> list[list[int]]:
    """The workers of each group, neighbours together; sizes differ by one at most."""
    parts = torch.arange(workers).tensor_split(strategy.whole("groups"))
    return [part.tolist() for part in parts]
