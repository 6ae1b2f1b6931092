"""The interview: one question, and the plan beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from operator import methodcaller
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widget import Widget

from advisor.errors import InputError
from advisor.tui.host import Outlook, Standing
from advisor.tui.requests import ToData, ToFacts, ToTopic, ToWhatIf
from advisor.tui.screen import Palette, WizardScreen
from advisor.tui.screens.interview.question import QuestionPane
from advisor.tui.widgets.entry import Entry
from advisor.tui.widgets.plan_list import PlanList

if TYPE_CHECKING:
    from advisor.interview.interview import Interview


class InterviewScreen(WizardScreen[None]):
    TITLE = "Interview"
    HELP_TEXT = (
        "One question at a time; only what can still change the plan is asked. The plan beside it follows every answer: » marks "
        "what the last one changed. Press Enter on a line of the plan for its reasons. You can stop at any time."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f2", "why", "Why", id="interview.why", tooltip="What the answer to this question can change."),
        Binding("f3", "take_step('do_not_know')", "Don't know", id="interview.unknown", tooltip="Say that you don't know."),
        Binding("f4", "take_step('later')", "Later", id="interview.later", tooltip="Ask this again at the end."),
        Binding("f5", "take_step('skip')", "Skip", id="interview.skip", tooltip="Leave this as it is, detected or assumed."),
        Binding("f6", "turn", "Plan", id="interview.turn", tooltip="Go to the plan, and back to the question."),
        Binding("f7", "facts", "Facts", id="interview.facts", tooltip="See and correct what was said and found."),
        Binding("f8", "what_if", "What if", id="interview.what_if", show=False, tooltip="Suppose another answer."),
        Binding("f9", "open('Glossary')", "Words", id="interview.glossary", show=False,
                tooltip="Technical terms in plain words."),
        Binding("ctrl+s", "open('Export')", "Export", id="interview.export", tooltip="Save report, plan, answers or a project."),
        Binding("escape", "back", "Back", show=False, id="interview.back", tooltip="Go back to the start; all is saved."),
        Binding("ctrl+z", "undo", "Undo", id="interview.undo", priority=True, tooltip="Take the last step back."),
    ]  # fmt: skip
    PALETTE: ClassVar[Palette] = (
        ("Question: Why is it asked", "What the answer can change", "why"),
        ("Question: I don't know", "Leave it open", "take_step('do_not_know')"),
        ("Question: Later", "Ask it again at the end", "take_step('later')"),
        ("Question: Skip", "Leave it as it is", "take_step('skip')"),
        ("Question: Undo", "Take the last step back", "undo"),
        ("Facts: See and correct", "What was said, detected, found in data", "facts"),
        ("Plan: Suppose another answer", "Both plans side by side", "what_if"),
        ("Plan: Export", "Report, plan, answers, starter project", "open('Export')"),
        ("Machine: Measure", "Settle bets of the plan by timing them here", "open('Probes')"),
        ("Data: Inspect", "Point at a dataset: what it is becomes facts", "data"),
        ("Data: Try", "Train the plan and its rivals on your data", "open('Trials')"),
        ("Words: Glossary", "Technical terms in plain words", "open('Glossary')"),
    )

    def __init__(self) -> None:
        super().__init__()
        self.stepping = False

    def contents(self) -> Iterable[Widget]:
        wizard = self.wizard
        yield Horizontal(
            QuestionPane(wizard.desk.knowledge, id="question"),
            PlanList(wizard.desk.knowledge, id="plan"),
            id="sides",
        )

    def on_mount(self) -> None:
        self.wizard.standing_changed.subscribe(self, self.show_standing)
        self.wizard.outlook_changed.subscribe(self, self.show_outlook)
        if self.wizard.standing is None:
            self._begin()
        else:
            self.show_standing(self.wizard.standing)
            if self.wizard.outlook is not None:
                self.show_outlook(self.wizard.outlook)

    @work
    async def _begin(self) -> None:
        await self.wizard.take_stock()

    # --- what is shown ---------------------------------------------------------------------------------------------

    @work(exclusive=True, group="redraw")
    async def show_standing(self, now: Standing) -> None:
        """Show question and plan at once, so that the terminal is written to once."""
        with self.app.batch_update():
            self.query_one(PlanList).show(now.plan, (change.topic for change in now.moved))
            await self.query_one(QuestionPane).show(now, self.wizard.desk.interview.read)

    def show_outlook(self, outlook: Outlook) -> None:
        self.query_one(QuestionPane).show_outlook(outlook)

    # --- steps -----------------------------------------------------------------------------------------------------

    @work
    async def take_step(self, move: Callable[[Interview], object]) -> None:
        """Take a step unless another is being computed: its key was meant for the question before."""
        if self.stepping:
            return
        self.stepping = True
        try:
            await self.wizard.step(move)
        except InputError as error:
            self.query_one(QuestionPane).refuse(error)
        finally:
            self.stepping = False

    @property
    def asked(self) -> str | None:
        now = self.wizard.standing
        return now.fact.name if now is not None and now.fact is not None else None

    @on(Entry.Given)
    def _given(self, event: Entry.Given) -> None:
        name, text = event.name, event.text
        if name == self.asked:
            self.take_step(lambda interview: interview.answer(name, text))

    def action_take_step(self, move: str) -> None:
        """Do with the question what `Interview` calls so."""
        if (name := self.asked) is not None:
            self.take_step(methodcaller(move, name))

    @work
    async def action_undo(self) -> None:
        moved: list[bool] = []
        await self.wizard.step(lambda interview: moved.append(interview.back()))
        if not moved[0]:
            self.wizard.tell("This is the first question.")

    # --- other screens ---------------------------------------------------------------------------------------------

    @on(PlanList.Opened)
    def _open(self, event: PlanList.Opened) -> None:
        self.wizard.open(ToTopic(event.topic))

    def action_turn(self) -> None:
        plan = self.query_one(PlanList)
        if plan.has_focus:
            self.query_one(QuestionPane).focus_entry()
        else:
            plan.focus()

    @work(exclusive=True, group="why")
    async def action_why(self) -> None:
        name = self.asked
        if name is None:
            return
        found = await self.wizard.think(lambda: self.wizard.desk.interview.why(name))
        if name == self.asked and self.wizard.standing is not None:
            self.query_one(QuestionPane).show_why(found, self.wizard.standing.plan)

    @work
    async def action_facts(self) -> None:
        name = await self.wizard.ask(ToFacts())
        if name is not None:
            self.take_step(lambda interview: interview.change(name))

    def action_what_if(self) -> None:
        self.wizard.open(ToWhatIf(self.asked or ""))

    @work
    async def action_data(self) -> None:
        if await self.wizard.ask(ToData()):
            await self.wizard.think(self.wizard.desk.save)

    def commands(self) -> Iterator[SystemCommand]:
        yield from super().commands()
        if self.wizard.standing is not None:
            for entry in self.wizard.standing.plan.recommendations.values():
                opened = partial(self.wizard.open, ToTopic(entry.topic))
                yield SystemCommand(f"Topic: {entry.title}", f"Why, why not otherwise: {entry.topic}", opened)
