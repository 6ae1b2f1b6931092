"""Loss against time as text: the strategies in one picture, each with a letter of its own."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise

from advisor.distributed.comparing import Curve
from advisor.report.numbers import number_words
from advisor.report.page import Page

_ROWS = 9


def curve_lines(page: Page, curves: Mapping[str, Curve], rows: int = _ROWS) -> None:
    """Draw the curves over one axis of time; where several meet, the letter of the first one stands."""
    known = {name: [(at, value) for at, value in curve if math.isfinite(value)] for name, curve in curves.items()}
    known = {name: curve for name, curve in known.items() if curve}
    points = [point for curve in known.values() for point in curve]
    latest = max((at for at, _ in points), default=0.0)
    if latest <= 0:
        page.add("No time has passed.", first="  ")
        return
    low, high = min(value for _, value in points), max(value for _, value in points)
    logarithmic = is_logarithmic(low, high)
    labels = [f"{value:.3g}" for value in (high, low)]
    margin = max(map(len, labels)) + 2
    columns = page.look.columns - margin - 4
    cells = [[" "] * columns for _ in range(rows)]
    letters = dict(zip(known, "ABCDEFGHIJKLMNOPQRSTUVWXYZ", strict=False))
    for name, letter in reversed(letters.items()):
        for column in range(columns):
            value = value_at(known[name], latest * column / max(1, columns - 1))
            if value is not None:
                place = round((1 - height(value, low, high)) * (rows - 1)) if high > low else 0
                cells[place][column] = letter
    for number, row in enumerate(cells):
        label = labels[0] if number == 0 else labels[1] if number == rows - 1 else ""
        page.verbatim(f"  {label:>{margin - 2}} {''.join(row)}".rstrip())
    scale = " (logarithmic)" if logarithmic else ""
    page.add(f"loss on held-out examples{scale}, over {number_words(latest, 's')}", first=" " * (margin + 1))
    if len(letters) > 1:
        page.add("; ".join(f"{letter} {name}" for name, letter in letters.items()), first="  ")


def is_logarithmic(low: float, high: float) -> bool:
    """True if losses from low to high stand on a logarithmic axis, on which the end of a curve can be seen."""
    return 0 < low < high


def height(value: float, low: float, high: float) -> float:
    """Place a loss between the lowest, 0, and the highest, 1."""
    if is_logarithmic(low, high):
        return math.log(value / low) / math.log(high / low)
    return (value - low) / (high - low)


def value_at(curve: Curve, seconds: float) -> float | None:
    """The loss at a time, between two points along the line through them; None before the first and after the last."""
    for (earlier, before), (later, after) in pairwise(curve):
        if earlier <= seconds <= later:
            share = (seconds - earlier) / (later - earlier) if later > earlier else 1.0
            return before + share * (after - before)
    return curve[0][1] if len(curve) == 1 and seconds == curve[0][0] else None
