"""Complaints of the server on stderr: the same thing once a minute, however often it happens."""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from collections.abc import Callable
from typing import Any

from advisor.wording import shorten

EVERY_SECONDS = 60.0
_MOST_KINDS = 100


class Complaints(logging.Handler):
    """Takes those of the event loop and of aiohttp as well."""

    def __init__(self, write: Callable[[str], object] | None = None, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__(logging.WARNING)
        self._write = write or sys.stderr.write
        self._now = now
        self._said: dict[str, float] = {}
        self._unsaid: dict[str, int] = {}

    def say(self, what: str) -> None:
        """Say something, unless it was said a short while ago; then it is counted."""
        what, now = shorten(what, 300), self._now()
        if now - self._said.get(what, -EVERY_SECONDS) < EVERY_SECONDS:
            self._unsaid[what] = self._unsaid.get(what, 0) + 1
            return
        if len(self._said) >= _MOST_KINDS:  # however many there are
            self._said.clear()
            self._unsaid.clear()
        again = self._unsaid.pop(what, 0)
        self._said[what] = now
        self._write(f"{what}{f' ({again:,} more times before)' if again else ''}\n")

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        self.say(_told(record.getMessage(), error))

    def of_loop(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """The exception handler of an event loop."""
        self.say(_told(str(context.get("message", "")), context.get("exception")))

    def logger(self) -> logging.Logger:
        """A logger that says nothing elsewhere."""
        found = logging.Logger("advisor.web")
        found.addHandler(self)
        return found


def _told(message: str, error: BaseException | None) -> str:
    return message if error is None else f"{message.rstrip('.')}: {type(error).__name__}: {error}"
