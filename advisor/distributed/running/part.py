"""The one interface of all strategies: the part that one process has in a run."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, distributed

from advisor.distributed.job import Job
from advisor.distributed.launching.pulse import Phase
from advisor.distributed.learning.lesson import Lesson
from advisor.distributed.running.diary import Diary, Doing
from advisor.distributed.running.learner import Learner, start_chance
from advisor.distributed.running.team import Team
from advisor.distributed.strategies import Strategy
from advisor.distributed.wires.pacing import Pace


@dataclass(frozen=True, slots=True)
class Assignment:
    """One run, as a rank is to have part in it."""

    job: Job
    lesson: Lesson
    strategy: Strategy
    seed: int
    team: Team
    diary: Diary
    pace: Pace | None = None
    """Exchanges are waited for where they only act a slow link."""

    def learner(self) -> Learner:
        """This worker's, with the initial weights of the seed."""
        network = self.lesson.fresh(self.seed).to(self.team.device)
        start_chance(self.seed, self.team.rank)
        slower = self.job.straggler if self.team.rank == self.team.workers - 1 else 1.0
        place = self.team.rank, self.team.workers
        stream = self.lesson.stream(self.job.task.batch, self.seed)
        return Learner(self.lesson, network, stream, place, self.diary, slower)

    @property
    def examples(self) -> int:
        """Of a batch of one worker."""
        return self.lesson.stream(self.job.task.batch, self.seed).batch


class Part(ABC):
    """One rank's part in a strategy. Whatever takes long and is no training is done in the constructor, by all ranks at once."""

    def __init__(self, run: Assignment) -> None:
        self.run = run
        self.diary, self.team = run.diary, run.team

    def train(self) -> None:
        """Train until the limits of the run; the diary tells how it went. All ranks begin at once.

        Raises CannotRunError where a loss is no number, and RuntimeError where another rank does not answer.
        """
        self.team.wait_for_all()
        self.diary.begin()
        self.work()
        self.diary.end()

    @abstractmethod
    def work(self) -> None:
        """The run itself."""

    def joined(self, parts: Sequence[Tensor]) -> Tensor:
        """The weights (weights,) of the whole network, of those that each worker holds at the same time."""
        return parts[0]


class Idle(Part):
    """The part of a rank that a strategy has no use for."""

    def work(self) -> None:
        self.diary.pulse.enter(self.diary.rank, Phase.JUDGING, self.diary.run)


class InStep(Part):
    """Workers that agree on the end of the run, and on when they keep copies of the weights, by the clock of the first."""

    def __init__(self, run: Assignment) -> None:
        super().__init__(run)
        self.workers = run.team.all_workers
        self._next = 1

    @property
    def leads(self) -> bool:
        return self.team.rank == 0

    def all_reduce(self, values: Tensor) -> None:
        """Sum over all workers, in place."""
        begun = time.monotonic()
        distributed.all_reduce(values, group=self.workers)
        self.team.finish()
        self.count_all_reduce(values.numel() * values.element_size(), begun)

    def count_all_reduce(self, size: float, begun: float) -> None:
        """Count what this rank sends in an all-reduce of so many bytes, and wait until a slow link would have carried it."""
        count = self.team.workers
        sent = 2 * (count - 1) / count * size
        self.diary.bytes += sent
        if self.run.pace is not None and count > 1:
            rounds = 2 * (count - 1)
            self.run.pace.wait(sent, begun + (rounds - 1) * self.run.pace.latency)

    def goes_on(self, gradients: int, weights: Callable[[], Tensor]) -> bool:
        """False once the run is over.

        Args:
            gradients: of each worker so far.
            weights: gives those of which a copy may be kept.
        """
        if gradients < self._next and gradients < (self.diary.limits.gradients or gradients + 1):
            return True
        limits = self.diary.limits
        over = limits.share(self.diary.elapsed, gradients)
        told = torch.tensor([over, gradients + limits.ahead(over, gradients)], dtype=torch.float64)
        distributed.broadcast(told, 0, group=self.workers)
        self.diary.did(Doing.EXCHANGING)
        share, following = told.tolist()
        self._next = int(following)
        if self.keeps:
            self.diary.look(share, weights)
        return bool(share < 1)

    @property
    def keeps(self) -> bool:
        """True where this rank keeps copies: where all have the same weights, the first does."""
        return self.leads
