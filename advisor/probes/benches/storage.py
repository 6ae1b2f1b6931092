"""Reads a scratch file on the disk behind the data, several reads in flight. No torch."""

from __future__ import annotations

import itertools
import mmap
import os
import random
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from advisor.children.errors import CannotRunError
from advisor.machine.detection.disks import disk_behind
from advisor.machine.host import Host, Tree
from advisor.machine.parts import Disk, DiskKind
from advisor.probes.benches.scratch import MOST_BYTES, USUAL_BYTES, Past, Scratch, make
from advisor.probes.judging.trial import Equipment, OnProcessor, Tell, Trial
from advisor.probes.outcome import FROM_MEMORY
from advisor.probes.probe import Probe, Setting
from advisor.probes.protocol import Note, Request
from advisor.probes.rates import SEQUENTIAL, piece_bytes
from advisor.wording import shorten

BLOCK = 2**20
"""Bytes of a sequential read."""
SEQUENTIAL_IN_FLIGHT = 4
RANDOM_IN_FLIGHT = 8
RANDOM_THREADS = 10
"""The threads that keep about eight small reads in flight where a disk answers within a fraction of a millisecond.

A thread that was answered has no read in flight until it has woken up and holds Python's lock.
"""
SMALL_PIECE = 64 * 2**10
"""Bytes up to which waking up takes a share of a read's time that counts."""
WRITING_SHARE = 0.4
"""Of the time there is, for writing the file."""
PLENTY_OF_SECONDS = 60.0
"""From which on a larger file is worth its writing: the more is read, the less a disk's own memory answers."""

_OWN_CACHE = ("zfs",)
"""File systems that answer from a cache of their own, whatever is asked of the system's."""
_KINDS: Mapping[DiskKind | None, str] = {
    DiskKind.NVME: "an NVMe drive",
    DiskKind.SSD: "a solid-state drive",
    DiskKind.HDD: "a hard disk",
    DiskKind.NETWORK: "a network file system, whose server may keep a copy in memory",
    DiskKind.MEMORY: "a file system in main memory",
}


class ReadingTrial(OnProcessor):
    """As many reads a step as there are threads. All steps of a sample are read at once: nothing waits in between.

    Args:
        offsets: where the reads begin, in this order and then again.
    """

    def __init__(self, setting: Setting, scratch: Scratch, block: int, threads: int, offsets: Sequence[int]) -> None:
        self.setting = setting
        self.work = float(block * threads)
        self.scratch = scratch
        self._offsets = itertools.cycle(offsets)
        self._reads_a_step = threads
        self._waiting = 0
        self._buffers = [mmap.mmap(-1, block) for _ in range(threads)]  # begins with a page, as O_DIRECT asks
        self._threads = ThreadPoolExecutor(threads)

    def warm_up(self, seconds: float) -> None:
        """One step: a disk that takes longer has been given up by the parent."""
        self.step()
        self.finish()

    def step(self) -> None:
        self._waiting += self._reads_a_step

    def finish(self) -> None:
        """Raises CannotRunError where the disk fails."""
        offsets = itertools.islice(self._offsets, self._waiting)  # threads take them one by one: all end together
        self._waiting = 0
        try:
            list(self._threads.map(self._read, [offsets] * self._reads_a_step, self._buffers))
        except OSError as error:
            raise CannotRunError(f"reading the scratch file failed: {error.strerror}.") from error
        self.scratch.forget()

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _read(self, offsets: Iterator[int], buffer: mmap.mmap) -> None:
        into = [buffer]
        for offset in offsets:
            os.preadv(self.scratch.descriptor, into, offset)


def prepare(probe: Probe, request: Request, tell: Tell) -> Equipment:
    """Raises CannotRunError where no file can be written."""
    if not hasattr(os, "preadv"):
        raise CannotRunError("This system cannot read from several places of a file at once (it has no preadv).")
    disk = disk_behind(request.folder, Tree(Path("/")), Host())
    keeps_its_own = disk.kind is DiskKind.MEMORY or disk.file_system in _OWN_CACHE
    most = MOST_BYTES if request.seconds >= PLENTY_OF_SECONDS else USUAL_BYTES
    scratch = make(request.folder, request.seconds * WRITING_SHARE, most, may_pass=not keeps_its_own)
    piece = piece_bytes(request.surroundings)
    trials: dict[Setting, Trial] = {}
    closing = [scratch.file.close]
    for setting in request.settings:
        sequential = setting == SEQUENTIAL
        block, threads = (BLOCK, SEQUENTIAL_IN_FLIGHT) if sequential else (piece, threads_at_random(piece, disk))
        offsets = list(range(0, scratch.size - block + 1, block))
        if not sequential:
            random.Random(request.seed).shuffle(offsets)  # noqa: S311  reproducible, no secret
        trials[setting] = trial = ReadingTrial(setting, scratch, block, threads, offsets)
        closing.append(trial.close)
    tell(Note(about(scratch, piece, request.folder, disk)))
    tell(Note(scratch.past.value))
    return Equipment(trials, disk=_name(disk, scratch.past), close=closing)


def threads_at_random(piece: int, disk: Disk) -> int:
    """The number of threads that keep about eight random reads of so many bytes in flight."""
    slow = disk.kind in (DiskKind.HDD, DiskKind.NETWORK)
    return RANDOM_IN_FLIGHT if slow or piece > SMALL_PIECE else RANDOM_THREADS


def _name(disk: Disk, past: Past) -> str:
    """The disk's mount point and kind, which is virtual where a hypervisor makes it, such as "/data (nvme)"."""
    kind = "virtual" if disk.virtual else disk.kind.value if disk.kind else "of unknown kind"
    told = FROM_MEMORY if past is Past.NOT else f"({kind})"
    return f"{shorten(disk.mount_point or 'a disk', 100)} {told}"


def about(scratch: Scratch, piece: int, folder: str, disk: Disk) -> str:
    """A note on what was read, and from where."""
    kind = "a virtual disk, whose host may keep a copy in memory" if disk.virtual else _KINDS.get(disk.kind)
    threads = threads_at_random(piece, disk)
    exactly = threads == RANDOM_IN_FLIGHT
    at_once = f"{RANDOM_IN_FLIGHT} at once" if exactly else f"about {RANDOM_IN_FLIGHT} at once ({threads} threads)"
    behind = ", ".join(filter(None, [disk.file_system and shorten(disk.file_system), kind]))
    return (
        f"Read from a scratch file of {scratch.size / 1e6:,.0f} MB in {shorten(folder, 100)}"
        f"{f' ({behind})' if behind else ''}: {BLOCK // 1024} KiB at a time and {SEQUENTIAL_IN_FLIGHT} at once from end "
        f"to end; {piece // 1024} KiB at a time and {at_once} from random places. The file was written for this and is gone."
    )
