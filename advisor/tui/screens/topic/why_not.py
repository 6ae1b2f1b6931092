"""Choosing a value to ask why it is not recommended."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from advisor.inference.plan import Recommendation
from advisor.knowledge.model import Policy, Topic
from advisor.tui.screen import Dialog
from advisor.tui.text import plain
from advisor.tui.widgets.mouse import Choosing
from advisor.wording import printable


class WhyNotScreen(Dialog[str | None]):
    """Closes with the value as text."""

    TITLE = "Why not"
    HELP_TEXT = "Choose the value that you would have expected. The answer is shown at the top of the reasons."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Back", id="why_not.close", tooltip="Go back without asking.")
    ]
    CSS = """
    WhyNotScreen OptionList { height: auto; max-height: 16; }
    """

    def __init__(self, topic: Topic, entry: Recommendation) -> None:
        super().__init__()
        self.topic, self.entry = topic, entry

    def compose(self) -> ComposeResult:
        with Vertical(classes="window"):
            yield Static(plain(f"{self.topic.title}: why not …"), classes="strong", markup=False)
            if self.topic.policy is Policy.VALUE:
                example = {"integers": "256, 128", "integer": "128"}.get(self.topic.type, "0.001")
                yield Input(placeholder=f"a value, such as {example}")
            else:
                yield Choosing(*self._values(), markup=False)

    def _values(self) -> list[Option]:
        advised = self.entry.value if self.topic.policy is Policy.ALL else [self.entry.value]
        return [
            Option(Content.assemble((printable(name), "bold"), f"  {printable(meaning)}" if meaning != name else ""), id=name)
            for name, meaning in self.topic.values.items()
            if name not in (advised or ())
        ]  # fmt: skip

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(event.option_id)

    @on(Input.Submitted)
    def _written(self, event: Input.Submitted) -> None:
        event.stop()
        if event.value.strip():
            self.dismiss(event.value)
