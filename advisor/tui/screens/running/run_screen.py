"""The base of screens on which minutes of work are chosen, watched with the time that is left, stopped and read."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from textual import work
from textual.content import Content
from textual.message import Message
from textual.widgets import Button, ContentSwitcher, Select, Static

from advisor.agent.timed import Timed
from advisor.children.stopping import Stop
from advisor.errors import InputError
from advisor.report.rates import bar
from advisor.tui.dialogs.ask import Ask
from advisor.tui.screen import WizardScreen
from advisor.tui.text import problem_text

if TYPE_CHECKING:
    from advisor.inference.plan import Plan

BAR = 18
"""Columns."""


class TimeBar(Static):
    """The share of the budget that is used, and the seconds left."""

    def __init__(self) -> None:
        super().__init__("", markup=False)

    def show(self, run: Timed, part: str, *, stopping: bool) -> None:
        """
        Args:
            part: name of a part with a limit of its own, such as `probe`.
            stopping: the run was stopped, so the time left means nothing.
        """
        left = run.seconds_left
        said = f"{left:.0f} s left of {run.budget:.0f} s"
        if stopping:
            said = "stopping: everything that is finished is kept"
        elif run.seconds_of_part is not None:
            said += f"; this {part}: at most {min(left, run.seconds_of_part):.0f} s"
        self.update(Content.assemble((bar(1 - left / run.budget, BAR, unicode=True), "$primary"), f" {said}"))


Event = TypeVar("Event")
Result = TypeVar("Result")
State = TypeVar("State", bound=Timed)
BUDGETS = (("30 seconds", 30.0), ("1 minute", 60.0), ("2 minutes", 120.0), ("5 minutes", 300.0), ("10 minutes", 600.0),
           ("30 minutes", 1800.0))  # fmt: skip
DRAWN_EVERY = 0.5
"""Seconds: drawing takes a processor from what is being measured."""


class Phase(StrEnum):
    """Of the screen; the names of what is shown in it."""

    CHOOSING = "choosing"
    RUNNING = "running"
    DONE = "done_pane"


class Told(Message, Generic[Event]):
    """An event, sent from the thread of the work."""

    def __init__(self, event: Event) -> None:
        super().__init__()
        self.event = event


class RunScreen(WizardScreen[None], Generic[Event, Result, State]):
    """Does `run_for` in a thread of its own, and shows what that tells.

    A subclass has a widget for each phase in a ContentSwitcher, and a TimeBar.
    """

    TITLES: ClassVar[Mapping[Phase, str]] = {}
    """In place of the usual one."""
    NEEDS: ClassVar[Mapping[str, Phase]] = {}
    """The only phase in which an action means something."""
    STATE: type[State]
    USUAL_BUDGET: ClassVar[float] = 60.0
    PART: ClassVar[str] = ""
    """Name of what has a limit of its own within the budget."""
    STOP_QUESTION: ClassVar[tuple[str, str]] = ("Stop?", "")
    STOPPED_EARLY: ClassVar[tuple[type[InputError], str]] = (InputError, "Stopped.")
    """The error of a run that was stopped before it had any result, and how that is said."""

    def __init__(self) -> None:
        super().__init__()
        self.phase = Phase.CHOOSING
        self.state = self.STATE(self.USUAL_BUDGET, time.monotonic)
        self.stop = Stop()
        self.changed = False
        """Some events are not drawn yet."""
        self.plan_before: Plan | None = None

    def on_mount(self) -> None:
        self.set_interval(DRAWN_EVERY, self.draw)
        self.introduce()

    def end_work(self) -> None:
        self.stop.everything()

    def on_unmount(self) -> None:
        self.end_work()

    # --- what a subclass says --------------------------------------------------------------------------------------

    def introduce(self) -> object:
        """Show what can be run, and put the focus there."""
        raise NotImplementedError

    def run_for(self, seconds: float, listener: Callable[[Event], None], stop: Stop) -> Result:
        """Do the work, and call the listener with its events; in a thread of its own. Raises InputError."""
        raise NotImplementedError

    def say(self, problem: str) -> None:
        """Say while choosing why there is no result."""
        raise NotImplementedError

    def heard(self, event: Event) -> None:
        """Do what an event asks for beyond being drawn."""

    def is_news(self, event: Event) -> bool:
        """Return True to draw an event at once: others wait for the clock."""
        return False

    def show_live(self) -> None:
        """Draw the state."""
        raise NotImplementedError

    def show_result(self, result: Result) -> None:
        raise NotImplementedError

    def show_plan(self, result: Result, before: Plan, after: Plan) -> None:
        """Show what the result does to the plan, once that is worked out."""

    def turned_to(self, phase: Phase) -> None:
        """Put the focus where it belongs in this phase."""

    # --- running ---------------------------------------------------------------------------------------------------

    def budget(self) -> Select[float]:
        return Select(BUDGETS, value=self.USUAL_BUDGET, allow_blank=False, id="budget")

    def begin_button(self, label: str) -> Button:
        return Button(Content(label), id="begin", variant="primary")

    @property
    def seconds_given(self) -> float:
        return float(self.query_one("#budget", Select).value)  # type: ignore[arg-type]

    def begin(self) -> None:
        """Begin the work, for the chosen number of seconds."""
        seconds = self.seconds_given
        self.stop, self.state = Stop(), self.STATE(seconds, time.monotonic)
        self.plan_before = self.wizard.standing.plan if self.wizard.standing is not None else None
        self._turn_to(Phase.RUNNING)
        self._run(seconds)

    @work(exclusive=True, group="running")
    async def _run(self, seconds: float) -> None:
        """Wait until the work has ended, by itself or by hand, or could not be done."""
        try:
            result = await asyncio.to_thread(self.run_for, seconds, self._listen, self.stop)
        except InputError as error:
            kind, said = self.STOPPED_EARLY
            early = self.stop.all and isinstance(error, kind)
            self.say(said if early else f"✗ {error.title}: {problem_text(error)}")
            self._turn_to(Phase.CHOOSING)
            self.wizard.tell_notes()
            return
        self.show_result(result)
        self._turn_to(Phase.DONE)
        now = await self.wizard.take_stock()  # the plan counts the result from now on
        self.show_plan(result, self.plan_before or now.plan, now.plan)

    def _listen(self, event: Event) -> None:
        self.post_message(Told(event))

    def on_told(self, told: Told[Event]) -> None:
        self.changed = True
        self.state.tell(told.event)
        self.heard(told.event)
        if self.is_news(told.event):
            self.draw()

    def draw(self) -> None:
        """Show what is known by now; several times a second at most."""
        if self.phase is not Phase.RUNNING:
            return
        self.query_one(TimeBar).show(self.state, self.PART, stopping=self.stop.all)
        if self.changed:
            self.changed = False
            self.show_live()

    # --- moving ----------------------------------------------------------------------------------------------------

    def _turn_to(self, phase: Phase) -> None:
        self.phase, self.changed = phase, True
        self.query_one(f"#{Phase.CHOOSING}").disabled = phase is not Phase.CHOOSING  # what is hidden keeps the focus
        self.query_one(ContentSwitcher).current = phase
        self.retitle(self.TITLES.get(phase, self.TITLE or ""))
        self.refresh_bindings()
        self.draw()
        self.turned_to(phase)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Each key is there where it means something."""
        return action not in self.NEEDS or self.NEEDS[action] is self.phase

    def action_again(self) -> None:
        self._turn_to(Phase.CHOOSING)

    def action_back(self) -> None:
        if self.phase is Phase.RUNNING:
            self.action_stop_all()
        else:
            self.dismiss(None)

    @work
    async def action_stop_all(self) -> None:
        question, details = self.STOP_QUESTION
        if await self.app.push_screen_wait(Ask(question, details, yes="Stop", no="Go on")):
            self.stop.everything()
            self.draw()
