"""Measuring this machine for the plan: choosing probes, watching them, reading the results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar

from textual import on, work
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widget import Widget
from textual.widgets import Button, ContentSwitcher, Select, SelectionList, Static
from textual.widgets.selection_list import Selection

from advisor.agent.agent import Revision
from advisor.agent.events import MeasuringEvent, MeasuringListener, ProbeFinished
from advisor.children.stopping import Stop
from advisor.errors import InputError
from advisor.inference.advise import VALUES_ONLY
from advisor.probes.protocol import Message as Said
from advisor.tui.host import Standing
from advisor.tui.screen import Palette
from advisor.tui.screens.probing.done import DonePane
from advisor.tui.screens.probing.live import LivePane
from advisor.tui.screens.probing.offer import ELSEWHERE, Offer, not_here, offer_details, offer_line, offers, time_words
from advisor.tui.screens.probing.state import Measuring
from advisor.tui.screens.running.race import SoFar
from advisor.tui.screens.running.run_screen import Phase, RunScreen
from advisor.tui.text import plain
from advisor.tui.widgets.mouse import Ticks


class ProbingScreen(RunScreen[MeasuringEvent, Revision, Measuring]):
    TITLE = "Measure this machine"
    HELP_TEXT = (
        "A bet of the plan is settled by timing the alternatives here, on the plan's own network. Tick what "
        "to measure, choose how long it may take, and begin. What is finished is kept whatever happens, and counts in the "
        "plan at once. x stops the probe under way; Escape stops all of them after asking."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "begin", "Measure", id="probing.begin", tooltip="Begin to measure what is ticked."),
        Binding(
            "x", "stop_this", "Stop this probe", id="probing.this", tooltip="Stop this probe; the next one goes on."
        ),
        Binding("m", "again", "Measure more", id="probing.again", tooltip="Choose what to measure next."),
    ]
    PALETTE: ClassVar[Palette] = (
        ("Measure: Begin", "Measure what is ticked", "begin"),
        ("Measure: Stop this probe", "The next one goes on", "stop_this"),
        ("Measure: Stop everything", "What is finished is kept", "stop_all"),
        ("Measure: More", "Choose what to measure next", "again"),
    )
    CSS = """
    #choice { height: 1fr; margin: 1 0 0 0; }
    #probes { width: 3fr; height: 1fr; max-height: 100%; border: round $primary; }
    #probes:focus { border: round $accent; }
    #about { width: 2fr; padding: 0 1; }
    #sum { width: 1fr; height: 3; content-align: left middle; padding: 0 0 0 2; }
    """

    TITLES: ClassVar[Mapping[Phase, str]] = {Phase.RUNNING: "Measuring this machine", Phase.DONE: "What was measured"}
    NEEDS: ClassVar[Mapping[str, Phase]] = {
        "begin": Phase.CHOOSING, "stop_this": Phase.RUNNING, "stop_all": Phase.RUNNING, "again": Phase.DONE
    }  # fmt: skip
    STATE = Measuring
    PART = "probe"
    STOP_QUESTION = (
        "Stop measuring?",
        "What is finished is kept, and counts in the plan. The same measurement goes on from there another time.",
    )
    STOPPED_EARLY = (InputError, "Stopped before anything was measured.")

    def __init__(self) -> None:
        super().__init__()
        self.offers: list[Offer] = []
        self.only: list[str] = []
        """Probes to run, by name: left to itself, the agent goes on to what its results open up."""

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
                    yield self.budget()
                    yield self.begin_button("Measure")
                    yield Static("", id="sum", classes="faint", markup=False)
            yield LivePane(self.wizard.desk.knowledge, id=Phase.RUNNING)
            yield DonePane(self.wizard.desk.knowledge, id=Phase.DONE)

    # --- choosing --------------------------------------------------------------------------------------------------

    @work(exclusive=True, group="offers")
    async def introduce(self) -> None:
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
            return f"{ELSEWHERE} Measuring here would tell nothing about it."
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
        """Nothing can be measured here for this plan."""
        return self.wizard.desk.machine is None or any(offer.why_not == ELSEWHERE for offer in self.offers)

    @property
    def ticked(self) -> list[str]:
        return list(self.query_one(Ticks).selected)

    @on(SelectionList.SelectionHighlighted)
    def _highlighted(self, event: SelectionList.SelectionHighlighted[str]) -> None:
        self.query_one("#details", Static).update(offer_details(self.offers[event.selection_index]))

    @on(SelectionList.SelectedChanged)
    @on(Select.Changed)
    def _count(self) -> None:
        """Say how long the ticked probes would take, beside the budget."""
        names = set(self.ticked)
        ticked = [offer for offer in self.offers if offer.probe.name in names]
        budget = self.seconds_given
        said = self.query_one("#sum", Static)
        said.update(time_words(ticked, budget))
        said.set_class(sum(offer.seconds for offer in ticked) > budget, "care")
        self.query_one("#begin", Button).disabled = not ticked or self.elsewhere

    @on(Button.Pressed, "#begin")
    def action_begin(self) -> None:
        ticked = self.ticked
        if not ticked or self.elsewhere:
            self.wizard.tell("Nothing can be measured as things stand." if self.elsewhere else "Tick something first.")
            return
        self.only = ticked
        self.begin()

    # --- running ---------------------------------------------------------------------------------------------------

    def run_for(self, seconds: float, listener: MeasuringListener, stop: Stop) -> Revision:
        return self.wizard.desk.measure(seconds, self.only, listener, stop)

    def on_mount(self) -> None:
        super().on_mount()
        self.wizard.standing_changed.subscribe(self, self._turn_plan)

    def heard(self, event: MeasuringEvent) -> None:
        """Let a verdict count in the plan at once, as it does at the desk already."""
        if isinstance(event, ProbeFinished) and self.phase is Phase.RUNNING:
            self._recount()

    @work(exclusive=True, group="recount")
    async def _recount(self) -> None:
        await self.wizard.take_stock(ahead=False)

    def _turn_plan(self, now: Standing) -> None:
        self.query_one(LivePane).show_plan(now.plan, now.moved)

    def is_news(self, event: MeasuringEvent) -> bool:
        return not isinstance(event, Said)

    def show_live(self) -> None:
        current = self.state.current
        offer = next((one for one in self.offers if current and one.probe.name == current.step.probe.name), None)
        bet = offer.bet if offer else ""
        self.query_one(LivePane).show(self.state, current.step.before if current else None, bet, self._queue())

    def _queue(self) -> list[str]:
        """The ticked probes, in the order of the offers."""
        return [offer.probe.name for offer in self.offers if offer.probe.name in self.only]

    def action_stop_this(self) -> None:
        if self.state.current is not None:
            self.stop.this()
            self.wizard.tell("This probe stops here; its timings are kept.")

    def say(self, problem: str) -> None:
        self.query_one("#intro", Static).update(plain(problem))

    def show_result(self, result: Revision) -> None:
        self.query_one(DonePane).show(result, self.wizard.desk.machine)

    # --- moving ----------------------------------------------------------------------------------------------------

    def turned_to(self, phase: Phase) -> None:
        if phase is Phase.CHOOSING:
            self.query_one(Ticks).focus()
        elif phase is Phase.RUNNING:
            self.query_one(SoFar).focus()
            if self.wizard.standing is not None:
                self.query_one(LivePane).show_plan(self.wizard.standing.plan, ())

    def action_again(self) -> None:
        super().action_again()
        self.introduce()
