"""Waiting for the other end of a pipe or a device, and the names of what is open already."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import select
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

NO_WAITING = sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY"))
"""To open without waiting for anybody, and for no child."""
_STREAM = re.compile(r"/dev/(?:stdin|stdout|stderr|fd/(\d{1,9}))|/proc/self/fd/(\d{1,9})")
_STANDARD = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds that a pipe or a device is waited for."""

    opening: float = 5.0
    """Until somebody is at the other end of a pipe at all."""
    silence: float = 60.0
    """From one byte to the next: what writes may have to compute or to ask for something first."""


PATIENT = Patience()


class NobodyThereError(OSError):
    """A pipe or a device is silent."""

    def __init__(self, what: str) -> None:
        super().__init__(errno.ETIMEDOUT, what)
        self.what = what


def stream(path: Path) -> int | None:
    """The number of what is open already under this name, such as /dev/stdin and what `<(...)` makes; None for a file."""
    found = _STREAM.fullmatch(str(path))
    if found is None:
        return None
    number = found[1] or found[2]
    return _STANDARD[str(path)] if number is None else int(number)


def can_read(descriptor: int, seconds: float) -> bool:
    """Wait until something, or the end, can be read."""
    return _is_ready(descriptor, seconds, reading=True)


def can_write(descriptor: int, seconds: float) -> bool:
    return _is_ready(descriptor, seconds, reading=False)


def _is_ready(descriptor: int, seconds: float, *, reading: bool) -> bool:
    if hasattr(select, "poll"):
        poll = select.poll()
        poll.register(descriptor, select.POLLIN if reading else select.POLLOUT)
        found = poll.poll(seconds * 1000)
        if not any(events & select.POLLNVAL for _, events in found):
            return bool(found)
    try:  # macOS does not poll terminals
        return any(select.select([descriptor] * reading, [descriptor] * (not reading), [], seconds))
    except (OSError, ValueError):  # Windows waits for sockets only: reading and writing wait themselves there
        return True


@contextlib.contextmanager
def closing(descriptor: int) -> Iterator[int]:
    """Close it in the end."""
    try:
        yield descriptor
    finally:
        os.close(descriptor)
