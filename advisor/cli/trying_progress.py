"""Progress of `advisor try` on stderr: a live table on a terminal, one line a trial elsewhere."""

from __future__ import annotations

import contextlib
import math
import statistics
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from advisor.agent.events import JournalFailed
from advisor.agent.trials.events import Forewarned, TrialEvent, TrialsResumed
from advisor.cli.console import panel, stderr
from advisor.report.found.trying import amount, trial_line
from advisor.session.measuring import NO_RESUMING
from advisor.training.child.request import Began, EpochSeen, Finals, Ready
from advisor.training.ladder.outcome import Metric
from advisor.training.ladder.trial_record import Status, Trial
from advisor.wording import printable, shorten

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.live import Live

UNKNOWN = Metric("score", "score", 0.0)
"""Before the data are read, when a child crashed at once."""
_BARS, _PLAIN_BARS = "▁▂▃▄▅▆▇█", "_.-~=+*#"
_CURVE = 24
"""Points of the curve of the training under way."""
_ROWS = 14


class TryingProgress:
    """A listener of `Trying`."""

    def __init__(self, budget_seconds: float) -> None:
        self._deadline = time.monotonic() + budget_seconds
        self._console: Console = stderr()
        self._live: Live | None = None
        self._metric: Metric | None = None
        self._scores: dict[str, list[float]] = {}
        self._rows: dict[str, Trial] = {}
        self._seconds: dict[str, float] = {}
        self._now = "starting"
        self._curve: list[float] = []
        self._unicode = (self._console.encoding or "").lower().startswith("utf")

    def __enter__(self) -> Self:
        if sys.stderr.isatty() and not self._console.is_dumb_terminal:
            from rich.live import Live  # 3 ms, only on a terminal

            self._live = Live(get_renderable=self._table, console=self._console, refresh_per_second=4, transient=True)
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            with contextlib.suppress(OSError):  # the terminal may be gone
                self._live.stop()

    def __call__(self, event: TrialEvent) -> None:
        match event:
            case Forewarned(texts):
                panel("Before anything is tried", list(texts), style="yellow", console=self._live_console)
            case TrialsResumed():
                self._resumed(event)
            case JournalFailed(error):
                panel(NO_RESUMING, [str(error.problems[0])], style="yellow", console=self._live_console)
            case Ready():
                self._metric = event.metric
                self.line(f"{event.data.examples:,} examples. {event.data.how}")
            case Began():
                self._now = f"{event.name}, held-out examples" if event.stage is None else event.name
                self._curve = []
            case EpochSeen():
                self._curve.append(event.value)
            case Trial():
                self._finished(event)
            case Finals():
                self._now = "done"

    def _resumed(self, known: TrialsResumed) -> None:
        self._deadline -= known.spent
        number = f"{len(known.trials)} {'trial' if len(known.trials) == 1 else 'trials'}"
        self.line(f"Going on where a stopped run ended, after {known.spent:.0f} s: {number} done already.")
        if known.ready is not None:
            self._metric = known.ready.metric
        for trial in known.trials:
            self._count(trial)

    def _finished(self, trial: Trial) -> None:
        self._count(trial)
        if self._live is None or trial.status is Status.FAILED:
            self.line(trial_line(trial, self._metric or UNKNOWN))

    def _count(self, trial: Trial) -> None:
        self._rows.setdefault(trial.name, trial)
        self._scores.setdefault(trial.name, []).extend(trial.scores)
        self._seconds[trial.name] = self._seconds.get(trial.name, 0.0) + trial.seconds

    def _table(self) -> RenderableType:
        """The candidates, the best first, and what is trained now with its curve; fits 80 columns."""
        from rich import box  # 3 ms, only on a terminal
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        table = Table(box=box.SIMPLE if self._unicode else box.ASCII, pad_edge=False)
        table.add_column("candidate", max_width=34, no_wrap=True, overflow="ellipsis")
        table.add_column("stage", max_width=11, no_wrap=True)
        table.add_column((self._metric or UNKNOWN).title, no_wrap=True)
        table.add_column("seconds", justify="right")
        for name in self.ranked()[:_ROWS]:
            cells = (
                shorten(name, 34),
                self._rows[name].stage.value,
                amount(self._metric or UNKNOWN, self._scores[name]),
                f"{self._seconds[name]:.1f}",
            )
            table.add_row(*(Text(cell) for cell in cells))
        left = max(0.0, self._deadline - time.monotonic())
        curve = sparkline(self._curve, _CURVE, unicode=self._unicode)
        return Group(table, Text(f"{left:>4.0f} s left  {shorten(self._now, 40)}  {curve}"))

    def ranked(self) -> list[str]:
        """Names of the candidates with scores, the best first."""
        sign = -1 if self._metric is None or self._metric.greater_is_better else 1
        known = {name: statistics.fmean(scores) for name, scores in self._scores.items() if scores}
        return sorted(known, key=lambda name: sign * known[name])

    def line(self, text: str) -> None:
        """A line above the live table."""
        self._live_console.print(printable(text), soft_wrap=True)

    @property
    def _live_console(self) -> Console:
        """The console that prints above the live table."""
        return self._live.console if self._live is not None else self._console


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
