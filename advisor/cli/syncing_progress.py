"""Progress of `advisor sync` on stderr: a live table of strategies on a terminal, one line a training elsewhere."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from advisor.cli.progress import LiveProgress
from advisor.distributed.job import Began, Calibrated, Message, Progress, Ready, Run, Undone
from advisor.report.numbers import number_words
from advisor.wording import shorten

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live


class SyncingProgress(LiveProgress):
    """A listener of what the processes say."""

    def __init__(self, budget_seconds: float) -> None:
        super().__init__()
        self.soft_wrap = not self.console.is_terminal
        self._until = time.monotonic() + budget_seconds
        self._done: list[Run] = []
        self._now: Progress | None = None
        self._what = "Starting the processes"
        self._unicode = (self.console.encoding or "").lower().startswith("utf")

    def live_display(self) -> Live:
        from rich.live import Live  # 3 ms, only on a terminal

        return Live(get_renderable=self._table, console=self.console, refresh_per_second=4, transient=True)

    def __call__(self, message: Message) -> None:
        match message:
            case Ready():
                self.line(f"{message.how} The network has {message.weights:,} weights.")
                self._what = "Timing steps and exchanges by themselves"
            case Calibrated():
                self.line(f"An exchange without any bytes takes {number_words(message.all_reduce.alpha, 's')}.")
            case Began():
                self._what, self._now = (
                    f"{message.strategy}, seed {message.seed} ({message.number} of {message.of})",
                    None,
                )
            case Progress():
                self._now = message
            case Undone():
                self.line(f"{message.strategy}, seed {message.seed}: {message.why}")
            case Run():
                self._done.append(message)
                self._now = None
                if self.display is None:
                    self.line(_run_line(message))

    def tell_runs(self) -> None:
        """After the end, where nothing else tells of the finished runs: the table is gone with the display."""
        if self.display is not None:
            for run in self._done:
                self.line(_run_line(run))

    def _table(self) -> RenderableType:
        """The runs finished, and the one trained now; fits 80 columns."""
        from rich import box  # 3 ms, only on a terminal
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        table = Table(box=box.SIMPLE if self._unicode else box.ASCII, pad_edge=False)
        for name in ("strategy", "seed", "examples/s", "loss", "held out"):
            table.add_column(name, no_wrap=True, max_width=32, justify="left" if name == "strategy" else "right")
        for run in self._done[-14:]:
            cells = (
                shorten(run.strategy, 32), str(run.seed), f"{run.examples_per_s:,.0f}", f"{run.curve[-1].loss:.4g}",
                f"{run.metric} {run.held_out.value:.4g}",
            )  # fmt: skip
            table.add_row(*map(Text, cells))
        now = "" if self._now is None else f": loss {self._now.loss:.4g} after {self._now.examples:,} examples"
        left = max(0.0, self._until - time.monotonic())
        return Group(table, Text(f"{left:>4.0f} s left  {self._what}{now}"))


def _run_line(run: Run) -> str:
    return (
        f"{run.strategy}, seed {run.seed}: {run.examples_per_s:,.0f} examples/s, loss {run.curve[-1].loss:.4g}, {run.metric} "
        f"{run.held_out.value:.4g}"
    )
