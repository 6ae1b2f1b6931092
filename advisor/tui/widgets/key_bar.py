"""The keys at the foot of a screen, drawn only when they change: that costs as much as a question."""

from __future__ import annotations

from typing import Any

from textual.screen import Screen
from textual.widgets import Footer


class KeyBar(Footer):
    """A footer that is drawn only if its keys have changed: every change of focus would draw it."""

    def __init__(self) -> None:
        super().__init__(show_command_palette=False)
        self._shown_keys: list[tuple[str, str, bool]] | None = None

    def bindings_changed(self, screen: Screen[Any]) -> None:
        if screen is self.screen and self.app.app_focus and self.is_attached:
            keys = [
                (active.binding.key, active.binding.description, active.enabled)
                for active in screen.active_bindings.values()
                if active.binding.show
            ]
            if keys == self._shown_keys:
                return
            self._shown_keys = keys
        super().bindings_changed(screen)
