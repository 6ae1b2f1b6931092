"""Facts that were said, detected or found in the data: to see, and to correct."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from textual import on
from textual.content import Content
from textual.widget import Widget
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from advisor.facts.fact_base import Source
from advisor.facts.vocabulary import PROBE_GROUP, Fact
from advisor.report.words import SOURCE_WORDS
from advisor.tui.labels import answer_label, fact_label
from advisor.tui.screen import WizardScreen
from advisor.tui.text import FAINT
from advisor.tui.widgets.columns import Columns, Fitting
from advisor.tui.widgets.mouse import Choosing
from advisor.wording import printable, shorten

if TYPE_CHECKING:
    from advisor.tui.host import Standing

DO_NOT_KNOW, PUT_OFF = "you don't know", "put off"
VALUE_WIDTH, SOURCE_WIDTH, NAME_WIDTH, NARROW_WIDTH = 20, 14, 30, 28
_FOUND = (Source.INSPECTED, Source.DETECTED, Source.PUBLISHED)
_TAKEN = (Source.DERIVED, Source.ASSUMED)


class FactsScreen(WizardScreen[str | None]):
    """Closes with the name of the fact to ask for."""

    TITLE = "What is known"
    HELP_TEXT = (
        "Everything that the plan rests on, with where it came from: what you said, what was found, and what is assumed because "
        "nobody said. Enter on a line asks for it, so that you can correct it; what you say outranks everything."
    )

    def contents(self) -> Iterable[Widget]:
        yield Static(
            "Enter asks for a fact again. What you say outranks what was found.", classes="faint", markup=False
        )
        now = self.wizard.standing
        yield Choosing(*(self._facts(now) if now is not None else ()), markup=False, id="facts", classes="cards")

    def _facts(self, now: Standing) -> Iterator[Option]:
        said = now.progress.said()
        vocabulary = self.wizard.desk.knowledge.vocabulary.facts
        told = [(name, DO_NOT_KNOW if value is None else "", Source.ASKED) for name, value in said.items()]
        told += [(name, PUT_OFF, Source.ASKED) for name in now.progress.later if name not in said]
        left = {name for name, words, _ in told if words}
        """Facts left open, each listed once, with the value that the plan uses."""
        groups = [("You said", told)]
        for title, sources in (("Found", _FOUND), ("Taken for granted", _TAKEN)):
            used = [
                (name, "", known.source)
                for name, known in now.plan.facts.items()
                if known.source in sources and name not in left and vocabulary[name].group != PROBE_GROUP
            ]
            groups.append((title, used))
        for title, entries in groups:
            if entries:
                yield Option(Content.styled(title, "bold $text-primary"), disabled=True)
            for name, words, source in entries:
                fact = vocabulary[name]
                known = now.plan.facts.get(name) if words or source in _TAKEN else now.facts.known(name)
                value = answer_label(fact, known.value) if known is not None else ""
                note = known.note if known is not None else ""
                if words:
                    taken = f"{SOURCE_WORDS[known.source]}: {shorten(value, 80)}" if known is not None else ""
                    yield Option(_fact_line(fact, words, taken, note), id=name)
                else:
                    yield Option(_fact_line(fact, value, SOURCE_WORDS[source], note), id=name)

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_id)


def _fact_line(fact: Fact, value: str, source: str, note: str) -> Fitting:
    """The question, the answer and where it came from; the name of the fact, dimmed, where there is room."""
    asked = Content(printable(fact_label(fact))), 0
    said = Content.styled(shorten(value, 80), "bold")
    told = Content.styled(printable(f"{source}{f', {shorten(note)}' if note else ''}"), FAINT)
    name = Content.styled(printable(fact.name), FAINT), NAME_WIDTH
    wide = Columns(asked, (said, VALUE_WIDTH), (told, SOURCE_WIDTH), name)
    return Fitting(wide, Columns(asked, (Content.assemble(said, "  ", told), NARROW_WIDTH)), columns=110)
