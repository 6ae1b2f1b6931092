"""A tree of sentences: each is wrapped to the screen, unfolds what is below it, and may lead somewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from advisor.tui.requests import ToTopic, ToWhatIf
from advisor.tui.text import FAINT
from advisor.tui.widgets.columns import Columns
from advisor.tui.widgets.mouse import Choosing

INDENT = 2
LONGEST = 110
"""Most columns of a line."""


@dataclass(frozen=True, slots=True)
class ToClipboard:
    """A text to copy."""

    text: str


Lead: TypeAlias = ToTopic | ToWhatIf | ToClipboard


@dataclass(frozen=True, slots=True)
class Twig:
    """A sentence with those below it, its lead, and whether it is unfolded at first."""

    text: Content
    twigs: tuple[Twig, ...] = ()
    lead: Lead | None = None
    unfolded: bool = False


@dataclass(frozen=True, slots=True)
class _Place:
    """A twig in the tree; `path` has its position below each twig above it."""

    path: str
    twig: Twig

    @property
    def depth(self) -> int:
        return self.path.count(".")


class Outline(Choosing):
    """Posts `Led` when a line that leads somewhere is chosen; other lines unfold and fold."""

    HELP_TEXT = (
        "A tree. Right unfolds a line, Left folds it or goes to the line above it, Space does either. Enter, or a click, goes "
        "where a line with › leads: to another topic, to a supposition, or onto the clipboard."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right", "unfold", "Unfold", show=False, id="outline.unfold", tooltip="Show what is below the line."),
        Binding("left", "fold", "Fold", show=False, id="outline.fold", tooltip="Hide it, or go to the line above."),
        Binding("space", "turn", "Fold or unfold", show=False, id="outline.turn", tooltip="Fold or unfold the line."),
        Binding("e", "unfold_all", "Unfold all", show=False, id="outline.all", tooltip="Unfold every line, or fold all again."),
    ]  # fmt: skip

    class Led(Message):
        def __init__(self, lead: Lead) -> None:
            super().__init__()
            self.lead = lead

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(markup=False, compact=True, id=id)
        self.twigs: tuple[Twig, ...] = ()
        self._turned: set[str] = set()
        """Paths of lines that were folded or unfolded since."""
        self._all = False

    def show_twigs(self, twigs: Iterable[Twig], *, afresh: bool = True) -> None:
        """Show another tree; unless `afresh`, unfolded lines stay so."""
        self.twigs = tuple(twigs)
        kept = 0 if afresh else self.highlighted or 0
        if afresh:
            self._turned.clear()
            self._all = False
        self._list(kept)

    def _list(self, highlighted: int) -> None:
        places = list(self._shown(self.twigs))
        self.clear_options()
        self.add_options([Option(self._row(place), id=place.path) for place in places])
        self.highlighted = min(highlighted, len(places) - 1) if places else None

    def _shown(self, twigs: tuple[Twig, ...], above: str = "") -> Iterator[_Place]:
        for number, twig in enumerate(twigs):
            place = _Place(f"{above}{number}", twig)
            yield place
            if self._is_unfolded(place):
                yield from self._shown(twig.twigs, f"{place.path}.")

    def _is_unfolded(self, place: _Place) -> bool:
        return bool(place.twig.twigs) and (place.twig.unfolded or self._all) != (place.path in self._turned)

    def _row(self, place: _Place) -> Columns:
        twig = place.twig
        mark = ("▾" if self._is_unfolded(place) else "▸") if twig.twigs else "›" if twig.lead else "·"
        start = Content.assemble(" " * INDENT * place.depth, (mark, "$text-accent" if mark != "·" else FAINT))
        return Columns((start, INDENT * place.depth + 1), (twig.text, 0), gap=1, most=LONGEST)

    # --- where the highlight is ------------------------------------------------------------------------------------

    @property
    def here(self) -> Twig | None:
        place = self._here()
        return None if place is None else place.twig

    def _here(self) -> _Place | None:
        option = self.highlighted_option
        if option is None or option.id is None:
            return None
        twigs, twig = self.twigs, None
        for number in option.id.split("."):
            twig = twigs[int(number)]
            twigs = twig.twigs
        return None if twig is None else _Place(option.id, twig)

    # --- what keys and the mouse do --------------------------------------------------------------------------------

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        place = self._here()
        if place is not None and place.twig.lead is not None:
            self.post_message(self.Led(place.twig.lead))
        else:
            self.action_turn()

    def action_turn(self) -> None:
        place = self._here()
        if place is not None and place.twig.twigs:
            self._turned ^= {place.path}
            self._list(self.highlighted or 0)

    def action_unfold(self) -> None:
        place = self._here()
        if place is not None and self._is_unfolded(place):
            self.action_cursor_down()
        else:
            self.action_turn()

    def action_fold(self) -> None:
        place = self._here()
        if place is not None and self._is_unfolded(place):
            self.action_turn()
        elif place is not None and place.depth:
            self.highlighted = self.get_option_index(place.path.rpartition(".")[0])

    def action_unfold_all(self) -> None:
        self._all, self._turned = not self._all, set()
        self._list(0)
