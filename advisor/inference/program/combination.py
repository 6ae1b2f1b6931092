"""The combination of one topic's rules into an outcome, at known facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from advisor.inference.outcomes import Outcome, Tie, canonical
from advisor.knowledge.expressions.expressions import At, Over
from advisor.knowledge.model import Effect, Policy, Rule, School, Strength, Topic

MEMO_LIMIT = 5_000

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


def active(rules: Sequence[CompiledRule], truth: Sequence[bool | None]) -> list[bool]:
    """The rules that hold and are not silenced by one that supersedes them."""
    return [
        truth[i] is True and not (rule.silencers and any(truth[j] is True for j in rule.silencers))
        for i, rule in enumerate(rules)
    ]


class Combination:
    """The rules of one topic in one school, ready to be combined."""

    def __init__(self, topic: Topic, rules: Sequence[CompiledRule], school: School) -> None:
        self.topic = topic
        self.rules = tuple(rules)
        every = [(i, compiled.rule) for i, compiled in enumerate(rules)]
        scored = topic.policy is Policy.SCORE
        # Of the rules that make one argument for or against one value, the strongest that holds counts.
        numbers: dict[tuple[str, int, str], int] = {}
        self.weights = [0] * len(rules)
        self.argument_of = [0] * len(rules)
        for i, rule in every:
            if scored and rule.effect in (Effect.FOR, Effect.AGAINST):
                key = (rule.value, 1 if rule.effect is Effect.FOR else -1, rule.argument)
                self.weights[i], self.argument_of[i] = weight(rule, school), numbers.setdefault(key, len(numbers))
        self.arguments = [(value, sign) for value, sign, _ in numbers]
        self.vetoes = tuple((i, rule.value) for i, rule in every if rule.effect is Effect.VETO)
        self.items = {value: tuple(i for i, rule in every if rule.value == value) for value in topic.values}
        # Rules that give a value decide before all arguments: what was measured needs none.
        placed = (i for i, rule in every if rule.effect is Effect.VALUE or not scored)
        self.placed = tuple(sorted(placed, key=lambda i: not self.rules[i].rule.is_statement))
        self._remembered: dict[tuple[bool | None, ...], Outcome] = {}

    def forget(self) -> None:
        self._remembered.clear()

    def outcome(self, truth: Sequence[bool | None], values: list[Any]) -> Outcome:
        """The outcome when each rule's condition has been worked out already."""
        policy = self.topic.policy
        if policy is not Policy.ALL:
            found = self.by_place(truth, values)
            if found is not None:
                return found[1]
            if policy is not Policy.SCORE:
                return Tie()
        key = tuple(truth)
        outcome = self._remembered.get(key)
        if outcome is None:
            if len(self._remembered) > MEMO_LIMIT:
                self._remembered.clear()
            outcome = self._remembered[key] = self.score(truth) if policy is Policy.SCORE else self._added(truth)
        return outcome

    def by_place(self, truth: Sequence[bool | None], values: list[Any]) -> tuple[int, Outcome] | None:
        """The position and value of the first rule that decides by its place: in a topic of policy score one of those that
        come before all arguments."""
        rules = self.rules
        for position in self.placed:
            if truth[position] is True:
                rule = rules[position]
                if rule.silencers and any(truth[j] is True for j in rule.silencers):
                    continue
                if rule.literal is not None:
                    return position, rule.literal
                value = rule.value_at(values)
                if value is not None:
                    return position, canonical(self.topic, value)
        return None

    def _added(self, truth: Sequence[bool | None]) -> Outcome:
        on = active(self.rules, truth)
        return tuple(value for value, members in self.items.items() if any(on[i] for i in members))

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
            number = self.argument_of[position]
            if self.weights[position] > best.get(number, 0):
                best[number] = self.weights[position]
        for number, points in best.items():
            value, sign = self.arguments[number]
            totals[value] = totals.get(value, 0) + sign * points
            if sign > 0:
                supported.add(value)
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
        return leaders[0] if len(leaders) == 1 else Tie(value for value in self.topic.values if value in leaders)
