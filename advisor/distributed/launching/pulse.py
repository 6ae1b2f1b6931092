"""The pulse of a group of processes: a file that all of them map into memory, and that their launcher looks into.

A look costs them nothing, and tells how far one had come that can say nothing any more.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import struct
import time
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

_ENTRY = struct.Struct("<qqqdqqd")  # process, phase, run, time, steps, waits, longest
_SIZE = 64
"""Bytes of each rank: a line of the processor's cache."""
_UNUSUAL = 1
"""Pieces of work at the beginning that take longer than later ones: they take memory, and choose algorithms."""


class Phase(IntEnum):
    STARTING = 0
    """Until all have met."""
    READING = 1
    """Examples and the network are made."""
    CALIBRATING = 2
    PREPARING = 3
    """Before a run."""
    TRAINING = 4
    JUDGING = 5
    """Looking at held-out examples, or waiting for who does."""


@dataclass(frozen=True, slots=True)
class Beat:
    """The last word of a rank."""

    process: int = 0
    """Its number; 0 before its first word."""
    phase: Phase = Phase.STARTING
    run: int = 0
    """From 0."""
    at: float = 0.0
    """By the monotonic clock of the computer."""
    steps: int = 0
    """In this run: gradients of a worker, updates of a server."""
    waits: bool = False
    """For others, so that whatever keeps it is somebody else."""
    longest: float = 0.0
    """Seconds of the longest piece of work so far; 0 where too few were done to tell."""


class Pulse:
    """The file of all ranks. With no path nothing is written."""

    def __init__(self, path: str, ranks: int) -> None:
        self._map: mmap.mmap | None = None
        if path:
            with Path(path).open("r+b") as file:
                self._map = mmap.mmap(file.fileno(), ranks * _SIZE)
        self._phase, self._run, self._steps = Phase.STARTING, 0, 0
        self._at, self._waits = time.monotonic(), False
        self._pieces, self._longest = 0, 0.0

    @staticmethod
    def make(path: Path, ranks: int) -> Pulse:
        """A new file."""
        path.write_bytes(bytes(ranks * _SIZE))
        return Pulse(str(path), ranks)

    def enter(self, rank: int, phase: Phase, run: int = 0) -> None:
        """A phase begins."""
        self._phase, self._run, self._steps = phase, run, 0
        self.rest(rank)

    def beat(self, rank: int, steps: int) -> None:
        """A piece of work is done, the last of so many steps."""
        took = time.monotonic() - self._at
        self._pieces += 1
        if self._pieces > _UNUSUAL:
            self._longest = max(self._longest, took)
        self._steps = steps
        self.rest(rank)

    def rest(self, rank: int) -> None:
        """The time until now was none of work: it was waited for others, say."""
        self._at = time.monotonic()
        if self._map is not None:
            _ENTRY.pack_into(
                self._map,
                rank * _SIZE,
                os.getpid(),
                self._phase,
                self._run,
                self._at,
                self._steps,
                self._waits,
                self._longest,
            )

    @contextlib.contextmanager
    def waiting(self, rank: int) -> Iterator[None]:
        """Around whatever waits for others."""
        self._waits = True
        self.rest(rank)
        try:
            yield
        finally:
            self._waits = False
            self.rest(rank)

    def of(self, rank: int) -> Beat:
        """The last word of a rank."""
        assert self._map is not None  # noqa: S101  the launcher made it
        process, phase, run, at, steps, waits, longest = _ENTRY.unpack_from(self._map, rank * _SIZE)
        return Beat(process, Phase(phase), run, at, steps, bool(waits), longest)
