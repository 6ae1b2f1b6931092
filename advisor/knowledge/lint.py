"""Oddities of a rule base that loads, as far as they are seen without proof: what is said twice, supports nothing, is stale;
also the states of a rule that could be at all, so that no test is asked to show what cannot be.

Each is a remark for the author and makes `rules check` fail. The remarks that need proof are in `advisor.knowledge.solver`.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from advisor.errors import Problem
from advisor.knowledge.citations import cited
from advisor.knowledge.expressions.expressions import BOOLEAN
from advisor.knowledge.expressions.operations import NOTHING
from advisor.knowledge.expressions.regions import FALSE, TRUE, UNKNOWN, union
from advisor.knowledge.model import (
    STATED,
    Effect,
    Knowledge,
    Policy,
    Rule,
    School,
    Topic,
    domain,
    domain_of_topic,
    is_literal,
)
from advisor.knowledge.terms import phrase, terms_in
from advisor.wording import join_names, shorten

STALE_DAYS = 3 * 365


def lint(knowledge: Knowledge, today: datetime.date | None = None) -> Iterator[Problem]:
    """Every remark. `today` is the day against which the dates of verification are judged (default: not judged)."""
    yield from _never_true(knowledge)
    yield from _duplicates(knowledge)
    yield from _unsupported_values(knowledge)
    yield from _nothing_to_do(knowledge)
    yield from _citations(knowledge)
    yield from _unexplained(knowledge)
    if today is not None:
        yield from _stale(knowledge, today)


def _never_true(knowledge: Knowledge) -> Iterator[Problem]:
    """Conditions that no region of values can make true, whatever the facts."""
    box = _whole_region(knowledge)
    for rule in knowledge.rules:
        if not knowledge.condition(rule).over(box) & TRUE:
            yield Problem(rule.where, f"rule {rule.id} can never hold: `{rule.when}`.", "Correct or delete it.")
        if rule.settles and not knowledge.expression(rule.settles.expects, BOOLEAN).over(box) & TRUE:
            yield Problem(rule.where, f"rule {rule.id} expects what no probe can find.", "Correct what it expects.")


def _whole_region(knowledge: Knowledge) -> list[object]:
    """Every fact and topic at any of its values, unknown included."""
    regions = [*map(domain, knowledge.vocabulary.facts.values()), *map(domain_of_topic, knowledge.topics.values())]
    types = knowledge.symbols.types.values()
    return [union(region, NOTHING[type_.kind]) for region, type_ in zip(regions, types, strict=True)]


def _duplicates(knowledge: Knowledge) -> Iterator[Problem]:
    for rule_id, other in repeated_rules(knowledge).items():
        yield Problem(knowledge.by_id[rule_id].where, f"rule {rule_id} says the same as {other}.", "Merge them.")


def repeated_rules(knowledge: Knowledge) -> dict[str, str]:
    """The rules that an earlier rule says word for word, and that one."""
    seen: dict[tuple[object, ...], str] = {}
    repeated: dict[str, str] = {}
    for rule in knowledge.rules:
        key = (rule.topic, rule.school, rule.effect, rule.value, " ".join((rule.when or "").split()))
        first = seen.setdefault(key, rule.id)
        if first != rule.id:
            repeated[rule.id] = first
    return repeated


def _unsupported_values(knowledge: Knowledge) -> Iterator[Problem]:
    """Values of a topic that no rule could ever recommend."""
    for topic in knowledge.topics.values():
        speaking = _speaking(knowledge, topic)
        missing = [value for value in topic.values if not any(value in values for _, values in speaking)]
        if missing and speaking:
            what = f"topic {topic.name}: no rule speaks for {join_names(missing)}."
            yield Problem(topic.where, what, "Add a rule or take the value out.")


def _speaking(knowledge: Knowledge, topic: Topic) -> list[tuple[Rule, frozenset[str]]]:
    """The rules that can recommend something, each with the values that it can name (none for numbers)."""
    found = []
    for rule in knowledge.rules:
        if rule.topic == topic.name and rule.effect in (Effect.FOR, Effect.VALUE, Effect.ADD):
            literal = is_literal(topic, rule)
            options = None if literal else knowledge.expression(rule.value, topic.static_type).type.options
            found.append((rule, frozenset({rule.value}) if literal else options or frozenset()))
    return found


def _nothing_to_do(knowledge: Knowledge) -> Iterator[Problem]:
    """Values with which the plan leaves its reader alone: no action in the topic, and rules without one that recommend it."""
    for topic in knowledge.topics.values():
        speaking = _speaking(knowledge, topic)
        idle = [
            value
            for value in topic.values or ("",)
            if not topic.actions_for(value)
            and any(not rule.actions for rule, values in speaking if value in values or not topic.values)
        ]
        if idle:
            what = join_names(idle, "or") if topic.values else "its value"
            remedy = "Add `actions` to the topic, or to every rule that recommends it."
            yield Problem(topic.where, f"topic {topic.name}: there is nothing to do for {what}.", remedy)


def _citations(knowledge: Knowledge) -> Iterator[Problem]:
    """Sources and errata that nothing refers to, and rules of the survey that rest on none of its documents."""
    attached = {erratum for rule in knowledge.rules for erratum in rule.erratum}
    used = {key for rule in knowledge.rules for key in cited(rule.sources)}
    for figure in knowledge.figures.figures.values():
        used |= {key for case in figure.cases for key in cited(case.sources)}
    for rule in knowledge.rules:
        if rule.school is School.SURVEY and not any(
            knowledge.sources[key].kind == "seed" for key in cited(rule.sources)
        ):
            yield Problem(rule.where, f"rule {rule.id} of school survey cites no seed document.")
    for key in knowledge.errata:
        if key not in attached and any(rule.school is School.SURVEY for rule in knowledge.rules):
            yield Problem("sources.yaml", f"erratum {key} is attached to no rule.")
    for key in knowledge.sources:
        if key not in used and key != STATED:
            yield Problem("sources.yaml", f"source {key} is cited by no rule.", "Cite it or take it out.")


def _unexplained(knowledge: Knowledge) -> Iterator[Problem]:
    """Titles and values of topics that no term explains, where there is a glossary. What is longer than three words says
    itself what it means."""
    for topic in knowledge.topics.values() if knowledge.terms else ():
        for name, words in [("", topic.title), *topic.values.items()]:
            short = phrase(words).count(" ") < 3 and name != "none"
            if short and not terms_in(knowledge.phrases, words) and not terms_in(knowledge.phrases, name):
                what = f"topic {topic.name}: the glossary does not explain {shorten(words)!r}."
                yield Problem(topic.where, what, "Add a term to glossary.yaml.")


def _stale(knowledge: Knowledge, today: datetime.date) -> Iterator[Problem]:
    for rule in knowledge.rules:
        if rule.is_verified and (today - datetime.date.fromisoformat(rule.verified)).days > STALE_DAYS:
            yield Problem(rule.where, f"rule {rule.id} was last looked up on {rule.verified}.", "Look it up again.")


# --- states that tests of rules need not show ---------------------------------------------------------------------------

_STATES = {"fire": TRUE, "silent": FALSE, "unknown": UNKNOWN}


def possible_states(knowledge: Knowledge) -> dict[str, frozenset[str]]:
    """For every rule the states that some facts, known or not, could bring about.

    What is left out is proven impossible: a rule without a condition only fires, and one that reads nothing but a
    recommendation that always has a value is never unknown. Some of what is named may be impossible all the same, where
    several facts would have to contradict each other.
    """
    box = _whole_region(knowledge)
    slots = knowledge.symbols.slots
    for topic in knowledge.topics.values():
        region = box[slots[topic.name]]
        if isinstance(region, frozenset) and _always_has_value(knowledge, topic):
            box[slots[topic.name]] = region - {None}
    states = {}
    for rule in knowledge.rules:
        truth = knowledge.condition(rule).over(box)
        states[rule.id] = frozenset(state for state, bit in _STATES.items() if truth & bit)
    return states


def _always_has_value(knowledge: Knowledge, topic: Topic) -> bool:
    """Return whether the last resort of the topic is a plain value without a condition, in both schools."""
    return (
        topic.policy is Policy.FIRST
        and not topic.applies
        and any(
            rule.topic == topic.name and rule.when is None and is_literal(topic, rule)
            for rule in knowledge.rules
            if rule.school is not School.TODAY
        )
    )
