"""A link that is only acted: whoever exchanges sleeps until the exchange would be over on it."""

from __future__ import annotations

import time
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pace:
    """The time that exchanges take at least: that of the link, where the transport itself is faster.

    Several exchanges of a worker at once do not share the link, and those of several workers with one server do not share
    the server's: whoever adds them up to one exchange gets the time of both.
    """

    bytes_per_second: float
    """Infinite for a link that only has a latency."""
    latency: float
    """Seconds."""

    def seconds(self, count: float) -> float:
        """The time of so many bytes in one direction."""
        return self.latency + count / self.bytes_per_second

    def wait(self, count: float, begun: float) -> None:
        """Sleep until an exchange of so many bytes is over.

        Args:
            begun: when it began, by time.monotonic().
        """
        left = begun + self.seconds(count) - time.monotonic()
        if left > 0:
            time.sleep(left)
