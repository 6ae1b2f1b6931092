"""Boxes of completions: a region for each unknown fact, points inside them, and how to split them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from advisor.facts.vocabulary import Fact, FactType
from advisor.knowledge.expressions.regions import ANY_TRUTH, FALSE, TRUE, Region


def is_point(region: Any) -> bool:
    if isinstance(region, int):
        return region != ANY_TRUTH
    if isinstance(region, frozenset):
        return len(region) <= 1
    return bool(region[0] == region[1])


def pick(fact: Fact, region: Any, wish: Any = None) -> Any:
    """A value inside the region; the wished one if it lies inside."""
    if isinstance(region, int):
        return wish if isinstance(wish, bool) and region & (TRUE if wish else FALSE) else bool(region & TRUE)
    if isinstance(region, frozenset):
        if wish in region:
            return wish
        return next((name for name in fact.choice_names if name in region), next(iter(region), None))
    low, high, _ = region
    if isinstance(low, frozenset):
        return wish if isinstance(wish, frozenset) and low <= wish <= high else low
    if wish is not None and low <= wish <= high:
        return wish
    return middle(fact, low, high)


def middle(fact: Fact, low: float, high: float) -> float:
    """A value between: geometric over several orders of magnitude, else arithmetic."""
    if low > 0 and high / low > 16:
        between = math.sqrt(low) * math.sqrt(high)
    elif low == 0 and high > 16:
        between = math.sqrt(high)
    else:
        between = low + (high - low) / 2
    if fact.type is FactType.INTEGER:
        return min(max(math.floor(between), math.ceil(low)), math.floor(high))
    return min(max(between, low), high)


def ends(region: Any) -> tuple[Any, ...]:
    """The extreme points of a region."""
    if isinstance(region, int):
        return tuple(value for value, bit in ((True, TRUE), (False, FALSE)) if region & bit)
    if isinstance(region, frozenset):
        return tuple(sorted(name for name in region if name is not None))
    return (region[0], region[1])


def split(fact: Fact, region: Any, cuts: Sequence[float]) -> list[Region]:
    """Smaller regions that together are this one: single choices, or intervals between the constants that matter."""
    if isinstance(region, int):
        return [TRUE, FALSE]
    if isinstance(region, frozenset):
        return [frozenset({name}) for name in fact.choice_names if name in region]
    low, high, _ = region
    if isinstance(low, frozenset):
        name = min(high - low)
        return [(low | {name}, high, False), (low, high - {name}, False)]
    inside = [cut for cut in cuts if low <= cut <= high]
    at = inside[len(inside) // 2] if inside else middle(fact, low, high)
    if fact.type is FactType.INTEGER:
        # A constant need not be whole: the integers below, at and above it.
        parts = [(low, math.ceil(at) - 1, False), (at, at, False), (math.floor(at) + 1, high, False)]
        whole = [part for part in parts if part[0] <= part[1] and (part[0] != part[1] or float(part[0]).is_integer())]
        return [(int(a), int(b), False) if a == b else (a, b, False) for a, b, _ in whole]
    below, above = math.nextafter(at, -math.inf), math.nextafter(at, math.inf)
    parts = [(low, below, False), (at, at, False), (above, high, False)]
    return [part for part in parts if part[0] <= part[1]]


def splits_cleanly(region: Any, cuts: Sequence[float]) -> bool:
    """Return whether a region falls into finitely many parts that rules can tell apart: choices, numbers around a constant."""
    if isinstance(region, int | frozenset) or isinstance(region[0], frozenset):
        return True
    return any(region[0] <= cut <= region[1] for cut in cuts)


def landmarks(fact: Fact, cuts: Sequence[float], near: Any = None, *, computed: bool = True) -> list[Any]:
    """Values worth trying: every choice, or one value in each cell between the constants that matter, nearest first.

    Where the fact is computed with, rather than only compared with constants, also powers of two and ten around the
    present value.
    """
    if fact.type is FactType.BOOLEAN:
        return [True, False]
    if fact.type is FactType.CHOICE:
        return list(fact.choice_names)
    if fact.type is FactType.SET:
        return [frozenset(), *(frozenset({name}) for name in fact.choice_names), frozenset(fact.choice_names)]
    if fact.type is FactType.TEXT:
        return []
    whole = fact.type is FactType.INTEGER
    tries: list[float] = []
    ordered = sorted(set(cuts))
    for index, cut in enumerate(ordered):
        if whole:
            tries += [math.ceil(cut) - 1, math.floor(cut), math.floor(cut) + 1]
        else:
            following = ordered[index + 1] if index + 1 < len(ordered) else fact.maximum
            previous = ordered[index - 1] if index else fact.minimum
            tries += [between(previous, cut), cut, between(cut, following)]
    base = near if near else (0 if ordered else middle(fact, fact.minimum, fact.maximum))
    if base and computed:
        tries += [base * factor for factor in (0.5, 2, 0.25, 4, 0.1, 10, 0.01, 100, 0.001, 1000)]
    if not near:
        tries += [fact.minimum, fact.maximum]
    values: dict[Any, None] = {}
    for value in tries:
        number = int(value) if whole else float(f"{value:.6g}") if value not in ordered else float(value)
        if fact.minimum <= number <= fact.maximum and number != near:
            values[number] = None
    return sorted(values, key=lambda number: _distance(number, near)) if near is not None else list(values)


def between(low: float, high: float) -> float:
    """A round number strictly between, or the middle where none fits."""
    middle_value = math.sqrt(low) * math.sqrt(high) if low > 0 and high / low > 4 else low + (high - low) / 2
    for digits in (1, 2, 3, 6):
        rounded = float(f"{middle_value:.{digits - 1}e}")
        if low < rounded < high:
            return rounded
    return middle_value


def _distance(number: float, near: float) -> float:
    if number > 0 and near > 0:
        return abs(math.log(number / near))
    return math.inf if near else abs(number)
