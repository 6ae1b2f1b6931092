"""Trying the plan on a dataset: choosing it, watching the trials, and what the winner does to the plan."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.suggester import SuggestFromList
from textual.widget import Widget
from textual.widgets import Button, ContentSwitcher, Input, Label, Static

from advisor.agent.trials.events import TrialEvent, TrialListener
from advisor.agent.trials.state import Trials
from advisor.agent.trials.trying import NothingTriedError, planned
from advisor.children.stopping import Stop
from advisor.datasets.dataset import SUPERVISED, Task
from advisor.errors import InputError
from advisor.report.found.trying import SCORES
from advisor.training.ladder.candidates import TOGETHER, Candidate
from advisor.training.ladder.menu import menu
from advisor.training.ladder.outcome import TrialResults
from advisor.training.ladder.trial_record import Kind
from advisor.tui.requests import ToData
from advisor.tui.screen import Palette
from advisor.tui.screens.running.race import SoFar
from advisor.tui.screens.running.run_screen import Phase, RunScreen
from advisor.tui.screens.trying.done import WonPane
from advisor.tui.screens.trying.live import TrialsPane
from advisor.tui.text import lines, plain
from advisor.wording import join_names, shorten

if TYPE_CHECKING:
    from advisor.datasets.dataset import Inspection
    from advisor.inference.plan import Plan


_FIELDS = {"--metric": "Score", "--save": "Save the winner in"}
"""Options as the screen calls them."""


def no_data(found: Inspection | None) -> str:
    """Advice on choosing a dataset for trials."""
    if found is None:
        return (
            "Nothing can be tried without data. Point at a file (a table, a JSON or NumPy file) or a folder of pictures, "
            "texts or sounds, and choose the column to predict. Nothing leaves this machine."
        )
    path = shorten(found.path, 60)
    if found.target is None:
        return f"No column to predict is chosen in {path}. Look at the data again and choose one."
    return f"Trials can predict classes, numbers and forecasts; {path} is for something else. Point at other data."


def about_data(found: Inspection, openers: Sequence[Candidate] = (), untried: str | None = None) -> Content:
    """The dataset, and the stages of trials on it.

    Args:
        openers: of the menu of trials; empty where it is not known yet.
        untried: the type of network that the plan bets on, if it cannot be tried.
    """
    name = shorten(found.path.rstrip("/").rpartition("/")[2], 60)
    target = f"; the target is {shorten(found.target, 40)}" if found.target else ""
    parts = [
        Content.styled(plain(name).plain, "bold"),
        plain(f"{found.modality}, {found.examples:,} examples{target}."),
        Content(""),
    ]
    parts += [
        plain(f"! {remark.what} {remark.remedy}".rstrip())
        for remark in found.remarks
        if remark.weight.value == "warning"
    ]
    names = [one.name for one in openers if one.kind is Kind.NETWORK and not one.instead_of]
    simple = [one.name for one in openers if one.kind is Kind.BASELINE and not one.weighted]
    ladder = [
        f"1. A trivial baseline, then simple models{f': {join_names(simple)}' if simple else ''}.",
        f"2. Networks: {join_names(names)}." if names else "2. Networks: the plan's, and others.",
        "3. The best of the simple ones with other settings; the best network with one thing changed at a time; an average of "
        "a few simple ones.",
        "4. The best of each, trained again, on held-out examples that selection never saw.",
    ]
    parts += [Content("Stages, as far as there is time:"), *map(plain, ladder)]
    if untried is not None:
        parts.append(plain(f"The plan bets on {untried}, which cannot be tried on such data."))
    return lines(parts)


class TryingScreen(RunScreen[TrialEvent, TrialResults, Trials]):
    TITLE = "Try on your data"
    HELP_TEXT = (
        "The plan's network, its rivals and simpler models are trained on your data, all on the same folds; the best "
        "are scored on held-out examples that selection never saw. What is finished is kept whatever happens, and counts in "
        "the plan. Escape stops after asking. Another score and a folder for the winner may be written below, and need not."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "begin", "Try", id="trying.begin", tooltip="Begin to train and compare."),
        Binding("d", "data", "Data", id="trying.data", tooltip="Choose the data, or other data."),
        Binding("x", "stop_all", "Stop", id="trying.stop", tooltip="Stop; what is finished is kept."),
        Binding("m", "again", "Try again", id="trying.again", tooltip="Give it more time, or other data."),
    ]
    PALETTE: ClassVar[Palette] = (
        ("Try: Begin", "Train and compare on these data", "begin"),
        ("Data: Point at others", "A file or a folder, and the column to predict", "data"),
        ("Try: Stop", "What is finished is kept", "stop_all"),
        ("Try: Again", "With more time, or other data", "again"),
    )
    CSS = """
    #try_about { height: 1fr; }
    #problem { display: none; }
    #wishes { height: auto; }
    #wishes Input { width: 1fr; }
    #wishes Label { padding: 0 1; }
    """

    TITLES: ClassVar[Mapping[Phase, str]] = {Phase.RUNNING: "Trying on your data", Phase.DONE: "What won on your data"}
    NEEDS: ClassVar[Mapping[str, Phase]] = {
        "begin": Phase.CHOOSING, "data": Phase.CHOOSING, "stop_all": Phase.RUNNING, "again": Phase.DONE
    }  # fmt: skip
    STATE = Trials
    USUAL_BUDGET = 120.0
    STOP_QUESTION = (
        "Stop trying?", "What is finished is kept, and counts in the plan. The same trials go on from there another time."
    )  # fmt: skip
    STOPPED_EARLY = (NothingTriedError, "Stopped before anything was tried.")

    def contents(self) -> Iterable[Widget]:
        with ContentSwitcher(initial=Phase.CHOOSING):
            with Vertical(id=Phase.CHOOSING):
                with VerticalScroll(id="try_about", can_focus=False):
                    yield Static("", id="problem", classes="bad", markup=False)
                    yield Static("", id="try_words", markup=False)
                with Horizontal(id="wishes"):
                    yield Label("Score:")
                    yield Input(
                        placeholder="the usual one",
                        suggester=SuggestFromList(list(SCORES), case_sensitive=False),
                        id="metric",
                    )
                    yield Label("Save the winner in:")
                    yield Input(placeholder="no folder", id="save")
                with Horizontal(id="order"):
                    yield Button(Content("Point at your data"), id="point")
                    yield self.budget()
                    yield self.begin_button("Try")
            yield TrialsPane(id=Phase.RUNNING)
            yield WonPane(self.wizard.desk.knowledge, id=Phase.DONE)

    def on_mount(self) -> None:
        """Show again what was tried before on these data; `m` tries once more."""
        super().on_mount()
        known = self.wizard.desk.last_tried
        if known is not None and self.data is not None:
            self.show_result(known)
            self._turn_to(Phase.DONE)
            if (standing := self.wizard.standing) is not None:
                self.show_plan(known, standing.plan, standing.plan)

    wished: tuple[str | None, Path | None] = (None, None)
    """As the run under way was begun."""

    # --- choosing --------------------------------------------------------------------------------------------------

    @property
    def data(self) -> Inspection | None:
        """The dataset, if it has a target that trials can predict."""
        found = self.wizard.desk.inspection
        return found if found is not None and found.task in SUPERVISED else None

    @work(exclusive=True, group="introduction")
    async def introduce(self) -> None:
        """Show the trials that would run, or how to choose a dataset."""
        found = self.data
        self.query_one("#begin", Button).disabled = found is None
        point = self.query_one("#point", Button)
        point.label = Content("Point at your data (d)" if found is None else "Other data (d)")
        if self.phase is Phase.CHOOSING:
            (point if found is None else self.query_one("#begin", Button)).focus()
        words = self.query_one("#try_words", Static)
        if found is None:
            words.update(plain(no_data(self.wizard.desk.inspection)))
            return
        words.update(about_data(found))
        plan = await self.wizard.full_plan()
        wanted = planned(plan)
        openers = menu(
            wanted, found.modality, forecast=found.task is Task.FORECAST, classes=found.task is Task.CLASSIFY
        ).openers
        untried = wanted.network if wanted.network not in {TOGETHER, *(one.model for one in openers)} else None
        words.update(about_data(found, openers, untried))

    @work
    async def action_data(self) -> None:
        if await self.wizard.ask(ToData()):
            await self.wizard.think(self.wizard.desk.save)
        self.introduce()

    @on(Button.Pressed, "#point")
    def _point(self) -> None:
        self.action_data()

    @on(Button.Pressed, "#begin")
    def action_begin(self) -> None:
        if self.data is None:
            self.action_data()
            return
        self.say("")
        self.wished = self.wishes
        self.begin()

    def say(self, problem: str) -> None:
        """Say what went wrong, or nothing."""
        place = self.query_one("#problem", Static)
        place.display = bool(problem)
        place.update(plain(problem))

    # --- running ---------------------------------------------------------------------------------------------------

    @property
    def wishes(self) -> tuple[str | None, Path | None]:
        """The score and the folder that are written, None for one that is not."""
        metric, save = (self.query_one(f"#{name}", Input).value.strip() for name in ("metric", "save"))
        with contextlib.suppress(RuntimeError):  # `~nobody`
            return metric or None, Path(save).expanduser() if save else None
        return metric or None, Path(save)

    def run_for(self, seconds: float, listener: TrialListener, stop: Stop) -> TrialResults:
        try:
            return self.wizard.desk.try_on_data(seconds, listener, stop, *self.wished)
        except InputError as error:
            named = [replace(one, where=_FIELDS.get(one.where, one.where)) for one in error.problems]
            raise type(error)(error.title, named) from None

    def show_live(self) -> None:
        self.query_one(TrialsPane).show(self.state)

    def show_result(self, result: TrialResults) -> None:
        self.query_one(WonPane).show(result, self.wizard.desk.kept_in)

    def show_plan(self, result: TrialResults, before: Plan, after: Plan) -> None:
        self.query_one(WonPane).show_plan(result, before, after)

    def turned_to(self, phase: Phase) -> None:
        if phase is Phase.RUNNING:
            self.query_one(SoFar).focus()
        elif phase is Phase.CHOOSING:
            self.introduce()
