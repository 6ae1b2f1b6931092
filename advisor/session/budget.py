"""The time that measuring or trying may take."""

from __future__ import annotations

from advisor.errors import InputError, input_error
from advisor.facts.values import parse_value
from advisor.facts.vocabulary import Fact, FactType
from advisor.wording import shorten

SHORTEST, LONGEST = 1, 86400
"""Of a budget, in seconds."""


def seconds_of(budget: str | float) -> float:
    """Seconds from `60s`, `2 min`, or a bare number of seconds. Raises InputError."""
    text = str(budget)
    fact = Fact("--budget", "", FactType.NUMBER, unit="hours", minimum=SHORTEST / 3600, maximum=LONGEST / 3600)
    spelled = f"{text.strip()} s" if text.strip()[-1:].isdigit() else text
    try:
        hours = parse_value(fact, spelled, where="--budget")
    except InputError:
        hours = None
    if not isinstance(hours, float):
        remedy = f"Write for example 60s or 2 min; from {SHORTEST} to {LONGEST} seconds."
        raise input_error("This is no time to measure in", f"{shorten(text)!r}", where="--budget", remedy=remedy)
    return hours * 3600
