"""A link that is only acted: whoever exchanges sleeps until the exchange would be over on it."""

from __future__ import annotations

import contextlib
import os
import struct
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path

_TIME = struct.Struct("<d")


class Way(IntEnum):
    """A direction of the server's link, each of which carries as much as if the other were empty."""

    TO_SERVER = 0
    FROM_SERVER = 1


class ServerLink:
    """The link of a server, which all its workers share: in each direction it carries one message after the other.

    Until when it is taken stands in a file that all of them open, by the monotonic clock, which is the same for all processes of
    a computer. Where a system has no locks on files (Windows), two messages that begin at the very same time may not see each
    other.
    """

    def __init__(self, path: Path) -> None:
        self._file = os.open(
            path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0), 0o600
        )

    def reserved(self, way: Way, seconds: float) -> float:
        """The time at which a message that takes so many seconds will be through, after all that came before it."""
        with self._locked():
            os.lseek(self._file, way * _TIME.size, os.SEEK_SET)
            read = os.read(self._file, _TIME.size)
            taken = _TIME.unpack(read)[0] if len(read) == _TIME.size else 0.0
            through = max(taken, time.monotonic()) + seconds
            os.lseek(self._file, way * _TIME.size, os.SEEK_SET)
            os.write(self._file, _TIME.pack(through))
        return float(through)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        try:
            import fcntl  # Windows has none
        except ImportError:
            yield
            return
        fcntl.flock(self._file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)


@dataclass(frozen=True, slots=True)
class Pace:
    """The time that exchanges take at least: that of the link, where the transport itself is faster.

    Several exchanges of a worker at once do not share its link: whoever adds them up to one exchange gets the time of both.
    """

    bytes_per_second: float
    """Infinite for a link that only has a latency."""
    latency: float
    """Seconds."""
    server: ServerLink | None = field(default=None, compare=False)
    """Shared by all workers; None where messages to a server wait for no others."""

    def seconds(self, count: float) -> float:
        """The time of so many bytes in one direction."""
        return self.latency + count / self.bytes_per_second

    def wait(self, count: float, begun: float) -> None:
        """Sleep until an exchange of so many bytes is over.

        Args:
            begun: when it began, by time.monotonic().
        """
        _sleep_until(begun + self.seconds(count))

    def wait_at_server(self, count: float, way: Way) -> None:
        """Sleep until a message of so many bytes that begins now is over: the server's link is shared with other workers."""
        if self.server is None:
            self.wait(count, time.monotonic())
        else:
            _sleep_until(self.server.reserved(way, count / self.bytes_per_second) + self.latency)


def _sleep_until(moment: float) -> None:
    left = moment - time.monotonic()
    if left > 0:
        time.sleep(left)
