"""F1: the purpose of the widget that has the focus, and the keys that work there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from advisor.tui.text import lines, plain


class HelpScreen(ModalScreen[None]):
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
        parts = [Content.styled("What has the focus", "bold $primary"), told[0], plain("")] if told else []
        parts += [Content.styled("Keys", "bold $primary"), *self._keys(), plain("")]
        parts += [Content.styled(self.about.title or "", "bold $primary"), plain(getattr(self.about, "HELP_TEXT", ""))]
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
