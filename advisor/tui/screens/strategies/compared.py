"""The results of comparing strategies for a plan: who came to the loss first, how many workers pay, what the plan says now."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import DataTable, Static, TabbedContent, TabPane

from advisor.knowledge.model import Knowledge
from advisor.report.numbers import number_words
from advisor.report.page import Look, Page, Style
from advisor.report.strategies.planned import (
    HEAD,
    NOTHING_COUNTS,
    answer,
    first_curves,
    has_own,
    meaning,
    pays,
    planned_page,
    rows,
    why_not,
)
from advisor.report.strategies.simulation import stretches
from advisor.report.strategies.timeline import timeline_lines
from advisor.session.simulating_plans import PlanSimulation
from advisor.simulation.result import Result
from advisor.tui.screens.running.findings import add_changes
from advisor.tui.screens.strategies.done import cells
from advisor.tui.screens.strategies.fields import without_options
from advisor.tui.screens.strategies.forms import NAMES
from advisor.tui.text import lines, plain
from advisor.tui.widgets.losses import LossChart, letter_of
from advisor.tui.widgets.page_view import PageView
from advisor.tui.widgets.table import Table
from advisor.wording import printable

WIDE = 100
"""Columns from which there is room for all that is known of a strategy."""
COLUMNS = ("", *(f"{word[:1].upper()}{word[1:]}" for word in HEAD))
NARROW_COLUMNS = 6
NARROW_NAME, WIDE_NAME = 20, 34
CHART = "Loss on held-out examples, of the first seed, over virtual seconds"


class ComparedPane(Vertical):
    """Shows what a simulator has found for the plan."""

    DEFAULT_CSS = """
    ComparedPane #compared_says { height: auto; padding: 0 1; }
    ComparedPane TabbedContent { height: 1fr; }
    ComparedPane TabPane { height: 1fr; }
    ComparedPane #compared_standings { height: auto; max-height: 50%; margin: 0 1; }
    """

    class Ranks(Table):
        HELP_TEXT = (
            "One line a strategy, the fastest first, with the letter of its curve. The times are virtual ones, to the same loss "
            "on held-out examples; brackets are 95 % intervals over pairs of simulations with the same seed. The line that is "
            "highlighted is the one whose workers are drawn."
        )

    def __init__(self, knowledge: Knowledge, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.knowledge = knowledge
        self.found: PlanSimulation | None = None
        self.order: list[str] = []
        """The strategies as they stand in the table."""

    def compose(self) -> ComposeResult:
        yield Static("", id="compared_says", markup=False)
        yield self.Ranks(cursor_type="row", id="compared_standings")
        with TabbedContent(id="compared_tabs"):
            with TabPane("In the plan", id="tab_in_plan"):
                yield PageView(id="compared_plan")
            with TabPane("Loss", id="tab_simulated_loss"):
                yield LossChart(CHART, id="loss_compared")
            with TabPane("Who waits", id="tab_waits"):
                yield PageView(id="compared_waits")
            with TabPane("The whole story", id="tab_whole"):
                yield PageView(id="compared_story")

    def show(self, found: PlanSimulation) -> None:
        self.found = found
        notes = [without_options(note, NAMES) for note in found.notes]
        self.query_one("#compared_says", Static).update(lines(said(found)))
        self._show_learned()
        self.query_one("#compared_plan", PageView).show(lambda look: in_the_plan(found, notes, self.knowledge, look))
        self.query_one("#compared_story", PageView).show(lambda look: story(found, notes, look))

    def _show_learned(self) -> None:
        """Show the strategies whose losses were compared; without them there is no table, no chart and no worker to draw."""
        assert self.found is not None  # noqa: S101 - it is shown
        found, tabs = self.found, self.query_one("#compared_tabs", TabbedContent)
        self.query_one(self.Ranks).display = found.comparison is not None
        tabs.active = "tab_in_plan"
        for name in ("tab_simulated_loss", "tab_waits"):
            (tabs.hide_tab if found.comparison is None else tabs.show_tab)(name)
        self._fill()
        if found.comparison is not None:
            losses = first_curves(found.names, found.results)
            self.query_one(LossChart).show({letter_of(n): losses[name] for n, name in enumerate(self.order)})
            self._draw_workers(0)

    def on_resize(self) -> None:
        if self.found is not None:
            self._fill()

    def _fill(self) -> None:
        assert self.found is not None  # noqa: S101 - it is shown
        if self.found.comparison is None:
            return
        own = has_own(self.found.before)
        standing = rows(self.found.names, self.found.results, self.found.comparison, own=own)
        self.order = [row[0] for row in standing]
        wide = self.screen.size.width >= WIDE
        shown, name = (len(COLUMNS), WIDE_NAME) if wide else (NARROW_COLUMNS, NARROW_NAME)
        self.query_one(self.Ranks).fill(COLUMNS[:shown], cells(standing, shown, name))

    @on(DataTable.RowHighlighted)
    def _highlighted(self, event: DataTable.RowHighlighted) -> None:
        self._draw_workers(event.cursor_row)

    def _draw_workers(self, number: int) -> None:
        """Show what the workers did under one strategy."""
        if self.found is None or not 0 <= number < len(self.order):
            return
        names, results = self.found.names, self.found.results
        result = results[names.index(self.order[number]) * len(results) // len(names)]  # of its first seed
        self.query_one("#compared_waits", PageView).show(lambda look: waits_page(result, look))

    def focus_results(self) -> None:
        """Give the focus to the table, or to the plan where there is none."""
        table = self.query_one(self.Ranks)
        (table if table.display else self.query_one("#compared_plan")).focus()


def said(found: PlanSimulation) -> Iterator[Content]:
    """The answers: which strategy, and how many workers."""
    if found.comparison is not None:
        yield Content.styled(printable(answer(found.comparison)), "bold")
    yield plain(pays(found.sweep))


def in_the_plan(found: PlanSimulation, notes: Sequence[str], knowledge: Knowledge, look: Look) -> str:
    """Before -> simulated -> after for each recommendation that was simulated; then every one that changed."""
    page = Page(look)
    page.heading("before -> simulated -> after")
    told = meaning(found.before, found.after)
    page.items([[(change, Style.STRONG), f" {says}"] for change, says in told])
    if not told:
        page.add(why_not(notes) or NOTHING_COUNTS)
    add_changes(page, found.before, found.after, knowledge)
    page.section("what it rests on", notes)
    return page.text()


def story(found: PlanSimulation, notes: Sequence[str], look: Look) -> str:
    """The page of `advisor simulate` for a plan."""
    plans = (found.before, found.after)
    return planned_page(found.scenario, found.names, found.results, found.comparison, found.sweep, plans, notes, look)


def waits_page(result: Result, look: Look) -> str:
    """The first turns of the workers under one strategy."""
    page = Page(look)
    page.add((f"{result.strategy}: {result.waiting_share:.0%} of the workers' time is spent waiting", Style.STRONG))
    if result.timeline:
        whole = max(one.end for one in result.timeline) - min(one.begin for one in result.timeline)
        timeline_lines(page, stretches(result.timeline), number_words(whole, "s"))
    return page.text()
