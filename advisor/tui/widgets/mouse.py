"""What a press of the mouse may move, and how often it counts."""

from __future__ import annotations

from typing import ClassVar

from textual.events import Click
from textual.widget import Widget
from textual.widgets import OptionList


class FocusOnRelease:
    """Lets a widget take the focus when the button is let go, not when it is pressed.

    Some panes grow or shrink with the focus on a small screen: what was pressed must not move away under the pointer.
    """

    FOCUS_ON_CLICK: ClassVar[bool] = False

    def on_click(self, _event: Click) -> None:
        assert isinstance(self, Widget)  # noqa: S101 - it is mixed into widgets only
        self.focus(scroll_visible=False)


class OneClick:
    """Heeds only the first click of a double one: the second would choose unseen what the first has put in its place."""

    def on_click(self, event: Click) -> None:
        if event.chain > 1:
            event.prevent_default()


class Choosing(OneClick, FocusOnRelease, OptionList):
    """A list of which a line is chosen, which mostly puts something else on the screen."""
