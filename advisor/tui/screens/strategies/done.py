"""The results of strategies: who came to the loss first, who waited for whom, and what that rests on."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import DataTable, Static, TabbedContent, TabPane

from advisor.distributed.job import Run
from advisor.report.numbers import number_words
from advisor.report.page import Look, Page, Style
from advisor.report.strategies.simulation import simulation_page
from advisor.report.strategies.timeline import timeline_lines
from advisor.report.strategies.training import curves, middle, rows, stretches, training_page
from advisor.session.simulating import Simulation
from advisor.session.syncing import Trained
from advisor.tui.screens.strategies.fields import without_options
from advisor.tui.screens.strategies.forms import NAMES
from advisor.tui.text import lines
from advisor.tui.widgets.losses import LossChart, letter_of
from advisor.tui.widgets.page_view import PageView
from advisor.tui.widgets.table import Table
from advisor.wording import printable, shorten

WIDE = 100
"""Columns from which there is room for all that is known of a strategy."""
COLUMNS = ("", "Strategy", "To the loss", "Times as fast", "Examples/s", "Waiting", "Sent", "Held out")
NARROW_COLUMNS = 6
NARROW_NAME, WIDE_NAME = 20, 34
CHART = "Loss on held-out examples, of the first seed, over seconds of training"


class TrainedPane(Vertical):
    """Shows what real workers have shown."""

    DEFAULT_CSS = """
    TrainedPane #trained_says { height: auto; padding: 0 1; }
    TrainedPane TabbedContent { height: 1fr; }
    TrainedPane TabPane { height: 1fr; }
    TrainedPane #standings { height: auto; max-height: 50%; margin: 0 1; }
    """

    class Standings(Table):
        HELP_TEXT = (
            "One line a strategy, the fastest first, with the letter of its curve. The times are those to the same loss on "
            "held-out examples; brackets are 95 % intervals over pairs of trainings with the same seed. The line that is "
            "highlighted is the one whose workers are drawn."
        )

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.trained: Trained | None = None
        self.order: list[str] = []
        """The strategies as they stand in the table."""

    def compose(self) -> ComposeResult:
        yield Static("", id="trained_says", markup=False)
        yield self.Standings(cursor_type="row", id="standings")
        with TabbedContent(id="trained_tabs"):
            with TabPane("Loss", id="tab_loss"):
                yield LossChart(CHART, id="loss_done")
            with TabPane("Who waited", id="tab_waited"):
                yield PageView(id="waited")
            with TabPane("It rests on", id="tab_rests"):
                yield PageView(id="rests")
            with TabPane("The whole story", id="tab_story"):
                yield PageView(id="trained_story")

    def show(self, trained: Trained) -> None:
        self.trained = trained
        runs = trained.results.runs
        self.order = [row[0] for row in standings(trained)]
        self.query_one("#trained_says", Static).update(lines(said(trained)))
        self._fill()
        losses = curves(runs)
        self.query_one(LossChart).show({letter_of(n): losses[name] for n, name in enumerate(self.order)})
        self.query_one("#rests", PageView).show(lambda look: rests_page(trained, look))
        found = trained.comparison
        tabs = self.query_one("#trained_tabs", TabbedContent)
        if found is None:
            tabs.hide_tab("tab_story")
        else:
            tabs.show_tab("tab_story")
            told = (found, trained.compared_runs, trained.says, trained.notes)
            self.query_one("#trained_story", PageView).show(lambda look: training_page(*told, look, whole=True))
        self._draw_workers(0)
        self.query_one(self.Standings).focus()

    def on_resize(self) -> None:
        if self.trained is not None:
            self._fill()

    def _fill(self) -> None:
        assert self.trained is not None  # noqa: S101 - it is shown
        wide = self.screen.size.width >= WIDE
        shown, name = (len(COLUMNS), WIDE_NAME) if wide else (NARROW_COLUMNS, NARROW_NAME)
        self.query_one(self.Standings).fill(COLUMNS[:shown], cells(standings(self.trained), shown, name))

    @on(DataTable.RowHighlighted)
    def _highlighted(self, event: DataTable.RowHighlighted) -> None:
        self._draw_workers(event.cursor_row)

    def _draw_workers(self, number: int) -> None:
        """Show what the workers of one strategy did."""
        if self.trained is None or not 0 <= number < len(self.order):
            return
        run = next(one for one in self.trained.results.runs if one.strategy == self.order[number])
        self.query_one("#waited", PageView).show(lambda look: waited_page(run, look))


class SimulatedPane(PageView):
    """Shows one simulation."""

    def show_simulation(self, found: Simulation) -> None:
        notes = [without_options(note, NAMES) for note in found.notes]
        self.show(lambda look: simulation_page(found.scenario, found.result, notes, look, whole=True))


def said(trained: Trained) -> Iterator[Content]:
    """The answer, and what went wrong."""
    yield Content.styled(printable(trained.says), "bold")
    if trained.results.failed:
        yield Content.styled(printable(f"! It ended early: {trained.results.failed}"), "$text-warning")
    for text in undone(trained):
        yield Content.styled(printable(f"! {text}"), "$text-warning")


def undone(trained: Trained) -> Iterator[str]:
    """A sentence for each strategy of which trainings gave no numbers."""
    seeds: dict[tuple[str, str], int] = Counter((one.strategy, one.why) for one in trained.results.undone)
    for (name, why), count in seeds.items():
        yield f"{name}, {count} of {len(trained.job.seeds)} trainings: {why}"


def standings(trained: Trained) -> list[tuple[str, ...]]:
    """A row for each strategy as under COLUMNS, without letters; those that could not be compared come last."""
    found, runs = trained.comparison, trained.results.runs
    compared = rows(found, trained.compared_runs, own=trained.own) if found is not None else []
    names = [row[0] for row in compared]
    left = [name for name in dict.fromkeys(run.strategy for run in runs) if name not in names]
    return [*compared, *(_uncompared([run for run in runs if run.strategy == name]) for name in left)]


def _uncompared(runs: Sequence[Run]) -> tuple[str, ...]:
    last = middle(runs).held_out
    return (
        runs[0].strategy,
        "",
        "not compared",
        f"{statistics.median(run.examples_per_s for run in runs):,.0f}",
        f"{statistics.fmean(share for run in runs for share in run.waiting):.0%}",
        number_words(statistics.median(run.bytes for run in runs), "bytes"),
        f"{runs[0].metric} {last.value:.4g} ({last.low:.4g} to {last.high:.4g})",
    )


def cells(standing: Iterable[Sequence[str]], shown: int, longest: int) -> Iterator[list[Text]]:
    """
    Args:
        shown: columns that there is room for.
        longest: characters of a name.
    """
    for number, (name, *others) in enumerate(standing):
        texts = [letter_of(number), shorten(name, longest), *others]
        yield [Text(printable(text)) for text in texts[:shown]]


def waited_page(run: Run, look: Look) -> str:
    """The first moments of each worker of one training, and the figures of the whole."""
    page = Page(look)
    page.add((f"{run.strategy}, seed {run.seed}", Style.STRONG))
    if run.timeline:
        whole = max(one.end for one in run.timeline) - min(one.begin for one in run.timeline)
        timeline_lines(page, stretches(run), number_words(whole, "s"))
    page.blank()
    page.labelled(list(_figures(run)))
    return page.text()


def _figures(run: Run) -> Iterator[tuple[str, str]]:
    waits = ", ".join(f"{share:.0%}" for share in run.waiting)
    yield "waiting", f"{waits} of the time of each worker"
    late = run.staleness
    yield "staleness", f"median {late.median:g} updates, 95 % at most {late.p95:g}"
    yield "sent", f"{number_words(run.bytes, 'bytes')} by all together"
    dropped = f", {run.dropped:,} gradients dropped" if run.dropped else ""
    yield "applied", f"{run.examples:,} examples in {run.updates:,} updates{dropped}, {number_words(run.seconds, 's')}"
    held = run.held_out
    yield "held out", f"{run.metric} {held.value:.4g} ({held.low:.4g} to {held.high:.4g})"
    for note in run.notes:
        yield "note", note


def rests_page(trained: Trained, look: Look) -> str:
    """The loss that had to be reached, and what was taken or assumed."""
    page = Page(look)
    found, job = trained.comparison, trained.job
    if found is not None:
        page.add(
            f"The loss to reach is {found.goal:.4g}, on held-out examples. Intervals are those of 95 %, over pairs of trainings "
            "with the same seed.",
            first="- ",
        )
    longest = max((run.seconds for run in trained.results.runs), default=job.seconds)
    page.add(
        f"{job.workers} workers, batches of {job.task.batch:,} examples, {number_words(longest, 's')} of training each, "
        f"{len(job.seeds)} {'seed' if len(job.seeds) == 1 else 'seeds'}.",
        first="- ",
    )
    page.items(without_options(note, NAMES) for note in trained.notes)
    return page.text()
