"""Measuring this machine for the plan: what is worth it, what happens, what came out."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import ClassVar

from textual import on, work
from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Button, ContentSwitcher, Select, SelectionList, Static
from textual.widgets.selection_list import Selection

from advisor.agent.agent import Revision
from advisor.agent.events import MeasuringEvent
from advisor.children.stopping import Stop
from advisor.errors import InputError
from advisor.inference.advise import VALUES_ONLY
from advisor.probes.protocol import Message as Said
from advisor.tui.dialogs.ask import Ask
from advisor.tui.requests import ToTopic
from advisor.tui.screen import WizardScreen
from advisor.tui.screens.probing.done import DonePane
from advisor.tui.screens.probing.live import LivePane
from advisor.tui.screens.probing.offer import ELSEWHERE, Offer, not_here, offer_details, offer_line, offers
from advisor.tui.screens.probing.state import Measuring
from advisor.tui.text import plain, problem_text
from advisor.tui.widgets.ticks import Ticks

BUDGETS = (("30 seconds", 30.0), ("1 minute", 60.0), ("2 minutes", 120.0), ("5 minutes", 300.0), ("10 minutes", 600.0),
           ("30 minutes", 1800.0))  # fmt: skip
USUAL_BUDGET = 60.0
DRAWN_EVERY = 0.5
"""Seconds: drawing takes a processor from what is being measured."""


class Phase(StrEnum):
    """Of the screen; the names of what is shown in it."""

    CHOOSING = "choosing"
    RUNNING = "running"
    DONE = "done_pane"


class ProbingScreen(WizardScreen[None]):
    TITLE = "Measure this machine"
    HELP_TEXT = (
        "A bet of the plan is settled by timing the alternatives here, on the plan's own network. Tick what is to be "
        "measured, choose how long it may take, and begin. What is finished is kept whatever happens, and counts in the "
        "plan at once. x ends the probe under way; Escape ends all after asking."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "begin", "Measure", id="probing.begin", tooltip="Begin to measure what is ticked."),
        Binding(
            "x", "stop_this", "Stop this probe", id="probing.this", tooltip="End this probe; the next one goes on."
        ),
        Binding("m", "again", "Measure more", id="probing.again", tooltip="Choose what to measure next."),
    ]
    CSS = """
    ProbingScreen > ContentSwitcher { height: 1fr; }
    #choosing { height: 1fr; padding: 0 1; }
    #choosing > Static { height: auto; }
    #choice { height: 1fr; margin: 1 0 0 0; }
    #probes { width: 1fr; height: 1fr; max-height: 100%; border: round $primary; }
    #probes:focus { border: round $accent; }
    #about { width: 1fr; padding: 0 1; }
    #about > Static { height: auto; }
    #order { height: 3; }
    #order Select { width: 24; }
    #order Button { margin: 0 0 0 2; }
    #sum { width: 1fr; padding: 1 0 0 2; }
    """

    class Told(Message):
        """An event of the agent, sent from the thread that measures."""

        def __init__(self, event: MeasuringEvent) -> None:
            super().__init__()
            self.event = event

    class Ended(Message):
        """The measurement has ended, by itself or by hand; or it could not begin."""

        def __init__(self, revision: Revision | None, error: InputError | None = None) -> None:
            super().__init__()
            self.revision, self.error = revision, error

    def __init__(self) -> None:
        super().__init__()
        self.phase = Phase.CHOOSING
        self.offers: list[Offer] = []
        self.state = Measuring(USUAL_BUDGET, time.monotonic)
        self.stop = Stop()
        self.changed = False
        """Whether something was told that is not drawn yet."""

    def contents(self) -> Iterable[Widget]:
        with ContentSwitcher(initial=Phase.CHOOSING):
            with Vertical(id=Phase.CHOOSING):
                yield Static("", id="intro", markup=False)
                with Horizontal(id="choice"):
                    yield Ticks(id="probes")
                    with VerticalScroll(id="about"):
                        yield Static("", id="details", markup=False)
                        yield Static("", id="not_here", classes="faint", markup=False)
                with Horizontal(id="order"):
                    yield Select(BUDGETS, value=USUAL_BUDGET, allow_blank=False, id="budget")
                    yield Button(Content("Measure"), id="begin", variant="primary")
                    yield Static("", id="sum", classes="faint", markup=False)
            yield LivePane(self.wizard.desk.knowledge, id=Phase.RUNNING)
            yield DonePane(self.wizard.desk.knowledge, id=Phase.DONE)

    def on_mount(self) -> None:
        self.set_interval(DRAWN_EVERY, self.draw)
        self._offer()

    def end_work(self) -> None:
        self.stop.everything()

    def on_unmount(self) -> None:
        self.end_work()

    # --- choosing --------------------------------------------------------------------------------------------------

    @work(exclusive=True, group="offers")
    async def _offer(self) -> None:
        desk = self.wizard.desk
        self.query_one("#intro", Static).update("Looking for what is worth measuring ...")
        found = await self.wizard.think(
            lambda: offers(desk.knowledge, desk.interview.plan(VALUES_ONLY), desk.interview.facts())
        )
        self.offers = found
        probes = self.query_one(Ticks)
        probes.clear_options()
        probes.add_options(
            Selection(offer_line(offer), offer.probe.name, offer.ticked) for offer in found if offer.why_not is None
        )
        self.query_one("#intro", Static).update(plain(self._introduction()))
        self.query_one("#not_here", Static).update(not_here(found))
        self._count()
        if self.phase is Phase.CHOOSING:
            probes.focus()
            probes.highlighted = 0

    def _introduction(self) -> str:
        if self.elsewhere:
            return f"{ELSEWHERE} Measuring here would say nothing of it."
        bets = [offer for offer in self.offers if offer.ticked and offer.bet]
        if not bets:
            return (
                "No bet of the plan can be settled by measuring as things stand: answer more questions first, or measure what "
                "this machine can do."
            )
        number = "One bet" if len(bets) == 1 else f"{len(bets)} bets"
        return f"{number} of the plan can be settled by timing the alternatives here. What changes most per second comes first."

    @property
    def elsewhere(self) -> bool:
        """Whether there is nothing here that could be measured for this plan."""
        return self.wizard.desk.machine is None or any(offer.why_not == ELSEWHERE for offer in self.offers)

    @property
    def ticked(self) -> list[str]:
        return list(self.query_one(Ticks).selected)

    @on(SelectionList.SelectionHighlighted)
    def _highlighted(self, event: SelectionList.SelectionHighlighted[str]) -> None:
        self._show_details(self.offers[event.selection_index])

    def _show_details(self, offer: Offer) -> None:
        self.query_one("#details", Static).update(offer_details(offer))

    @on(SelectionList.SelectedChanged)
    @on(Select.Changed)
    def _count(self) -> None:
        """How long what is ticked would take, beside the time that it may take."""
        ticked = set(self.ticked)
        seconds = sum(offer.probe.cost_seconds for offer in self.offers if offer.probe.name in ticked)
        said = f"{len(ticked)} ticked: about {seconds:.0f} s" if ticked else "Nothing is ticked."
        self.query_one("#sum", Static).update(said)
        self.query_one("#begin", Button).disabled = not ticked or self.elsewhere

    @on(Button.Pressed, "#begin")
    def action_begin(self) -> None:
        ticked = self.ticked
        if not ticked or self.elsewhere:
            self.wizard.tell("Nothing can be measured as things stand." if self.elsewhere else "Tick something first.")
            return
        seconds = float(self.query_one("#budget", Select).value)  # type: ignore[arg-type]
        self.stop, self.state = Stop(), Measuring(seconds, time.monotonic)
        self._turn_to(Phase.RUNNING)
        self._measure(seconds, ticked)  # by name: left to itself, the agent goes on to what its results open up

    # --- running ---------------------------------------------------------------------------------------------------

    @work(thread=True, exclusive=True, group="measuring")
    def _measure(self, seconds: float, only: Sequence[str]) -> None:
        try:
            revision = self.wizard.desk.measure(seconds, only, self._listen, self.stop)
        except InputError as error:
            self.post_message(self.Ended(None, error))
        else:
            self.post_message(self.Ended(revision))

    def _listen(self, event: MeasuringEvent) -> None:
        self.post_message(self.Told(event))

    def on_probing_screen_told(self, told: Told) -> None:
        self.state.tell(told.event)
        self.changed = True
        if not isinstance(told.event, Said):
            self.draw()

    def draw(self) -> None:
        """What is known by now; several times a second at most."""
        if self.phase is not Phase.RUNNING:
            return
        pane = self.query_one(LivePane)
        pane.show_time(self.state, "stopping: everything that is finished is kept" if self.stop.all else "")
        if not self.changed:
            return
        self.changed = False
        current = self.state.current
        offer = next((one for one in self.offers if current and one.probe.name == current.step.probe.name), None)
        pane.show(self.state, current.step.before if current else None, offer.bet if offer else "")

    def action_stop_this(self) -> None:
        if self.state.current is not None:
            self.stop.this()
            self.wizard.tell("This probe ends here; what it has timed is kept.")

    def on_probing_screen_ended(self, event: Ended) -> None:
        if event.revision is None:
            assert event.error is not None  # noqa: S101 - one of the two is there
            refused = f"✗ {event.error.title}: {problem_text(event.error)}"
            said = "Stopped before anything was measured." if self.stop.all else refused
            self.query_one("#intro", Static).update(plain(said))
            self._turn_to(Phase.CHOOSING)
            self.wizard.tell_notes()
            return
        self.query_one(DonePane).show(event.revision, self.wizard.desk.machine)
        self._turn_to(Phase.DONE)
        self._take_stock()

    @work(group="stock")
    async def _take_stock(self) -> None:
        """The plan counts from now on what was measured."""
        await self.wizard.take_stock()

    # --- moving ----------------------------------------------------------------------------------------------------

    def _turn_to(self, phase: Phase) -> None:
        self.phase, self.changed = phase, True
        self.query_one(f"#{Phase.CHOOSING}").disabled = phase is not Phase.CHOOSING  # hidden, a list keeps the focus
        self.query_one(ContentSwitcher).current = phase
        titles = {Phase.RUNNING: "Measuring this machine", Phase.DONE: "What was measured"}
        self.retitle(titles.get(phase, self.TITLE))
        self.refresh_bindings()
        self.draw()
        if phase is Phase.CHOOSING:
            self.query_one("#probes").focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Each key is there where it means something."""
        needs = {"begin": Phase.CHOOSING, "stop_this": Phase.RUNNING, "again": Phase.DONE}
        return action not in needs or needs[action] is self.phase

    def action_again(self) -> None:
        self._turn_to(Phase.CHOOSING)
        self._offer()

    @on(DonePane.Opened)
    def _open(self, event: DonePane.Opened) -> None:
        self.wizard.open(ToTopic(event.topic))

    def action_back(self) -> None:
        if self.phase is Phase.RUNNING:
            self.action_stop_all()
        else:
            self.dismiss(None)

    @work
    async def action_stop_all(self) -> None:
        details = (
            "What is finished is kept, and counts in the plan. The same measurement goes on from there another time."
        )
        if await self.app.push_screen_wait(Ask("Stop measuring?", details, yes="Stop", no="Go on")):
            self.stop.everything()
            self.draw()

    def commands(self) -> Iterator[SystemCommand]:
        match self.phase:
            case Phase.CHOOSING:
                yield SystemCommand("Measure: Begin", "Measure what is ticked", self.action_begin)
            case Phase.RUNNING:
                yield SystemCommand("Measure: Stop this probe", "The next one goes on", self.action_stop_this)
                yield SystemCommand("Measure: Stop everything", "What is finished is kept", self.action_stop_all)
            case Phase.DONE:
                yield SystemCommand("Measure: More", "Choose what to measure next", self.action_again)
