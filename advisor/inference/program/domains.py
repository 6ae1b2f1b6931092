"""The places where something can change among the values of a fact, and the bounds of computed recommendations."""

from __future__ import annotations

from typing import Any

from advisor.facts.vocabulary import Fact, FactType
from advisor.knowledge.expressions.expressions import At, Expression, Over
from advisor.knowledge.expressions.regions import NO_NUMBER
from advisor.knowledge.model import Topic


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
    low, high = topic.bounds

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
