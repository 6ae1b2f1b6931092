"""What a measurement shows while it runs, on stderr: a line that is alive on a terminal, one line a step elsewhere."""

from __future__ import annotations

import contextlib
import statistics
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from advisor.cli.console import stderr, warn
from advisor.cli.measuring import NO_RESUMING
from advisor.errors import InputError
from advisor.probes.protocol import Duel, Phase, Rehearsed, Sample
from advisor.report.rates import amount
from advisor.wording import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, Task, TaskID

    from advisor.probes.outcome import ProbeOutcome
    from advisor.probes.probe import Probe, Setting


class MeasuringProgress:
    """A listener of the agent. On a terminal the last line shows what is measured, live figures and the time left."""

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
        """Whether it was said that the journal cannot be written: it is tried before and after every probe."""

    def __enter__(self) -> Self:
        if sys.stderr.isatty() and not self._console.is_dumb_terminal:
            from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn
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

    def __call__(self, what: str, about: Any) -> None:
        match what:
            case "resumed":
                names = ", ".join(outcome.probe for outcome in about.outcomes if outcome.failure is None)
                after = f", after {about.spent:.0f} s" if about.spent >= 1 else ""
                spent = f"; {about.spent:.0f} s of the time are spent" if about.spent >= 1 else ""
                if names:
                    self.line(f"Going on where a stopped run ended{after}: {names} measured already.")
                else:
                    self.line(f"A stopped run had finished no probe{spent}.")
                self._deadline -= about.spent
            case "started":
                again = ", since undecided" if about.probe.name in self._run else ""
                why = " again, to see whether it holds" if about.again else f" again{again}" if again else ""
                self._run.add(about.probe.name)
                self._probe, self._figures = about.probe, {}
                self.line(f"{about.probe.name}{why}: {about.probe.question} (up to {about.seconds:.0f} s)")
                self._update(f"{about.probe.name}  warming up")
            case "event":
                self._event(about)
            case "finished":
                self._finished(about)
            case "warning" if isinstance(about, InputError) and not self._warned:
                self._warned = True
                warn(NO_RESUMING, str(about.problems[0]))

    def _event(self, message: Any) -> None:
        if isinstance(message, Rehearsed):
            self._figures[message.setting] = [message.seconds]
        elif isinstance(message, Sample):
            self._figures.setdefault(message.setting, []).append(message.seconds)
            if message.phase is Phase.DUEL and self._probe is not None and time.monotonic() - self._shown > 0.25:
                self._update(self._live())
        elif isinstance(message, Duel):
            self._update(self._live())

    def _live(self) -> str:
        assert self._probe is not None  # noqa: S101 - something was started
        unit = self._probe.rate_unit
        shown = [
            f"{setting}: {amount(1 / statistics.median(samples[-9:]), unit)}"
            for setting, samples in list(self._figures.items())[:4]
        ]
        return f"{self._probe.name}  {', '.join(shown)}"

    def _finished(self, outcome: ProbeOutcome) -> None:
        said = "failed" if outcome.failure else outcome.verdict.value.replace("_", " ")
        self.line(f"{outcome.probe}: {said}")
        for warning in outcome.conditions.warnings:
            self.line(f"  {warning}")

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
        (self._bar.console if self._bar is not None else self._console).print(printable(text))
