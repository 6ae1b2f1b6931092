"""The voice of the child that tries models: a line a message, epochs now and then."""

from __future__ import annotations

import math
import time

from advisor.children import guard
from advisor.training.child.request import MESSAGES, EpochSeen, Message

_EPOCHS_TOLD = 3000
"""At most so many epochs of a run are told, so that what is told stays small however long it runs."""


class Telling:
    """Writer of messages to the parent."""

    def __init__(self, descriptor: int, budget: float) -> None:
        self._descriptor = descriptor
        self._every = max(0.25, budget / _EPOCHS_TOLD)
        self._epoch_told = 0.0

    def __call__(self, message: Message) -> None:
        guard.write(self._descriptor, MESSAGES.line(message))

    def epoch(self, number: int, value: float) -> None:
        """Now and then."""
        now = time.monotonic()
        if now - self._epoch_told >= self._every and math.isfinite(value):
            self._epoch_told = now
            self(EpochSeen(number, value))
