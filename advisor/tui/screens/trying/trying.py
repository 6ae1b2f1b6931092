"""Trying the plan on somebody's data: what is tried, how it goes, what won and what that does to the plan."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Button, ContentSwitcher, Select, Static

from advisor.agent.trials.events import TrialEvent
from advisor.agent.trials.trying import NothingTriedError, planned
from advisor.children.stopping import Stop
from advisor.datasets.dataset import FORETELLING
from advisor.errors import InputError
from advisor.training.ladder.menu import menu
from advisor.training.ladder.outcome import TrialResults
from advisor.training.ladder.trial_record import Kind
from advisor.tui.dialogs.ask import Ask
from advisor.tui.requests import ToData
from advisor.tui.screen import WizardScreen
from advisor.tui.screens.probing.probing import BUDGETS, DRAWN_EVERY
from advisor.tui.screens.trying.done import WonPane
from advisor.tui.screens.trying.live import TrialsPane
from advisor.tui.screens.trying.offer import about_data, no_data
from advisor.tui.screens.trying.state import Trials
from advisor.tui.text import plain, problem_text

if TYPE_CHECKING:
    from advisor.datasets.dataset import Inspection
    from advisor.inference.plan import Plan

USUAL_BUDGET = 120.0


class Phase(StrEnum):
    """Of the screen; the names of what is shown in it."""

    CHOOSING = "try_choosing"
    RUNNING = "try_running"
    DONE = "try_done"


class TryingScreen(WizardScreen[None]):
    TITLE = "Try on your data"
    HELP_TEXT = (
        "The plan's network, its rivals and what is simpler are trained on your data, each on the same folds; the best are "
        "scored on examples that selection never saw. What is finished is kept whatever happens, and counts in the plan. "
        "Escape stops after asking."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "begin", "Try", id="trying.begin", tooltip="Begin to train and compare."),
        Binding("d", "data", "Data", id="trying.data", tooltip="Point at the data, or at others."),
        Binding("x", "stop", "Stop", id="trying.stop", tooltip="Stop; what is finished is kept."),
        Binding("m", "again", "Try again", id="trying.again", tooltip="Give it more time, or other data."),
    ]
    CSS = """
    TryingScreen > ContentSwitcher { height: 1fr; }
    #try_choosing { height: 1fr; padding: 0 1; }
    #try_about { height: 1fr; }
    #try_about > Static { height: auto; }
    #try_order { height: 3; }
    #try_order Select { width: 24; margin: 0 2 0 0; }
    #try_order Button { margin: 0 2 0 0; }
    """

    class Told(Message):
        """An event of the trials, sent from the thread that waits for them."""

        def __init__(self, event: TrialEvent) -> None:
            super().__init__()
            self.event = event

    class Ended(Message):
        """The trials have ended, by themselves or by hand; or they could not begin."""

        def __init__(self, outcome: TrialResults | None, error: InputError | None = None) -> None:
            super().__init__()
            self.outcome, self.error = outcome, error

    def __init__(self) -> None:
        super().__init__()
        self.phase = Phase.CHOOSING
        self.state = Trials(USUAL_BUDGET, time.monotonic)
        self.stop = Stop()
        self.changed = False
        """Whether something was told that is not drawn yet."""
        self.plan_before: Plan | None = None

    def contents(self) -> Iterable[Widget]:
        with ContentSwitcher(initial=Phase.CHOOSING):
            with Vertical(id=Phase.CHOOSING):
                with VerticalScroll(id="try_about", can_focus=False):
                    yield Static("", id="try_problem", classes="bad", markup=False)
                    yield Static("", id="try_words", markup=False)
                with Horizontal(id="try_order"):
                    yield Button(Content("Point at your data"), id="point")
                    yield Select(BUDGETS, value=USUAL_BUDGET, allow_blank=False, id="try_budget")
                    yield Button(Content("Try"), id="try", variant="primary")
            yield TrialsPane(id=Phase.RUNNING)
            yield WonPane(self.wizard.desk.knowledge, id=Phase.DONE)

    def on_mount(self) -> None:
        self.set_interval(DRAWN_EVERY, self.draw)
        self._say("")
        self._introduce()

    def end_work(self) -> None:
        self.stop.everything()

    def on_unmount(self) -> None:
        self.end_work()

    # --- choosing --------------------------------------------------------------------------------------------------

    @property
    def data(self) -> Inspection | None:
        """What can be tried: data of which it is known what is to be foretold."""
        found = self.wizard.desk.inspection
        return found if found is not None and found.task in FORETELLING else None

    @work(exclusive=True, group="introduction")
    async def _introduce(self) -> None:
        """What would be tried, or how to name the data."""
        found = self.data
        self.query_one("#try", Button).disabled = found is None
        point = self.query_one("#point", Button)
        point.label = Content("Point at your data (d)" if found is None else "Other data (d)")
        if self.phase is Phase.CHOOSING:
            (point if found is None else self.query_one("#try", Button)).focus()
        words = self.query_one("#try_words", Static)
        if found is None:
            words.update(plain(no_data(self.wizard.desk.inspection)))
            return
        words.update(about_data(found, ()))
        plan = await self.wizard.full_plan()
        wanted = planned(plan)
        openers = menu(wanted, found.modality).openers
        networks = [one.name for one in openers if one.kind is Kind.NETWORK]
        untried = wanted.network if wanted.network not in {one.model for one in openers} else None
        words.update(about_data(found, networks, untried))

    @work
    async def action_data(self) -> None:
        if await self.wizard.ask(ToData()):
            await self.wizard.think(self.wizard.desk.save)
        self._introduce()

    @on(Button.Pressed, "#point")
    def _point(self) -> None:
        self.action_data()

    @on(Button.Pressed, "#try")
    def action_begin(self) -> None:
        if self.data is None:
            self.action_data()
            return
        seconds = float(self.query_one("#try_budget", Select).value)  # type: ignore[arg-type]
        self._say("")
        self.stop, self.state = Stop(), Trials(seconds, time.monotonic)
        self.plan_before = self.wizard.standing.plan if self.wizard.standing is not None else None
        self._turn_to(Phase.RUNNING)
        self._try(seconds)

    def _say(self, problem: str) -> None:
        """What went wrong, or nothing."""
        place = self.query_one("#try_problem", Static)
        place.display = bool(problem)
        place.update(plain(problem))

    # --- running ---------------------------------------------------------------------------------------------------

    @work(thread=True, exclusive=True, group="trying")
    def _try(self, seconds: float) -> None:
        try:
            outcome = self.wizard.desk.try_on_data(seconds, self._listen, self.stop)
        except InputError as error:
            self.post_message(self.Ended(None, error))
        else:
            self.post_message(self.Ended(outcome))

    def _listen(self, event: TrialEvent) -> None:
        self.post_message(self.Told(event))

    def on_trying_screen_told(self, told: Told) -> None:
        self.state.tell(told.event)
        self.changed = True

    def draw(self) -> None:
        """What is known by now; several times a second at most."""
        if self.phase is not Phase.RUNNING:
            return
        pane = self.query_one(TrialsPane)
        pane.show_time(self.state, "stopping: everything that is finished is kept" if self.stop.all else "")
        if self.changed:
            self.changed = False
            pane.show(self.state)

    def on_trying_screen_ended(self, event: Ended) -> None:
        if event.outcome is not None:
            self.query_one(WonPane).show(event.outcome)
            self._turn_to(Phase.DONE)
            self._take_stock(event.outcome)
            return
        if self.stop.all and isinstance(event.error, NothingTriedError):
            said = "Stopped before anything was tried."
        else:
            assert event.error is not None  # noqa: S101 - one of the two is there
            said = f"✗ {event.error.title}: {problem_text(event.error)}"
        self._say(said)
        self._turn_to(Phase.CHOOSING)
        self.wizard.tell_notes()

    @work(group="stock")
    async def _take_stock(self, outcome: TrialResults) -> None:
        """The plan counts from now on what was tried."""
        now = await self.wizard.take_stock()
        self.query_one(WonPane).show_plan(outcome, self.plan_before or now.plan, now.plan)

    # --- moving ----------------------------------------------------------------------------------------------------

    def _turn_to(self, phase: Phase) -> None:
        self.phase, self.changed = phase, True
        self.query_one(f"#{Phase.CHOOSING}").disabled = phase is not Phase.CHOOSING  # hidden, a button keeps the focus
        self.query_one(ContentSwitcher).current = phase
        if phase is Phase.RUNNING:
            self.query_one(TrialsPane.Candidates).focus()
        titles = {Phase.RUNNING: "Trying on your data", Phase.DONE: "What won on your data"}
        self.retitle(titles.get(phase, self.TITLE))
        self.refresh_bindings()
        self.draw()
        if phase is Phase.CHOOSING:
            self._introduce()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Each key is there where it means something."""
        needs = {"begin": Phase.CHOOSING, "data": Phase.CHOOSING, "stop": Phase.RUNNING, "again": Phase.DONE}
        return action not in needs or needs[action] is self.phase

    def action_again(self) -> None:
        self._turn_to(Phase.CHOOSING)

    @work
    async def action_stop(self) -> None:
        details = "What is finished is kept, and counts in the plan. The same trials go on from there another time."
        if await self.app.push_screen_wait(Ask("Stop trying?", details, yes="Stop", no="Go on")):
            self.stop.everything()
            self.draw()

    def action_back(self) -> None:
        if self.phase is Phase.RUNNING:
            self.action_stop()
        else:
            self.dismiss(None)

    def commands(self) -> Iterator[SystemCommand]:
        match self.phase:
            case Phase.CHOOSING:
                yield SystemCommand("Try: Begin", "Train and compare on these data", self.action_begin)
                yield SystemCommand(
                    "Data: Point at others", "A file or a folder, and what is to be foretold", self.action_data
                )
            case Phase.RUNNING:
                yield SystemCommand("Try: Stop", "What is finished is kept", self.action_stop)
            case Phase.DONE:
                yield SystemCommand("Try: Again", "With more time, or other data", self.action_again)
