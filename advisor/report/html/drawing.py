"""Figures: points with intervals and the table behind them, drawn as SVG in the page's own font and colours."""

from __future__ import annotations

import contextlib
import html
import logging
import math
import os
import re
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from advisor.wording import printable, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Shape(StrEnum):
    CURVE = "curve"
    """Values over a number that was varied: threads, batch size."""
    LINE = "line"
    """The same of values that begin nowhere in particular."""
    DOTS = "dots"
    """A row for each thing, its value along the line."""
    RATIOS = "ratios"
    """The same of ratios: 1 in the middle, and around it what does not matter."""
    SCORES = "scores"
    """The same of scores, which begin nowhere in particular."""
    LINES = "lines"
    """Several curves over one number; points with the same label are one curve."""
    SPANS = "spans"
    """A row for each thing, and on it what it did from `low` to `high`, which `doing` says."""


class Mark(StrEnum):
    """The role of a point besides being measured; drawn with its own symbol and written in the table."""

    NONE = ""
    BEFORE = "recommended before"
    AFTER = "holds now"
    BOTH = "recommended before, holds now"
    """The measurement confirmed what was recommended."""


@dataclass(frozen=True, slots=True)
class Point:
    """A measured value with its 95 % interval; `at` is where it stands in a curve."""

    label: str
    value: float
    low: float
    high: float
    at: float = 0.0
    mark: Mark = Mark.NONE
    doing: str = ""


@dataclass(frozen=True, slots=True)
class Chart:
    """One figure. `axis` names what the values are, `across` what a curve varies; `says` reads the figure to people."""

    name: str
    """Letters, digits and hyphens: an id within the page"""
    title: str
    says: str
    shape: Shape
    points: tuple[Point, ...]
    axis: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    across: str = ""
    indifferent: float = 1.0
    """Ratios from its reciprocal to it are no difference that matters."""
    logarithmic: bool = False
    """True where the values stand on a logarithmic axis."""
    diagonal: bool = False
    """True where both axes would say the same: the line on which they do is drawn."""

    @property
    def marked(self) -> bool:
        """True if its symbols need a legend."""
        return any(point.mark for point in self.points)


WIDTH = 4.2
"""Inches; small, so that the text is large where the page is narrow."""
_LONGEST_LABEL = 30
_CURVES = (Shape.CURVE, Shape.LINE, Shape.LINES)
_MOST_TICKS = {Shape.CURVE: 100, Shape.LINE: 5}
"""Points whose own labels stand below the axis."""
# Colours that appear in the drawing only to be found again, each with the variable of the page that takes its place.
_COLOURS = {
    "#010203": "--text", "#010204": "--muted", "#010205": "--line", "#010206": "--figure", "#010207": "--band",
    "#010208": "--panel",
}  # fmt: skip
INK, MUTED, LINE, FIGURE, BAND, PANEL = _COLOURS
_SYMBOLS = {Mark.NONE: "o", Mark.BEFORE: "s", Mark.AFTER: "D", Mark.BOTH: "D"}
_SETTINGS: Any = {
    "svg.fonttype": "none",
    "text.parse_math": False,  # a dollar sign in a label is a dollar sign
    "axes.unicode_minus": True,
    "font.size": 9,
    "axes.edgecolor": LINE,
    "axes.labelcolor": MUTED,
    "text.color": INK,
    "xtick.color": LINE,
    "ytick.color": LINE,
    "xtick.labelcolor": MUTED,
    "ytick.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def svg(chart: Chart) -> str:
    """The chart as an `svg` element with title and description; the same chart gives the same text.

    Text from data is escaped in it. Needs matplotlib.
    """
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # it tells of its cache of fonts
    with _out_of_the_current_folder():
        import matplotlib  # 340 ms, which pages without a figure save
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with matplotlib.rc_context(), warnings.catch_warnings():
        matplotlib.rcdefaults()  # whatever the user's own settings say
        matplotlib.rcParams.update(_SETTINGS | {"svg.hashsalt": chart.name})
        warnings.filterwarnings("ignore", message="Glyph", category=UserWarning)  # the reader's fonts will have it
        figure = Figure(figsize=(WIDTH, _height(chart)), layout="constrained")
        FigureCanvasSVG(figure)
        axes = figure.add_subplot()
        axes.tick_params(length=3)
        _DRAWN.get(chart.shape, _rows)(chart, axes)
        buffer = StringIO()
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    return _for_page(buffer.getvalue(), chart)


@contextlib.contextmanager
def _out_of_the_current_folder() -> Iterator[None]:
    """Stand beside this module meanwhile: what is imported reads a `matplotlibrc` where it stands, whoever put it there,
    and ends if that cannot be read."""
    if sys.platform == "win32":
        with contextlib.chdir(Path(__file__).parent):
            yield
        return
    here = os.open(".", getattr(os, "O_PATH", os.O_RDONLY))  # its path may not lead back, its descriptor does
    try:
        os.chdir(Path(__file__).parent)
        yield
    finally:
        os.fchdir(here)
        os.close(here)


def _height(chart: Chart) -> float:
    rows = len({point.label for point in chart.points}) if chart.shape is Shape.SPANS else len(chart.points)
    return 2.9 if chart.shape in _CURVES else 0.75 + 0.34 * rows + (0.3 if chart.shape is Shape.SPANS else 0)


def _curve(chart: Chart, axes: Axes) -> None:
    points = sorted(chart.points, key=lambda point: point.at)
    axes.plot([p.at for p in points], [p.value for p in points], color=FIGURE, linewidth=1.4, zorder=2)
    for point in points:
        below, above = _distances(point)
        axes.errorbar(point.at, point.value, yerr=[[below], [above]], **_looks(point))
    places = [point.at for point in points]
    if chart.shape is Shape.CURVE and min(places) > 0 and max(places) / min(places) >= 8:
        axes.set_xscale("log", base=2)
    if all(point.label for point in points) and len(points) <= _MOST_TICKS[chart.shape]:
        axes.set_xticks(places, [point.label for point in points])
    else:
        axes.xaxis.set_major_formatter(_with_commas)
    axes.minorticks_off()
    if chart.shape is Shape.CURVE:
        axes.set_ylim(bottom=0)
    if chart.diagonal:
        axes.plot([0, 1], [0, 1], color=MUTED, linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)
    axes.grid(axis="y", color=LINE, linewidth=0.6)
    axes.tick_params(axis="y", labelcolor=MUTED)
    axes.set_xlabel(chart.across)
    axes.set_ylabel(chart.axis)
    axes.yaxis.set_major_formatter(_with_commas)


def _lines(chart: Chart, axes: Axes) -> None:
    """Curves told apart by their dashes and by a symbol of their own, so that no colour has to be seen."""
    for number, label in enumerate(dict.fromkeys(point.label for point in chart.points)):
        own = sorted((point for point in chart.points if point.label == label), key=lambda point: point.at)
        axes.plot(
            [p.at for p in own], [p.value for p in own], label=shorten(label, _LONGEST_LABEL), color=FIGURE if number else INK,
            linewidth=1.2, linestyle=_DASHES[number % len(_DASHES)], marker=_MARKERS[number % len(_MARKERS)],
            markevery=max(1, len(own) // 6), markersize=4, markerfacecolor=PANEL, zorder=2,
        )  # fmt: skip
    axes.grid(axis="y", color=LINE, linewidth=0.6)
    axes.tick_params(axis="y", labelcolor=MUTED)
    axes.set_xlabel(chart.across)
    axes.set_ylabel(chart.axis)
    axes.xaxis.set_major_formatter(_with_commas)
    if chart.logarithmic:
        axes.set_yscale("log")
        ticks = log_ticks(min(point.value for point in chart.points), max(point.value for point in chart.points))
        axes.set_yticks(ticks, [f"{tick:.3g}" for tick in ticks])
        axes.minorticks_off()
    axes.legend(fontsize=7, frameon=False, handlelength=3.2)


def log_ticks(low: float, high: float) -> list[float]:
    """At most six places on a logarithmic axis: 1, 2 and 5 of each decade, or fewer; four at equal distances if few."""
    if not 0 < low < high:
        return [low]
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for steps in ((1, 2, 5), (1,)):
        round_ones = [step * 10.0**power for power in decades for step in steps]
        within = [one for one in round_ones if low <= one <= high]
        if len(within) <= _MOST_LOG_TICKS:
            break
    if len(within) > _MOST_LOG_TICKS:
        within = within[:: -(-len(within) // _MOST_LOG_TICKS)]
    if len(within) >= _FEWEST_LOG_TICKS:
        return within
    return [low * (high / low) ** (part / 3) for part in range(4)]


def _spans(chart: Chart, axes: Axes) -> None:
    """Full where it computes, hatched where it exchanges, and empty where it waits."""
    labels = list(dict.fromkeys(point.label for point in chart.points))
    told = set()
    for point in chart.points:
        filled, hatch = _FILLS.get(point.doing, (PANEL, ""))
        axes.barh(
            labels.index(point.label), point.high - point.low, left=point.low, height=0.6, color=filled, hatch=hatch,
            edgecolor=FIGURE, linewidth=0.6, label="" if point.doing in told else point.doing, zorder=2,
        )  # fmt: skip
        told.add(point.doing)
    axes.set_yticks(range(len(labels)), [shorten(label, _LONGEST_LABEL) for label in labels])
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(chart.axis)
    if any(told):
        axes.figure.legend(fontsize=7, frameon=False, loc="outside upper center", ncols=3)


def _rows(chart: Chart, axes: Axes) -> None:
    points = chart.points
    places = range(len(points))
    for place, point in zip(places, points, strict=True):
        below, above = _distances(point)
        axes.errorbar(point.value, place, xerr=[[below], [above]], **_looks(point))
    axes.set_yticks(list(places), [shorten(point.label, _LONGEST_LABEL) for point in points])
    axes.set_ylim(len(points) - 0.4, -0.6)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(chart.axis)
    if chart.shape is Shape.RATIOS:
        _ratio_axis(chart, axes)
    elif chart.shape is Shape.DOTS:
        values = [point.value for point in points]
        if max(values) > 50 * min(values) > 0:
            axes.set_xscale("log")
        else:
            axes.set_xlim(left=0)
            axes.xaxis.set_major_formatter(_with_commas)
    axes.grid(axis="x", color=LINE, linewidth=0.6)
    axes.set_axisbelow(True)


def _ratio_axis(chart: Chart, axes: Axes) -> None:
    """Logarithmic, so that half and double lie as far from 1."""
    axes.set_xscale("log")
    farthest = max(abs(math.log(bound)) for point in chart.points for bound in (point.low, point.high))
    reach = math.exp(max(farthest * 1.15, math.log(1.12)))
    axes.set_xlim(1 / reach, reach)
    farthest_first = ((9, (0.01, 0.1, 1, 10, 100)), (2.6, (0.25, 0.5, 1, 2, 4)), (1.35, (0.5, 0.67, 1, 1.5, 2)))
    few = next((ticks for above, ticks in farthest_first if reach > above), (0.8, 0.9, 1, 1.1, 1.25))
    ticks = [tick for tick in few if 1 / reach <= tick <= reach]
    axes.set_xticks(ticks, [f"{tick:g}×" for tick in ticks])
    axes.minorticks_off()
    axes.axvspan(1 / chart.indifferent, chart.indifferent, color=BAND, zorder=0, linewidth=0)
    axes.axvline(1, color=INK, linewidth=0.9, zorder=1)


_MOST_LOG_TICKS, _FEWEST_LOG_TICKS = 6, 3
_DASHES: Any = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)), (0, (3, 1)), (0, (1, 3)))
_MARKERS = ("o", "s", "^", "D", "v", "x", "P")
_FILLS = {"computing": (FIGURE, ""), "exchanging": (BAND, "////"), "waiting": (PANEL, ""), "applying": (PANEL, "....")}
_DRAWN = {Shape.CURVE: _curve, Shape.LINE: _curve, Shape.LINES: _lines, Shape.SPANS: _spans}
"""All others are rows."""


def _with_commas(value: float, _: float) -> str:
    return f"{value:,.10g}"


def _distances(point: Point) -> tuple[float, float]:
    return max(point.value - point.low, 0.0), max(point.high - point.value, 0.0)


def _looks(point: Point) -> dict[str, Any]:
    """Filled where it holds now, open where it does not; a square was recommended before, a diamond holds now."""
    holds = point.mark in (Mark.AFTER, Mark.BOTH)
    return {
        "fmt": _SYMBOLS[point.mark], "color": FIGURE, "ecolor": FIGURE, "elinewidth": 1.4, "capsize": 3, "zorder": 3,
        "markersize": 7 if point.mark else 5, "markerfacecolor": FIGURE if holds or not point.mark else PANEL,
        "markeredgewidth": 1.4,
    }  # fmt: skip


def _for_page(text: str, chart: Chart) -> str:
    """Without what only a file of its own needs; ids that occur once in the page; the page's font and colours."""
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>", "", text, flags=re.DOTALL)
    text = re.sub(r"<[^>]*>", lambda tag: _own(tag[0], chart.name), text)
    start, _, rest = text.partition(">")
    box = re.search(r'viewBox="[^"]*"', start)
    named = f"{chart.name}-title {chart.name}-says"
    head = f'<svg {box[0] if box else ""} role="img" aria-labelledby="{named}">'
    says = (
        f'<title id="{chart.name}-title">{html.escape(printable(chart.title))}</title>'
        f'<desc id="{chart.name}-says">{html.escape(printable(chart.says))}</desc>'
    )
    return f"{head}{says}{rest}"


def _own(tag: str, name: str) -> str:
    """A tag with ids of this chart only, in the page's font and its colours."""
    tag = re.sub(r' id="', f' id="{name}-', tag)
    tag = re.sub(r'href="#|url\(#', lambda found: f"{found[0]}{name}-", tag)
    tag = re.sub(r"font-family: [^;]*; ", "", tag)
    for colour, variable in _COLOURS.items():
        tag = tag.replace(colour, f"var({variable})")
    return tag
