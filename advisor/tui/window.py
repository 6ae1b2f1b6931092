"""The wizard in a window of a browser: its input is that window, and ends with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual.app import App
from textual.drivers.web_driver import WebDriver


class WindowDriver(WebDriver):
    """Leaves the wizard in order where the window is closed, or the server that it belongs to is gone."""

    def __init__(self, app: App[Any], **settings: Any) -> None:
        super().__init__(app, **settings)
        self._leave: Callable[[], object] = getattr(app, "end_soon", app.exit)

    def run_input_thread(self) -> None:
        super().run_input_thread()
        self._leave()
