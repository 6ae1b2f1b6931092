"""The frame of a run: a race of candidates with their intervals, what comes next, and what has been shown so far."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from textual.containers import VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.widgets import Static

from advisor.tui.text import FAINT, lines
from advisor.wording import printable, shorten

LINE, INTERVAL, MIDDLE, RUNS = "━", "─", "●", "⟳"
_GAP, _QUEUE_LINES = "   ", 2
WIDEST_NAME, WIDEST_BAR, NARROWEST_BAR = 24, 60, 8


@dataclass(frozen=True, slots=True)
class Lane:
    """One candidate: its value with a 95 % interval (empty for a single one), the `figures` in words, and a `note` on it, such as
    `plan`. One without a value says in `figures` why."""

    name: str
    figures: str
    value: float | None = None
    low: float = 0.0
    high: float = 0.0
    note: str = ""
    runs: bool = False
    """It is being tried right now."""


class Race(Static):
    """A line for each lane, from zero to the greatest value: the interval around the middle narrows as more is known."""

    def __init__(self, title: str, *, id: str | None = None) -> None:
        super().__init__("", id=id, markup=False, classes="pane")
        self.border_title = title
        self.lanes: tuple[Lane, ...] = ()

    def show(self, lanes: Iterable[Lane], title: str = "") -> None:
        self.lanes = tuple(lanes)
        if title:
            self.border_title = printable(title)
        self.update(race(self.lanes, self.size.width))

    def on_resize(self, event: Resize) -> None:
        self.update(race(self.lanes, self.size.width))


def race(lanes: Sequence[Lane], width: int) -> Content:
    """Names, bars and figures in columns; the bars have the room that is left."""
    if not lanes:
        return Content.styled("Nothing has been timed yet.", FAINT)
    titles = [f"{shorten(lane.name, WIDEST_NAME)}{f' {lane.note}' if lane.note else ''}" for lane in lanes]
    name = max(map(len, titles))
    figures = max((len(lane.figures) for lane in lanes if lane.value is not None), default=0)
    room = max(NARROWEST_BAR, min(WIDEST_BAR, width - name - figures - 5))
    most = max((lane.high for lane in lanes if lane.value is not None), default=0.0)
    rows = []
    for title, lane in zip(titles, lanes, strict=True):
        mark = (RUNS if lane.runs else " ", "bold $text-accent")
        named = (f" {printable(title):<{name}}  ", "bold" if lane.note or lane.runs else "")
        if lane.value is None:
            rows.append(
                Content.assemble(mark, named, (printable(lane.figures), "$text-error" if not lane.runs else FAINT))
            )
        else:
            rows.append(Content.assemble(mark, named, _bar(lane, most, room), f" {printable(lane.figures)}"))
    return lines(rows)


def _bar(lane: Lane, most: float, room: int) -> Content:
    """`━━━━━━──●──   `: a line to the interval, and the middle in it."""
    assert lane.value is not None  # noqa: S101 - a lane without one has no bar
    low, middle, high = (
        min(room - 1, max(0, round(value / most * (room - 1)))) if most > 0 else 0
        for value in (lane.low, lane.value, lane.high)
    )
    before, after = INTERVAL * (middle - low), INTERVAL * (high - middle)
    return Content.assemble(
        (LINE * low, "$text-primary"),
        (before, "$text-accent"),
        (MIDDLE, "bold $text-accent"),
        (after, "$text-accent"),
        " " * (room - 1 - high),
    )


class Step(Enum):
    """The state of a part of the run, with its mark."""

    DONE = "✓"
    NOW = RUNS
    NEXT = "·"


class Queue(Static):
    """The parts of the run in their order: those that are done, the present one, and those that follow if there is time."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("", id=id, markup=False, classes="pane")
        self.border_title = "In turn, as far as there is time"
        self.steps: tuple[tuple[Step, str], ...] = ()

    def show(self, steps: Iterable[tuple[Step, str]]) -> None:
        self.steps = tuple(steps)
        self._draw()

    def on_resize(self, event: Resize) -> None:
        self._draw()

    def _draw(self) -> None:
        """As many parts as fit as a whole; what is done stands first, and gives way first."""
        styles = {Step.DONE: "$text-success", Step.NOW: "bold $text-accent", Step.NEXT: FAINT}
        parts = [(f"{step.value} {printable(name)}", styles[step]) for step, name in self.steps]
        done = sum(step is Step.DONE for step, _ in self.steps)
        if done > 1 and self._rows(parts) is None:
            parts = [(f"{Step.DONE.value} {done} done", styles[Step.DONE]), *parts[done:]]
        left = len(parts)
        while (rows := self._rows([*parts[:left], *self._more(len(parts) - left)])) is None and left > 1:
            left -= 1
        self.update(lines(rows or ()))

    def _more(self, count: int) -> list[tuple[str, str]]:
        return [(f"and {count} more", FAINT)] if count else []

    def _rows(self, parts: Sequence[tuple[str, str]]) -> list[Content] | None:
        """The parts in lines, none of them broken; None where they need more than there are."""
        rows: list[list[tuple[str, str]]] = [[]]
        for part in parts:
            if rows[-1] and sum(len(text) + len(_GAP) for text, _ in rows[-1]) + len(part[0]) > (self.size.width or 76):
                rows.append([])
            rows[-1].append(part)
        if len(rows) > _QUEUE_LINES:
            return None
        return [Content(_GAP).join([Content.styled(*part) for part in row]) for row in rows]


class SoFar(VerticalScroll):
    """Findings so far, the newest first; it takes the focus to be scrolled."""

    HELP_TEXT = "What has been shown so far, the newest first. The arrows scroll it."

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(Static("", markup=False), id=id, classes="pane")
        self.border_title = "So far"

    def show(self, told: Iterable[Content]) -> None:
        rows = list(told)
        self.query_one(Static).update(lines(rows) if rows else Content.styled("Nothing has been shown yet.", FAINT))
