"""Checks between the parts of a rule base: declared names, matching types, sources that exist, no cycles."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import replace
from functools import partial
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

from advisor.errors import InputError, Problem, did_you_mean
from advisor.facts.values import parse_value
from advisor.facts.vocabulary import Fact, FactType, Shortcut, Vocabulary
from advisor.knowledge.citations import cited, undeclared
from advisor.knowledge.expressions.compiler import compile_expression, compiled
from advisor.knowledge.expressions.expressions import BOOLEAN, Expression, ExpressionError, Symbols
from advisor.knowledge.model import FACT_IN_ACTION, Knowledge, Policy, Rule, School, Topic, fact_types, is_literal
from advisor.wording import join_names, shorten


def check(knowledge: Knowledge) -> Iterator[Problem]:
    """Every problem between the parts of a rule base."""
    yield from _check_facts(knowledge)
    yield from _check_topics(knowledge)
    for rule in knowledge.rules:
        yield from _check_rule(knowledge, rule)
    yield from _check_topic_cycles(knowledge)
    yield from _check_supersedes(knowledge)


def _check_facts(knowledge: Knowledge) -> Iterator[Problem]:
    vocabulary = knowledge.vocabulary
    types = fact_types(vocabulary)
    symbols = Symbols({name: slot for slot, name in enumerate(vocabulary.facts)}, types)
    reads: dict[str, set[str]] = {}
    for name, fact in vocabulary.facts.items():
        reads[name] = set()
        for key, wanted in (
            ("only_when", BOOLEAN),
            ("familiar", BOOLEAN),
            ("weighs", BOOLEAN),
            ("assume", types[name]),
            ("usual", types[name]),
            ("derive", types[name]),
        ):
            if text := getattr(fact, key):
                found = yield from compiled(
                    fact.where, f"fact {name}: {key}", partial(compile_expression, text, symbols, wanted)
                )
                reads[name] |= found.names if found else set()
        for wording in fact.wordings:
            compiling = partial(compile_expression, wording.when, symbols, BOOLEAN)
            yield from compiled(fact.where, f"fact {name}: wordings", compiling)
            for shortcut in wording.shortcuts:
                yield from _check_shortcut(vocabulary, fact, shortcut)
        given = [key for key in ("assume", "usual", "derive") if getattr(fact, key)]
        if len(given) > 1:
            yield Problem(fact.where, f"fact {name} has both {join_names(given)}.", "Keep one of them.")
        if fact.named_by and fact.named_by not in knowledge.topics:
            hint = did_you_mean(fact.named_by, knowledge.topics)
            yield Problem(fact.where, f"fact {name}: named_by {shorten(fact.named_by)!r} is no topic.", hint)
        if fact.prior and not fact.default:
            yield Problem(fact.where, f"fact {name} has a prior, but no default.", "Add assume or usual.")
    yield from _circle(reads, vocabulary.facts, "facts depend on")
    for constraint in vocabulary.constraints:
        compiling = partial(compile_expression, constraint.holds, symbols, BOOLEAN)
        yield from compiled(constraint.where, "the constraint", compiling)


def _check_shortcut(vocabulary: Vocabulary, fact: Fact, shortcut: Shortcut) -> Iterator[Problem]:
    what = f"fact {fact.name}: the shortcut {shortcut.name}"
    if fact.name not in dict(shortcut.stands_for) or shortcut.name in fact.choice_names:
        yield Problem(fact.where, f"{what} must have a name of its own and stand for a value of {fact.name}, too.")
    for name, text in shortcut.stands_for:
        if name not in vocabulary.facts:
            yield Problem(fact.where, f"{what} stands for {name}, no fact.", did_you_mean(name, vocabulary.facts))
            continue
        try:
            parse_value(vocabulary.facts[name], text)
        except InputError as error:
            yield Problem(fact.where, f"{what}: {name} cannot be {shorten(text)!r}.", error.problems[0].remedy)


def _check_topics(knowledge: Knowledge) -> Iterator[Problem]:
    for topic in knowledge.topics.values():
        fact = knowledge.vocabulary.facts.get(topic.name)
        if fact is not None and not _can_state(fact, topic):
            what = f"{topic.name} is declared as a fact and as a topic."
            remedy = "Rename one; or, to let it be stated, make the fact closed, never asked, with the topic's values."
            yield Problem(topic.where, what, remedy)
        if topic.applies:
            compiling = partial(knowledge.expression, topic.applies, BOOLEAN)
            yield from compiled(topic.where, f"topic {topic.name}: applies", compiling)
        for name in topic.experiments.values():
            if name and name not in knowledge.vocabulary.facts:
                yield Problem(topic.where, f"topic {topic.name}: {name} is not a known fact.")


def _can_state(fact: Fact, topic: Topic) -> bool:
    """True where a fact states what its topic would otherwise recommend."""
    if topic.policy is Policy.VALUE:
        fits = fact.type is FactType.INTEGER and topic.type == "integer"
    else:
        chosen = fact.type is FactType.TEXT or set(fact.choice_names) == set(topic.values)
        fits = chosen and topic.policy in (Policy.FIRST, Policy.SCORE)
    return fits and fact.closed and not fact.ask and not fact.derive


def _check_rule(knowledge: Knowledge, rule: Rule) -> Iterator[Problem]:
    topic = knowledge.topics[rule.topic]
    what = f"rule {shorten(rule.id)}:"
    yield from compiled(rule.where, f"{what} when", partial(knowledge.condition, rule))
    if not is_literal(topic, rule):
        compiling = partial(knowledge.expression, rule.value, topic.static_type)
        value = yield from compiled(rule.where, f"{what} value", compiling)
        if value is not None:
            yield from _check_bounds(topic, rule, value)
    if rule.settles:
        compiling = partial(knowledge.expression, rule.settles.expects, BOOLEAN)
        yield from compiled(rule.where, f"{what} expects", compiling)
    for line in rule.actions:
        for name in FACT_IN_ACTION.findall(line):
            if name not in knowledge.vocabulary.facts:
                hint = did_you_mean(name, knowledge.vocabulary.facts)
                yield Problem(rule.where, f"{what} an action reads {shorten(name)!r}, which is no fact.", hint)
    yield from undeclared(rule.where, f"{what} cites", cited(rule.sources), knowledge.sources)
    yield from undeclared(rule.where, f"{what} names the erratum", rule.erratum, knowledge.errata)
    if rule.is_verified:
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
                if known.layer > rule.layer:  # a pack has put it there
                    what = f"rule {rule.id} of {rule.where} supersedes {other}, a rule of another topic."
                    yield Problem(known.where, what, "Keep the topic, or give the rule an id of its own.")
                else:
                    yield Problem(rule.where, f"rule {rule.id}: supersedes {other}, a rule of another topic.")
        if rule.supersedes and rule.school is School.SURVEY:
            yield Problem(
                rule.where, f"rule {rule.id}: a rule of school survey supersedes nothing.", "Use school today."
            )
        reads[rule.id] = frozenset(rule.supersedes)
    yield from _circle(reads, knowledge.by_id, "rules supersede")


def topic_reads(knowledge: Knowledge, topic: Topic, rules: Iterable[Rule] | None = None) -> frozenset[str]:
    """The names of facts and topics that the topic's applicability and rules read."""
    return frozenset().union(*(expression.names for expression in topic_expressions(knowledge, topic, rules)))


def topic_expressions(knowledge: Knowledge, topic: Topic, rules: Iterable[Rule] | None = None) -> Iterator[Expression]:
    """Every expression of a topic and of these rules of it (default: all)."""
    if topic.applies:
        yield knowledge.expression(topic.applies, BOOLEAN)
    for rule in rules if rules is not None else (rule for rule in knowledge.rules if rule.topic == topic.name):
        yield knowledge.condition(rule)
        if not is_literal(topic, rule):
            yield knowledge.expression(rule.value, topic.static_type)


def _check_topic_cycles(knowledge: Knowledge) -> Iterator[Problem]:
    reads: dict[str, Set[str]] = {}
    try:
        for name, topic in knowledge.topics.items():
            reads[name] = topic_reads(knowledge, topic) & set(knowledge.topics)
    except ExpressionError:
        return  # reported where the expression stands
    for problem in _circle(reads, knowledge.topics, "topics depend on"):
        closing = _closing_rule(knowledge, reads)
        yield replace(problem, where=closing.where, what=f"rule {closing.id}: {problem.what}") if closing else problem


def _closing_rule(knowledge: Knowledge, reads: Mapping[str, Set[str]]) -> Rule | None:
    """The rule of a circle of topics that was read last, as it may be a pack's; None where no rule is in it."""
    cycle = _cycle(reads)
    follows = set(pairwise(cycle))
    within = [
        rule
        for rule in knowledge.rules
        if rule.topic in cycle
        and any((rule.topic, name) in follows for name in _rule_reads(knowledge, knowledge.topics[rule.topic], rule))
    ]
    return max(within, key=lambda rule: rule.layer, default=None)


def _rule_reads(knowledge: Knowledge, topic: Topic, rule: Rule) -> frozenset[str]:
    return topic_reads(knowledge, replace(topic, applies=None), [rule])


def _circle(reads: Mapping[str, Set[str]], declared: Mapping[str, Fact | Topic | Rule], how: str) -> Iterator[Problem]:
    """A problem where some of these names read each other in a circle; it stands where a pack has closed it, if one has."""
    if cycle := _cycle(reads):
        closing = max((declared[name] for name in cycle), key=lambda one: one.layer if isinstance(one, Rule) else 0)
        yield Problem(closing.where, f"these {how} each other in a circle: {' -> '.join(cycle)}.")


def _cycle(reads: Mapping[str, Set[str]]) -> list[str]:
    """Names of which each reads the next, and the last is the first again; none where there is no circle."""
    try:
        TopologicalSorter({name: sorted(others & reads.keys()) for name, others in reads.items()}).prepare()
    except CycleError as error:
        cycle: list[str] = error.args[1]
        return cycle[::-1]
    return []
