"""Figures before they are drawn: points with intervals, what the figure says, and the table that stands behind it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Shape(StrEnum):
    CURVE = "curve"
    """Values over a number that was varied: threads, batch size."""
    DOTS = "dots"
    """A row for each thing, its value along the line."""
    RATIOS = "ratios"
    """The same of ratios: 1 in the middle, and around it what does not matter."""
    SCORES = "scores"
    """The same of scores, which begin nowhere in particular."""


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

    @property
    def marked(self) -> bool:
        """True if its symbols need a legend."""
        return any(point.mark for point in self.points)
