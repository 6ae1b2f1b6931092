"""Trials while they run: the candidates with their scores, the best first, and the training under way."""

from __future__ import annotations

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from advisor.agent.trials.state import Row, Trials
from advisor.report.found.trying import amount
from advisor.tui.screens.running.run_screen import TimeBar
from advisor.tui.text import lines, plain
from advisor.tui.widgets.curves import Curves
from advisor.tui.widgets.table import Table
from advisor.wording import shorten

WIDEST_NAME = 34
LAST_NOTES = 2


class TrialsPane(Vertical):
    """Draws what `Trials` know by now."""

    DEFAULT_CSS = """
    TrialsPane { height: 1fr; padding: 0 1; }
    TrialsPane #trials_sides { height: 1fr; margin: 1 0 0 0; }
    TrialsPane #trials_sides.stacked { layout: vertical; }
    TrialsPane DataTable { width: auto; max-width: 100%; height: 100%; }
    TrialsPane .stacked DataTable { width: 100%; height: 1fr; }
    TrialsPane #training { width: 1fr; height: 1fr; padding: 0 0 0 1; }
    TrialsPane .stacked #training { padding: 0; }
    TrialsPane Curves { max-height: 20; }
    """

    class Candidates(Table):
        HELP_TEXT = "The candidates so far, the best first: the mean score over the folds, and its spread."

    def compose(self) -> ComposeResult:
        yield TimeBar()
        yield Static("", id="trials_doing", markup=False)
        yield Static("", id="trials_notes", classes="faint", markup=False)
        with Horizontal(id="trials_sides"):
            yield self.Candidates(cursor_type="row", id="candidates")
            with Vertical(id="training"):
                yield Static("", id="curves_of", classes="faint", markup=False)
                yield Curves(id="curves")

    def on_resize(self) -> None:
        self.query_one("#trials_sides").set_class(self.size.width < 100, "stacked")

    def show(self, state: Trials) -> None:
        self.query_one("#trials_doing", Static).update(Content.styled(plain(state.doing).plain, "bold"))
        notes = [plain(f"! {note}") for note in state.notes[-LAST_NOTES:]]
        if state.resumed is not None:
            said = (
                f"Going on where a stopped run ended, after {state.spent:.0f} s: {_trials(state.resumed)} done already."
            )
            notes.insert(0, plain(said))
        elif state.ready is not None:
            notes.insert(0, plain(f"{state.ready.data.examples:,} examples. {state.ready.data.how}"))
        self.query_one("#trials_notes", Static).update(lines(notes))
        table = self.query_one(self.Candidates)
        titles = ("candidate", "stage", state.metric.title, "seconds")
        table.fill(titles, [_cells(row, state) for row in state.ranked()])
        of = f"Loss after each epoch of {state.curves_of}, a line for each fold" if state.trainings else ""
        self.query_one("#curves_of", Static).update(plain(of))
        curves = self.query_one(Curves)
        curves.display = bool(state.trainings)
        curves.show(state.curves)


def _cells(row: Row, state: Trials) -> list[Text]:
    score = "✗ failed" if row.failure else amount(state.metric, row.scores)
    late = f" ({row.short})" if row.short else ""
    texts = (shorten(row.name, WIDEST_NAME), row.stage.value, f"{score}{late}")
    return [*map(Text, texts), Text(f"{row.seconds:.1f}", justify="right")]


def _trials(number: int) -> str:
    return "one trial" if number == 1 else f"{number} trials"
