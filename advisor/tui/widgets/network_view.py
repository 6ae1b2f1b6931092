"""The network of the plan, drawn: a bar for each layer above its size, and below them what it needs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from textual.content import Content
from textual.events import Resize
from textual.widgets import Static

from advisor.tui.sketch import Layer, Sketch
from advisor.tui.text import FAINT, lines, plain
from advisor.wording import printable

NOTHING_YET = "The first answers draw it."
ARROW = " ▸ "
_EIGHTHS = " ▁▂▃▄▅▆▇█"
BAR_LINES = 3
_LEAST_LINES = 5
"""Lines of a view that has room for bars."""
FEWEST = 3
"""The first layer, something left out, and the last."""
EDGES, INNER = "$text-secondary", "$text-primary"
"""The colours of the example and the answer, and of the layers between them."""


class NetworkView(Static):
    """Follows its size: with bars where there is room, else on one line, with as many of the facts as fit as a whole."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("", id=id, markup=False)
        self.sketch: Sketch | None = None
        self.border_title = "Your network"

    def show(self, sketch: Sketch) -> None:
        self.sketch = sketch
        self._draw()

    def on_resize(self, event: Resize) -> None:
        self._draw()

    def _draw(self) -> None:
        width, height = self.size
        if self.sketch is None or not width:
            return
        if height >= _LEAST_LINES:
            told = _told(self.sketch, width, height - BAR_LINES - 1)
            self.update(lines([*_bars(self.sketch, width), told]) if self.sketch.drawn else told)
        else:
            self.update(_line(self.sketch, width))


def _line(sketch: Sketch, width: int) -> Content:
    """`48×48×3 ▸ 64 ▸ 128 ▸ 3  CNN · 1.15 M weights`."""
    if not sketch.drawn:
        return Content.styled(NOTHING_YET, FAINT)
    drawn = _labels(_fitting(sketch.layers, width))
    told = [sketch.kind, *sketch.facts]
    while told and drawn.cell_length + 2 + len(" · ".join(told)) > width:
        told.pop()
    return Content.assemble(drawn, "  ", (printable(" · ".join(told)), FAINT))


def _told(sketch: Sketch, width: int, height: int) -> Content:
    """The kind and the facts, in as many lines as there are."""
    if not sketch.drawn:
        return Content.styled(NOTHING_YET, FAINT)
    rows: list[list[str]] = [[]]
    for part in (sketch.kind, *sketch.facts):
        if rows[-1] and len(" · ".join([*rows[-1], part])) > width:
            rows.append([])
        rows[-1].append(part)
    return lines(plain(" · ".join(row)) for row in rows[: max(height, 1)])


def _labels(layers: Sequence[Layer]) -> Content:
    last = len(layers) - 1
    shown = [
        Content.styled(printable(layer.label), f"bold {EDGES if number in (0, last) else INNER}")
        for number, layer in enumerate(layers)
    ]
    return Content.styled(ARROW, FAINT).join(shown)


def _bars(sketch: Sketch, width: int) -> list[Content]:
    """Lines of bars, as high as the logarithm of the layers' sizes, and the line of their labels."""
    layers = _fitting(sketch.layers, width)
    most = max((math.log2(layer.size + 1) for layer in layers if layer.size), default=1.0)
    levels = [max(1, round(8 * BAR_LINES * math.log2(layer.size + 1) / most)) if layer.size else 0 for layer in layers]
    rows = []
    for row in reversed(range(BAR_LINES)):
        parts: list[Content] = []
        for number, (layer, level) in enumerate(zip(layers, levels, strict=True)):
            cell = _EIGHTHS[min(8, max(0, level - 8 * row))]
            colour = EDGES if number in (0, len(layers) - 1) else INNER
            parts.append(Content.styled(cell * len(layer.label), colour))
        rows.append(Content(" " * len(ARROW)).join(parts))
    return [*rows, _labels(layers)]


def _fitting(layers: Sequence[Layer], width: int) -> list[Layer]:
    """The layers, equal ones in a row told together and then the middle left out where the line would be too long."""
    shown = list(layers)
    if _length(shown) > width:
        groups = [list(group) for _, group in itertools.groupby(shown)]
        shown = [_together(group) for group in groups]
    kept = shown
    while _length(shown) > width and len(shown) > FEWEST:
        middle = len(kept) // 2
        kept = [*kept[:middle], *kept[middle + 1 :]]
        shown = [*kept[:middle], Layer("…", None), *kept[middle:]]
    return shown


def _together(group: Sequence[Layer]) -> Layer:
    first = group[0]
    return first if len(group) == 1 else Layer(f"{len(group)} × {first.label}", first.size)


def _length(layers: Sequence[Layer]) -> int:
    return sum(len(layer.label) for layer in layers) + len(ARROW) * (len(layers) - 1)
