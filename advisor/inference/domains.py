"""The values that a fact can have, and where something can change among them."""

from __future__ import annotations

import math
from typing import Any

from advisor.facts.vocabulary import Fact, FactType
from advisor.knowledge.regions import ANY_TRUTH, NO_NUMBER, NO_SET, UNKNOWN, Region


def nothing_of_fact(fact: Fact) -> Any:
    if fact.type is FactType.BOOLEAN:
        return UNKNOWN
    if fact.type is FactType.SET:
        return NO_SET
    return NO_NUMBER if fact.numeric else frozenset({None})


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
    """Where the truth of `fact symbol constant` changes: of whole numbers half way between two of them."""
    if fact.type is not FactType.INTEGER or constant != round(constant):
        return (constant,)
    below, above = constant - 0.5, constant + 0.5
    return (below,) if symbol in ("<", ">=") else (above,) if symbol in (">", "<=") else (below, above)
