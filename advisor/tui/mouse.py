"""What a press of the mouse may move."""

from __future__ import annotations

from typing import ClassVar

from textual.widget import Widget


class FocusOnRelease:
    """Lets a widget take the focus when the button is let go, not when it is pressed.

    Some panes grow or shrink with the focus on a small screen: what was pressed must not move away under the pointer.
    """

    FOCUS_ON_CLICK: ClassVar[bool] = False

    def on_click(self) -> None:
        assert isinstance(self, Widget)  # noqa: S101 - it is mixed into widgets only
        self.focus()
