"""Reasons for the recommended value and against the others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from advisor.inference.outcomes import NOT_APPLICABLE, Outcome, Tie, canonical, same
from advisor.inference.plan import Alternative, Reason
from advisor.inference.program.combination import WEIGHTS, CompiledRule, active
from advisor.inference.program.program import Program
from advisor.inference.program.topic import TopicProgram
from advisor.inference.proof.engine import Engine
from advisor.inference.situation import Situation
from advisor.knowledge.expressions.regions import TRUE
from advisor.knowledge.model import FACT_IN_ACTION, Effect, Knowledge, Policy
from advisor.wording import join_names


class Explainer:
    """Explanation of one topic in one situation."""

    def __init__(self, engine: Engine, topic: TopicProgram, situation: Situation) -> None:
        self.engine = engine
        self.program: Program = engine.program
        self.knowledge: Knowledge = engine.program.knowledge
        self.topic = topic
        self.situation = situation
        self.outcome: Outcome = engine.decide(topic, situation).outcome
        self.values = engine.prepared(topic, situation)
        self.rules = topic.combination.rules
        self.truth = [rule.at(self.values) for rule in self.rules]
        self.active = active(self.rules, self.truth)
        self.first = topic.combination.by_place(self.truth, self.values)

    # --- because ---------------------------------------------------------------------------------------------------

    def deciding(self) -> list[CompiledRule]:
        """The rules that carry the recommended value."""
        policy = self.topic.topic.policy
        on = [rule for rule, is_on in zip(self.rules, self.active, strict=True) if is_on]
        found: list[CompiledRule] = []
        if self.first is not None and same(self.topic.topic, self.first[1], self.outcome):
            found = [self.rules[self.first[0]]]
        elif policy is Policy.SCORE:
            found = [rule for rule in on if rule.rule.effect is Effect.FOR and rule.rule.value == self.outcome]
            found.sort(key=lambda rule: _STRENGTHS.index(rule.rule.strength or ""))
        elif policy is Policy.ALL:
            items = self.outcome if isinstance(self.outcome, tuple) else ()
            found = [rule for rule in on if rule.rule.value in items]
            said = {rule.rule.value for rule in found}
            return found + [rule for item in items if item not in said for rule in self._in_every_case(item)]
        nothing = isinstance(self.outcome, Tie) or self.outcome is NOT_APPLICABLE
        return found or ([] if nothing else self._in_every_case(self.outcome))

    def _agreeing(self) -> list[CompiledRule]:
        """The rules that hold and say the same as a statement, or as what figures tell."""
        if self.first is None or not self.rules[self.first[0]].rule.is_statement:
            return []
        on = zip(self.rules, self.active, strict=True)
        return [rule for rule, is_on in on if is_on and rule.literal is not None and rule.literal == self.outcome]

    def _in_every_case(self, value: Any) -> list[CompiledRule]:
        """Rules that lead to a settled value though none of them is known to hold: together they cover every case."""
        bits = self.engine.overview(self.situation).part(self.topic).bits
        possible = [rule for rule, bit in zip(self.rules, bits, strict=True) if bit & TRUE]
        contra = (Effect.AGAINST, Effect.VETO)
        return [rule for rule in possible if rule.literal == value and rule.rule.effect not in contra]

    def because(self) -> tuple[Reason, ...]:
        return tuple(self._reason(rule) for rule in self.deciding())

    def _reason(self, compiled: CompiledRule) -> Reason:
        rule = compiled.rule
        return Reason(
            rule=rule.id,
            text=rule.because,
            sources=rule.sources,
            school=rule.school,
            strength=rule.strength.value if rule.strength else "",
            verified=rule.is_verified,
            errata=tuple(f"{key}: {self.knowledge.errata[key].text}" for key in rule.erratum),
            when=rule.when or "",
            origin="" if rule.layer == 0 else rule.where.rpartition("/")[0],
            readiness=rule.readiness,
        )

    def actions(self) -> tuple[str, ...]:
        value = self.outcome
        if value is NOT_APPLICABLE or isinstance(value, Tie):
            return ()
        is_list = isinstance(value, tuple)
        text = str(list(value)) if is_list else str(value)
        topic = self.topic.topic
        items = value if is_list and topic.policy is Policy.ALL else (value,)
        lines = {self._filled(line, text): None for item in items for line in topic.actions_for(str(item))}
        for rule in (compiled.rule for compiled in (*self.deciding(), *self._agreeing())):
            for line in rule.actions:
                origin = "" if rule.layer == 0 else f"   # from the pack {rule.where.rpartition('/')[0]}"
                lines[self._filled(line, text) + origin] = None
        return tuple(lines)

    def _filled(self, line: str, recommended: str) -> str:
        """The line with what is recommended for {value}, and known facts for their names in braces."""

        def known(match: re.Match[str]) -> str:
            slot = self.program.slots.get(match[1])
            value = None if slot is None else self.values[slot]
            return match[0] if value is None else str(value)

        return FACT_IN_ACTION.sub(known, line.replace("{value}", recommended))

    def silenced(self) -> Iterator[tuple[CompiledRule, CompiledRule]]:
        """Rules that hold but are superseded, with the rule that silences each."""
        for position, rule in enumerate(self.rules):
            if self.truth[position] is True and not self.active[position]:
                yield rule, self._silencer(rule)

    def _silencer(self, rule: CompiledRule) -> CompiledRule:
        return next(self.rules[j] for j in rule.silencers if self.truth[j] is True)

    # --- why not ---------------------------------------------------------------------------------------------------

    def alternatives(self) -> tuple[Alternative, ...]:
        """The other values for which some rule speaks (silenced or only possible ones too), strongest first.

        Of a topic with very many values, those alone whose rules hold or could hold.
        """
        topic = self.topic.topic
        if topic.policy is Policy.VALUE:
            return self._other_numbers()
        chosen = set(self.outcome) if isinstance(self.outcome, tuple) else {self.outcome}
        spoken = {rule.rule.value for rule in self.rules if rule.rule.effect in _SPEAKING}
        if topic.policy is Policy.SCORE or len(topic.values) > _MANY:
            possible = [rule.rule for rule, truth in zip(self.rules, self.truth, strict=True) if truth is not False]
            speaking = (Effect.FOR,) if topic.policy is Policy.SCORE else _SPEAKING
            spoken = {rule.value for rule in possible if rule.effect in speaking}
        totals = self.topic.combination.net(self.truth) if topic.policy is Policy.SCORE else {}
        values = [value for value in topic.values if value in spoken and value not in chosen]
        values.sort(key=lambda value: -totals.get(value, -1))
        return tuple(Alternative(value, self.why_not(value)) for value in values)

    def _other_numbers(self) -> tuple[Alternative, ...]:
        found: dict[Any, Alternative] = {}
        for position, rule in enumerate(self.rules):
            given = rule.value_at(self.values) if self.truth[position] is True else None
            value = None if given is None else canonical(self.topic.topic, given)
            if value is not None and value != self.outcome and value not in found:
                found[value] = Alternative(value, self._passed_over(position))
        return tuple(found.values())

    def _passed_over(self, position: int) -> str:
        rule = self.rules[position]
        if rule.silencers and not self.active[position]:
            winner = self._silencer(rule).rule
            return f"{rule.rule.because} But {winner.id} supersedes it: {winner.because}"
        if self.first is None or self.first[0] == position:
            return f"{rule.rule.because} But every possible case gives {self.outcome}."
        earlier = self.rules[self.first[0]].rule
        return f"{rule.rule.because} But {earlier.id} comes first: {earlier.because}"

    def why_not(self, value: str) -> str:
        """Say in one or two sentences why a value is not the recommendation."""
        topic, rules = self.topic.topic, list(enumerate(self.rules))
        mine = [(i, rule) for i, rule in rules if rule.rule.value == value and rule.rule.effect in _SPEAKING]
        if not mine:
            computed = topic.policy is not Policy.SCORE and any(rule.literal is None for rule in self.rules)
            return "No rule that holds here gives it." if computed else "No rule of this school speaks for it."
        for i, rule in rules:
            if rule.rule.effect is Effect.VETO and self.active[i] and rule.rule.value == value:
                return f"Ruled out by {rule.rule.id}: {rule.rule.because}"
        holding = [(i, rule) for i, rule in mine if self.truth[i] is True]
        silenced = [(i, rule) for i, rule in holding if not self.active[i]]
        if silenced and len(silenced) == len(holding):
            return self._passed_over(silenced[0][0])
        if holding:
            weighed = topic.policy is Policy.SCORE and self.first is None
            return self._outweighed(value) if weighed else self._passed_over(holding[0][0])
        unknown = [rule.rule for i, rule in mine if self.truth[i] is None]
        if unknown:
            return f"Not known to apply: {unknown[0].id} needs `{unknown[0].when}`."
        return f"Does not apply: {mine[0][1].rule.id} needs `{mine[0][1].rule.when}`."

    def _outweighed(self, value: str) -> str:
        totals = self.topic.combination.net(self.truth)
        against = [
            rule.rule.because
            for i, rule in enumerate(self.rules)
            if self.active[i] and rule.rule.effect is Effect.AGAINST and rule.rule.value == value
        ]
        contra = f" Against it: {against[0]}" if against else ""
        mine = describe_weight(totals.get(value, 0))
        if isinstance(self.outcome, Tie):
            return f"It has {mine}, as much as {join_names([v for v in self.outcome if v != value])}.{contra}"
        if self.outcome in totals:
            return f"It has {mine}, {self.outcome} has {describe_weight(totals[self.outcome])}.{contra}"
        return f"It has {mine}, but every possible case gives {self.outcome}.{contra}"


_MANY = 20
"""Values of a topic, of which a list would hide the few that matter."""
_SPEAKING = (Effect.FOR, Effect.VALUE, Effect.ADD)
_STRENGTHS = ("strong", "moderate", "weak", "historical", "")


def describe_weight(total: int) -> str:
    """A net weight in words: 1 strong and 2 weak arguments."""
    parts = []
    rest = total
    for strength, unit in WEIGHTS.items():
        count = round(rest / unit)
        rest -= count * unit
        if count:
            parts.append(f"{count} {strength.value}")
    if not parts:
        return "no net argument"
    noun = "argument" if len(parts) == 1 and parts[0].startswith("1 ") else "arguments"
    return f"{join_names(parts)} {noun} net"
