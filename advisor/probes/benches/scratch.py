"""A file that nobody sees, to read from: it has no name, so that it is gone when this process is."""

from __future__ import annotations

import contextlib
import errno
import mmap
import os
import shutil
import tempfile
import time
from dataclasses import dataclass
from enum import Enum
from typing import BinaryIO

from advisor.children.errors import CannotRunError
from advisor.probes.rates import PAGE
from advisor.wording import shorten

USUAL_BYTES = 256 * 10**6
MOST_BYTES = 10**9
"""The most that is written, given plenty of time."""
FREE_SHARE = 0.1
FEWEST_BYTES = 16 * 2**20
"""Below that, a disk's own memory would answer."""
WRITE_BYTES = 4 * 2**20
"""Written at a time, and then waited for, so that the seconds are kept; the file is a multiple of it."""
_LONGEST_FOLDER = 100
_FULL = (errno.ENOSPC, errno.EDQUOT)


class Past(Enum):
    """Ways of reading past the page cache, in which the system keeps what was read and written, in words for people."""

    DIRECT = "All reads went past the system's page cache (O_DIRECT)."
    DROPPED = (
        "The file system does not let reads go past the page cache, so the system was asked to forget the file before "
        "each sample (posix_fadvise): rates of random reads may be a little too high."
    )
    NOT = (
        "Reads could not get past the page cache here: memory may have answered in place of the disk, and a file larger "
        "than memory can be read much more slowly."
    )


@dataclass
class Scratch:
    """An open file without a name, full of what cannot be compressed."""

    file: BinaryIO
    size: int
    """Bytes"""
    past: Past

    @property
    def descriptor(self) -> int:
        return self.file.fileno()

    def forget(self) -> None:
        """Drop from the page cache what was read, where that must be asked for."""
        if self.past is Past.DROPPED:
            os.posix_fadvise(self.descriptor, 0, 0, os.POSIX_FADV_DONTNEED)


def make(folder: str, seconds: float, most: int, *, may_pass: bool = True) -> Scratch:
    """Write the file: `most` bytes, less where a tenth of the free space or what is written in these seconds is less.

    Args:
        may_pass: False for a file system that answers from memory whatever it is asked for.

    Raises CannotRunError where it cannot be written, or is too small to tell anything.
    """
    where = shorten(folder, _LONGEST_FOLDER)
    try:
        if _is_read_only(folder):
            raise CannotRunError(
                f"The disk of {where} is mounted read-only: it cannot be measured, since the probe first writes the file that "
                "it reads."
            )
        allowed = min(most, int(shutil.disk_usage(folder).free * FREE_SHARE))
        if allowed < FEWEST_BYTES:
            raise CannotRunError(
                f"{where} has too little free space: a probe takes at most a tenth of it and needs "
                f"{FEWEST_BYTES / 2**20:.0f} MiB. Make room on this disk and try again."
            )
        file = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115  closed with the equipment
    except OSError as error:
        raise CannotRunError(
            f"A file cannot be written in {where}: {error.strerror}. Measure in a folder on the same disk that you may "
            "write in."
        ) from error
    try:
        direct = ask_for_direct(file.fileno())
        size = _fill(file.fileno(), allowed, seconds)
    except OSError as error:
        file.close()
        if error.errno in _FULL:
            raise CannotRunError(
                f"The space of {where} was used up meanwhile. Make room there and try again."
            ) from error
        raise CannotRunError(f"Writing in {where} failed: {error.strerror}.") from error
    if size < FEWEST_BYTES:
        file.close()
        raise CannotRunError(
            f"In {seconds:.0f} s only {size / 1e6:.0f} MB could be written in {where}: give the probe more time."
        )
    return Scratch(file, size, _past(file.fileno(), direct) if may_pass else Past.NOT)


def _is_read_only(folder: str) -> bool:
    """Raises OSError where there is no such folder."""
    return hasattr(os, "statvfs") and bool(os.statvfs(folder).f_flag & os.ST_RDONLY)


def ask_for_direct(descriptor: int) -> bool:
    """Turn the page cache off for a file; whether its file system does so (tmpfs, for one, does not)."""
    if not hasattr(os, "O_DIRECT"):
        return False
    import fcntl  # not everywhere

    flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
    with contextlib.suppress(OSError), mmap.mmap(-1, PAGE) as page:
        fcntl.fcntl(descriptor, fcntl.F_SETFL, flags | os.O_DIRECT)
        os.pwrite(descriptor, page, 0)  # some take the flag, and refuse what is then written
        return True
    fcntl.fcntl(descriptor, fcntl.F_SETFL, flags)
    return False


def _fill(descriptor: int, allowed: int, seconds: float) -> int:
    """Write until enough is written or the seconds are over; the bytes written.

    Every piece is taken from the same random bytes, from an odd place of its own: making random bytes is slower than
    many a disk, and what is equal, but never at a multiple of a block, is found by no compression of a file system.
    """
    until = time.monotonic() + seconds
    random = memoryview(os.urandom(2 * WRITE_BYTES))
    written = 0
    with mmap.mmap(-1, WRITE_BYTES) as buffer:
        while written + WRITE_BYTES <= allowed and time.monotonic() < until:
            place = written // WRITE_BYTES * 4099 % WRITE_BYTES
            buffer[:] = random[place : place + WRITE_BYTES]
            done = os.pwrite(descriptor, buffer, written)
            if done < WRITE_BYTES:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            written += done
            os.fsync(descriptor)
    return written


def _past(descriptor: int, direct: bool) -> Past:
    """The way past the cache for a written file: if the system drops it when asked to, reading without waiting gives nothing."""
    if direct:
        return Past.DIRECT
    if not hasattr(os, "posix_fadvise") or not hasattr(os, "RWF_NOWAIT"):
        return Past.NOT
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    try:
        answered = os.preadv(descriptor, [bytearray(PAGE)], 0, os.RWF_NOWAIT)
    except BlockingIOError:
        return Past.DROPPED
    except OSError:
        return Past.NOT  # the file system does not tell, so nothing better is said
    return Past.NOT if answered else Past.DROPPED
