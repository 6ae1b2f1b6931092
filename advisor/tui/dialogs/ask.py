"""A question that is answered by yes or no, over whatever is on the screen."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Static

from advisor.tui.screen import Dialog
from advisor.tui.text import plain


class Ask(Dialog[bool]):
    """`if await self.app.push_screen_wait(Ask("Replace plan.md?", "It exists.", yes="Replace it")):` in a worker."""

    TITLE = "A question"
    HELP_TEXT = "Answer it by its key, or go to a button with Tab and press Enter. Escape leaves things as they are."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "dismiss(True)", "Yes", id="ask.yes", tooltip="Yes."),
        Binding("n,escape", "dismiss(False)", "No", id="ask.no", tooltip="No: leave things as they are."),
    ]

    def __init__(self, question: str, details: str = "", *, yes: str = "Yes", no: str = "No") -> None:
        super().__init__()
        self.question, self.details, self.yes, self.no = question, details, yes, no

    def compose(self) -> ComposeResult:
        with Vertical(classes="window"):
            yield Static(plain(self.question), classes="strong", markup=False)
            if self.details:
                yield Static(plain(self.details), markup=False)
            with Horizontal(classes="buttons"):
                yield Button(plain(f"{self.no} (n)"), id="no")
                yield Button(plain(f"{self.yes} (y)"), id="yes")

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id == "yes")
