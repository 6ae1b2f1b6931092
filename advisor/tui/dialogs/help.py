"""Help with the screen beneath: the keys and the purpose of what has the focus (F1), and letters that go there (^O)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Static

from advisor.tui.screen import LeftOnce
from advisor.tui.text import lines, plain


class HelpScreen(ModalScreen[None], LeftOnce[None]):
    """Lies over the screen that it explains."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f1,q", "dismiss", "Close", id="help.close", tooltip="Close this help.")
    ]

    def __init__(self, about: Screen[Any]) -> None:
        super().__init__()
        self.about = about

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="window"):
            yield Static(lines(self._parts()), markup=False)

    def _parts(self) -> list[Content]:
        focused = self.about.focused
        around = [] if focused is None else [part for part in focused.ancestors_with_self if part is not self.about]
        told = [plain(text) for text in (getattr(part, "HELP_TEXT", "") for part in around) if text]
        parts = [Content.styled("What has the focus", "bold $text-primary"), told[0], plain("")] if told else []
        parts += [Content.styled("Keys", "bold $text-primary"), *self._keys(), plain("")]
        parts += [
            Content.styled(self.about.title or "", "bold $text-primary"),
            plain(getattr(self.about, "HELP_TEXT", "")),
        ]
        return parts + told[1:]

    def _keys(self) -> Iterator[Content]:
        """A line for each meaning with its keys; keys that only move the highlight come last."""
        keys: dict[str, list[str]] = {}
        for active in sorted(self.about.active_bindings.values(), key=lambda active: not active.binding.id):
            does = active.tooltip or active.binding.tooltip or active.binding.description
            if does:
                keys.setdefault(does, []).append(self.app.get_key_display(active.binding))
        for does, displayed in keys.items():
            yield Content.assemble((f"{' '.join(displayed):>8}  ", "bold"), does)


LETTERS = "asdfghjklqwertyuiopzxcvbnm"


class JumpScreen(ModalScreen[None], LeftOnce[None]):
    """Lies over the screen whose widgets have the letters, each of one cell, so that it covers no word."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+o", "dismiss", "Stay", id="jump.close", tooltip="Stay where you were.")
    ]

    def __init__(self, about: Screen[Any]) -> None:
        super().__init__()
        self.places: dict[str, Widget] = dict(zip(LETTERS, _places(about), strict=False))

    def compose(self) -> ComposeResult:
        for letter, place in self.places.items():
            label = Static(letter, classes="letter", markup=False)
            label.offset = (place.region.x, place.region.y)  # in its frame, or in the column that is blank on the left
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
