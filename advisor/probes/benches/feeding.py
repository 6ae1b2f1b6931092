"""Loader processes of torch, as a probe starts, feeds and ends them, and their faults in words for people."""

from __future__ import annotations

import contextlib
import itertools
import math
import multiprocessing
import os
import random
import signal
import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

from torch.utils.data import DataLoader, Sampler

from advisor.children import guard
from advisor.children.errors import CannotRunError
from advisor.probes.benches.examples import Example, Examples, tensor_bytes
from advisor.probes.protocol import Request
from advisor.probes.settings.loading import Loader
from advisor.probes.workload import Workload
from advisor.wording import shorten

PATIENCE = 0.25
"""Of the time there is, after which loader processes that gave no batch are said to hang."""
_SHARED_MEMORY = "/dev/shm"  # noqa: S108  where Linux has it
_LOADER_ENDED = (ConnectionError, EOFError, FileNotFoundError)


class Epoch(Sampler[list[int]]):
    """Positions of so many batches, in an order that is shuffled once and goes on from epoch to epoch."""

    def __init__(self, examples: int, batch_size: int, seed: int) -> None:
        order = list(range(examples))
        random.Random(seed).shuffle(order)  # noqa: S311  reproducible, no secret
        self._positions = itertools.cycle(order)
        self._batch_size = batch_size
        self.batches = 0

    def __iter__(self) -> Iterator[list[int]]:
        for _ in range(self.batches):
            yield list(itertools.islice(self._positions, self._batch_size))


class Feed:
    """A DataLoader with processes of its own, which wait between epochs.

    They are forked, as torch does on Linux by default (up to Python 3.13), and before a network or a graphics card is
    touched: forking a process that uses CUDA is safe only as long as the new one keeps away from it.
    """

    def __init__(self, data: Examples, how: Loader, epoch: Epoch, patience: float) -> None:
        self._epoch = epoch
        self._processes: list[multiprocessing.process.BaseProcess] = []
        self._batches: DataLoader[Example] = DataLoader(
            data,
            batch_sampler=epoch,
            num_workers=how.workers,
            prefetch_factor=how.prefetch if how.workers else None,
            pin_memory=how.pinned,
            persistent_workers=how.workers > 0,
            multiprocessing_context="fork" if how.workers else None,
            worker_init_fn=partial(_begin_worker, os.getpid()),
            timeout=patience if how.workers else 0,
        )

    def start(self) -> None:
        """Start the processes, by an epoch without batches."""
        others = {process.pid for process in multiprocessing.active_children()}
        try:
            for _ in self.epoch(0):
                pass
        finally:
            self._processes = [own for own in multiprocessing.active_children() if own.pid not in others]

    def epoch(self, batches: int) -> Iterator[Any]:
        self._epoch.batches = batches
        return iter(self._batches)

    def close(self) -> None:
        """End the processes and wait for them. torch would wait five seconds for each one that hangs."""
        if self._processes:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # torch's own handler takes it for an accident
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.join()


def started_feed(data: Examples, how: Loader, workload: Workload, request: Request) -> Feed | str:
    """The loader with its processes, or why there can be none."""
    if how.workers and sys.platform != "linux":
        return "the probe starts loader processes on Linux only yet."
    waiting = (how.read_ahead + 1) * batch_bytes(workload)
    if waiting > request.memory_bytes:
        return f"{how.read_ahead + 1} batches that wait would take {waiting / 1e6:,.0f} MB, more than a probe may take."
    if how.workers and waiting > (free := _free_shared_memory()):
        return _too_little_shared_memory(waiting, free)
    feed = Feed(data, how, Epoch(len(data), workload.batch_size, request.seed), max(1.0, request.seconds * PATIENCE))
    try:
        with in_plain_words(how):
            feed.start()
    except CannotRunError as error:
        return str(error)
    return feed


def _begin_worker(parent: int, number: int) -> None:
    """Run in a loader process. Torch itself would look for the parent every five seconds only."""
    guard.die_with(parent)


@contextlib.contextmanager
def in_plain_words(how: Loader) -> Iterator[None]:
    """Turn errors of a DataLoader into CannotRunError; a step's own errors pass."""
    try:
        yield
    except _LOADER_ENDED as error:
        raise CannotRunError("a loader process ended before its batch was there.") from error
    except OSError as error:
        raise CannotRunError(f"the data could not be read: {shorten(error.strerror or error)}.") from error
    except RuntimeError as error:
        words = str(error)
        if "Bus error" in words or "shared memory" in words:
            raise CannotRunError(_too_little_shared_memory(None, _free_shared_memory())) from error
        if "DataLoader timed out" in words:
            raise CannotRunError(
                f"its {how.workers} loader processes gave no batch for a quarter of the time."
            ) from error
        if "DataLoader worker" in words:
            raise CannotRunError(f"a loader process ended before its batch was there: {shorten(words, 200)}") from error
        raise


def batch_bytes(workload: Workload) -> int:
    return workload.batch_size * tensor_bytes(workload)


def _free_shared_memory() -> float:
    """Bytes; without end where the system has none that is limited."""
    try:
        space = os.statvfs(_SHARED_MEMORY)
    except OSError:
        return math.inf
    return space.f_bavail * space.f_frsize


def _too_little_shared_memory(need: int | None, free: float) -> str:
    wanted = f"{need / 1e6:,.0f} MB" if need is not None else "more"
    return (
        f"loader processes hand over their batches in shared memory and need {wanted} of it, while {_SHARED_MEMORY} has "
        f"{free / 1e6:,.0f} MB free. A container gets more by: docker run --shm-size=2g"
    )
