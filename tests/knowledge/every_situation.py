"""What the solver should find in a small rule base, worked out by trying every situation there is.

A situation is a real world (a value for every fact that applies, no constraint broken) and what is stated of it. Conditions
and outcomes come from the oracle of `tests.inference`, which shares nothing with the program.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from tests.inference.oracle import NOT_APPLICABLE, Oracle, Tied, domain, evaluate, seen_by_others
from tests.small_rules import RuleBase

Values = dict[str, Any]


class Situations:
    """All situations of a rule base in one school, as the values that rules read."""

    def __init__(self, base: RuleBase, school: str) -> None:
        self.base, self.school = base, school
        self.oracle = Oracle(base, school)
        self.all: list[Values] = []
        self.complete: list[Values] = []
        seen = set()
        for world in self._worlds():
            applying = [name for name, value in world.items() if value is not None]
            for size in range(len(applying) + 1):
                for stated in itertools.combinations(applying, size):
                    unstated = set(applying) - set(stated)
                    complete = all(base.facts[name]["group"] == "probe" for name in unstated)
                    key = (tuple(world[name] if name in stated else None for name in base.facts), complete)
                    if key not in seen:
                        seen.add(key)
                        values = self._with_topics({name: world[name] for name in stated})
                        self.all.append(values)
                        if complete:
                            self.complete.append(values)

    def _worlds(self) -> Iterator[Values]:
        free = {name: domain(fact) for name, fact in self.base.facts.items() if "derive" not in fact}
        defined = [name for name, fact in self.base.facts.items() if "derive" in fact]
        for chosen in itertools.product(*free.values()):
            raw = dict(zip(free, chosen, strict=True))
            computed = self.oracle.prepared(raw, assume=False)
            missing = [name for name in defined if computed[name] is None]  # stated where nothing defines them
            for stated in itertools.product(*(domain(self.base.facts[name]) for name in missing)):
                world = self.oracle.prepared({**raw, **dict(zip(missing, stated, strict=True))}, assume=False)
                if all(evaluate(holds, world) is not False for holds in self.base.constraints):
                    yield world

    def _with_topics(self, stated: Values) -> Values:
        values = self.oracle.prepared(stated, assume=False)
        for name in self.base.topics:
            values[name] = seen_by_others(self.oracle.outcome(name, values))
        return values

    # --- one topic ------------------------------------------------------------------------------------------------

    def meant(self, topic: str, values: Values) -> bool:
        return evaluate(self.base.topics[topic].get("applies", "true"), values) is not False

    def holds(self, rule: Mapping[str, Any], values: Values) -> bool:
        return evaluate(rule.get("when", "true"), values) is True

    def gives(self, rule: Mapping[str, Any], values: Values) -> bool:
        """Whether its value is known."""
        named = rule.get("value") in (None, *self.base.topics[rule["topic"]].get("values", ()))
        return named or evaluate(rule["value"], values) is not None

    def superseding(self, rule: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        return [other for other in self.oracle.rules[rule["topic"]] if rule["id"] in other.get("supersedes", ())]

    def counts(self, rule: Mapping[str, Any], values: Values) -> bool:
        return self.holds(rule, values) and not any(self.holds(other, values) for other in self.superseding(rule))

    def fate(self, rule: Mapping[str, Any]) -> str:
        """What becomes of a rule, in the words of the solver's verdicts."""
        topic = rule["topic"]
        inside = [values for values in self.all if self.meant(topic, values)]
        holding = [values for values in inside if self.holds(rule, values)]
        counting = [values for values in holding if self.counts(rule, values)]
        giving = [values for values in counting if self.gives(rule, values)]
        if not holding:
            return "never holds"
        if not counting:
            return "is superseded"
        if not giving:
            return "never gives a value"
        if self.base.topics[topic]["policy"] in ("first", "value"):
            rules = self.oracle.rules[topic]
            earlier = rules[: rules.index(rule)]
            if all(any(self.counts(one, v) and self.gives(one, v) for one in earlier) for v in giving):
                return "comes too late"
        return "matters"

    def alike(self, one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
        """Whether two rules hold and give a value in the same situations, of which there are some."""
        inside = [values for values in self.all if self.meant(one["topic"], values)]
        a = [self.holds(one, values) and self.gives(one, values) for values in inside]
        return any(a) and a == [self.holds(other, values) and self.gives(other, values) for values in inside]

    def ever_together(self, one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
        inside = [values for values in self.all if self.meant(one["topic"], values)]
        return any(self.holds(one, values) and self.holds(other, values) for values in inside)

    def silences(self, topic: str) -> list[Values]:
        """The complete situations in which the topic should say something and does not."""
        return [values for values in self.complete if self._in_question(topic, values) and self.silent(topic, values)]

    def _in_question(self, topic: str, values: Values) -> bool:
        if evaluate(self.base.topics[topic].get("applies", "true"), values) is not True:
            return False
        return all(
            values[name] is not None or self.oracle.outcome(name, values) == NOT_APPLICABLE
            for name in read_by(self.base, topic, self.oracle)
        )

    def silent(self, topic: str, values: Values) -> bool:
        outcome = self.oracle.outcome(topic, values)
        return isinstance(outcome, Tied) and not outcome


def read_by(base: RuleBase, topic: str, oracle: Oracle) -> set[str]:
    """The topics that a topic's applicability and rules name."""
    texts = [base.topics[topic].get("applies", "")]
    for rule in oracle.rules[topic]:
        texts += [rule.get("when", ""), rule.get("value", "")]
    return {name for name in base.topics if any(name in text for text in texts)}
