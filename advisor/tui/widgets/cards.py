"""Choices, each a card with its number, a name and its meaning."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets.option_list import Option

from advisor.tui.text import FAINT
from advisor.tui.widgets.columns import Columns
from advisor.tui.widgets.mouse import Choosing
from advisor.wording import printable

LONGEST_NAME = 20
"""A longer name does not indent the meanings of the others."""


@dataclass(frozen=True, slots=True)
class Card:
    """A choice with a `key` that names it and a `note` on it, such as `assumed`; one that is `off` cannot be chosen."""

    key: str
    name: str
    meaning: str = ""
    off: bool = False
    note: str = ""


class Cards(Choosing):
    """Posts OptionSelected with the key of the card as option_id; a digit chooses the card of this number."""

    HELP_TEXT: ClassVar[str] = "Choose with the arrows and Enter, by number, or with the mouse."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(digit, f"take({digit})", "Choose by number", show=False, id=f"cards.take{digit}",
                tooltip="Choose the card of this number.")
        for digit in "123456789"
    ]  # fmt: skip

    def __init__(self, cards: Iterable[Card], *, id: str | None = None) -> None:
        shown = list(cards)
        self._width = max((len(card.name) for card in shown if len(card.name) <= LONGEST_NAME), default=0)
        super().__init__(*self._faces(shown, 1), markup=False, id=id, classes="cards")

    def _faces(self, cards: Iterable[Card], first: int) -> list[Option]:
        return [
            Option(_face(card, number, self._width), id=card.key, disabled=card.off)
            for number, card in enumerate(cards, first)
        ]

    def add(self, cards: Iterable[Card]) -> None:
        """Put more of them below the others, whose numbers stay."""
        self.add_options(self._faces(cards, self.option_count + 1))

    def action_take(self, number: int) -> None:
        if number <= self.option_count and not self.get_option_at_index(number - 1).disabled:
            self.highlighted = number - 1
            self.action_select()


def _face(card: Card, number: int, width: int) -> Columns:
    """`1 Picture  photo, scan, map`; the meaning is wrapped below itself."""
    name, note = Content.styled(printable(card.name), "bold"), Content.styled(printable(card.note), "$text-accent")
    told = [part for part in (note, Content(printable(card.meaning))) if part.plain]
    counted = Content.styled(f"{number}", FAINT), len(str(number))
    if not told:
        return Columns(counted, (name, 0), gap=1)
    return Columns(counted, (name, max(width, len(card.name)) + 1), (Content("  ").join(told), 0), gap=1)
