"""A worker's own part of every strategy: the gradient of its next batch."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from advisor.distributed.job import SCALED, NoNumberError, name_of
from advisor.distributed.learning.lesson import Lesson, Stream
from advisor.distributed.running.diary import Diary, Doing
from advisor.distributed.task import Task
from advisor.training.loop.optimizers import optimizer

_SEEDS_APART = 10_007


class Flat:
    """The weights of a network as one vector, and their gradients as another, of which its parameters are views."""

    def __init__(self, network: nn.Module) -> None:
        parameters = list(network.parameters())
        self.weights = torch.cat([one.detach().reshape(-1) for one in parameters])
        self.gradient = torch.zeros_like(self.weights)
        place = 0
        for one in parameters:
            part = slice(place, place + one.numel())
            one.data = self.weights[part].view_as(one)
            one.grad = self.gradient[part].view_as(one)
            place += one.numel()


class Learner:
    """One worker's network, its batches, and the gradients that it computes.

    Args:
        slower: so many times the usual time each gradient takes: the rest of it is waited for.
    """

    def __init__(
        self,
        lesson: Lesson,
        network: nn.Module,
        stream: Stream,
        place: tuple[int, int],
        diary: Diary,
        slower: float = 1.0,
    ) -> None:
        self.lesson, self.network, self.stream, self.diary = lesson, network, stream, diary
        self.worker, self.workers = place
        self.device = next(network.parameters()).device
        self._slower = slower
        self.taken = 0
        """Gradients so far."""
        self._under_way: tuple[float, float] | None = None
        """When the gradient was begun, and its loss."""

    def batch(self, number: int) -> tuple[Tensor, Tensor]:
        """A batch of the stream."""
        rows = self.stream.rows(number)
        return self.lesson.inputs[rows].to(self.device), self.lesson.targets[rows].to(self.device)

    def next_batch(self) -> tuple[Tensor, Tensor]:
        """Worker w of N takes batch k * N + w for its k-th gradient."""
        return self.batch(self.taken * self.workers + self.worker)

    def gradient(self, forward: Callable[[Tensor], Tensor] | None = None) -> None:
        """Add the gradient of the next batch to the gradients that are there, and note it.

        Args:
            forward: the network, wrapped in something perhaps.

        Raises NoNumberError where the loss is no number.
        """
        self.backward(forward)
        self.computed()

    def backward(self, forward: Callable[[Tensor], Tensor] | None = None) -> float:
        """The same without a note of it; the loss."""
        begun = time.monotonic()
        inputs, targets = self.next_batch()
        loss = self.lesson.loss((forward or self.network)(inputs), targets)
        value = self.finite(float(loss))
        self.taken += 1
        self._under_way = begun, value
        loss.backward()  # type: ignore[no-untyped-call]
        return value

    def computed(self) -> None:
        """The gradient is there, although it may be exchanged before `backward` returns: note it, once."""
        if self._under_way is not None:
            (begun, loss), self._under_way = self._under_way, None
            if self.device.type == "cuda":
                torch.cuda.synchronize(self.device)
            self.slowed(time.monotonic() - begun)
            self.diary.computed(self.diary.did(Doing.COMPUTING), loss)

    def slowed(self, seconds: float) -> float:
        """Wait as long as a slower worker would still compute what took so many seconds; how long it takes that worker."""
        if self._slower > 1:
            time.sleep((self._slower - 1) * seconds)
        return seconds * self._slower

    def finite(self, loss: float) -> float:
        """Raises CannotRunError for a loss that is no number."""
        if not math.isfinite(loss):
            raise NoNumberError(f"The loss of {name_of(self.worker, self.workers).lower()} was no number any more")
        return loss


def start_chance(seed: int, rank: int) -> None:
    """Let dropout draw other numbers in each worker, and the same in every run of a seed."""
    torch.manual_seed((seed * _SEEDS_APART + rank) % 2**63)


def optimizer_of(task: Task, weights: Tensor | list[nn.Parameter], averaged: int) -> Optimizer:
    """The optimiser of workers that average so many gradients: the learning rate of plain methods grows with them."""
    rate = task.rate * (averaged if task.optimizer in SCALED else 1)
    parameters = [weights] if isinstance(weights, Tensor) else weights
    return optimizer(task.optimizer, parameters, rate)  # type: ignore[arg-type]
