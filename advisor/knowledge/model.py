"""The parts of a rule base: topics with their policies, rules with their sources, and the vocabulary they speak."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

from advisor.facts.vocabulary import Fact, FactType, Vocabulary
from advisor.knowledge.claims import NO_CLAIMS, Claim, Claims
from advisor.knowledge.expressions.compiler import compile_expression
from advisor.knowledge.expressions.expressions import BOOLEAN, LIST, NUMBER, Expression, Kind, Symbols, Type
from advisor.knowledge.expressions.regions import ANY_TRUTH, Region
from advisor.knowledge.figures import NO_FIGURES, Figures, Formula, compile_figures
from advisor.knowledge.terms import Term, phrases

FACT_IN_ACTION = re.compile(r"\{([a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)+)\}")
"""A fact's name in braces in a line of `actions`; its value takes that place where it is known."""


class Policy(StrEnum):
    """The way in which the rules of a topic combine (after the hit policies of OMG DMN 1.5, section 8.2.8)."""

    SCORE = "score"
    FIRST = "first"
    VALUE = "value"
    ALL = "all"


class School(StrEnum):
    SURVEY = "survey"
    TODAY = "today"
    ANY = "any"


class Strength(StrEnum):
    STRONG = "strong"
    MODERATE = "moderate"
    WEAK = "weak"
    HISTORICAL = "historical"


class Effect(StrEnum):
    """The effect of a rule on its value."""

    FOR = "for"
    AGAINST = "against"
    VETO = "veto"
    VALUE = "value"
    ADD = "add"


EFFECTS = {
    Policy.SCORE: (Effect.FOR, Effect.AGAINST, Effect.VETO, Effect.VALUE),
    Policy.FIRST: (Effect.VALUE,),
    Policy.VALUE: (Effect.VALUE,),
    Policy.ALL: (Effect.ADD,),
}


@dataclass(frozen=True)
class Topic:
    """A question the plan answers. `tolerance` is relative: numbers closer than that count as the same advice.

    `minimum` and `maximum` bound what a topic of policy value can recommend (every number of a list); `gaps` is the reason
    why silence is intended where no rule holds.
    """

    name: str
    title: str
    policy: Policy
    values: Mapping[str, str] = field(default_factory=dict)
    type: str = ""
    unit: str = ""
    tolerance: float = 0.0
    applies: str | None = None
    probe: str = ""
    """The experiment that can decide it by measuring, and below the fact that takes what it finds; empty without one."""
    measured_fact: str = ""
    simulation: str = ""
    """The same for an experiment that only simulates."""
    simulated_fact: str = ""
    actions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Steps to take in PyTorch, by recommended value; under "" those that go with every value."""
    where: str = ""
    minimum: float | None = None
    maximum: float | None = None
    gaps: str = ""
    flips: bool = True
    """True if it is worth telling what would flip it."""
    headline: bool = False
    """True if a plan is good once this is not likely to change any more."""

    @property
    def experiments(self) -> Mapping[str, str]:
        """By the name of an experiment that can decide it, the fact that takes what is found."""
        pairs = {self.probe: self.measured_fact, self.simulation: self.simulated_fact}
        return {name: fact for name, fact in pairs.items() if name}

    @property
    def bounds(self) -> tuple[float, float]:
        return (-math.inf if self.minimum is None else self.minimum, math.inf if self.maximum is None else self.maximum)

    def actions_for(self, value: str) -> tuple[str, ...]:
        return (*self.actions.get("", ()), *self.actions.get(value, ()))

    def admits(self, value: float | Sequence[float]) -> bool:
        """Return whether a computed number, or every number of a list, lies within the topic's bounds (before it is rounded)."""
        low, high = self.bounds
        return all(low <= number <= high for number in (value if isinstance(value, Sequence) else (value,)))

    @cached_property
    def static_type(self) -> Type:
        if self.policy is Policy.VALUE:
            return LIST if self.type == "integers" else NUMBER
        return Type(Kind.SET if self.policy is Policy.ALL else Kind.CHOICE, frozenset(self.values))


@dataclass(frozen=True)
class Settles:
    """A probe that can judge the rule, and what it should find if the rule is right."""

    probe: str
    expects: str


@dataclass(frozen=True)
class Rule:
    id: str
    topic: str
    school: School
    effect: Effect
    value: str
    because: str
    when: str | None = None
    strength: Strength | None = None
    argument: str = ""
    sources: tuple[str, ...] = ()
    verified: str = ""
    settles: Settles | None = None
    erratum: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    before: str = ""
    actions: tuple[str, ...] = ()
    readiness: int | None = None
    where: str = ""
    layer: int = 0

    @property
    def counts_in(self) -> tuple[School, ...]:
        """Rules of the survey count today too, where none of today supersedes them."""
        return (School.TODAY,) if self.school is School.TODAY else (School.SURVEY, School.TODAY)

    @property
    def is_statement(self) -> bool:
        """It says what somebody stated: see `stated_rule`."""
        return self.sources == (STATED,)

    @property
    def is_verified(self) -> bool:
        return self.verified not in ("", "no")


@dataclass(frozen=True)
class SourceText:
    key: str
    title: str
    author: str = ""
    year: str = ""
    kind: str = ""
    document: str = ""

    def __str__(self) -> str:
        return f"{self.author} {self.year}: {self.title}".strip(": ")


@dataclass(frozen=True)
class Erratum:
    key: str
    about: str
    text: str


@dataclass(frozen=True)
class Knowledge:
    """A complete, checked rule base. `rules` stand in the order in which `first` and `value` topics try them."""

    vocabulary: Vocabulary
    topics: Mapping[str, Topic]
    rules: tuple[Rule, ...]
    sources: Mapping[str, SourceText]
    errata: Mapping[str, Erratum]
    digest: str = ""
    terms: Mapping[str, Term] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    """Of authors, companies and places, which the glossary need not explain."""
    figures: Figures = NO_FIGURES
    survey: Claims = NO_CLAIMS
    """The claims of the seed documents, and the numbers that the program supplies to judge them."""
    compiled: dict[School, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """By school, the form that inference has compiled the rules to; a copy made with `replace` starts without."""

    @property
    def claims(self) -> tuple[Claim, ...]:
        return tuple(self.survey.claims.values())

    @cached_property
    def phrases(self) -> dict[str, Term]:
        return phrases(self.terms.values())

    @cached_property
    def by_id(self) -> dict[str, Rule]:
        return {rule.id: rule for rule in self.rules}

    @cached_property
    def symbols(self) -> Symbols:
        """The names that expressions read: where a topic can be stated as a fact of its name, the topic."""
        facts = {self._symbol(name): kind for name, kind in fact_types(self.vocabulary).items()}
        types = {**facts, **{name: topic.static_type for name, topic in self.topics.items()}}
        return Symbols({name: slot for slot, name in enumerate([*facts, *self.topics])}, types)

    def _symbol(self, fact: str) -> str:
        return f"{fact} (stated)" if fact in self.topics else fact

    @cached_property
    def fact_slots(self) -> dict[str, int]:
        """The places of facts among those of all symbols."""
        return {name: slot for slot, name in enumerate(self.vocabulary.facts)}

    def rules_of(self, topic: str, school: School) -> tuple[Rule, ...]:
        return self._by_topic.get((topic, school), ())

    @cached_property
    def _by_topic(self) -> dict[tuple[str, School], tuple[Rule, ...]]:
        chosen: dict[tuple[str, School], list[Rule]] = {}
        for rule in self.rules:
            for school in rule.counts_in:
                chosen.setdefault((rule.topic, school), []).append(rule)
        return {key: tuple(rules) for key, rules in chosen.items()}

    @cached_property
    def formulas(self) -> dict[str, tuple[Formula, ...]]:
        return compile_figures(self.figures, self.symbols)

    def condition(self, rule: Rule) -> Expression:
        """The compiled `when` of a rule."""
        return self.expression(rule.when or "true", BOOLEAN)

    def expression(self, text: str, wanted: Type | None = None) -> Expression:
        key = (text, wanted)
        found = self._expressions.get(key)
        if found is None:
            found = self._expressions[key] = compile_expression(text, self.symbols, wanted)
        return found

    @cached_property
    def _expressions(self) -> dict[tuple[str, Type | None], Expression]:
        return {}


def fact_types(vocabulary: Vocabulary) -> dict[str, Type]:
    """The static type of every declared fact."""
    kinds = {
        FactType.BOOLEAN: Kind.BOOLEAN,
        FactType.INTEGER: Kind.NUMBER,
        FactType.NUMBER: Kind.NUMBER,
        FactType.CHOICE: Kind.CHOICE,
        FactType.TEXT: Kind.TEXT,
        FactType.SET: Kind.SET,
    }
    listed = (FactType.CHOICE, FactType.SET)
    return {
        name: Type(kinds[fact.type], frozenset(fact.choice_names) if fact.type in listed else None)
        for name, fact in vocabulary.facts.items()
    }


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


def domain_of_topic(topic: Topic) -> Region:
    """Every value that the topic can recommend; nothing is known of lists."""
    if topic.policy is Policy.VALUE:
        return (None,) if topic.type == "integers" else (*topic.bounds, False)
    return (frozenset(), frozenset(topic.values), False) if topic.policy is Policy.ALL else frozenset(topic.values)


STATED = "statement"
"""The source of what somebody stated."""


def stated_rule(topic: Topic) -> Rule:
    """The first rule of a topic that is a fact as well: what is stated is so."""
    return Rule(
        f"{topic.name}.stated", topic.name, School.ANY, Effect.VALUE, topic.name, "You stated it.", sources=(STATED,),
        verified="stated", where=topic.where,
    )  # fmt: skip


def is_literal(topic: Topic, rule: Rule) -> bool:
    """Return whether the rule names one of the topic's values, rather than an expression that gives one."""
    return rule.effect is not Effect.VALUE or rule.value in topic.values
