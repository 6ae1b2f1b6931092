"""The time of a run as a bar."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from advisor.agent.timed import Timed
from advisor.report.rates import bar

BAR = 24
"""Columns."""


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
