"""Suppose a fact were different: the plan as it stands beside the plan that would follow. Nothing changes unless accepted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from advisor.errors import InputError
from advisor.report.words import fact_words, known_words
from advisor.tui.requests import ToTopic
from advisor.tui.screen import Palette, WizardScreen
from advisor.tui.screens.what_if.rows import rows
from advisor.tui.text import FAINT, plain
from advisor.tui.widgets.entry import Entry
from advisor.tui.widgets.mouse import Choosing, move_highlight
from advisor.wording import join_names, printable

if TYPE_CHECKING:
    from advisor.facts.fact_base import Known
    from advisor.facts.vocabulary import Fact
    from advisor.interview.changes import WhatIf
    from advisor.interview.interview import Interview

FACT, VALUE, RESULT = "fact", "value", "result"
"""The steps: which fact, which value, and what would follow."""


class WhatIfScreen(WizardScreen[None]):
    """Begins with the `fact` and its `value`, as an answer states it; what is not given is chosen here."""

    TITLE = "What if"
    HELP_TEXT = (
        "Choose a fact and a value, and see both plans: ≠ marks what would change. Nothing is changed unless you take it over. "
        "Several suppositions can be made together. Enter on a topic shows its reasons under the supposition."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "take_over", "Take it over", id="what_if.take", tooltip="Answer so, in the conversation."),
        Binding("ctrl+n", "another", "Suppose more", id="what_if.more", tooltip="Suppose another fact as well."),
        Binding("d", "turn_differing", "All or differing", id="what_if.all", tooltip="All topics, or only those that differ."),
        Binding("down", "move(1)", "Down", show=False, id="what_if.down", tooltip="The next fact."),
        Binding("up", "move(-1)", "Up", show=False, id="what_if.up", tooltip="The fact before."),
    ]  # fmt: skip
    PALETTE: ClassVar[Palette] = (
        ("Supposition: Take it over", "Answer so, in the conversation", "take_over"),
        ("Supposition: Suppose more", "Suppose another fact as well", "another"),
        ("Supposition: All or differing", "Which topics are listed", "turn_differing"),
    )
    CSS = """
    WhatIfScreen #supposed { padding: 0 1; height: auto; margin: 1 0; }
    WhatIfScreen.-low #supposed { margin: 0; }
    WhatIfScreen .step { display: none; padding: 0 1; height: 1fr; }
    WhatIfScreen.-fact #choosing, WhatIfScreen.-value #giving, WhatIfScreen.-result #both_plans { display: block; }
    WhatIfScreen #all_facts, WhatIfScreen #both_plans { height: 1fr; }
    WhatIfScreen #both_plans { scrollbar-size-vertical: 1; }
    WhatIfScreen #both_plans .option-list--option-highlighted { background: $primary-muted; color: $text; }
    WhatIfScreen #both_plans .option-list--option-disabled { color: $text; }
    WhatIfScreen #supposed_value { height: auto; margin: 1 0; }
    """

    def __init__(self, fact: str = "", value: str | None = None) -> None:
        super().__init__()
        self.fact, self.value = fact, value
        self.stated: dict[str, str] = {}
        self.found: WhatIf | None = None
        self.all_topics = False
        """True where topics that do not change are listed too."""
        self.past: list[str] = []
        self.step = ""

    def contents(self) -> Iterable[Widget]:
        yield Static("", id="supposed", markup=False)
        with Vertical(id="choosing", classes="step"):
            yield Input(placeholder="which fact? type a part of its name or question", id="fact_search")
            yield Choosing(markup=False, id="all_facts", classes="cards")
        with VerticalScroll(id="giving", classes="step", can_focus=False):
            yield Static("", id="supposed_question", classes="strong", markup=False)
            yield Static("", id="supposed_now", classes="faint", markup=False)
            yield Vertical(id="supposed_value")
            yield Static("", id="supposed_help", classes="faint", markup=False)
        yield Choosing(markup=False, id="both_plans", classes="step")

    async def on_mount(self) -> None:
        if self.wizard.standing is None:
            await self.wizard.take_stock()
        if self.value is not None:
            self._compare({self.fact: self.value})
        elif self.fact:
            await self._ask_value(self.fact)
        else:
            self._ask_fact()

    # --- the steps -------------------------------------------------------------------------------------------------

    def _go_to(self, step: str) -> None:
        if self.step:
            self.past.append(self.step)
        self._show_step(step)

    def _show_step(self, step: str) -> None:
        self.step = step
        for name in (FACT, VALUE, RESULT):
            self.set_class(name == step, f"-{name}")
        self._say_what_is_supposed()
        self.refresh_bindings()
        match step:
            case "fact":
                self.query_one("#fact_search", Input).focus()
            case "value":
                self.query_one(Entry).focus_first()
            case _:
                self.query_one("#both_plans", OptionList).focus()

    def action_back(self) -> None:
        """Go to the step before, or close."""
        if self.past:
            self._show_step(self.past.pop())
        else:
            self.dismiss(None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("take_over", "another", "turn_differing"):
            return self.step == RESULT
        if action == "move":
            return self.step == FACT
        return super().check_action(action, parameters)

    def _say_what_is_supposed(self) -> None:
        said = [
            f"{name} = {self._value_words(name, text)} (now: {self._known_words(name)})"
            for name, text in self.stated.items()
        ]
        start = "What if" if self.step == RESULT else "Suppose that"
        shown = (
            plain(f"{start} {join_names(said)}") if said else plain("Suppose another answer; nothing is changed yet.")
        )
        self.query_one("#supposed", Static).update(shown)

    def _value_words(self, name: str, text: str) -> str:
        value = self.wizard.desk.interview.read(name, text)
        return "unknown" if value is None else fact_words(self.wizard.desk.knowledge, name, value)

    def _known_words(self, name: str) -> str:
        known = self._known(name)
        return "unknown" if known is None else known_words(self.wizard.desk.knowledge, name, known)

    def _known(self, name: str) -> Known | None:
        now = self.wizard.standing
        return None if now is None else now.facts.known(name) or now.plan.facts.get(name)

    # --- which fact ------------------------------------------------------------------------------------------------

    def _ask_fact(self) -> None:
        self.query_one("#fact_search", Input).value = ""
        self._list_facts("")
        self._go_to(FACT)

    @on(Input.Changed, "#fact_search")
    def _sought(self, event: Input.Changed) -> None:
        event.stop()
        self._list_facts(event.value)

    def _list_facts(self, sought: str) -> None:
        wanted = sought.strip().casefold()
        found = [
            fact
            for fact in self.wizard.desk.knowledge.vocabulary.facts.values()
            if fact.group != "probe" and (wanted in fact.name.casefold() or wanted in fact.question.casefold())
        ]
        listed = self.query_one("#all_facts", OptionList)
        listed.clear_options()
        listed.add_options([Option(self._fact_line(fact), id=fact.name) for fact in found])
        listed.highlighted = 0 if found else None

    def _fact_line(self, fact: Fact) -> Content:
        return Content.assemble(
            (fact.name, "bold"), f" = {printable(self._known_words(fact.name))}", (f"\n  {fact.question}", FAINT)
        )

    def action_move(self, by: int) -> None:
        """Move in the list, while the search has the focus."""
        move_highlight(self.query_one("#all_facts", OptionList), by)

    @on(Input.Submitted, "#fact_search")
    async def _first_fact(self, event: Input.Submitted) -> None:
        event.stop()
        option = self.query_one("#all_facts", OptionList).highlighted_option
        if option is not None and option.id is not None:
            await self._ask_value(option.id)

    @on(OptionList.OptionSelected, "#all_facts")
    async def _fact_chosen(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        await self._ask_value(str(event.option_id))

    # --- which value -----------------------------------------------------------------------------------------------

    async def _ask_value(self, name: str) -> None:
        interview = self.wizard.desk.interview
        fact = interview.fact(name)
        known = self._known(name)
        self.query_one("#supposed_question", Static).update(plain(fact.question))
        self.query_one("#supposed_now", Static).update(plain(f"{name}, now: {self._known_words(name)}"))
        self.query_one("#supposed_help", Static).update(plain(fact.help))
        place = self.query_one("#supposed_value", Vertical)
        await place.remove_children()
        await place.mount(Entry(fact, interview.read, None if known is None else known.value))
        self._go_to(VALUE)

    @on(Entry.Given)
    def _given(self, event: Entry.Given) -> None:
        event.stop()
        self._compare({**self.stated, event.name: event.text})

    # --- what would follow -----------------------------------------------------------------------------------------

    @work(exclusive=True, group="supposing")
    async def _compare(self, stated: dict[str, str]) -> None:
        """Suppose all of this; keep the last supposition if that cannot be."""
        try:
            self.found = await self.wizard.think(lambda: self.wizard.desk.interview.what_if(stated))
        except InputError as error:  # these facts exclude each other
            self.wizard.complain(error)
            if not self.step:
                self._ask_fact()
            return
        self.stated = stated
        self._show_both()
        if self.step != RESULT:
            self._go_to(RESULT)

    def _show_both(self) -> None:
        if self.found is None:
            return
        both = self.query_one("#both_plans", OptionList)
        both.clear_options()
        both.add_options(list(rows(self.found, self.wizard.desk.knowledge, all_topics=self.all_topics)))
        both.action_first()

    @on(OptionList.OptionSelected, "#both_plans")
    def _open(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if event.option_id is not None and self.found is not None:
            self.wizard.open(ToTopic(event.option_id, self.found.after, whose="supposed"))

    def action_turn_differing(self) -> None:
        self.all_topics = not self.all_topics
        self._show_both()

    def action_another(self) -> None:
        self._ask_fact()

    @work
    async def action_take_over(self) -> None:
        stated = dict(self.stated)

        def answer(interview: Interview) -> None:
            """Answer all of them, or none: each is tried first in a copy, since one could exclude the others."""
            rehearsed = replace(interview, _history=[])
            for conversation in (rehearsed, interview):
                for name, text in stated.items():
                    conversation.answer(name, text)

        try:
            await self.wizard.step(answer)
        except InputError as error:
            self.wizard.complain(error)
            return
        self.wizard.tell(
            join_names([f"{n} = {self._value_words(n, text)}" for n, text in stated.items()]), title="Taken over"
        )
        self.dismiss(None)
