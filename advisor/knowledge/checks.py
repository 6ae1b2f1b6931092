"""Checks between the parts of a rule base: declared names, matching types, sources that exist, no cycles."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Set
from graphlib import CycleError, TopologicalSorter

from advisor.errors import Problem, did_you_mean
from advisor.facts.vocabulary import Fact
from advisor.knowledge.expressions.compiler import compile_expression
from advisor.knowledge.expressions.expressions import BOOLEAN, Expression, ExpressionError, Symbols, Type
from advisor.knowledge.model import FACT_IN_ACTION, Knowledge, Policy, Rule, School, Topic, fact_types, is_literal
from advisor.wording import shorten


def check(knowledge: Knowledge) -> Iterator[Problem]:
    """Every problem between the parts of a rule base."""
    yield from _check_facts(knowledge)
    yield from _check_topics(knowledge)
    for rule in knowledge.rules:
        yield from _check_rule(knowledge, rule)
    yield from _check_topic_cycles(knowledge)
    yield from _check_supersedes(knowledge)


def _problem(where: str, what: str, error: ExpressionError | str) -> Problem:
    return Problem(where, f"{what} {error}" if str(error).endswith((".", "?")) else f"{what} {error}.")


def _check_facts(knowledge: Knowledge) -> Iterator[Problem]:
    vocabulary = knowledge.vocabulary
    types = fact_types(vocabulary)
    symbols = Symbols({name: slot for slot, name in enumerate(vocabulary.facts)}, types)
    reads: dict[str, frozenset[str]] = {}
    for name, fact in vocabulary.facts.items():
        names: set[str] = set()
        for key, text, wanted in _fact_expressions(fact, types):
            try:
                names |= compile_expression(text, symbols, wanted).names
            except ExpressionError as error:
                yield _problem(fact.where, f"fact {name}: {key}", error)
        reads[name] = frozenset(names)
        if fact.assume and fact.derive:
            yield Problem(fact.where, f"fact {name} has both assume and derive.", "Keep one of them.")
    cycle = find_cycle(reads)
    if cycle:
        where = vocabulary.facts[cycle[0]].where
        yield Problem(where, f"these facts depend on each other in a circle: {' -> '.join(cycle)}.")
    for constraint in vocabulary.constraints:
        try:
            compile_expression(constraint.holds, symbols, BOOLEAN)
        except ExpressionError as error:
            yield _problem(constraint.where, "the constraint", error)


def _fact_expressions(fact: Fact, types: Mapping[str, Type]) -> Iterator[tuple[str, str, Type]]:
    if fact.only_when:
        yield "only_when", fact.only_when, BOOLEAN
    for key, text in (("assume", fact.assume), ("derive", fact.derive)):
        if text:
            yield key, text, types[fact.name]


def _check_topics(knowledge: Knowledge) -> Iterator[Problem]:
    for topic in knowledge.topics.values():
        if topic.name in knowledge.vocabulary.facts:
            yield Problem(topic.where, f"{topic.name} is declared as a fact and as a topic.", "Rename one of them.")
        if topic.applies:
            try:
                knowledge.expression(topic.applies, BOOLEAN)
            except ExpressionError as error:
                yield _problem(topic.where, f"topic {topic.name}: applies", error)
        if topic.measured_fact and topic.measured_fact not in knowledge.vocabulary.facts:
            yield Problem(topic.where, f"topic {topic.name}: {topic.measured_fact} is not a known fact.")


def _check_rule(knowledge: Knowledge, rule: Rule) -> Iterator[Problem]:
    topic = knowledge.topics[rule.topic]
    what = f"rule {shorten(rule.id)}:"
    try:
        knowledge.condition(rule)
    except ExpressionError as error:
        yield _problem(rule.where, f"{what} when", error)
    if not is_literal(topic, rule):
        try:
            value = knowledge.expression(rule.value, topic.static_type)
        except ExpressionError as error:
            yield _problem(rule.where, f"{what} value", error)
        else:
            yield from _check_bounds(topic, rule, value)
    if rule.settles:
        try:
            knowledge.expression(rule.settles.expects, BOOLEAN)
        except ExpressionError as error:
            yield _problem(rule.where, f"{what} expects", error)
    for line in rule.actions:
        for name in FACT_IN_ACTION.findall(line):
            if name not in knowledge.vocabulary.facts:
                hint = did_you_mean(name, knowledge.vocabulary.facts)
                yield Problem(rule.where, f"{what} an action reads {shorten(name)!r}, which is no fact.", hint)
    for citation in rule.sources:
        key = citation.split(" ")[0]
        if key not in knowledge.sources:
            hint = did_you_mean(key, knowledge.sources)
            yield Problem(rule.where, f"{what} cites {shorten(key)!r}, which sources.yaml does not have.", hint)
    for key in rule.erratum:
        if key not in knowledge.errata:
            hint = did_you_mean(key, knowledge.errata)
            yield Problem(
                rule.where, f"{what} names the erratum {shorten(key)!r}, which sources.yaml does not have.", hint
            )
    if rule.verified not in ("", "no"):
        try:
            datetime.date.fromisoformat(rule.verified)
        except ValueError:
            yield Problem(rule.where, f"{what} verified must be a date such as 2026-11-21, or no.")


def _check_bounds(topic: Topic, rule: Rule, value: Expression) -> Iterator[Problem]:
    """A value that depends on nothing lies within the topic's bounds; others are passed over where they don't."""
    if topic.policy is not Policy.VALUE or not value.constant:
        return
    found = value.at([])
    if found is not None and not topic.admits(found):
        low, high = (None if end is None else f"{end:g}" for end in (topic.minimum, topic.maximum))
        bounds = f"from {low} to {high}" if low and high else f"at least {low}" if low else f"at most {high}"
        yield Problem(
            rule.where, f"rule {shorten(rule.id)}: {topic.name} cannot be {shorten(rule.value)}.", f"It is {bounds}."
        )


def _check_supersedes(knowledge: Knowledge) -> Iterator[Problem]:
    reads: dict[str, frozenset[str]] = {}
    for rule in knowledge.rules:
        for other in rule.supersedes:
            known = knowledge.by_id.get(other)
            if known is None:
                near = did_you_mean(other, [r.id for r in knowledge.rules if r.topic == rule.topic])
                yield Problem(rule.where, f"rule {rule.id}: supersedes {shorten(other)!r}, which does not exist.", near)
            elif known.topic != rule.topic:
                yield Problem(rule.where, f"rule {rule.id}: supersedes {other}, a rule of another topic.")
        if rule.supersedes and rule.school is School.SURVEY:
            yield Problem(
                rule.where, f"rule {rule.id}: a rule of school survey supersedes nothing.", "Use school today."
            )
        reads[rule.id] = frozenset(rule.supersedes)
    cycle = find_cycle(reads)
    if cycle:
        where = knowledge.by_id[cycle[0]].where
        yield Problem(where, f"these rules supersede each other in a circle: {' -> '.join(cycle)}.")


def topic_reads(knowledge: Knowledge, topic: str) -> frozenset[str]:
    """The names of facts and topics that the topic's applicability and rules read."""
    names: set[str] = set()
    for expression in topic_expressions(knowledge, topic):
        names |= expression.names
    return frozenset(names)


def topic_expressions(knowledge: Knowledge, topic: str, school: School | None = None) -> Iterator[Expression]:
    """Every expression of a topic (of the rules that count in a school, where one is named)."""
    declared = knowledge.topics[topic]
    if declared.applies:
        yield knowledge.expression(declared.applies, BOOLEAN)
    rules = knowledge.rules_of(topic, school) if school else [r for r in knowledge.rules if r.topic == topic]
    for rule in rules:
        yield knowledge.condition(rule)
        if not is_literal(declared, rule):
            yield knowledge.expression(rule.value, declared.static_type)


def _check_topic_cycles(knowledge: Knowledge) -> Iterator[Problem]:
    reads: dict[str, Set[str]] = {}
    for topic in knowledge.topics:
        try:
            reads[topic] = topic_reads(knowledge, topic) & set(knowledge.topics)
        except ExpressionError:
            return  # reported where the expression stands
    cycle = find_cycle(reads)
    if cycle:
        where = knowledge.topics[cycle[0]].where
        yield Problem(where, f"these topics depend on each other in a circle: {' -> '.join(cycle)}.")


def find_cycle(reads: Mapping[str, Set[str]]) -> list[str]:
    """Some names that read each other in a circle, or an empty list."""
    try:
        TopologicalSorter({name: sorted(others & reads.keys()) for name, others in reads.items()}).prepare()
    except CycleError as error:
        cycle: list[str] = error.args[1]
        return cycle[::-1]
    return []
