"""The combination of one topic's rules over regions of unknown facts: the outcome that every completion gives, if one does."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from advisor.inference.outcomes import UNDECIDED, Outcome, Tie, canonical, same
from advisor.inference.program.combination import Combination
from advisor.knowledge.expressions.regions import TRUE
from advisor.knowledge.model import Policy, Topic


def decided(bits: int) -> bool:
    """Return whether a rule's condition is settled as far as firing goes: surely true, or surely not."""
    return bits == TRUE or not bits & TRUE


def possible(rules: Combination, bits: Sequence[int], regions: list[Any]) -> tuple[Outcome, Any]:
    """The outcome if every completion in the region gives it (else UNDECIDED), and the region of values."""
    policy = rules.topic.policy
    if policy is Policy.ALL:
        return _items(rules, bits)
    found, sure = _by_place(rules, bits, regions) if rules.placed else ([], False)
    if sure or policy is not Policy.SCORE:
        return _agreed(rules.topic, found, nothing=not sure)
    outcome, region = _weighed(rules, bits)
    return (UNDECIDED, region.union(*found)) if found else (outcome, region)


def _certain(rules: Combination, i: int, bits: Sequence[int]) -> bool:
    return bits[i] == TRUE and not any(bits[j] & TRUE for j in rules.rules[i].silencers)


def _may(rules: Combination, i: int, bits: Sequence[int]) -> bool:
    return bool(bits[i] & TRUE) and not any(bits[j] == TRUE for j in rules.rules[i].silencers)


def _by_place(rules: Combination, bits: Sequence[int], regions: list[Any]) -> tuple[list[Any], bool]:
    """The regions of what rules may give that decide by their place, and whether one of them surely gives a value."""
    found: list[Any] = []
    for position in rules.placed:
        if not _may(rules, position, bits):
            continue
        rule = rules.rules[position]
        region = frozenset({rule.literal}) if rule.literal is not None else rule.value_over(regions)
        defined, undefined = _split_undefined(rules.topic, region)
        if defined is not None:
            found.append(defined)
            if not undefined and _certain(rules, position, bits):
                return found, True
    return found, False


def _weighed(rules: Combination, bits: Sequence[int]) -> tuple[Outcome, frozenset[Any]]:
    """The outcome of the arguments."""
    if all(b in (1, 2, 4) for b in bits):
        outcome = rules.score([b == TRUE for b in bits])
        return outcome, frozenset({None if isinstance(outcome, Tie) else outcome})
    least: dict[int, int] = {}
    most: dict[int, int] = {}
    for position, bit in enumerate(bits):
        points = rules.weights[position]
        if not bit & TRUE or not points:
            continue
        certain = bit == TRUE
        silencers = rules.rules[position].silencers
        if silencers:
            if any(bits[j] == TRUE for j in silencers):
                continue
            certain = certain and not any(bits[j] & TRUE for j in silencers)
        number = rules.argument_of[position]
        if points > most.get(number, 0):
            most[number] = points
        if certain and points > least.get(number, 0):
            least[number] = points
    low, high = defaultdict[str, int](int), defaultdict[str, int](int)
    sure: set[str] = set()
    maybe: set[str] = set()
    for number, mostly in most.items():
        (value, sign), surely = rules.arguments[number], least.get(number, 0)
        low[value] += surely if sign > 0 else -mostly
        high[value] += mostly if sign > 0 else -surely
        if sign > 0:
            maybe.add(value)
            if surely:
                sure.add(value)
    for position, value in rules.vetoes:
        if _may(rules, position, bits):
            sure.discard(value)
        if _certain(rules, position, bits):
            maybe.discard(value)
    floor = max((low[value] for value in sure), default=0)
    leaders = {value for value in maybe if high[value] > 0 and high[value] >= floor}
    if not leaders:
        return Tie(), frozenset({None})
    for value in sure:
        if low[value] > 0 and all(low[value] > high[other] for other in maybe if other != value):
            return value, frozenset({value})
    return UNDECIDED, frozenset(leaders | {None})


def _items(rules: Combination, bits: Sequence[int]) -> tuple[Outcome, Any]:
    must, may = [], []
    for value, members in rules.items.items():
        if any(_certain(rules, i, bits) for i in members):
            must.append(value)
        if any(_may(rules, i, bits) for i in members):
            may.append(value)
    region = (frozenset(must), frozenset(may), False)
    return (tuple(must) if must == may else UNDECIDED), region


def _split_undefined(topic: Topic, region: Any) -> tuple[Any, bool]:
    """The region without its unknown part (None when nothing is left), and whether there was one."""
    if topic.policy is not Policy.VALUE:
        names = region - {None}
        return (names or None), None in region
    if topic.type == "integers":
        lists = tuple(alternative for alternative in region if alternative is not None)
        return (lists or None), None in region
    low, high, undefined = region
    return (None if low > high else (low, high, False)), undefined


def _agreed(topic: Topic, known: list[Any], *, nothing: bool) -> tuple[Outcome, Any]:
    """The outcome when all regions hold the same single value, and their union as a region for other topics; with `nothing`
    there may be no value as well."""
    if topic.policy is not Policy.VALUE:
        names: frozenset[Any] = frozenset().union(*known)
        possible = names | ({None} if nothing else frozenset())
        if not names:
            return Tie(), possible
        return (next(iter(names)) if len(possible) == 1 else UNDECIDED), possible
    if topic.type == "integers":
        lists = tuple(dict.fromkeys(alternative for region in known for alternative in region))
        if not lists:
            return Tie(), (None,)
        exact = all(low == high for one in lists for low, high, _ in one)
        points = {tuple(round(low) for low, _, _ in one) for one in lists} if exact else ()
        outcome = next(iter(points)) if len(points) == 1 and not nothing else UNDECIDED
        return outcome, lists + ((None,) if nothing else ())
    if not known:
        return Tie(), (float("inf"), float("-inf"), True)
    low, high = min(r[0] for r in known), max(r[1] for r in known)
    if topic.type == "integer":  # other topics see whole numbers
        low, high = (round(end) if math.isfinite(end) else end for end in (low, high))
    region = (low, high, nothing)
    if nothing or not same(topic, low, high):
        return UNDECIDED, region
    return canonical(topic, low), region
