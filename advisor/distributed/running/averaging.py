"""Strategies in which all workers wait for each other: they average gradients, or weights."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch._C._distributed_c10d import GradBucket
from torch.distributed import ProcessGroup
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook, fp16_compress_hook
from torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook import PowerSGDState, powerSGD_hook
from torch.nn.parallel import DistributedDataParallel

from advisor.distributed.running.diary import Doing
from advisor.distributed.running.learner import Flat, optimizer_of
from advisor.distributed.running.part import Assignment, InStep
from advisor.distributed.updates import Outer, step

_UNCOMPRESSED_STEPS = 2
"""The fewest after which PowerSGD may remember what it left out, and begin where it ended the last time."""
_HALF = 2
"""Bytes of a number of 16 bits."""
Hook = Callable[[Any, GradBucket], "torch.futures.Future[Tensor]"]


class Synchronous(InStep):
    """DistributedDataParallel: gradients are exchanged while others are still computed; all steps are the same everywhere.

    With `every`, gradients of several batches are added up before (`no_sync`); with `fp16_compression` and `powersgd`, torch's
    own hooks send less.
    """

    def __init__(self, run: Assignment) -> None:
        super().__init__(run)
        self.learner = run.learner()
        self.flat = Flat(self.learner.network)
        self._every = run.strategy.whole("every")
        self._optimizer = optimizer_of(run.job.task, self.flat.weights, self.team.workers)
        self._shared = DistributedDataParallel(
            self.learner.network, process_group=self.workers, broadcast_buffers=False
        )
        exchange = self._hook(run)
        self._shared.register_comm_hook(None, lambda _, bucket: exchange(bucket))  # torch refuses annotations in words
        self._size, self._begun = 0.0, 0.0

    def work(self) -> None:
        self.diary.look(0, lambda: self.flat.weights)
        while True:
            with self._shared.no_sync():
                for _ in range(self._every - 1):
                    self.learner.gradient(self._shared)
            self._size = 0.0
            self.learner.gradient(self._shared)
            self.team.finish()
            self.count_all_reduce(self._size, self._begun)
            self.diary.did(Doing.EXCHANGING)
            step(self._optimizer, self.flat.weights, self.flat.gradient)
            self.flat.gradient.zero_()
            self.diary.updated(self._every * self.team.workers * self.run.examples)
            if not self.goes_on(self.learner.taken, lambda: self.flat.weights):
                return

    def _hook(self, run: Assignment) -> Callable[[GradBucket], torch.futures.Future[Tensor]]:
        """Exchanges a bucket of gradients, and notes what that takes."""
        hook, state, size = _exchange(run, self.workers)

        def exchange(bucket: GradBucket) -> torch.futures.Future[Tensor]:
            if bucket.is_last():
                self.learner.computed()
                self._begun = time.monotonic()
            future = hook(state, bucket)
            self._size += size(bucket)
            return future

        return exchange


def _exchange(run: Assignment, workers: ProcessGroup | None) -> tuple[Hook, Any, Callable[[GradBucket], float]]:
    """The hook of a strategy, its state, and the bytes of numbers that a bucket was exchanged as."""
    if run.strategy.name == "fp16_compression":
        return fp16_compress_hook, workers, lambda bucket: float(_HALF * bucket.buffer().numel())
    if run.strategy.name == "powersgd":
        state = PowerSGDState(workers, run.strategy.whole("rank"), start_powerSGD_iter=_UNCOMPRESSED_STEPS)
        return powerSGD_hook, state, _Factors(state)
    return allreduce_hook, workers, lambda bucket: float(bucket.buffer().nbytes)


class _Factors:
    """Bytes of what PowerSGD has sent for each bucket: factors, or all of it at the beginning."""

    def __init__(self, state: PowerSGDState) -> None:
        self._state = state
        self._before = 0

    def __call__(self, bucket: GradBucket) -> float:
        sent = self._state.total_numel_after_compression
        numbers, self._before = sent - self._before or bucket.buffer().numel(), sent
        return float(numbers * bucket.buffer().element_size())


class LocalSgd(InStep):
    """Each worker takes `every` steps of its own, then all take the average of their weights (Stich 2019, arXiv:1805.09767)."""

    def __init__(self, run: Assignment) -> None:
        super().__init__(run)
        self.learner = run.learner()
        self.flat = Flat(self.learner.network)
        self._every = run.strategy.whole("every")
        self._optimizer = optimizer_of(run.job.task, self.flat.weights, self.team.workers)

    def work(self) -> None:
        self.diary.look(0, lambda: self.flat.weights)
        rounds = 0
        while True:
            before = self.learner.taken
            self._own_steps()
            self.exchange()
            self.diary.did(Doing.EXCHANGING)
            rounds += 1
            self.diary.updated((self.learner.taken - before) * self.team.workers * self.run.examples)
            if not self.goes_on(rounds * self._every, lambda: self.flat.weights):
                return

    def _own_steps(self) -> None:
        """Fewer than usual at the end of the run; its end itself is agreed on after the exchange."""
        limits = self.diary.limits
        for _ in range(self._every):
            self.flat.gradient.zero_()
            self.learner.gradient()
            step(self._optimizer, self.flat.weights, self.flat.gradient)
            if limits.share(self.diary.elapsed, self.learner.taken) >= 1:
                return

    def exchange(self) -> None:
        """Average the weights of all workers."""
        self.all_reduce(self.flat.weights)
        self.flat.weights /= self.team.workers


class DiLoCo(LocalSgd):
    """As local SGD, but what the workers have changed on average is a gradient for Nesterov's method.

    Douillard et al. 2023 (arXiv:2311.08105), algorithm 1; the inner optimiser is that of the task, AdamW in the paper.
    """

    def __init__(self, run: Assignment) -> None:
        super().__init__(run)
        self._outer = Outer(self.flat.weights.clone(), run.strategy)

    def exchange(self) -> None:
        super().exchange()
        self._outer.average(self.flat.weights)
        self.flat.weights.copy_(self._outer.weights)
