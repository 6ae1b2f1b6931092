"""The outcome of one topic, and whether two outcomes are the same advice.

An outcome is the recommended value (a name, a number, a tuple), a `Tie` when nothing leads, or NOT_APPLICABLE.
"""

from __future__ import annotations

import math
from enum import Enum
from typing import Any, TypeAlias

from advisor.knowledge.model import Topic


class Tie(tuple[str, ...]):
    """Several values lead together, or (empty) nothing does."""

    __slots__ = ()


class _Special(Enum):
    NOT_APPLICABLE = "not applicable"
    UNDECIDED = "undecided"


NOT_APPLICABLE = _Special.NOT_APPLICABLE
UNDECIDED = _Special.UNDECIDED
Outcome: TypeAlias = Any


def canonical(topic: Topic, value: Any) -> Outcome:
    """Whole numbers where the topic wants them."""
    if topic.type == "integer":
        return round(value)
    return tuple(round(v) for v in value) if topic.type == "integers" else value


def same(topic: Topic, a: Outcome, b: Outcome) -> bool:
    """Return whether two outcomes are the same advice: equal, or numbers within the topic's tolerance."""
    if a == b and type(a) is type(b):
        return True
    numbers = isinstance(a, int | float) and isinstance(b, int | float)
    if numbers and topic.type == "integer":
        a, b = round(a) if abs(a) < 1e18 else a, round(b) if abs(b) < 1e18 else b
    return numbers and abs(a - b) < math.inf and abs(a - b) <= topic.tolerance * max(abs(a), abs(b))


def same_throughout(topic: Topic, outcome: Outcome, region: Any, other: Outcome) -> bool:
    """Return whether all of a region with a decided outcome is the same advice as another outcome."""
    spread = topic.tolerance and isinstance(outcome, int | float)
    return same(topic, outcome, other) and (not spread or all(same(topic, end, other) for end in region[:2]))
