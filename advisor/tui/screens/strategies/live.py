"""Strategies while they are trained: a row each, their losses against time, and what is known of the processes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from advisor.report.rates import bar
from advisor.tui.screens.running.race import RUNS, SoFar
from advisor.tui.screens.running.run_screen import BAR, TimeBar
from advisor.tui.screens.strategies.state import Row, Strategies
from advisor.tui.text import FAINT, plain
from advisor.tui.widgets.losses import LossChart, letter_of
from advisor.tui.widgets.table import Table
from advisor.wording import printable, shorten

COLUMNS = ("", "Strategy", "Seeds", "Examples/s", "Loss now", "Held out")
LONGEST_NAME = 30
CHART = "Loss of the last batches, over seconds of training"


class LivePane(Horizontal):
    """Draws what `Strategies` know by now."""

    HELP_TEXT = (
        "One line a strategy, with the letter of its curve. The loss is that of the last batches that were learned from; what is "
        "held out is scored when a training has ended. The chart shows the newest training of each. Of a simulation only the "
        "share that is done is known."
    )
    DEFAULT_CSS = """
    LivePane #strategies_told { width: 3fr; height: 1fr; }
    LivePane #rows { height: auto; max-height: 50%; margin: 1 0; overflow-x: hidden; }
    LivePane #loss_live { width: 2fr; }
    LivePane #strategies_share { display: none; margin: 1 0; }
    LivePane.-simulates #strategies_share { display: block; }
    LivePane.-simulates #strategies_told { width: 1fr; height: 1fr; max-height: 100%; }
    LivePane.-simulates #rows, LivePane.-simulates #loss_live, LivePane.-simulates SoFar { display: none; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, classes="frame")

    def compose(self) -> ComposeResult:
        with Vertical(id="strategies_told"):
            yield TimeBar()
            yield Static("", id="strategies_doing", classes="strong", markup=False)
            yield Static("", id="strategies_share", markup=False)
            yield Table(cursor_type="none", id="rows")
            yield SoFar(id="so_far")
        yield LossChart(CHART, id="loss_live")

    def show(self, state: Strategies) -> None:
        self.set_class(bool(state.simulates), "-simulates")
        self.query_one("#strategies_doing", Static).update(plain(state.doing))
        self.query_one("#strategies_share", Static).update(share_words(state.share))
        rows = list(state.rows.values())
        now = state.began.strategy if state.began is not None else ""
        seeds = state.planned.seeds
        self.query_one("#rows", Table).fill(COLUMNS, cells(rows, now, seeds))
        self.query_one(SoFar).show(plain(note) for note in reversed(state.notes))
        self.query_one(LossChart).show({letter_of(number): row.curve for number, row in enumerate(rows) if row.curve})


def share_words(share: float | None) -> Content:
    """The share of a simulation that is done, with a bar."""
    if share is None:
        return Content.styled("Its findings come at the end.", FAINT)
    return Content.assemble((bar(share, BAR, unicode=True), "$primary"), f" {share:.0%} done")


def cells(rows: Sequence[Row], now: str, seeds: int) -> Iterator[list[Text]]:
    """A row each, as under COLUMNS.

    Args:
        now: the strategy that is being trained.
    """
    for number, row in enumerate(rows):
        rate, loss = row.examples_per_s, row.loss
        failed = f", {row.undone} failed" if row.undone else ""
        name = printable(shorten(row.strategy, LONGEST_NAME))
        texts = (
            f"{letter_of(number)} {RUNS if row.strategy == now else ' '}",
            name,
            f"{len(row.runs)} of {seeds}{failed}",
            f"{rate:,.0f}" if rate is not None else "",
            f"{loss:.4g}" if loss is not None else "",
            printable(row.held_out),
        )
        yield [Text(text, style="bold" if row.strategy == now else "") for text in texts]
