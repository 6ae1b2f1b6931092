"""The combination of one topic's rules into an outcome, at known facts and over regions of unknown ones.

An outcome is the recommended value (a name, a number, a tuple), a `Tie` when nothing leads, or NOT_APPLICABLE.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

from advisor.knowledge.expressions.expressions import At, Over
from advisor.knowledge.expressions.regions import TRUE
from advisor.knowledge.model import Effect, Policy, Rule, School, Strength, Topic

MEMO_LIMIT = 5_000


class Tie(tuple[str, ...]):
    """Several values lead together, or (empty) nothing does."""

    __slots__ = ()


class _Special(Enum):
    NOT_APPLICABLE = "not applicable"
    UNDECIDED = "undecided"


NOT_APPLICABLE = _Special.NOT_APPLICABLE
UNDECIDED = _Special.UNDECIDED
Outcome: TypeAlias = Any

# A strong argument outweighs any number of moderate ones, a moderate one any number of weak ones: the order is
# lexicographic as long as a topic has fewer than half a million rules.
WEIGHTS = {Strength.STRONG: 10**12, Strength.MODERATE: 10**6, Strength.WEAK: 1}


def weight(rule: Rule, school: School) -> int:
    """The weight of one argument; a historical one is weak in school survey and nothing today."""
    if rule.strength is Strength.HISTORICAL:
        return WEIGHTS[Strength.WEAK] if school is School.SURVEY else 0
    return WEIGHTS[rule.strength] if rule.strength else 0


@dataclass(frozen=True, slots=True)
class CompiledRule:
    rule: Rule
    at: At
    over: Over
    reads: frozenset[int]
    literal: str | None
    value_at: At
    value_over: Over
    silencers: tuple[int, ...]  # positions of the rules that supersede this one
    atoms: tuple[int, ...]  # numbers of the conditions that its own joins by `and`


@dataclass(frozen=True, slots=True)
class Group:
    """The rules that make one argument for or against one value; the strongest that holds counts."""

    value: str
    sign: int
    members: tuple[tuple[int, int], ...]  # position of the rule, weight


def truths(rules: Sequence[CompiledRule], values: list[Any]) -> list[bool | None]:
    return [rule.at(values) for rule in rules]


def active(rules: Sequence[CompiledRule], truth: Sequence[bool | None]) -> list[bool]:
    """The rules that hold and are not silenced by one that supersedes them."""
    return [
        truth[i] is True and not (rule.silencers and any(truth[j] is True for j in rule.silencers))
        for i, rule in enumerate(rules)
    ]


def make_groups(rules: Sequence[CompiledRule], school: School) -> tuple[Group, ...]:
    members: dict[tuple[str, int, str], list[tuple[int, int]]] = {}
    for position, compiled in enumerate(rules):
        rule = compiled.rule
        if rule.effect in (Effect.FOR, Effect.AGAINST):
            sign = 1 if rule.effect is Effect.FOR else -1
            members.setdefault((rule.value, sign, rule.argument), []).append((position, weight(rule, school)))
    return tuple(Group(value, sign, tuple(rules)) for (value, sign, _), rules in members.items())


class Combination:
    """The rules of one topic in one school, ready to be combined."""

    def __init__(self, topic: Topic, rules: Sequence[CompiledRule], school: School) -> None:
        self.topic = topic
        self.rules = tuple(rules)
        self.groups = make_groups(rules, school) if topic.policy is Policy.SCORE else ()
        self.group_of = {i: number for number, group in enumerate(self.groups) for i, _ in group.members}
        points = {i: weight for group in self.groups for i, weight in group.members}
        self.weights = [points.get(i, 0) for i in range(len(self.rules))]
        self.vetoes = tuple((i, r.rule.value) for i, r in enumerate(rules) if r.rule.effect is Effect.VETO)
        self.order = {value: position for position, value in enumerate(topic.values)}
        self.items = {value: tuple(i for i, r in enumerate(rules) if r.rule.value == value) for value in topic.values}
        # Rules that give a value decide before all arguments: what was measured needs none.
        self.ahead = tuple(
            i for i, r in enumerate(rules) if r.rule.effect is Effect.VALUE and topic.policy is Policy.SCORE
        )
        self._remembered: dict[tuple[bool | None, ...], Outcome] = {}

    # --- at known facts -------------------------------------------------------------------------------------------

    def outcome(self, values: list[Any]) -> Outcome:
        policy = self.topic.policy
        if policy is Policy.SCORE:
            position = self.foremost(values) if self.ahead else None
            if position is not None:
                return self.value_of(position, values)
            return self.score([rule.at(values) for rule in self.rules])
        if policy is Policy.ALL:
            on = active(self.rules, truths(self.rules, values))
            return tuple(value for value, members in self.items.items() if any(on[i] for i in members))
        position = self.first(values)
        return Tie() if position is None else self.value_of(position, values)

    def from_truths(self, truth: Sequence[bool | None], values: list[Any]) -> Outcome:
        """The outcome when each rule's condition has been worked out already."""
        policy = self.topic.policy
        for position in self.ahead:
            if truth[position] is True:
                found = self.foremost(values)
                if found is not None:
                    return self.value_of(found, values)
                break
        if policy in (Policy.SCORE, Policy.ALL):
            key = tuple(truth)
            found = self._remembered.get(key)
            if found is None:
                if len(self._remembered) > MEMO_LIMIT:
                    self._remembered.clear()
                found = self._remembered[key] = self._from_truths(truth)
            return found
        for position, holds in enumerate(truth):
            if holds is True:
                rule = self.rules[position]
                if rule.silencers and any(truth[j] is True for j in rule.silencers):
                    continue
                if rule.literal is not None:
                    return rule.literal
                value = rule.value_at(values)
                if value is not None:
                    return canonical(self.topic, value)
        return Tie()

    def forget(self) -> None:
        self._remembered.clear()

    def _from_truths(self, truth: Sequence[bool | None]) -> Outcome:
        if self.topic.policy is Policy.SCORE:
            return self.score(truth)
        on = active(self.rules, truth)
        return tuple(value for value, members in self.items.items() if any(on[i] for i in members))

    def first(self, values: list[Any]) -> int | None:
        """The position of the rule that decides a topic of policy first or value."""
        return self._first_of(range(len(self.rules)), values)

    def foremost(self, values: list[Any]) -> int | None:
        """The position of the rule that decides a topic of policy score before its arguments are weighed."""
        return self._first_of(self.ahead, values)

    def _first_of(self, positions: Iterable[int], values: list[Any]) -> int | None:
        rules = self.rules
        for position in positions:
            rule = rules[position]
            if rule.at(values) is True:
                if rule.silencers and any(rules[j].at(values) is True for j in rule.silencers):
                    continue
                if rule.literal is not None or rule.value_at(values) is not None:
                    return position
        return None

    def value_of(self, position: int, values: list[Any]) -> Outcome:
        rule = self.rules[position]
        return rule.literal if rule.literal is not None else canonical(self.topic, rule.value_at(values))

    def net(self, truth: Sequence[bool | None]) -> dict[str, int]:
        """Net weight of every value with an argument in its favour that is not vetoed."""
        totals: dict[str, int] = {}
        supported = set()
        rules = self.rules
        best: dict[int, int] = {}
        for position, holds in enumerate(truth):
            if holds is not True or not self.weights[position]:
                continue
            silencers = rules[position].silencers
            if silencers and any(truth[j] is True for j in silencers):
                continue
            group = self.group_of[position]
            if self.weights[position] > best.get(group, 0):
                best[group] = self.weights[position]
        for number, points in best.items():
            group_ = self.groups[number]
            totals[group_.value] = totals.get(group_.value, 0) + group_.sign * points
            if group_.sign > 0:
                supported.add(group_.value)
        for position, value in self.vetoes:
            if truth[position] is True and not any(truth[j] is True for j in rules[position].silencers):
                supported.discard(value)
        return {value: totals[value] for value in supported}

    def score(self, truth: Sequence[bool | None]) -> Outcome:
        totals = self.net(truth)
        best = max(totals.values(), default=0)
        if best <= 0:
            return Tie()
        leaders = [value for value, total in totals.items() if total == best]
        return leaders[0] if len(leaders) == 1 else Tie(sorted(leaders, key=self.order.__getitem__))

    # --- over regions ---------------------------------------------------------------------------------------------

    def possible(self, bits: Sequence[int], regions: list[Any]) -> tuple[Outcome, Any]:
        """The outcome if every completion in the region gives it (else UNDECIDED), and the region of values."""
        policy = self.topic.policy
        if policy is Policy.SCORE:
            given = self._possible_ahead(bits, regions) if self.ahead else None
            return self._possible_score(bits) if given is None else given
        if policy is Policy.ALL:
            return self._possible_items(bits)
        return self._possible_first(bits, regions)

    def _certain(self, i: int, bits: Sequence[int]) -> bool:
        return bits[i] == TRUE and not any(bits[j] & TRUE for j in self.rules[i].silencers)

    def _may(self, i: int, bits: Sequence[int]) -> bool:
        return bool(bits[i] & TRUE) and not any(bits[j] == TRUE for j in self.rules[i].silencers)

    def _possible_ahead(self, bits: Sequence[int], regions: list[Any]) -> tuple[Outcome, Any] | None:
        """The value of the rules that decide before all arguments; None where none of them can hold."""
        names: frozenset[Any] = frozenset()
        for position in self.ahead:
            if self._may(position, bits):
                rule = self.rules[position]
                given = frozenset({rule.literal}) if rule.literal is not None else rule.value_over(regions)
                names |= given - {None}
                if self._certain(position, bits) and None not in given:
                    return (next(iter(names)) if len(names) == 1 else UNDECIDED), names
        if not names:
            return None
        return UNDECIDED, names | self._possible_score(bits)[1]

    def _possible_score(self, bits: Sequence[int]) -> tuple[Outcome, Any]:
        if all(b in (1, 2, 4) for b in bits):
            outcome = self.score([b == TRUE for b in bits])
            return outcome, frozenset({None if isinstance(outcome, Tie) else outcome})
        least: dict[int, int] = {}
        most: dict[int, int] = {}
        for position, bit in enumerate(bits):
            points = self.weights[position]
            if not bit & TRUE or not points:
                continue
            certain = bit == TRUE
            silencers = self.rules[position].silencers
            if silencers:
                if any(bits[j] == TRUE for j in silencers):
                    continue
                certain = certain and not any(bits[j] & TRUE for j in silencers)
            group = self.group_of[position]
            if points > most.get(group, 0):
                most[group] = points
            if certain and points > least.get(group, 0):
                least[group] = points
        low: dict[str, int] = {}
        high: dict[str, int] = {}
        sure: set[str] = set()
        maybe: set[str] = set()
        for number, possible in most.items():
            group_ = self.groups[number]
            value, surely = group_.value, least.get(number, 0)
            if group_.sign > 0:
                low[value] = low.get(value, 0) + surely
                high[value] = high.get(value, 0) + possible
                maybe.add(value)
                if surely:
                    sure.add(value)
            else:
                low[value] = low.get(value, 0) - possible
                high[value] = high.get(value, 0) - surely
        for position, value in self.vetoes:
            if self._may(position, bits):
                sure.discard(value)
            if self._certain(position, bits):
                maybe.discard(value)
        floor = max((low[value] for value in sure), default=0)
        leaders = {value for value in maybe if high[value] > 0 and high[value] >= floor}
        if not leaders:
            return Tie(), frozenset({None})
        for value in sure:
            if low[value] > 0 and all(low[value] > high[other] for other in maybe if other != value):
                return value, frozenset({value})
        return UNDECIDED, frozenset(leaders | {None})

    def _possible_items(self, bits: Sequence[int]) -> tuple[Outcome, Any]:
        must, may = [], []
        for value, members in self.items.items():
            if any(self._certain(i, bits) for i in members):
                must.append(value)
            if any(self._may(i, bits) for i in members):
                may.append(value)
        region = (frozenset(must), frozenset(may), False)
        return (tuple(must) if must == may else UNDECIDED), region

    def _possible_first(self, bits: Sequence[int], regions: list[Any]) -> tuple[Outcome, Any]:
        found: list[Any] = []
        for position, rule in enumerate(self.rules):
            if not self._may(position, bits):
                continue
            region = frozenset({rule.literal}) if rule.literal is not None else rule.value_over(regions)
            defined, undefined = split_undefined(self.topic, region)
            if defined is not None:
                found.append(defined)
            if self._certain(position, bits) and not undefined and defined is not None:
                break
        else:
            found.append(None)  # possibly no rule holds
        return _agreed(self.topic, found)


def canonical(topic: Topic, value: Any) -> Outcome:
    """Whole numbers where the topic wants them."""
    if topic.type == "integer":
        return round(value)
    return tuple(round(v) for v in value) if topic.type == "integers" else value


def split_undefined(topic: Topic, region: Any) -> tuple[Any, bool]:
    """The region without its unknown part (None when nothing is left), and whether there was one."""
    if topic.policy is Policy.FIRST:
        names = region - {None}
        return (names or None), None in region
    if topic.type == "integers":
        lists = tuple(alternative for alternative in region if alternative is not None)
        return (lists or None), None in region
    low, high, undefined = region
    return (None if low > high else (low, high, False)), undefined


def _agreed(topic: Topic, found: list[Any]) -> tuple[Outcome, Any]:
    """The outcome when all regions hold the same single value, and their union as a region for other topics."""
    nothing = None in found
    known = [region for region in found if region is not None]
    if topic.policy is Policy.FIRST:
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


def decided(bits: int) -> bool:
    """Return whether a rule's condition is settled as far as firing goes: surely true, or surely not."""
    return bits == TRUE or not bits & TRUE
