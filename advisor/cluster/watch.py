"""The end of a process that waits for others without end: neither torch nor the system notices a network that is gone."""

from __future__ import annotations

import contextlib
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator

from advisor.wording import printable

_LOOK_SECONDS = 0.25


class Watch:
    """Over what this process waits for; one thread of its own."""

    def __init__(self, rank: int, status: int) -> None:
        """Args: status: with which the process ends."""
        self.tell: Callable[[str], object] = lambda sentence: print(printable(sentence), file=sys.stderr)
        """Is given the last sentence, before the process ends."""
        self._rank, self._status = rank, status
        self._until = math.inf
        threading.Thread(target=self._look, daemon=True).start()

    @contextlib.contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """End the process if the block has not ended after so many seconds."""
        before = self._until
        self._until = min(before, time.monotonic() + seconds)
        try:
            yield
        finally:
            self._until = before

    def _look(self) -> None:
        while time.monotonic() < self._until:
            time.sleep(_LOOK_SECONDS)
        self.tell(f"Rank {self._rank} ended: it hears nothing of the others any more, though nobody has left.")
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(self._status)
