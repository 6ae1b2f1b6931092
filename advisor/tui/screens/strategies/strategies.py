"""Strategies of several workers: compared for the plan, trained here, or one of them simulated; and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from textual import on, work
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Button, ContentSwitcher, Input, Select, SelectionList, Static, TabbedContent, TabPane

from advisor.agent.strategies import reference_of
from advisor.children.stopping import Stop
from advisor.distributed.job import Progress
from advisor.errors import InputError
from advisor.report.strategies.simulation import headed
from advisor.session.simulating import Simulation
from advisor.session.simulating_plans import PlanSimulation
from advisor.session.syncing import Trained
from advisor.tui.requests import ToData, ToExport
from advisor.tui.screen import Palette
from advisor.tui.screens.running.race import SoFar
from advisor.tui.screens.running.run_screen import Phase, RunScreen
from advisor.tui.screens.strategies.compared import ComparedPane
from advisor.tui.screens.strategies.done import SimulatedPane, TrainedPane
from advisor.tui.screens.strategies.fields import in_words_of
from advisor.tui.screens.strategies.files import Found, kinds_of
from advisor.tui.screens.strategies.forms import (
    NAMES,
    ComparisonForm,
    SimulationForm,
    TrainingForm,
    comparison_words,
    simulation_words,
    training_words,
)
from advisor.tui.screens.strategies.live import LivePane
from advisor.tui.screens.strategies.state import Heard, Planned, Share, Simulated, Strategies
from advisor.tui.text import plain, problem_text

Listener = Callable[[Heard], None]


class Way(StrEnum):
    """The ways to try strategies, the simplest first; the names of the tabs."""

    COMPARE = "way_compare"
    TRAIN = "way_train"
    SIMULATE = "way_simulate"


_VERBS = {Way.COMPARE: "Compare", Way.TRAIN: "Train", Way.SIMULATE: "Simulate"}
_TITLES = {
    Way.COMPARE: "Strategies for this plan, simulated",
    Way.TRAIN: "Strategies that were trained",
    Way.SIMULATE: "A strategy that was simulated",
}
_WAYS = tuple(Way)


@dataclass(frozen=True, slots=True)
class Order:
    """A run that is ready: the event that begins it, and the work."""

    begins: Heard
    work: Callable[[float, Listener, Stop], Found]
    words: Content
    """A description for people."""


class StrategiesScreen(RunScreen[Heard, Found, Strategies]):
    """Opens with the `way` that is named; else with what was found last, or with the first way."""

    TITLE = "Strategies"
    HELP_TEXT = (
        "How several workers learn together: in step, each by itself, or something between. Compare strategies and numbers of "
        "workers for this plan, in virtual time; train real workers on this machine, on links as slow as you say; or simulate "
        "one strategy with up to 10,000 workers. F6 turns from one way to the next. What was found is shown again when this "
        "screen is opened, until another conversation begins or other data are named; s saves it."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "begin", "Begin", id="strategies.begin", tooltip="Begin to compare, to train or to simulate."),
        Binding("f6", "turn", "Next way", id="strategies.turn", tooltip="Compare for the plan, train, or simulate one."),
        Binding("s", "save", "Save", id="strategies.save", tooltip="Save what was found: a page for a browser, or JSON."),
        Binding("d", "data", "Data", id="strategies.data", tooltip="Choose the examples that are learned, or other ones."),
        Binding("f5", "last", "Last result", id="strategies.last", tooltip="Show again what was found last."),
        Binding("x", "stop_all", "Stop", id="strategies.stop", tooltip="Stop; trainings that are finished are kept."),
        Binding("m", "again", "Again", id="strategies.again", tooltip="Choose other strategies, or other workers."),
    ]  # fmt: skip
    PALETTE: ClassVar[Palette] = (
        ("Strategies: Begin", "Compare, train or simulate", "begin"),
        ("Strategies: Next way", "Compare for the plan, train, or simulate one", "turn"),
        ("Strategies: Save", "What was found: a page for a browser, or JSON", "save"),
        ("Data: Point at others", "A file or a folder, and the column to predict", "data"),
        ("Strategies: Last result", "What was found last", "last"),
        ("Strategies: Stop", "Trainings that are finished are kept", "stop_all"),
        ("Strategies: Again", "With others, or with other workers", "again"),
    )
    CSS = """
    StrategiesScreen #ways_to { height: 1fr; }
    StrategiesScreen #ways_to TabPane { height: 1fr; }
    StrategiesScreen #strategies_offer { height: auto; max-height: 5; }
    StrategiesScreen.-high #strategies_offer, StrategiesScreen.-simulate #strategies_offer { max-height: 9; }
    StrategiesScreen.-compare #ways_to { height: 6; }
    StrategiesScreen.-compare #strategies_offer { height: 1fr; max-height: 100%; }
    StrategiesScreen #strategies_ended, StrategiesScreen #strategies_problem { display: none; }
    StrategiesScreen.-high #ways_to { height: 20; }
    StrategiesScreen.-high #strategies_offer { margin: 1 0; }
    StrategiesScreen.-high #sync_strategies { border: round $primary; }
    StrategiesScreen.-narrow LivePane { layout: vertical; }
    StrategiesScreen.-narrow #strategies_told { width: 1fr; height: auto; max-height: 12; }
    StrategiesScreen.-narrow #rows { margin: 0; max-height: 7; }
    StrategiesScreen.-narrow #strategies_told #so_far { height: 5; }
    StrategiesScreen.-narrow.-low #strategies_told #so_far { height: 4; }
    StrategiesScreen.-narrow #loss_live { width: 1fr; height: 1fr; }
    StrategiesScreen #done_pane { height: 1fr; }
    StrategiesScreen #done_pane .-empty { display: none; }
    """

    NEEDS: ClassVar[Mapping[str, Phase]] = {
        "begin": Phase.CHOOSING, "data": Phase.CHOOSING, "last": Phase.CHOOSING, "stop_all": Phase.RUNNING, "again": Phase.DONE,
        "save": Phase.DONE,
    }  # fmt: skip
    STATE = Strategies
    USUAL_BUDGET = 120.0
    STOP_QUESTION = (
        "Stop?",
        "Trainings that are finished are kept, and compared where there are enough. A simulation tells nothing before its end.",
    )
    STOPPED_EARLY = (InputError, "Stopped before anything was finished.")

    def __init__(self, way: str = "") -> None:
        super().__init__()
        self.wanted = Way(way) if way else None
        self.way = self.wanted or _WAYS[0]
        self.order: Order | None = None
        self.found: Found | None = None
        """The result that is shown."""

    def contents(self) -> Iterable[Widget]:
        with ContentSwitcher(initial=Phase.CHOOSING):
            with Vertical(id=Phase.CHOOSING):
                with TabbedContent(id="ways_to", initial=self.way):
                    with TabPane("Compare for this plan", id=Way.COMPARE):
                        yield ComparisonForm(id="comparison_form")
                    with TabPane("Train here", id=Way.TRAIN):
                        yield TrainingForm(id="training_form")
                    with TabPane("Simulate one strategy", id=Way.SIMULATE):
                        yield SimulationForm(id="simulation_form")
                with VerticalScroll(id="strategies_offer", can_focus=False):
                    yield Static("", id="strategies_ended", classes="bad", markup=False)
                    yield Static("", id="strategies_problem", classes="bad", markup=False)
                    yield Static("", id="strategies_words", markup=False)
                with Horizontal(id="order"):
                    yield self.budget()
                    yield self.begin_button(_VERBS[self.way])
            yield LivePane(id=Phase.RUNNING)
            with Vertical(id=Phase.DONE):
                yield ComparedPane(self.wizard.desk.knowledge, id="compared")
                yield TrainedPane(id="trained")
                yield SimulatedPane(id="simulated")

    def on_mount(self) -> None:
        """Show again what was found before; `m` begins anew."""
        super().on_mount()
        kept = (self._kept(way) for way in ((self.wanted,) if self.wanted is not None else _WAYS))
        known = next((found for found in kept if found is not None), None)
        if known is not None:
            self.query_one("#ways_to", TabbedContent).active = _way_of(known)
            self._show_again(known)

    # --- choosing --------------------------------------------------------------------------------------------------

    @work(exclusive=True, group="introduction")
    async def introduce(self) -> None:
        """Offer the plan's own strategy and its rivals."""
        now = self.wizard.standing or await self.wizard.take_stock()
        own = reference_of(now.plan)
        self.query_one(TrainingForm).offer(own)
        self.query_one(SimulationForm).offer(own)
        self._focus_form()
        self._consider()

    def _focus_form(self) -> None:
        if self.phase is Phase.CHOOSING:
            self.query_one(_FIRST[self.way]).focus()

    @on(Input.Changed)
    @on(SelectionList.SelectedChanged)
    @on(Select.Changed)
    def _changed(self) -> None:
        self._consider()

    @on(TabbedContent.TabActivated, "#ways_to")
    def _turned(self, event: TabbedContent.TabActivated) -> None:
        self.way = Way(str(event.pane.id))
        self.set_class(self.way is Way.SIMULATE, "-simulate")
        self.set_class(self.way is Way.COMPARE, "-compare")
        self.query_one("#begin", Button).label = Content(_VERBS[self.way])
        self._consider()

    @work(exclusive=True, group="considering")
    async def _consider(self) -> None:
        """Say what would be run, or why it cannot be."""
        await self._considered()

    async def _considered(self) -> Order | None:
        """The order as it is written, which is said; None where it cannot be, and that is said."""
        if not self.query_one(TrainingForm).own:  # nothing is offered yet
            return None
        try:
            order = await self._order()
        except InputError as error:
            self._refuse(_said(error))
            return None
        self._refuse("")
        self.query_one("#strategies_words", Static).update(order.words)
        return order

    async def _order(self) -> Order:
        """Raises InputError."""
        match self.way:
            case Way.COMPARE:
                return await self._comparison()
            case Way.TRAIN:
                return await self._training()
            case Way.SIMULATE:
                return await self._simulation()

    async def _comparison(self) -> Order:
        """Raises InputError."""
        desk, asked = self.wizard.desk, self.query_one(ComparisonForm).asked
        scenario, names, notes = await self.wizard.think(lambda: desk.contest(asked))
        return Order(
            Simulated(f"strategies for {scenario.workers:,} worker{'s' if scenario.workers > 1 else ''}"),
            lambda seconds, listener, stop: desk.compare_for_plan(asked, seconds, shares(listener), stop),
            comparison_words(scenario, names, notes),
        )

    async def _training(self) -> Order:
        """Raises InputError."""
        desk, asked, seconds = self.wizard.desk, self.query_one(TrainingForm).asked, self.seconds_given
        job, notes = await self.wizard.think(lambda: desk.trainings(asked, seconds))
        return Order(
            Planned(job.strategies, len(job.seeds)),
            lambda seconds, listener, stop: desk.train_strategies(asked, seconds, listener, stop),
            training_words(job, notes),
        )

    async def _simulation(self) -> Order:
        """Raises InputError."""
        desk, asked = self.wizard.desk, self.query_one(SimulationForm).asked
        scenario, notes = await self.wizard.think(lambda: desk.cluster(asked))
        return Order(
            Simulated(headed(scenario)),
            lambda seconds, listener, stop: desk.simulate_strategy(asked, seconds, shares(listener), stop),
            simulation_words(scenario, notes),
        )

    @work
    async def action_data(self) -> None:
        if await self.wizard.ask(ToData()):
            await self.wizard.think(self.wizard.desk.save)
            self.introduce()

    @on(Button.Pressed, "#begin")
    def _pressed(self) -> None:
        self.action_begin()

    @work(exclusive=True, group="considering")
    async def action_begin(self) -> None:
        order = await self._considered()
        if order is not None and self.phase is Phase.CHOOSING:
            self.order = order
            self.say("")
            self.begin()

    def _refuse(self, problem: str) -> None:
        """Say what is wrong with what is written, or nothing."""
        self._tell("strategies_problem", problem)
        self.query_one("#strategies_words", Static).display = not problem

    def say(self, problem: str) -> None:
        """Say above it what became of the run before, or nothing."""
        self._tell("strategies_ended", problem)

    def _tell(self, name: str, problem: str) -> None:
        place = self.query_one(f"#{name}", Static)
        place.display = bool(problem)
        place.update(plain(problem))

    # --- running ---------------------------------------------------------------------------------------------------

    def run_for(self, seconds: float, listener: Listener, stop: Stop) -> Found:
        assert self.order is not None  # noqa: S101 - it was begun
        listener(self.order.begins)
        try:
            return self.order.work(seconds, listener, stop)
        except InputError as error:
            raise in_words_of(error, NAMES) from None

    def is_news(self, event: Heard) -> bool:
        return not isinstance(event, Progress | Share)

    def show_live(self) -> None:
        self.query_one(LivePane).show(self.state)

    def show_result(self, result: Found) -> None:
        self.way, self.found = _way_of(result), result
        for way, pane in _PANES.items():
            self.query_one(pane).set_class(way is not self.way, "-empty")
        match result:
            case PlanSimulation():
                self.query_one(ComparedPane).show(result)
            case Trained():
                self.query_one(TrainedPane).show(result)
            case Simulation():
                self.query_one(SimulatedPane).show_simulation(result)

    # --- moving ----------------------------------------------------------------------------------------------------

    def _kept(self, way: Way) -> Found | None:
        desk = self.wizard.desk
        kept: dict[Way, Found | None] = {
            Way.COMPARE: desk.last_compared, Way.TRAIN: desk.last_trained, Way.SIMULATE: desk.last_simulated
        }  # fmt: skip
        return kept[way]

    def _show_again(self, result: Found) -> None:
        self.show_result(result)
        self._turn_to(Phase.DONE)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "turn":
            return self.phase is not Phase.RUNNING
        if action == "last" and self._kept(self.way) is None:
            return False
        if action == "save" and (self.found is None or not kinds_of(self.found)):
            return False
        return super().check_action(action, parameters)

    def action_last(self) -> None:
        known = self._kept(self.way)
        if known is not None:
            self._show_again(known)

    def action_save(self) -> None:
        assert self.found is not None  # noqa: S101 - `check_action` has seen it
        self.wizard.open(ToExport(kinds=kinds_of(self.found)))

    def action_turn(self) -> None:
        """Turn to the next way: from a result to that of the other, if there is one."""
        other = _WAYS[(_WAYS.index(self.way) + 1) % len(_WAYS)]
        known = self._kept(other)
        self.query_one("#ways_to", TabbedContent).active = other
        self.way = other
        if self.phase is Phase.DONE and known is not None:
            self._show_again(known)
        else:
            self._turn_to(Phase.CHOOSING)

    def turned_to(self, phase: Phase) -> None:
        if phase is Phase.RUNNING:
            self.query_one(SoFar).focus()
        elif phase is Phase.DONE:
            self.retitle(_TITLES[self.way])
            self._focus_results()
        elif phase is Phase.CHOOSING:
            self.introduce()

    def _focus_results(self) -> None:
        match self.way:
            case Way.COMPARE:
                self.query_one(ComparedPane).focus_results()
            case Way.TRAIN:
                self.query_one(TrainedPane.Standings).focus()
            case Way.SIMULATE:
                self.query_one(SimulatedPane).focus()


_FIRST = {Way.COMPARE: "#begin", Way.TRAIN: "#sync_strategies", Way.SIMULATE: "#simulate_strategy"}
"""Has the focus at first."""
_PANES = {Way.COMPARE: "#compared", Way.TRAIN: "#trained", Way.SIMULATE: "#simulated"}
"""Show what was found."""


def _way_of(result: Found) -> Way:
    match result:
        case PlanSimulation():
            return Way.COMPARE
        case Trained():
            return Way.TRAIN
        case Simulation():
            return Way.SIMULATE


def shares(listener: Listener) -> Callable[[float], None]:
    """Tell the listener the share that is done."""
    return lambda share: listener(Share(share))


def _said(error: InputError) -> str:
    named = in_words_of(error, NAMES)
    return f"✗ {named.title}: {problem_text(named)}"
