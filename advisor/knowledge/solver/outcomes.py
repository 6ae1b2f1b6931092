"""The combination of one topic's rules, as formulas: which rules hold, count and decide, and what comes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import z3

from advisor.knowledge.checks import topic_reads
from advisor.knowledge.model import Effect, Policy, Rule, School, Strength, Topic, is_literal
from advisor.knowledge.solver.situations import Situations, topic_variable
from advisor.knowledge.solver.translation import constant, numeral
from advisor.knowledge.solver.values import (
    FALSE,
    TRUE,
    Arithmetic,
    Choice,
    Formula,
    Members,
    Number,
    Numbers,
    Term,
    Truth,
    all_of,
    any_of,
    either,
    negation,
    real,
    rounded,
)


@dataclass(frozen=True)
class RuleFormulas:
    """`holds`: its condition is true; `counts`: no rule that supersedes it holds too; `value` is known where it can decide."""

    rule: Rule
    holds: Formula
    counts: Formula
    value: Term
    decides: Formula  # where no earlier rule does


class TopicFormulas:
    """One topic in one school, its rules up to a layer."""

    def __init__(self, situations: Situations, topic: Topic, school: School, layer: int | None = None) -> None:
        self.topic = topic
        self.school = school
        knowledge = situations.knowledge
        rules = knowledge.rules_of(topic.name, school)
        kept = [rule for rule in rules if layer is None or rule.layer <= layer]
        seen = situations.seen
        self.applies: Truth = seen.truth(topic.applies) if topic.applies else Truth(TRUE, FALSE)
        self.reads = topic_reads(knowledge, topic, kept)
        holds = {rule.id: seen.truth(rule.when or "true").true for rule in kept}
        silencers: dict[str, list[Formula]] = {}
        for rule in kept:
            for other in rule.supersedes:
                silencers.setdefault(other, []).append(holds[rule.id])
        self.rules = tuple(self._rule(rule, situations, holds[rule.id], silencers.get(rule.id, ())) for rule in kept)

    def __getitem__(self, rule_id: str) -> RuleFormulas:
        return self.rules[self.position[rule_id]]

    @cached_property
    def position(self) -> dict[str, int]:
        return {one.rule.id: position for position, one in enumerate(self.rules)}

    def _rule(self, rule: Rule, situations: Situations, holds: Formula, silencers: Sequence[Formula]) -> RuleFormulas:
        topic = self.topic
        value = constant(rule.value) if is_literal(topic, rule) else situations.seen.term(rule.value)
        counts = all_of(holds, negation(any_of(*silencers)))
        return RuleFormulas(rule, holds, counts, value, all_of(counts, admitted(topic, value)))

    @cached_property
    def meant(self) -> Formula:
        """The topic is not known to mean nothing."""
        return negation(self.applies.false)

    @cached_property
    def silent(self) -> Formula:
        """Nothing is recommended, although the topic is meant and not two values lead together."""
        weighed = (all_of(backed, total > 0) for backed, total in self._scores.values())
        return negation(any_of(any_of(*weighed), *(rule.decides for rule in self._placed)))

    @cached_property
    def _placed(self) -> tuple[RuleFormulas, ...]:
        """The rules that decide by their place; in a topic of policy score those before all arguments."""
        scored = self.topic.policy is Policy.SCORE
        return tuple(one for one in self.rules if one.rule.effect is Effect.VALUE or not scored)

    @cached_property
    def _scores(self) -> dict[str, tuple[Formula, Arithmetic]]:
        """For each value whether an argument speaks for it and nothing excludes it, and its net weight.

        A strong argument outweighs all moderate ones there can be, a moderate one all weak ones.
        """
        groups: dict[tuple[str, Effect, str], list[RuleFormulas]] = {}
        for one in self.rules:
            if one.rule.effect in (Effect.FOR, Effect.AGAINST):
                groups.setdefault((one.rule.value, one.rule.effect, one.rule.argument), []).append(one)
        more = 4 * len(groups) + 1
        weights = {Strength.STRONG: more * more, Strength.MODERATE: more, Strength.WEAK: 1}
        weights[Strength.HISTORICAL] = 1 if self.school is School.SURVEY else 0
        scores: dict[str, tuple[Formula, Arithmetic]] = {}
        for value in self.topic.values if self.topic.policy is Policy.SCORE else ():
            backed: list[Formula] = []
            total: Arithmetic = z3.IntVal(0)
            for (named, effect, _), members in groups.items():
                if named == value:
                    weighted = [(weights[one.rule.strength or Strength.WEAK], one.counts) for one in members]
                    points = _strongest(weighted)
                    total = total + points if effect is Effect.FOR else total - points
                    if effect is Effect.FOR:
                        backed.extend(counts for weight, counts in weighted if weight)
            vetoes = [one.counts for one in self.rules if one.rule.effect is Effect.VETO and one.rule.value == value]
            scores[value] = all_of(any_of(*backed), negation(any_of(*vetoes))), z3.simplify(total)
        return scores

    def definition(self) -> list[Formula]:
        """The equation of the topic's variable with the outcome of its rules."""
        variable = topic_variable(self.topic)
        if isinstance(variable, Members):
            items = {value: [o.counts for o in self.rules if o.rule.value == value] for value in self.topic.values}
            return [variable.known == self.meant] + [
                variable.options[value] == any_of(*items[value]) for value in items
            ]
        if isinstance(variable, Choice):
            return [variable.options[value] == all_of(self.meant, self._chosen(value)) for value in self.topic.values]
        decided = all_of(self.meant, any_of(*(one.decides for one in self.rules)))
        if isinstance(variable, Number):
            return [variable.known == decided, z3.Implies(decided, variable.value == self._number())]
        return [variable.known == decided]

    def _number(self) -> Arithmetic:
        """The value of the first rule that decides, as other topics see it."""
        whole = self.topic.type == "integer"
        outcome: Arithmetic = z3.IntVal(0) if whole else z3.RealVal(0)
        for one in reversed(self.rules):
            number = cast(Number, one.value).value
            outcome = either(one.decides, rounded(number) if whole else real(number), outcome)
        return outcome

    def _chosen(self, value: str) -> Formula:
        """Given by the first rule that decides by its place, or the winner of the arguments where there is none."""
        outcome = self._wins(value) if value in self._scores else FALSE
        for one in reversed(self._placed):
            outcome = either(one.decides, cast(Choice, one.value).has(value), outcome)
        return outcome

    def _wins(self, value: str) -> Formula:
        backed, total = self._scores[value]
        rivals = [(b, t) for other, (b, t) in self._scores.items() if other != value and not z3.is_false(b)]
        ahead = [z3.Implies(rival, total > points) for rival, points in rivals]
        return all_of(backed, total > 0, *ahead) if not z3.is_false(backed) else FALSE


def _strongest(weighted: list[tuple[int, Formula]]) -> Arithmetic:
    points: Arithmetic = z3.IntVal(0)
    for weight, counts in sorted(weighted, key=lambda pair: pair[0]):
        points = either(counts, z3.IntVal(weight), points)
    return points


def admitted(topic: Topic, value: Term) -> Formula:
    """The value is known, and within the topic's bounds."""
    if topic.policy is not Policy.VALUE:
        return value.known
    if isinstance(value, Numbers):
        return any_of(
            *(all_of(guard, *(_within(topic, part) for part in parts)) for guard, parts in value.alternatives)
        )
    return all_of(value.known, _within(topic, cast(Number, value)))


def _within(topic: Topic, number: Number) -> Formula:
    low = TRUE if topic.minimum is None else z3.simplify(number.value >= numeral(topic.minimum))
    high = TRUE if topic.maximum is None else z3.simplify(number.value <= numeral(topic.maximum))
    return all_of(low, high)
