"""The pulse of a group of processes: a file that all of them map into memory, and that their launcher looks into.

A look costs them nothing, and tells how far one had come that can say nothing any more.
"""

from __future__ import annotations

import mmap
import os
import struct
import time
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

_ENTRY = struct.Struct("<qqqdq")  # process, phase, run, time, steps
_SIZE = 64
"""Bytes of each rank: a line of the processor's cache."""


class Phase(IntEnum):
    STARTING = 0
    TRAINING = 1
    JUDGING = 2
    """Looking at held-out examples, and waiting for those that do."""


@dataclass(frozen=True, slots=True)
class Beat:
    """The last word of a rank."""

    process: int
    """Its number; 0 before its first word."""
    phase: Phase
    run: int
    """From 0."""
    at: float
    """By the monotonic clock of the computer."""
    steps: int
    """In this run: gradients of a worker, updates of a server."""


class Pulse:
    """The file of all ranks. With no path nothing is written."""

    def __init__(self, path: str, ranks: int) -> None:
        self._map: mmap.mmap | None = None
        if path:
            with Path(path).open("r+b") as file:
                self._map = mmap.mmap(file.fileno(), ranks * _SIZE)
        self._phase, self._run, self._steps = Phase.STARTING, 0, 0

    @staticmethod
    def make(path: Path, ranks: int) -> Pulse:
        """A new file."""
        path.write_bytes(bytes(ranks * _SIZE))
        return Pulse(str(path), ranks)

    def enter(self, rank: int, phase: Phase, run: int = 0) -> None:
        """A phase begins."""
        self._phase, self._run, self._steps = phase, run, 0
        self.beat(rank, 0)

    def beat(self, rank: int, steps: int) -> None:
        """Something was done."""
        if self._map is not None:
            _ENTRY.pack_into(self._map, rank * _SIZE, os.getpid(), self._phase, self._run, time.monotonic(), steps)

    def of(self, rank: int) -> Beat:
        """The last word of a rank."""
        assert self._map is not None  # noqa: S101  the launcher made it
        process, phase, run, at, steps = _ENTRY.unpack_from(self._map, rank * _SIZE)
        return Beat(process, Phase(phase), run, at, steps)
