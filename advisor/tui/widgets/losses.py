"""Loss against time under several strategies, drawn with characters: a line for each, with its letter on it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from advisor.report.strategies.curve import height, is_logarithmic
from advisor.tui.widgets.curves import MOST_POINTS, Plot

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_COLOURS = ("primary", "accent", "success", "secondary", "error", "warning")


def letter_of(number: int) -> str:
    """The letter of a strategy by its place in the list; empty beyond the alphabet."""
    return LETTERS[number] if number < len(LETTERS) else ""


class LossChart(Plot):
    """Seconds from left to right, as its title says; the list beside it tells which letter is which strategy."""

    DEFAULT_CSS = """
    LossChart { min-height: 8; border: round $line; border-title-color: $text; border-title-style: bold; }
    """

    def __init__(self, title: str, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.border_title = title
        self.curves: Mapping[str, Sequence[tuple[float, float]]] = {}

    def show(self, curves: Mapping[str, Sequence[tuple[float, float]]]) -> None:
        """
        Args:
            curves: by letter the seconds and losses, in the order of time. What is no number is left out.
        """
        finite = {name: [point for point in curve if math.isfinite(point[1])] for name, curve in curves.items()}
        self.curves = {name: curve for name, curve in finite.items() if curve}
        self.refresh()

    def draw(self) -> None:
        plot = self.plt
        if not self.curves:
            return
        for number, curve in enumerate(self.curves.values()):
            step = max(1, -(-len(curve) // MOST_POINTS))
            shown = [*curve[:-1:step], curve[-1]]
            colour = self.colour(_COLOURS[number % len(_COLOURS)])
            plot.plot(
                [at for at, _ in shown], [self._height(loss) for _, loss in shown], marker="braille", color=colour
            )
        self._letter()
        self._scale()

    def _letter(self) -> None:
        """Each at another place from left to right, so that none lies on another where the lines meet."""
        latest = self._latest
        for number, (letter, curve) in enumerate(self.curves.items()):
            wanted = latest * (number + 1) / (len(self.curves) + 1)
            at, loss = min(curve, key=lambda point: abs(point[0] - wanted))
            self.plt.scatter(
                [at], [self._height(loss)], marker=letter or "●", color=self.colour(_COLOURS[number % len(_COLOURS)])
            )

    def _scale(self) -> None:
        low, high = self._bounds
        middle = math.sqrt(low * high) if is_logarithmic(low, high) else (low + high) / 2
        losses = [low, middle, high] if high > low else [low]
        self.plt.yticks([self._height(loss) for loss in losses], [f"{loss:.3g}" for loss in losses])
        self.plt.xlim(0, self._latest)

    @property
    def _bounds(self) -> tuple[float, float]:
        """The lowest loss and the highest."""
        losses = [loss for curve in self.curves.values() for _, loss in curve]
        return min(losses), max(losses)

    def _height(self, loss: float) -> float:
        """Of a loss in the chart, whose axis is logarithmic."""
        low, high = self._bounds
        return height(loss, low, high) if high > low else loss

    @property
    def _latest(self) -> float:
        return max(curve[-1][0] for curve in self.curves.values()) or 1.0
