"""The values that a fact can have, and where something can change among them."""

from __future__ import annotations

import math
from typing import Any

from advisor.facts.vocabulary import Fact, FactType
from advisor.knowledge.expressions.expressions import At, Expression, Over
from advisor.knowledge.expressions.regions import ANY_TRUTH, NO_NUMBER, Region
from advisor.knowledge.model import Topic


def domain(fact: Fact) -> Region:
    """Every value that the fact can have once it is known."""
    if fact.type is FactType.BOOLEAN:
        return ANY_TRUTH
    if fact.type is FactType.CHOICE:
        return frozenset(fact.choice_names)
    if fact.type is FactType.SET:
        return (frozenset(), frozenset(fact.choice_names), False)
    if fact.type is FactType.TEXT:
        return frozenset({"any text"})  # no expression can decide on it
    if fact.type is FactType.INTEGER:
        return (math.ceil(fact.minimum), math.floor(fact.maximum), False)
    return (fact.minimum, fact.maximum, False)


def boundaries(fact: Fact, constant: float, symbol: str) -> tuple[float, ...]:
    """The places where the truth of `fact symbol constant` changes: of whole numbers half way between two of them."""
    if fact.type is not FactType.INTEGER or constant != round(constant):
        return (constant,)
    below, above = constant - 0.5, constant + 0.5
    return (below,) if symbol in ("<", ">=") else (above,) if symbol in (">", "<=") else (below, above)


def bounded(topic: Topic, value: Expression) -> tuple[At, Over]:
    """The closures of a computed recommendation; outside of the topic's bounds it is unknown."""
    if topic.minimum is None and topic.maximum is None:
        return value.at, value.over
    low = -math.inf if topic.minimum is None else topic.minimum
    high = math.inf if topic.maximum is None else topic.maximum

    def at(v: list[Any]) -> Any:
        found = value.at(v)
        return found if found is not None and topic.admits(found) else None

    def number(region: Any) -> Any:
        least, most, _ = region
        if least > most or (low <= least and most <= high):
            return region
        least, most = max(least, low), min(most, high)
        return (least, most, True) if least <= most else NO_NUMBER

    def over(r: list[Any]) -> Any:
        region = value.over(r)
        if topic.type != "integers":
            return number(region)
        lists: dict[Any, None] = {}
        for alternative in region:
            inside = None if alternative is None else tuple(number(element) for element in alternative)
            outside = inside is None or any(unknown for _, _, unknown in inside)
            if inside is not None and all(least <= most for least, most, _ in inside):
                lists[tuple((least, most, False) for least, most, _ in inside)] = None
            if outside:
                lists[None] = None
        return tuple(lists)

    return at, over
