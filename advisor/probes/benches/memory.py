"""The triad of STREAM (McCalpin 1995), a = b + s c with numbers of 64 bits, in main memory and within each cache."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import torch
from torch import Tensor

from advisor.children.errors import CannotRunError
from advisor.machine.detection.processor_details import detect_caches
from advisor.machine.host import Host, Tree
from advisor.machine.parts import Cache, CacheKind
from advisor.probes.judging.trial import Equipment, OnProcessor, Tell, Trial
from advisor.probes.probe import Probe, Setting
from advisor.probes.protocol import Note, Request
from advisor.probes.rates import ALL_THREADS, CACHES, ONE_THREAD

SCALAR = 3.0
NUMBER = 8
"""Bytes of a float64."""
STREAMS = 3
"""Arrays: two are read and one is written. As in STREAM, the reading of what is going to be written does not count."""
BEYOND_CACHE = 4
"""Times all caches of the last level, which each array should be at least (STREAM's own rule)."""
WHERE_CACHES_ARE_UNKNOWN = 256 * 2**20
"""Bytes of the three arrays together."""
FREE_SHARE = 0.1
FIRST_SHARE = 1 / 32
"""Of the arrays, from which the time of all is judged before it is spent."""

WAKING = 2**16
"""Numbers for each thread, enough for torch to share them out."""

STRIDE = 8
"""Numbers in a cache line of 64 bytes."""
FOLD = 8
CALL_BYTES = 32 * 2**20
"""The least that a step within a cache moves: 0.1 ms and more, beside which calling torch (1 us) does not count."""


class MainMemoryTrial(OnProcessor):
    """The triad over arrays that no cache holds."""

    def __init__(self, setting: Setting, arrays: Arrays, threads: int) -> None:
        self.setting = setting
        self.work = float(STREAMS * NUMBER * arrays.length)
        self._arrays = arrays
        self._threads = threads

    def warm_up(self, seconds: float) -> None:
        """Raises CannotRunError if a step would take longer than this."""
        self._arrays.fill(seconds)
        _expect("a step", lambda: triad(self._arrays.first, self._threads), seconds)
        self.step()

    def step(self) -> None:
        triad(self._arrays.whole, self._threads)


class Arrays:
    """Three arrays in main memory, of `length` numbers each."""

    def __init__(self, length: int, threads: int) -> None:
        self.length = length
        self._threads = threads
        self._filled = False
        self.whole = [torch.empty(length, dtype=torch.float64) for _ in range(STREAMS)]
        self.first = [array[: max(1, int(length * FIRST_SHARE))] for array in self.whole]

    def fill(self, seconds: float) -> None:
        """With all threads, so that each part is near the core that works on it. Raises CannotRunError if too slow."""
        if self._filled:
            return
        torch.set_num_threads(self._threads)
        for array in self.first:  # the threads begin, which would count 32 times in what is expected of all
            array[: self._threads * WAKING].fill_(1.0)
        _expect("filling the arrays", lambda: [array.fill_(1.0) for array in self.first], seconds)
        for array in self.whole:
            array.fill_(1.0)
        self._filled = True


def _expect(what: str, work: Callable[[], object], seconds: float) -> None:
    """Do work on the first share of the arrays. Raises CannotRunError if all of it would take longer than this."""
    begun = time.monotonic()
    work()
    expected = (time.monotonic() - begun) / FIRST_SHARE
    if expected > seconds:
        raise CannotRunError(f"{what} would take about {expected:.0f} s.")


class CacheTrial(OnProcessor):
    """The triad by one thread, over and over half of a cache, in one call of torch a step.

    A call costs a microsecond, in which a core moves more than its first cache holds. So a step goes over a view of
    the arrays with one or more further dimensions: rows of numbers, each a cache line after the one before, folded so
    that all of them stay within the half. Rows overlap, which does no harm in a sum that nobody reads.
    """

    def __init__(self, setting: Setting, cache_bytes: int | None) -> None:
        self.setting = setting
        self.work = 0.0
        self._cache_bytes = cache_bytes
        self._arrays: list[Tensor] = []

    def warm_up(self, seconds: float) -> None:
        """Raises CannotRunError where there is no such cache."""
        if self._cache_bytes is None:
            raise CannotRunError(f"The system does not tell of a cache called {self.setting}.")
        self._arrays = [folded(self._cache_bytes // 2 // STREAMS // NUMBER) for _ in range(STREAMS)]
        self.work = float(STREAMS * NUMBER * self._arrays[0].numel())
        self.step()

    def step(self) -> None:
        triad(self._arrays, threads=1)


def triad(arrays: Sequence[Tensor], threads: int = 1) -> None:
    """a = b + s c in one pass, without an array in between."""
    if torch.get_num_threads() != threads:
        torch.set_num_threads(threads)
    result, one, other = arrays
    torch.add(one, other, alpha=SCALAR, out=result)


def folded(length: int) -> Tensor:
    """A view of `length` numbers that goes over them again and again, until it has moved enough for one call.

    Shape (8, ..., 8, row): moving by one in any of the first dimensions moves by one cache line.
    """
    folds = 0
    while STREAMS * NUMBER * length * FOLD**folds < CALL_BYTES:
        folds += 1
    row = max(STRIDE, length - folds * (FOLD - 1) * STRIDE)
    numbers = torch.ones(row + folds * (FOLD - 1) * STRIDE, dtype=torch.float64)
    return numbers.as_strided((*(FOLD,) * folds, row), (*(STRIDE,) * folds, 1))


def sizes_of(caches: Sequence[Cache] | None) -> tuple[Mapping[int, int], int | None]:
    """Bytes of a processor's data caches.

    Of one cache of each level (the smallest where they differ), and of all of the last level together.
    """
    data = [cache for cache in caches or () if cache.kind is not CacheKind.INSTRUCTION]
    one: dict[int, int] = {}
    for cache in data:
        one[cache.level] = min(cache.size_bytes, one.get(cache.level, cache.size_bytes))
    last = max(one, default=None)
    together = sum(cache.size_bytes * cache.instances for cache in data if cache.level == last)
    return one, together or None


def array_length(last_level: int | None, free_bytes: int) -> int:
    """Numbers in each array: four times the last caches, within a tenth of the free memory."""
    wanted = WHERE_CACHES_ARE_UNKNOWN if last_level is None else STREAMS * BEYOND_CACHE * last_level
    return max(1, int(min(wanted, free_bytes * FREE_SHARE)) // STREAMS // NUMBER)


def prepare(probe: Probe, request: Request, tell: Tell) -> Equipment:
    threads = request.surroundings.compute_threads
    one_of_level, last_level = sizes_of(detect_caches(Tree(Path("/")), Host(), _own_threads()))
    arrays = Arrays(array_length(last_level, request.memory_bytes), threads)
    trials: dict[Setting, Trial] = {}
    for setting in request.settings:
        if setting in (ALL_THREADS, ONE_THREAD):
            trials[setting] = MainMemoryTrial(setting, arrays, threads if setting == ALL_THREADS else 1)
        else:
            trials[setting] = CacheTrial(setting, one_of_level.get(CACHES.get(str(setting), 0)))
    tell(Note(about(arrays.length * NUMBER, last_level, threads)))
    return Equipment(trials, torch=torch.__version__, threads=threads)


def about(array_bytes: int, last_level: int | None, threads: int) -> str:
    """A note on the measurement and on caches that may have helped; bytes of one array, and of all caches of the last level."""
    all_threads = "There is one thread here" if threads == 1 else f"All threads are {threads} here"
    text = (
        f"{all_threads}. Main memory was measured by a = b + s c over three arrays of "
        f"{array_bytes / 1e6:,.0f} MB, counted as STREAM does (24 bytes for each number of a; a processor that reads a "
        "before it writes it moves 32)."
    )
    if last_level is None:
        return f"{text} The system does not tell how large the caches are, so they may hold a part of it."
    if array_bytes < BEYOND_CACHE * last_level * 0.99:
        return (
            f"{text} Three arrays of {BEYOND_CACHE} times the last caches would take more memory than this probe may: the "
            "caches may hold a part of them."
        )
    return text


def _own_threads() -> tuple[int, ...]:
    """Numbers of the hardware threads whose caches count."""
    return tuple(sorted(os.sched_getaffinity(0))) if hasattr(os, "sched_getaffinity") else (0,)
