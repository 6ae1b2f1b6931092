"""The results of a measurement: before -> measured -> after, each with its curve, the whole story, the machine."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, cast

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import DataTable, Static, TabbedContent, TabPane

from advisor.agent.agent import Revision
from advisor.agent.remembered.memory import LAST
from advisor.agent.remembered.profile import grown
from advisor.agent.settling.otherwise import timed_otherwise
from advisor.facts.verdict import Verdict
from advisor.knowledge.model import Knowledge
from advisor.machine.machine import Machine
from advisor.machine.profiles.files import find_device
from advisor.probes.catalogue import probe_named
from advisor.probes.outcome import Outcome
from advisor.probes.probe import Setting
from advisor.report.changes import claim, quantity, sentence
from advisor.report.found.measured import measured_page, newest_of, second_start
from advisor.report.machine.page import machine_page, machine_report
from advisor.report.rates import amount
from advisor.tui.requests import ToTopic
from advisor.tui.screens.probing.offer import probe_title
from advisor.tui.screens.probing.state import finding, points_of
from advisor.tui.screens.running.findings import SYMBOLS, WORDS, counted, finding_words
from advisor.tui.text import FAINT, lines, plain
from advisor.tui.widgets.curves import Intervals, bars
from advisor.tui.widgets.page_view import PageView
from advisor.tui.widgets.table import Table
from advisor.wording import join_names, printable, shorten

if TYPE_CHECKING:
    from advisor.tui.host import Host

WIDE = 100
"""Columns from which a curve stands beside the text."""
_COLUMNS = ("What", "Before", "Measured", "After")


class DonePane(Vertical):
    """Shows the results; the topic that is chosen among them is opened."""

    DEFAULT_CSS = """
    DonePane #summary { height: auto; padding: 0 1; }
    DonePane TabbedContent { height: 1fr; }
    DonePane DataTable { height: auto; max-height: 50%; }
    DonePane #detail_scroll { height: 1fr; padding: 0 1; }
    DonePane Intervals { width: 50%; }
    """

    class Results(Table):
        HELP_TEXT = (
            "One line a probe: what the plan said before, what was measured, what it says now. Enter opens the topic."
        )
        BINDINGS: ClassVar[list[BindingType]] = [
            Binding("enter", "select_cursor", "Reasons", id="measured.topic", tooltip="Open the topic in the plan.")
        ]

    def __init__(self, knowledge: Knowledge, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.knowledge = knowledge
        self.results: tuple[Outcome, ...] = ()
        self.revision: Revision | None = None
        self.shown: Outcome | None = None

    def compose(self) -> ComposeResult:
        yield Static("", id="summary", markup=False)
        with TabbedContent(id="tabs"):
            with TabPane("Results", id="tab_results"), Vertical():
                yield self.Results(cursor_type="row", id="results")
                with Horizontal(id="result"):
                    with VerticalScroll(id="detail_scroll"):
                        yield Static("", id="detail", markup=False)
                    yield Intervals(id="found")
            with TabPane("The whole story", id="tab_story"):
                yield PageView(id="story")
            with TabPane("This machine", id="tab_machine"):
                yield PageView(id="machine")

    def show(self, revision: Revision, machine: Machine | None) -> None:
        self.revision = revision
        self.results = tuple(newest_of(revision.outcomes))
        self.query_one("#summary", Static).update(self.summary(revision))
        table = self.query_one(self.Results)
        table.fill(_COLUMNS, [self._cells(outcome) for outcome in self.results])
        self.query_one("#story", PageView).show(lambda look: measured_page(revision, look))
        if machine is not None:
            measured = machine_report(grown(None, LAST, machine, "", revision.outcomes), find_device)
            report = replace(measured, decisions=())
            kept = any(outcome.worth_keeping for outcome in revision.outcomes)
            self.query_one("#machine", PageView).show(lambda look: machine_page(report, look, is_kept=kept))
        if self.results:
            self._show_detail(self.results[0])
            table.focus()
        else:
            self.query_one(TabbedContent).active = "tab_story"
            self.query_one("#detail", Static).update(Content("Nothing was measured."))

    def summary(self, revision: Revision) -> Content:
        """`✓ 2 confirmed  ↻ 1 overturned`, what changes in the plan, and what is still open."""
        found = counted(map(finding, self.results))
        rows = [Content.assemble(*found) if found else Content("Nothing was measured.")]
        changed = [
            entry.title
            for name, entry in revision.after.recommendations.items()
            if revision.before.value(name) != entry.value
        ]
        if changed:
            rows.append(plain(f"» Changed in the plan: {join_names(changed)}."))
        elif revision.measured:
            rows.append(Content("Every recommendation stays as it was."))
        if revision.open:
            titles = [probe_title(self.knowledge, probe_named(skipped.probe)) for skipped in revision.open]
            rows.append(plain(f"Still open: {shorten(join_names(titles), 140)}."))
        return lines(rows)

    def _cells(self, outcome: Outcome) -> list[Text]:
        unit = self._unit(outcome)
        found = finding(outcome)
        title = probe_title(self.knowledge, probe_named(outcome.probe))
        after = outcome.before if outcome.after is None else outcome.after
        if outcome.fact:
            texts = [title, quantity(outcome.before, unit), finding_words(found), quantity(after, unit)]
        else:
            texts = [title, "", finding_words(found), headline(outcome)]
        return [Text(shorten(text, 34)) for text in texts]

    def _unit(self, outcome: Outcome) -> str:
        fact = self.knowledge.vocabulary.facts.get(outcome.fact)
        return fact.unit if fact is not None else ""

    def _show_detail(self, outcome: Outcome) -> None:
        points = points_of(outcome)
        rate = outcome.rate(_setting(outcome)) if points else None
        unit = rate.unit if rate is not None else ""
        self.shown = outcome
        plot = self.query_one("#found", Intervals)
        plot.display = len(points) > 1 and self.size.width >= WIDE
        plot.show(points, unit)
        room = self.size.width // 2 if plot.display else self.size.width
        parts = [Content.styled(finding_words(finding(outcome)), "bold")]
        if outcome.failure:
            parts.append(plain(outcome.failure))
        elif outcome.measured and outcome.fact:
            parts.append(plain(f"{sentence(outcome, self._unit(outcome))} {second_start(outcome)}".strip()))
        said = timed_otherwise(self.revision.after, outcome) if self.revision is not None else None
        parts += [plain(f"! {warning}") for warning in (*outcome.conditions.warnings, *([said] if said else []))]
        parts += [Content(""), bars(points, unit, room - 4), Content("")]
        parts += self._claims(outcome)
        conditions = ", ".join(f"{name.replace('_', ' ')} {text}" for name, text in sorted(outcome.applies.items()))
        parts.append(Content.styled(printable(f"Measured with: {conditions}"), FAINT))
        self.query_one("#detail", Static).update(lines(parts))

    def _claims(self, outcome: Outcome) -> list[Content]:
        """The verdicts on rules that claim something about the outcome."""
        assert self.revision is not None  # noqa: S101 - results are shown
        entry = self.revision.after.recommendations.get(outcome.topic)
        if entry is None or entry.measured is None or entry.measured.probe != outcome.probe:
            return []
        judged = entry.measured.judged.items()
        told = [(claim(self.revision.after, rule), Verdict(verdict).value) for rule, verdict in judged]
        return [plain(f"{SYMBOLS[found]} {text}: {WORDS[found]}") for text, found in told]

    def on_resize(self) -> None:
        if self.shown is not None:
            self._show_detail(self.shown)

    @on(DataTable.RowHighlighted)
    def _highlighted(self, event: DataTable.RowHighlighted) -> None:
        if 0 <= event.cursor_row < len(self.results):
            self._show_detail(self.results[event.cursor_row])

    @on(DataTable.RowSelected)
    def _selected(self, event: DataTable.RowSelected) -> None:
        topic = self.results[event.cursor_row].topic
        if self.revision is not None and topic in self.revision.after.recommendations:
            cast("Host", self.app).open(ToTopic(topic))


def _setting(outcome: Outcome) -> Setting:
    return next(record.setting for record in outcome.settings if record.duel or record.search)


def headline(outcome: Outcome) -> str:
    """`19.4 GB/s, all threads`: the rate of the usual setting, since the best may measure something else (a cache, not memory).

    The first rate that was measured, if that of the usual setting was not.
    """
    settings = sorted(outcome.gauges.values(), key=lambda setting: setting != outcome.before)
    for setting in settings:
        rate = outcome.rate(setting)
        if rate is not None:
            return f"{amount(rate.median, rate.unit)}, {setting}"
    return "nothing"
