"""The place of series in a table: which columns are times and which are values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Arrangement(StrEnum):
    """The arrangement of series in a table."""

    LONG = "long"  # a row for each time, of one series or of several that a column tells apart
    WIDE = "wide"  # a row for each series, a column for each time


@dataclass(frozen=True, slots=True)
class SeriesShape:
    """The series in a table."""

    kind: Arrangement
    value_columns: tuple[str, ...]
    """Long: the measured values, the one to predict first. Wide: the columns in the order of time."""
    steps: int
    """Of history that an example has."""
    time_column: str | None = None
    group_column: str | None = None
    season: int | None = None
    """Steps after which values may repeat: 24 of hours, 12 of months."""
    series: int = 1
    """Long: their number, as far as the sample shows."""
