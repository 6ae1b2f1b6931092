"""The order of measurements by their dates, though a clock may have been wrong: what is dated ahead counts as the oldest."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from advisor.probes.outcome import Outcome

_MARGIN = timedelta(days=1)
"""Dates may be days, and clocks of machines differ a little."""


def oldest_first(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """By date, and those first that are dated ahead: nothing could ever be newer than they."""
    end = _end()
    return sorted(outcomes, key=lambda outcome: (outcome.date <= end, outcome.date))


def newest_date(outcomes: Iterable[Outcome]) -> str:
    """Of the newest measurement, ISO 8601; empty where there is none."""
    end = _end()
    return max((outcome.date for outcome in outcomes), key=lambda date: (date <= end, date), default="")


def dated_ahead(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Those of a day that has not come: the clock was wrong when they were made, or is wrong now."""
    end = _end()
    return [outcome for outcome in outcomes if outcome.date > end]


def _end() -> str:
    return (datetime.now(UTC) + _MARGIN).isoformat(timespec="seconds")
