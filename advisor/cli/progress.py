"""Progress of a measurement on stderr: a live line on a terminal, one line a step elsewhere."""

from __future__ import annotations

import contextlib
import statistics
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from advisor.agent.events import JournalFailed, MeasuringEvent, MeasuringResumed, ProbeFinished, ProbeStarted
from advisor.cli.console import panel, stderr
from advisor.probes.protocol import Duel, Phase, Rehearsed, Sample
from advisor.report.rates import amount
from advisor.session.measuring import NO_RESUMING
from advisor.wording import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, Task, TaskID

    from advisor.probes.outcome import Outcome
    from advisor.probes.probe import Probe, Setting


class MeasuringProgress:
    """A listener of the agent. On a terminal the last line shows what is measured, live figures and the time left."""

    keeps = True
    """True where later plans are to count what is measured."""

    def __init__(self, budget_seconds: float) -> None:
        self._budget = budget_seconds
        self._deadline = time.monotonic() + budget_seconds
        self._console: Console = stderr()
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._figures: dict[Setting, list[float]] = {}
        self._probe: Probe | None = None
        self._shown = 0.0
        self._run: set[str] = set()
        """Names of the probes that were begun."""
        self._warned = False
        """True once it was said that the journal cannot be written: that is tried before and after every probe."""

    def __enter__(self) -> Self:
        if sys.stderr.isatty() and not self._console.is_dumb_terminal:
            from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn  # 10 ms, only on a terminal
            from rich.text import Text

            measuring = self

            class TimeLeft(ProgressColumn):
                """Counts down by itself, whatever the probe does."""

                def render(self, task: Task) -> Text:
                    return Text(f"{measuring.seconds_left():>3.0f} s left")

            self._bar = Progress(
                BarColumn(bar_width=16),
                TimeLeft(),
                TextColumn("{task.fields[what]}", markup=False),
                console=self._console,
                transient=True,
                refresh_per_second=4,
            )
            self._task = self._bar.add_task("", total=self._budget, what="starting")
            try:
                self._bar.start()
            except BaseException:  # Ctrl-C just now: the cursor may be hidden already
                self._bar.stop()
                raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            with contextlib.suppress(OSError):  # the terminal may be gone
                self._bar.stop()

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
                self._deadline -= spent
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
                panel(NO_RESUMING, [str(error.problems[0])], style="yellow", console=self._live_console)

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

    @property
    def _room(self) -> int:
        """Columns beside the bar and the time left."""
        return max(10, self._console.width - 32)

    def seconds_left(self) -> float:
        return max(0.0, self._deadline - time.monotonic())

    def _update(self, what: str) -> None:
        if self._bar is None or self._task is None:
            return
        self._shown = time.monotonic()
        self._bar.update(self._task, completed=self._budget - self.seconds_left(), what=printable(what)[: self._room])

    def line(self, text: str) -> None:
        """A line above the live one."""
        self._live_console.print(printable(text))

    @property
    def _live_console(self) -> Console:
        """The console that prints above the live line."""
        return self._bar.console if self._bar is not None else self._console
