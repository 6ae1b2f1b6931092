"""The interview: one question, and the plan beside it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import partial
from operator import methodcaller
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.events import Resize
from textual.widget import Widget
from textual.widgets import Static

from advisor.errors import InputError
from advisor.tui.host import Glimpse, Outlook, Standing
from advisor.tui.requests import ToData, ToExport, ToFacts, ToStrategies, ToTopic, ToWhatIf
from advisor.tui.screen import Palette, WizardScreen
from advisor.tui.screens.interview.next_steps import NextScreen
from advisor.tui.screens.interview.question import QuestionPane
from advisor.tui.sketch import has_network, sketch
from advisor.tui.widgets.entry import Entry
from advisor.tui.widgets.network_view import NetworkView
from advisor.tui.widgets.plan_list import PlanList, moved_line
from advisor.tui.widgets.reasons import Reasons

if TYPE_CHECKING:
    from advisor.inference.plan import Plan
    from advisor.interview.changes import Change
    from advisor.interview.interview import Interview

THREE_COLUMNS = 160
"""Columns of a screen that has room for the reasons too."""
TOO_LOW_FOR_FRAMES = 17
"""Lines below which frames would take the room of what they hold."""

QUESTION_ALONE = 10
"""Lines below which there is room for the question only."""


def keys(letter: str, key: str, action: str, name: str, id: str, tooltip: str) -> tuple[Binding, Binding]:
    """An action by a letter, and by a key that works while a line is written too."""
    by_letter = Binding(letter, action, name, id=f"{id}.letter", tooltip=tooltip)
    return by_letter, Binding(key, action, name, id=id, tooltip=tooltip)


class InterviewScreen(WizardScreen[None]):
    TITLE = "Interview"
    HELP_TEXT = (
        "One question at a time; only what can still change the plan is asked. The plan beside it follows every answer: ◂ marks "
        "what the last one changed, with what it was. The bar above the question shows how much of what the plan depends on is "
        "known by now. Press Enter on a line of the plan for its reasons. You can stop at any time."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        *keys("u", "f3", "take_step('do_not_know')", "Don't know", "interview.unknown", "Say that you don't know."),
        *keys("w", "f2", "why", "Why", "interview.why", "What the answer to this question can change."),
        *keys("p", "f6", "turn", "Plan", "interview.turn", "Go to the plan, and back to the question."),
        *keys("l", "f4", "take_step('later')", "Later", "interview.later", "Ask this again at the end."),
        *keys("n", "ctrl+n", "next", "Next", "interview.next", "What to do with the plan: measure, try, save it."),
        Binding("ctrl+z", "undo", "Undo", id="interview.undo", priority=True, tooltip="Take the last step back."),
        Binding("ctrl+s", "open('Export')", "Export", id="interview.export", tooltip="Save report, plan, answers or a project."),
        *keys("f", "f7", "facts", "Facts", "interview.facts", "See and correct what was said and found."),
        *keys("s", "f5", "take_step('skip')", "Skip", "interview.skip", "Leave this as it is, detected or assumed."),
        *keys("i", "f8", "what_if", "What if", "interview.what_if", "Suppose another answer."),
        *keys("g", "f9", "open('Glossary')", "Words", "interview.glossary", "Technical terms in plain words."),
        *keys("y", "ctrl+y", "strategies", "Strategies", "interview.strategies", "Compare ways in which several workers learn."),
        Binding("escape", "back", "Back", show=False, id="interview.back", tooltip="Go back to the start; all is saved."),
    ]  # fmt: skip
    PALETTE: ClassVar[Palette] = (
        ("Question: Why is it asked", "What the answer can change", "why"),
        ("Question: I don't know", "Leave it open", "take_step('do_not_know')"),
        ("Question: Later", "Ask it again at the end", "take_step('later')"),
        ("Question: Skip", "Leave it as it is", "take_step('skip')"),
        ("Question: Undo", "Take the last step back", "undo"),
        ("Facts: See and correct", "What was said, detected, found in data", "facts"),
        ("Plan: What next", "Measure, try, save; what training needs", "next"),
        ("Plan: Suppose another answer", "Both plans side by side", "what_if"),
        ("Plan: Export", "Report, plan, answers, starter project", "open('Export')"),
        ("Machine: Measure", "Settle bets of the plan by timing them here", "open('Probes')"),
        ("Data: Inspect", "Point at a dataset: what it is becomes facts", "data"),
        ("Data: Try", "Train the plan and its rivals on your data", "open('Trials')"),
        ("Strategies: Compare", "How several workers would learn this plan", "strategies"),
        ("Strategies: Train here", "Real workers of this machine, several strategies", "strategies('way_train')"),
        ("Strategies: Simulate one", "Up to 10,000 workers in virtual time", "strategies('way_simulate')"),
        ("Words: Glossary", "Technical terms in plain words", "open('Glossary')"),
    )

    def __init__(self) -> None:
        super().__init__()
        self.stepping = False

    def contents(self) -> Iterable[Widget]:
        wizard = self.wizard
        knowledge = wizard.desk.knowledge
        with Horizontal(id="sides"):
            yield QuestionPane(knowledge, id="question")
            with Vertical(id="side"):
                yield NetworkView(id="network")
                yield Static("", id="moved", markup=False)
                yield PlanList(knowledge, id="plan")
            yield Reasons(knowledge, id="reasons")

    def on_mount(self) -> None:
        self.wizard.standing_changed.subscribe(self, self.show_standing)
        self.wizard.glimpsed.subscribe(self, self.show_glimpse)
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
            self._show_plan(now.plan, now.moved)
            knowledge = self.wizard.desk.knowledge
            self.query_one(NetworkView).show(sketch(knowledge, now.plan))
            self._show_reasons()
            await self.query_one(QuestionPane).show(now, self.wizard.desk.interview.read)
            self.refresh_bindings()
        if now.fact is None:
            self._find_needs(now.plan)

    @work(exclusive=True, group="needs")
    async def _find_needs(self, plan: Plan) -> None:
        needs = await self.wizard.think(lambda: self.wizard.desk.needs(plan))
        if self.wizard.standing is not None and plan is self.wizard.standing.plan:
            self.query_one(QuestionPane).show_needs(plan, needs)

    def show_glimpse(self, seen: Glimpse) -> None:
        """Show at once what an answer moves; statuses, the network's figures and the next question follow."""
        with self.app.batch_update():
            self._show_plan(seen.plan, seen.moved, proven=False)

    def _show_plan(self, plan: Plan, moved: tuple[Change, ...], *, proven: bool = True) -> None:
        self.remove_class("-plan")
        line = moved_line(self.wizard.desk.knowledge, moved, self.size.width - 2)
        self.query_one("#moved", Static).update(line, layout=False)  # always one line
        self.query_one(PlanList).show(plan, moved, proven=proven)

    @on(PlanList.OptionHighlighted, "#plan")
    def _show_reasons(self) -> None:
        """The reasons of the topic that is highlighted, where there is room for a third column."""
        if self.wizard.standing is not None and self.has_class("-vast"):
            self.query_one(Reasons).show(self.wizard.standing.plan, self.query_one(PlanList).topic)

    def on_resize(self, event: Resize) -> None:
        self.set_class(event.size.width >= THREE_COLUMNS, "-vast")
        self.set_class(event.size.height < TOO_LOW_FOR_FRAMES, "-flat")
        self.set_class(event.size.height < QUESTION_ALONE, "-tiny")
        self.call_after_refresh(self._show_reasons)

    def show_outlook(self, outlook: Outlook) -> None:
        self.query_one(QuestionPane).show_outlook(outlook)

    # --- steps -----------------------------------------------------------------------------------------------------

    def take_step(self, move: Callable[[Interview], object]) -> None:
        self._step_once(lambda: self.wizard.step(move))

    @work
    async def _step_once(self, step: Callable[[], Awaitable[Standing]]) -> None:
        """Take a step unless another is being computed: its key was meant for the question before."""
        if self.stepping:
            return
        self.stepping = True
        try:
            await step()
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
            self._step_once(lambda: self.wizard.answer(name, text))

    def action_take_step(self, move: str) -> None:
        """Do with the question what `Interview` calls so."""
        if (name := self.asked) is None:
            return
        if move == "do_not_know":
            self._step_once(lambda: self.wizard.answer(name, ""))
        else:
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
        """Go to the plan, which takes the place of the question on a narrow screen, and back."""
        plan = self.query_one(PlanList)
        if plan.has_focus:
            self.remove_class("-plan")
            self.call_after_refresh(self.query_one(QuestionPane).focus_entry)
        else:
            self.add_class("-plan")
            self.call_after_refresh(plan.focus)

    def action_back(self) -> None:
        """Go back from the plan to the question, else to the screen before."""
        if self.query_one(PlanList).has_focus and self.asked is not None:
            self.action_turn()
        else:
            super().action_back()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without a question there is nothing to skip, or to say of it; without a network there is nothing to train."""
        if action in ("take_step", "why", "next"):
            return self.asked is not None
        if action == "strategies":
            return self.wizard.standing is not None and has_network(self.wizard.standing.plan)
        return super().check_action(action, parameters)

    @work(exclusive=True, group="why")
    async def action_why(self) -> None:
        name = self.asked
        if name is None:
            return
        interview = self.wizard.desk.interview
        found, effects = await self.wizard.think(lambda: (interview.why(name), interview.effects(name)))
        if name == self.asked and self.wizard.standing is not None:
            self.query_one(QuestionPane).show_why(found, self.wizard.standing.plan, effects)

    @work
    async def action_next(self) -> None:
        """Show what can be done with the plan now, though there are questions left."""
        if self.wizard.standing is not None:
            chosen = await self.app.push_screen_wait(NextScreen(self.wizard.standing.plan))
            if chosen is not None:
                await self.run_action(chosen)

    def action_starter(self) -> None:
        self.wizard.open(ToExport(kind="starter"))

    def action_strategies(self, way: str = "") -> None:
        self.wizard.open(ToStrategies(way))

    def action_topic(self, name: str) -> None:
        self.wizard.open(ToTopic(name))

    def action_suppose(self, name: str, value: str) -> None:
        self.wizard.open(ToWhatIf(name, value))

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
