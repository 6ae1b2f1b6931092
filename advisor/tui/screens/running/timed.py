"""The time of a run: how much of its budget is left, as a value and as a bar."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from textual.content import Content
from textual.widgets import Static

from advisor.report.rates import bar

BAR = 24
"""Columns."""


@dataclass
class Timed:
    """A run of `budget` seconds, on a clock of the caller's."""

    budget: float
    clock: Callable[[], float]
    begun: float = 0.0
    spent: float = 0.0
    """Seconds of the budget that an earlier run has used."""

    def __post_init__(self) -> None:
        self.begun = self.clock()

    def tell(self, event: Any) -> None:
        """Keep an event of the run."""
        raise NotImplementedError

    @property
    def seconds_left(self) -> float:
        return max(0.0, self.budget - self.spent - (self.clock() - self.begun))

    @property
    def seconds_of_part(self) -> float | None:
        """Seconds left for the part under way, if parts have a limit of their own."""
        return None


class TimeBar(Static):
    """The share of the budget that is used, and the seconds left."""

    def __init__(self) -> None:
        super().__init__("", markup=False)

    def show(self, run: Timed, part: str, *, stopping: bool) -> None:
        """
        Args:
            part: name of a part with a limit of its own, such as `probe`.
            stopping: the run was stopped, so the time left means nothing.
        """
        left = run.seconds_left
        said = f"{left:.0f} s left of {run.budget:.0f} s"
        if stopping:
            said = "stopping: everything that is finished is kept"
        elif run.seconds_of_part is not None:
            said += f"; at most {min(left, run.seconds_of_part):.0f} s for this {part}"
        self.update(Content.assemble((bar(1 - left / run.budget, BAR, unicode=True), "$primary"), f" {said}"))
