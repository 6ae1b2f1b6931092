"""Stopping by hand: set by who watches in one thread, read several times a second by who waits for a child in another."""

from __future__ import annotations

import threading

STOPPED = "It was stopped by hand."
"""Among the warnings of a probe that somebody ended: no failure, and nothing decided."""


class Stop:
    """Set by who watches, read by who measures; safe between threads. What was asked for stays asked for."""

    def __init__(self) -> None:
        self._this = threading.Event()
        self._everything = threading.Event()

    def this(self) -> None:
        """End the probe under way; the run goes on with the next one."""
        self._this.set()

    def everything(self) -> None:
        """End the run. What is finished is kept."""
        self._everything.set()

    @property
    def now(self) -> bool:
        """True if the probe under way is to end."""
        return self._this.is_set() or self._everything.is_set()

    @property
    def all(self) -> bool:
        """True if the whole run is to end."""
        return self._everything.is_set()

    def next(self) -> None:
        """Another probe begins: what was asked of the one before is no concern of it."""
        self._this.clear()
