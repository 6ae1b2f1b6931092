"""Curves drawn with characters, in the colours of the theme: rates with their intervals, and training curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from textual.app import RenderResult
from textual.color import Color
from textual.content import Content
from textual_plotext import PlotextPlot

from advisor.report.rates import amount, bar
from advisor.wording import shorten

MOST_POINTS = 200
"""Points of a training curve: a terminal has no more columns."""
_LABEL = 16


@dataclass(frozen=True, slots=True)
class Point:
    """A rate of one setting with its 95 % interval, which is empty for a single sample."""

    label: str
    value: float
    low: float
    high: float
    n: int
    note: str = ""
    """The role of the setting: `plan`, `rival`."""

    @property
    def title(self) -> str:
        return f"{shorten(self.label, _LABEL)}{f' {self.note}' if self.note else ''}"


class Plot(PlotextPlot):
    """Is drawn again whenever it is shown, so that it follows the size and the theme."""

    DEFAULT_CSS = """
    Plot { height: 1fr; min-height: 6; }
    """

    def draw(self) -> None:
        """Draw into `self.plt`, which is empty."""

    def colour(self, name: str) -> tuple[int, int, int]:
        """A colour of the theme, as plotext takes it."""
        return Color.parse(self.app.theme_variables[name]).rgb

    def render(self) -> RenderResult:
        self.plt.clear_figure()
        self.draw()
        return super().render()


class Intervals(Plot):
    """Rates by setting, from zero: a mark for the median, a stroke for its 95 % interval."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.points: Sequence[Point] = ()
        self.unit = ""

    def show(self, points: Sequence[Point], unit: str) -> None:
        self.points, self.unit = points, unit
        self.refresh()

    def draw(self) -> None:
        points, plot = self.points, self.plt
        if not points:
            return
        places = [float(number) for number in range(1, len(points) + 1)]
        most = max(point.high for point in points)
        interval, mark = self.colour("accent"), self.colour("primary")
        if all(point.label.isdecimal() for point in points):  # between names there is nothing
            plot.plot(places, [point.value for point in points], marker="braille", color=mark)
        for place, point in zip(places, points, strict=True):
            plot.plot([place, place], [point.low, point.high], marker="┃", color=interval)
        plot.scatter(places, [point.value for point in points], marker="●", color=mark)
        plot.xticks(places, [point.title for point in points])
        heights = [0, most / 2, most]
        plot.yticks(heights, ["0", *(amount(height, self.unit) for height in heights[1:])])
        plot.xlim(0.5, len(points) + 0.5)
        plot.ylim(0, most * 1.05)


Curve: TypeAlias = Sequence[tuple[int, float]]
"""One training: epochs in order, and the value after each."""


class Curves(Plot):
    """Values over epochs, a line for each training; the newest lies on top and ends in a mark."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.curves: Sequence[Curve] = ()

    def show(self, curves: Sequence[Curve]) -> None:
        self.curves = curves
        self.refresh()

    def draw(self) -> None:
        plot = self.plt
        if not self.curves:
            return
        for number, curve in enumerate(self.curves):
            newest = number == len(self.curves) - 1
            step = max(1, -(-len(curve) // MOST_POINTS))
            shown = [*curve[:-1:step], curve[-1]]
            epochs, values = [epoch for epoch, _ in shown], [value for _, value in shown]
            colour = self.colour("primary" if newest else "secondary")
            plot.plot(epochs, values, marker="braille", color=colour)
            if newest:
                plot.scatter(epochs[-1:], values[-1:], marker="●", color=colour)
        plot.xlabel("epochs")
        last = max(2, *(curve[-1][0] for curve in self.curves))
        plot.xlim(1, last)
        plot.xticks([float(epoch) for epoch in sorted({1, last // 4, last // 2, 3 * last // 4, last} - {0})])


def bars(points: Sequence[Point], unit: str, width: int) -> Content:
    """The content of `Intervals` as text, for lack of room: a line for each setting with a bar and its figures."""
    if not points:
        return Content("")
    names = [point.title for point in points]
    told = [figures(point, unit) for point in points]
    name, figure = max(map(len, names)), max(map(len, told))
    room = max(4, min(40, width - name - figure - 4))
    most = max(point.value for point in points)
    rows = [
        Content.assemble(
            (f"{title:<{name}}  ", "bold" if point.note else ""),
            (bar(point.value / most, room, unicode=True), "$primary"),
            f"  {text}",
        )
        for title, text, point in zip(names, told, points, strict=True)
    ]
    return Content("\n").join(rows)


def figures(point: Point, unit: str) -> str:
    """`213 steps/s [210, 218], 12 samples`."""
    if point.n < 2:
        return amount(point.value, unit)
    low, high = (amount(value, unit).split(" ")[0] for value in (point.low, point.high))
    return f"{amount(point.value, unit)} [{low}, {high}] n={point.n}"
