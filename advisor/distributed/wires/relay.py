"""A switch that holds each frame for the latency of a link, where the kernel cannot: it reads and writes tap interfaces.

What comes from a worker has been paced by the kernel already. What goes to a worker waits for the frames before it, as long
as these take at the rate of its link, and then for the latency.

One core of a server of 2024 carries some 8 Gbit/s so, in all directions together; four workers that exchange over 1 Gbit/s with
1 ms take a fifth of it, a single transfer a tenth. A frame comes about 0.05 ms late.
"""

from __future__ import annotations

import contextlib
import gc
import os
import select
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

_AT_ONCE = 32
"""Frames that are read from one interface before others have their turn."""
_NEVER = 3600.0


@dataclass(slots=True)
class Port:
    """One worker's end of the switch."""

    tap: int
    """The descriptor of its interface."""
    card: bytes
    """The address of its network card, 6 bytes."""
    seconds_per_byte: float = 0.0
    most_bytes: int = 16_000_000
    """Allowed to wait; what comes beyond them is lost, as in any switch."""
    waiting: deque[tuple[float, bytes]] = field(default_factory=deque)
    """When each frame is due, and the frame."""
    waiting_bytes: int = 0
    free_at: float = 0.0
    """When the link will have carried all of them."""

    def take(self, frame: bytes, now: float, latency: float) -> None:
        """Let a frame that arrives now wait for its turn."""
        size = len(frame)
        if self.waiting_bytes + size > self.most_bytes:
            return
        self.free_at = max(now, self.free_at) + size * self.seconds_per_byte
        self.waiting.append((self.free_at + latency, frame))
        self.waiting_bytes += size

    def deliver(self, now: float) -> float:
        """Send what is due. Returns when the next frame is."""
        while self.waiting:
            due, frame = self.waiting[0]
            if due > now:
                return due
            self.waiting.popleft()
            self.waiting_bytes -= len(frame)
            with contextlib.suppress(OSError):  # an interface that is down loses frames
                os.write(self.tap, frame)
        return now + _NEVER


def relay(ports: Sequence[Port], latency: float, longest: int, ending: int) -> None:
    """Carry frames between the ports until the other end of a pipe is closed.

    Args:
        latency: seconds that each frame is held.
        longest: bytes of the longest frame.
        ending: the descriptor of this end of the pipe.
    """
    by_card = {port.card: port for port in ports}
    by_tap = {port.tap: port for port in ports}
    gc.disable()  # nothing here refers to itself
    while True:
        now = time.monotonic()
        due = min([port.deliver(now) for port in ports])
        readable = select.select([ending, *by_tap], (), (), max(0.0, due - time.monotonic()))[0]
        if ending in readable:
            return
        for tap in readable:
            _read(by_tap[tap], by_card, latency, longest)


def _read(source: Port, by_card: Mapping[bytes, Port], latency: float, longest: int) -> None:
    for _ in range(_AT_ONCE):
        try:
            frame = os.read(source.tap, longest)
        except BlockingIOError:
            return
        now = time.monotonic()
        target = by_card.get(frame[:6])
        for port in (target,) if target else by_card.values():  # all are asked who has an address
            if port is not source:
                port.take(frame, now, latency)
