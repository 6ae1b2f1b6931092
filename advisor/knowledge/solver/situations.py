"""Every fact base as solver variables: the real world, in which each fact that applies has a value, and what is known of it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import cache

import z3

from advisor.facts.vocabulary import Fact, FactType
from advisor.knowledge.model import Knowledge, Policy, Topic
from advisor.knowledge.solver.translation import Translator, numeral
from advisor.knowledge.solver.values import (
    FALSE,
    TRUE,
    Choice,
    Formula,
    Members,
    Number,
    Numbers,
    Term,
    Truth,
    all_of,
    any_of,
    at_most_one,
    conditional,
    masked,
    negation,
)


class Situations:
    """The variables of one rule base, and the laws that every situation obeys.

    A fact has a value in the real world; it applies unless its `only_when` is false there; it may be stated or not.
    `world` translates expressions as the real world has them, `seen` as the fact base does, where what is not stated is
    unknown. A topic is a variable too: any of its values, or none.
    """

    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge = knowledge
        self.facts = knowledge.vocabulary.facts
        self.world = Translator(cache(self._in_the_world))
        self.seen = Translator(cache(self._as_seen))
        self._own = cache(self._own_value)

    def stated(self, name: str) -> Formula:
        return z3.Bool(f"{name} is stated")

    def applies(self, fact: Fact) -> Formula:
        return negation(self.world.truth(fact.only_when).false) if fact.only_when else TRUE

    def _in_the_world(self, name: str) -> Term:
        """The value of a fact, known where it applies."""
        fact = self.facts[name]
        return masked(self._value(fact), self.applies(fact))

    def _value(self, fact: Fact) -> Term:
        """A definition where it can be computed, otherwise a variable."""
        own = self._own(fact.name)
        if not fact.derive:
            return own
        defined = self.world.term(fact.derive)
        return conditional(Truth(defined.known, negation(defined.known)), defined, own)

    def _as_seen(self, name: str) -> Term:
        if name in self.knowledge.topics:
            return topic_variable(self.knowledge.topics[name])
        fact = self.facts[name]
        stated = all_of(self.applies(fact), self.stated(name))
        if not fact.derive:
            return masked(self._own(name), stated)
        seen = self.seen.truth(fact.only_when).false if fact.only_when else FALSE
        computed = all_of(negation(seen), self.seen.term(fact.derive).known)
        return masked(self._value(fact), any_of(stated, computed))

    def _own_value(self, name: str) -> Term:
        fact = self.facts[name]
        match fact.type:
            case FactType.BOOLEAN:
                variable = z3.Bool(name)
                return Truth(variable, negation(variable))
            case FactType.INTEGER:
                return Number(z3.Int(name), TRUE)
            case FactType.NUMBER:
                return Number(z3.Real(name), TRUE)
            case FactType.CHOICE:
                return Choice({option: z3.Bool(f"{name} = {option}") for option in fact.choice_names}, TRUE)
            case FactType.SET:
                return Members({option: z3.Bool(f"{name} has {option}") for option in fact.choice_names}, TRUE)
        return Choice({}, FALSE)  # no expression decides on text

    def laws(self, names: Iterable[str]) -> list[Formula]:
        """The constraints on these facts and topics, and on the facts that they depend on."""
        cone = self.cone(names)
        found = [law for name in sorted(cone) for law in self._laws_of(name)]  # the solver answers alike on every run
        for constraint in self.knowledge.vocabulary.constraints:
            if self._reads(constraint.holds) <= cone:
                found.append(negation(self.world.truth(constraint.holds).false))
        return [law for law in map(z3.simplify, found) if not z3.is_true(law)]

    def cone(self, names: Iterable[str]) -> set[str]:
        """These names with the facts that their definitions, conditions and constraints join them with."""
        found: set[str] = set()
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name in found:
                continue
            found.add(name)
            fact = None if name in self.knowledge.topics else self.facts.get(name)
            for text in (fact.only_when, fact.derive) if fact else ():
                waiting.extend(self._reads(text) if text else ())
            for constraint in self.knowledge.vocabulary.constraints:
                reads = self._reads(constraint.holds)
                if name in reads and not z3.is_false(self._broken(constraint.holds)):
                    waiting.extend(reads)
        return found

    @cache  # noqa: B019  one for each rule base, as long as its lint takes
    def _broken(self, holds: str) -> Formula:
        """The situations that break a constraint: none if it only repeats a definition."""
        return z3.simplify(self.world.truth(holds).false)

    def _reads(self, text: str) -> frozenset[str]:
        return self.knowledge.expression(text).names

    def _laws_of(self, name: str) -> Iterator[Formula]:
        if name in self.knowledge.topics:
            yield from _laws_of_topic(self.knowledge.topics[name])
            return
        fact = self.facts[name]
        own = self._own(name)
        if isinstance(own, Choice) and own.options:
            yield all_of(any_of(*own.options.values()), at_most_one(own.options.values()))
        if isinstance(own, Number):
            whole = fact.type is FactType.INTEGER
            low, high = (math.ceil(fact.minimum), math.floor(fact.maximum)) if whole else (fact.minimum, fact.maximum)
            yield all_of(own.value >= numeral(low), own.value <= numeral(high))


def topic_variable(topic: Topic) -> Term:
    """An outcome as other topics see it."""
    name = topic.name
    known = z3.Bool(f"{name} is decided")
    if topic.policy is Policy.ALL:
        return Members({value: z3.Bool(f"{name} has {value}") for value in topic.values}, known)
    if topic.policy is not Policy.VALUE:
        return Choice({value: z3.Bool(f"{name} = {value}") for value in topic.values}, known)
    if topic.type == "integers":
        return Numbers(((known, ()),))  # no expression decides on a list
    return Number(z3.Int(name) if topic.type == "integer" else z3.Real(name), known)


def _laws_of_topic(topic: Topic) -> Iterator[Formula]:
    variable = topic_variable(topic)
    if isinstance(variable, Choice):
        values = variable.options.values()
        yield all_of(variable.known == any_of(*values), at_most_one(values))
