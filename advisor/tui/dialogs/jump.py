"""Jump keys: a letter at every widget that can have the focus; pressing it goes there."""

from __future__ import annotations

from typing import Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Static

LETTERS = "asdfghjklqwertyuiopzxcvbnm"


class JumpScreen(ModalScreen[None]):
    """Lies over the screen whose widgets have the letters."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+o", "dismiss", "Stay", id="jump.close", tooltip="Stay where you were.")
    ]

    def __init__(self, about: Screen[Any]) -> None:
        super().__init__()
        self.places: dict[str, Widget] = dict(zip(LETTERS, _places(about), strict=False))

    def compose(self) -> ComposeResult:
        for letter, place in self.places.items():
            label = Static(f" {letter} ", classes="letter", markup=False)
            label.offset = (place.region.x, place.region.y)
            yield label

    def on_key(self, event: events.Key) -> None:
        place = self.places.get(event.key)
        if place is not None:
            event.stop()
            self.dismiss(None)
            place.focus()


def _places(about: Screen[Any]) -> list[Widget]:
    """The visible widgets that can have the focus, from top to bottom."""
    shown = [widget for widget in about.focus_chain if isinstance(widget, Widget) and widget.region.area]
    return sorted(shown, key=lambda widget: (widget.region.y, widget.region.x))
