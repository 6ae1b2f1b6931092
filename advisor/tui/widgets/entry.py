"""Entering a value of a fact: cards for choices, boxes for sets, a line for numbers and texts."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, OptionList, Static
from textual.widgets.selection_list import Selection

from advisor.errors import InputError
from advisor.facts.fact_base import Known
from advisor.facts.values import describe, to_text
from advisor.facts.vocabulary import Fact, FactType, Value
from advisor.networks.description import picture
from advisor.report.words import SOURCE_WORDS
from advisor.tui.labels import choice_words
from advisor.tui.text import plain, problem_text
from advisor.tui.widgets.cards import Card, Cards
from advisor.tui.widgets.mouse import Ticks
from advisor.wording import printable

Reader = Callable[[str, str], "Value | None"]
"""`Interview.read`: the value of the fact of this name that a text states. Raises InputError."""
YES_NO = (("yes", ""), ("no", ""))
_BARE = re.compile(r"\d{1,4}")
"""A number alone: where the question is how many pixels wide a picture is, it is that."""


class Entry(Vertical):
    """Asks for one value of a fact, starting from `now`; posts `Given` with the text that was chosen or typed, if it is valid.

    `usual` is the value that holds if nobody answers. Where nothing was said yet it is chosen beforehand, marked by where it
    came from, so that Enter confirms it.
    """

    class Given(Message):
        """A value of the fact `name` as text, as `Interview.answer` takes it; an empty one is "I don't know"."""

        def __init__(self, name: str, text: str) -> None:
            super().__init__()
            self.name, self.text = name, text

    def __init__(
        self,
        fact: Fact,
        read: Reader,
        now: Value | None = None,
        *,
        usual: Known | None = None,
        id: str | None = None,
    ) -> None:
        super().__init__(id=id, classes="entry")
        self.fact, self.read, self.now, self.usual = fact, read, now, usual

    def compose(self) -> ComposeResult:
        if self.fact.type in (FactType.CHOICE, FactType.BOOLEAN):
            yield Choices(self.fact, self.now, self.usual)
        elif self.fact.type is FactType.SET:
            yield Boxes(self.fact, self.usual.value if self.now is None and self.usual is not None else self.now)
            yield Static("Space ticks, Enter takes what is ticked.", classes="faint", markup=False)
        else:
            yield Input(
                "" if self.now is None else _as_typed(self.fact, self.now),
                placeholder=_hint(self.fact),
                select_on_focus=True,
            )
            yield Static("", id="understood", markup=False)

    def focus_first(self) -> None:
        """Focus the widget in which the value is entered."""
        next(widget for widget in self.query("*") if widget.can_focus).focus()

    def give(self, text: str) -> None:
        self.post_message(self.Given(self.fact.name, text))

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.give(str(event.option_id))

    @on(Input.Changed)
    def _written(self, event: Input.Changed) -> None:
        event.stop()
        self._understand(event.value)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if self._understand(event.value):
            self.give(_meant(self.fact, event.value))

    def _understand(self, text: str) -> bool:
        """Say below the line how the text was understood; return whether it is valid (empty: unknown)."""
        said = self.query_one("#understood", Static)
        try:
            value = self.read(self.fact.name, _meant(self.fact, text))
        except InputError as error:
            said.update(plain(f"✗ {error.title}: {problem_text(error)}"))
            said.set_classes("bad")
            return False
        said.set_classes("faint")
        said.update(plain(_hint(self.fact) if value is None else f"= {_exact(self.fact, value)}"))
        return True


class Choices(Cards):
    """The choices of a fact, or yes and no; the highlight begins at `now`, else at what is usual."""

    def __init__(self, fact: Fact, now: Value | None, usual: Known | None = None) -> None:
        choices = fact.choices or YES_NO
        notes = {} if usual is None else {describe(fact, usual.value): SOURCE_WORDS[usual.source]}
        super().__init__(Card(name, *choice_words(name, told), note=notes.get(name, "")) for name, told in choices)
        names = [name for name, _ in choices]
        first = usual.value if now is None and usual is not None else now
        said = describe(fact, first) if first is not None else ""
        if said in names:
            self.highlighted = names.index(said)


class Boxes(Ticks):
    """Several choices, each with a box; Enter answers with the ticked ones."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "take", "Take what is ticked", id="boxes.take", tooltip="Answer with everything ticked.")
    ]

    def __init__(self, fact: Fact, now: Value | None) -> None:
        ticked = now if isinstance(now, frozenset) else frozenset()
        super().__init__(
            *(
                Selection(Content.assemble((printable(label), "bold"), f"  {printable(meaning)}"), name, name in ticked)
                for name, told in fact.choices
                for label, meaning in [choice_words(name, told)]
            ),
            classes="cards",
        )

    def action_take(self) -> None:
        entry = self.parent
        assert isinstance(entry, Entry)  # noqa: S101 - an entry composes it
        entry.give(", ".join(sorted(self.selected)) or "none")


def _hint(fact: Fact) -> str:
    if not fact.numeric:
        return "a word or two"
    if fact.pixels:
        return "640 wide, 640 x 480, or phone photo; empty: unknown"
    low, high = (describe(fact, int(bound) if bound == int(bound) else bound) for bound in (fact.minimum, fact.maximum))
    return f"from {low} to {high}; empty: unknown"


def _meant(fact: Fact, text: str) -> str:
    """The text as the fact is stated anywhere: `500` in answer to how many pixels wide is `500 wide`."""
    return f"{text.strip()} wide" if fact.pixels and _BARE.fullmatch(text.strip()) else text


def _as_typed(fact: Fact, value: Value) -> str:
    """The text that gives this value when it is typed here."""
    text = to_text(value)
    if not fact.pixels or not _BARE.fullmatch(text):
        return text
    size = picture(int(text))
    return f"{text} values" if size is None else f"{size.side} wide{' grey' if size.colors == 1 else ''}"


def _exact(fact: Fact, value: Value) -> str:
    """The value to the last digit: `300,000,000 bytes (300 MB)`; of a picture also its size."""
    shown = describe(fact, value)
    if fact.pixels and isinstance(value, int) and (size := picture(value)) is not None:
        return f"{value:,} values: {size.side} x {size.side} pixels in {'grey' if size.colors == 1 else 'colours'}"
    if isinstance(value, bool) or not isinstance(value, int | float) or not fact.unit:
        return shown
    whole = int(value) if float(value).is_integer() and abs(value) < 1e18 else value
    exact = f"{whole:,} {fact.unit}"
    return shown if exact == shown or fact.unit == "fraction" else f"{exact} ({shown})"
