"""Progress of a measurement on stderr: a live line on a terminal, one line a step elsewhere."""

from __future__ import annotations

import contextlib
import statistics
import sys
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Self

from advisor.agent.events import (
    JournalFailed,
    MeasuringEvent,
    MeasuringResumed,
    NetworkUntimed,
    ProbeFinished,
    ProbeStarted,
)
from advisor.agent.timed import Timed
from advisor.cli.console import panel, stderr
from advisor.probes.protocol import Duel, Phase, Rehearsed, Sample
from advisor.report.rates import amount
from advisor.session.measuring import NO_RESUMING
from advisor.wording import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live
    from rich.progress import Progress, Task, TaskID

    from advisor.probes.outcome import Outcome
    from advisor.probes.probe import Probe, Setting


class LiveProgress:
    """Lines while a run goes on; on a terminal also, below them, a display that changes."""

    soft_wrap = False
    """True where long lines are left to the terminal to wrap."""

    def __init__(self) -> None:
        self.console: Console = stderr()
        self.display: Progress | Live | None = None

    def live_display(self) -> Progress | Live:
        """The display, not started yet. Called on a terminal only."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        if sys.stderr.isatty() and not self.console.is_dumb_terminal:
            self.display = self.live_display()
            try:
                self.display.start()
            except BaseException:  # Ctrl-C just now: the cursor may be hidden already
                self.display.stop()
                raise
        return self

    def __exit__(self, *_: object) -> None:
        if self.display is not None:
            with contextlib.suppress(OSError):  # the terminal may be gone
                self.display.stop()

    def line(self, text: str) -> None:
        """A line above the display."""
        self._above.print(printable(text), soft_wrap=self.soft_wrap)

    def warn(self, title: str, texts: Iterable[str]) -> None:
        panel(title, list(texts), style="yellow", console=self._above)

    @property
    def _above(self) -> Console:
        """The console that prints above the display."""
        return self.display.console if self.display is not None else self.console


class MeasuringProgress(LiveProgress):
    """A listener of the agent. On a terminal the last line shows what is measured, live figures and the time left."""

    keeps = True
    """True where later plans are to count what is measured."""

    def __init__(self, budget_seconds: float) -> None:
        super().__init__()
        self.time = Timed(budget_seconds, time.monotonic)
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._figures: dict[Setting, list[float]] = {}
        self._probe: Probe | None = None
        self._shown = 0.0
        self._run: set[str] = set()
        """Names of the probes that were begun."""
        self._warned = False
        """True once it was said that the journal cannot be written: that is tried before and after every probe."""

    def live_display(self) -> Progress:
        from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn  # 10 ms, only on a terminal
        from rich.text import Text

        run = self.time

        class TimeLeft(ProgressColumn):
            """Counts down by itself, whatever the probe does."""

            def render(self, task: Task) -> Text:
                return Text(f"{run.seconds_left:>3.0f} s left")

        self._bar = Progress(
            BarColumn(bar_width=16),
            TimeLeft(),
            TextColumn("{task.fields[what]}", markup=False),
            console=self.console,
            transient=True,
            refresh_per_second=4,
        )
        self._task = self._bar.add_task("", total=run.budget, what="starting")
        return self._bar

    def __call__(self, event: MeasuringEvent) -> None:
        match event:
            case MeasuringResumed(outcomes, spent):
                names = ", ".join(outcome.probe for outcome in outcomes if outcome.failure is None)
                after = f", after {spent:.0f} s" if spent >= 1 else ""
                used = f"; {spent:.0f} s of the time are spent" if spent >= 1 else ""
                if names:
                    self.line(f"Going on where a stopped run ended{after}: {names} measured already.")
                else:
                    self.line(f"A stopped run had finished no probe{used}.")
                self.time.spent = spent
            case NetworkUntimed(reason):
                self.warn("The network of this plan cannot be timed", [reason, "Probes that need it are left out."])
            case ProbeStarted(probe, seconds):
                again = ", since undecided" if probe.name in self._run else ""
                why = " again, to see whether it holds" if event.again else f" again{again}" if again else ""
                self._run.add(probe.name)
                self._probe, self._figures = probe, {}
                self.line(f"{probe.name}{why}: {probe.question} (up to {seconds:.0f} s)")
                self._update(f"{probe.name}  warming up")
            case Rehearsed():
                self._figures[event.setting] = [event.seconds]
            case Sample():
                self._figures.setdefault(event.setting, []).append(event.seconds)
                if event.phase is Phase.DUEL and self._probe is not None and time.monotonic() - self._shown > 0.25:
                    self._update(self._live())
            case Duel():
                self._update(self._live())
            case ProbeFinished(outcome):
                self._finished(outcome)
            case JournalFailed(error) if not self._warned:
                self._warned = True
                self.warn(NO_RESUMING, [str(error.problems[0])])

    def _live(self) -> str:
        assert self._probe is not None  # noqa: S101 - something was started
        unit = self._probe.rate_unit
        shown = [
            f"{setting}: {amount(1 / statistics.median(samples[-9:]), unit)}"
            for setting, samples in list(self._figures.items())[:4]
        ]
        return f"{self._probe.name}  {', '.join(shown)}"

    def _finished(self, outcome: Outcome) -> None:
        said = "failed" if outcome.failure else outcome.verdict.value.replace("_", " ")
        self.line(f"{outcome.probe}: {said}")
        for warning in outcome.conditions.warnings:
            self.line(f"  {warning}")
        if self.keeps and outcome.measured and not outcome.worth_keeping:
            self.line(f"  {outcome.probe}: not kept for later plans, since other programs took much of the machine.")

    def _update(self, what: str) -> None:
        if self._bar is None or self._task is None:
            return
        self._shown = time.monotonic()
        room = max(10, self.console.width - 32)  # beside the bar and the time left
        self._bar.update(self._task, completed=self.time.budget - self.time.seconds_left, what=printable(what)[:room])
