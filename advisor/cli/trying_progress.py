"""Progress of `advisor try` on stderr: a live table on a terminal, one line a trial elsewhere."""

from __future__ import annotations

import math
import statistics
import time
from typing import TYPE_CHECKING

from advisor.agent.events import JournalFailed
from advisor.agent.trials.events import Forewarned, TrialEvent, TrialsResumed
from advisor.agent.trials.state import Trials
from advisor.cli.progress import LiveProgress
from advisor.report.found.trying import amount, trial_line
from advisor.session.measuring import NO_RESUMING
from advisor.training.child.request import Ready
from advisor.training.ladder.trial_record import Status, Trial
from advisor.wording import shorten

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

_BARS, _PLAIN_BARS = "▁▂▃▄▅▆▇█", "_.-~=+*#"
_CURVE = 24
"""Points of the curve of the training under way."""
_ROWS = 14


class TryingProgress(LiveProgress):
    """A listener of `Trying`."""

    soft_wrap = True

    def __init__(self, budget_seconds: float) -> None:
        super().__init__()
        self.state = Trials(budget_seconds, time.monotonic)
        self._unicode = (self.console.encoding or "").lower().startswith("utf")

    def live_display(self) -> Live:
        from rich.live import Live  # 3 ms, only on a terminal

        return Live(get_renderable=self._table, console=self.console, refresh_per_second=4, transient=True)

    def __call__(self, event: TrialEvent) -> None:
        self.state.tell(event)
        match event:
            case Forewarned(texts):
                self.warn("Before anything is tried", texts)
            case TrialsResumed(trials, spent):
                number = f"{len(trials)} {'trial' if len(trials) == 1 else 'trials'}"
                self.line(f"Going on where a stopped run ended, after {spent:.0f} s: {number} done already.")
            case JournalFailed(error):
                self.warn(NO_RESUMING, [str(error.problems[0])])
            case Ready():
                self.line(f"{event.data.examples:,} examples. {event.data.how}")
                if event.data.warned:
                    self.warn("About this split", event.data.warned)
            case Trial() if self.display is None or event.status in (Status.FAILED, Status.SLOW):
                self.line(trial_line(event, self.state.metric))

    def _table(self) -> RenderableType:
        """The candidates, the best first, and what is trained now with its curve; fits 80 columns."""
        from rich import box  # 3 ms, only on a terminal
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        table = Table(box=box.SIMPLE if self._unicode else box.ASCII, pad_edge=False)
        table.add_column("candidate", max_width=34, no_wrap=True, overflow="ellipsis")
        table.add_column("stage", max_width=11, no_wrap=True)
        table.add_column(self.state.metric.title, no_wrap=True)
        table.add_column("seconds", justify="right")
        for row in [row for row in self.state.ranked() if row.scores][:_ROWS]:
            score = amount(self.state.metric, row.scores)
            cells = (shorten(row.name, 34), row.stage.value, score, f"{row.seconds:.1f}")
            table.add_row(*(Text(cell) for cell in cells))
        return Group(table, Text(f"{self.state.seconds_left:>4.0f} s left  {self._now()}"))

    def _now(self) -> str:
        """The training under way, with its curve."""
        now = self.state.now
        if now is None:
            return self.state.doing
        name = f"{now.name}, held-out examples" if now.stage is None else now.name
        curve = self.state.trainings[-1] if self.state.trainings and self.state.curves_of == now.name else []
        return f"{shorten(name, 40)}  {sparkline([loss for _, loss in curve], _CURVE, unicode=self._unicode)}"


def sparkline(values: list[float], width: int, *, unicode: bool = True) -> str:
    """A curve of so many columns at most: the lowest value at the bottom, the highest at the top.

    Losses fall most in the first epochs, so values above zero are drawn by their logarithms.
    """
    if not values:
        return ""
    if min(values) > 0:
        values = [math.log(value) for value in values]
    bars = _BARS if unicode else _PLAIN_BARS
    step = max(1, -(-len(values) // width))
    shown = [statistics.fmean(values[at : at + step]) for at in range(0, len(values), step)]
    low, high = min(shown), max(shown)
    scale = (len(bars) - 1) / (high - low) if high > low else 0.0
    return "".join(bars[round((value - low) * scale)] for value in shown)
