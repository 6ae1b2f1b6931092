"""The wizard in a window of a browser: its input is that window, and ends with it."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from functools import partial
from threading import Lock
from typing import Any

from textual.app import App
from textual.drivers.web_driver import WebDriver


class WindowDriver(WebDriver):
    """Leaves the wizard in order where the window is closed, or the server that it belongs to is gone."""

    def __init__(self, app: App[Any], **settings: Any) -> None:
        super().__init__(app, **settings)
        self._write = partial(_write, Lock())
        self._leave: Callable[[], object] = getattr(app, "end_soon", app.exit)

    def run_input_thread(self) -> None:
        super().run_input_thread()
        self._leave()


def _write(alone: Lock, packet: bytes) -> int:
    """Write all of it, as long as somebody reads: a wizard whose server is gone ends in order, too.

    Args:
        alone: held meanwhile. The thread that hears the page writes the files that it asks for, while the screen is drawn:
            a pipe that is full mixes what two write at once, and whoever reads it understands nothing from then on.
    """
    assert sys.__stdout__ is not None  # noqa: S101 - the window's end of a pipe
    rest = memoryview(packet)
    with alone, contextlib.suppress(BrokenPipeError):
        while rest:
            rest = rest[os.write(sys.__stdout__.fileno(), rest) :]
    return len(packet)
