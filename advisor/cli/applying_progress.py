"""Progress of `advisor apply` on stderr: a bar on a terminal, now and then a line elsewhere."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from advisor.cli.progress import LiveProgress

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

LINE_SECONDS = 60.0


class ApplyingProgress(LiveProgress):
    """Is told how many rows have a prediction."""

    def __init__(self) -> None:
        super().__init__()
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._told = time.monotonic()

    def live_display(self) -> Progress:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # 10 ms

        columns = (BarColumn(bar_width=16), MofNCompleteColumn(), TextColumn("rows"), TimeRemainingColumn())
        self._bar = Progress(*columns, console=self.console, transient=True, refresh_per_second=4)
        self._task = self._bar.add_task("", total=None)
        return self._bar

    def __call__(self, done: int, rows: int) -> None:
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=done, total=rows)
        elif time.monotonic() - self._told >= LINE_SECONDS:
            self._told = time.monotonic()
            self.line(f"{done:,} of {rows:,} rows have a prediction.")
