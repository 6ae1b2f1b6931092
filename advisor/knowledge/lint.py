"""Oddities of a rule base that loads: rules that can never hold, say the same twice, or cite nothing anyone has seen lately.

A first set; each is a remark for the author and makes `rules check` fail.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from advisor.errors import Problem, join_names
from advisor.facts.vocabulary import FactType
from advisor.knowledge.expressions import BOOLEAN
from advisor.knowledge.model import Effect, Knowledge, Policy, Rule, School
from advisor.knowledge.regions import TRUE

STALE_DAYS = 3 * 365


def lint(knowledge: Knowledge, today: datetime.date | None = None) -> Iterator[Problem]:
    """Every remark. `today` is the day against which the dates of verification are judged (default: not judged)."""
    yield from _never_true(knowledge)
    yield from _duplicates(knowledge)
    yield from _unsupported_values(knowledge)
    yield from _unused_sources(knowledge)
    if today is not None:
        yield from _stale(knowledge, today)


def _never_true(knowledge: Knowledge) -> Iterator[Problem]:
    """Conditions that no region of values can make true, whatever the facts."""
    box = whole_region(knowledge)
    for rule in knowledge.rules:
        if not knowledge.condition(rule).over(box) & TRUE:
            yield Problem(rule.where, f"rule {rule.id} can never hold: `{rule.when}`.", "Mend or delete it.")
        if rule.settles and not knowledge.expression(rule.settles.expects, BOOLEAN).over(box) & TRUE:
            yield Problem(rule.where, f"rule {rule.id} expects what no probe can find.")


def whole_region(knowledge: Knowledge) -> list[object]:
    """Every fact and topic at any of its values, unknown included."""
    box: list[object] = []
    for fact in knowledge.vocabulary.facts.values():
        if fact.type is FactType.BOOLEAN:
            box.append(7)
        elif fact.type is FactType.SET:
            box.append((frozenset(), frozenset(fact.choice_names), True))
        elif fact.numeric:
            box.append((fact.minimum, fact.maximum, True))
        else:
            box.append(frozenset({*fact.choice_names, None}))
    for topic in knowledge.topics.values():
        if topic.policy is Policy.VALUE:
            box.append((None,) if topic.type == "integers" else (0.0, 1e18, True))
        elif topic.policy is Policy.ALL:
            box.append((frozenset(), frozenset(topic.values), True))
        else:
            box.append(frozenset({*topic.values, None}))
    return box


def _duplicates(knowledge: Knowledge) -> Iterator[Problem]:
    seen: dict[tuple[object, ...], Rule] = {}
    for rule in knowledge.rules:
        key = (rule.topic, rule.school, rule.effect, rule.value, " ".join((rule.when or "").split()))
        if key in seen:
            yield Problem(rule.where, f"rule {rule.id} says the same as {seen[key].id}.", "Merge them.")
        seen.setdefault(key, rule)


def _unsupported_values(knowledge: Knowledge) -> Iterator[Problem]:
    """Values of a topic that no rule could ever recommend."""
    supporting = {Effect.FOR, Effect.VALUE, Effect.ADD}
    for topic in knowledge.topics.values():
        said = {r.value for r in knowledge.rules if r.topic == topic.name and r.effect in supporting}
        missing = [value for value in topic.values if value not in said]
        if missing and said:
            what = f"topic {topic.name}: no rule speaks for {join_names(missing)}."
            yield Problem(topic.where, what, "Add a rule or take the value out.")


def _unused_sources(knowledge: Knowledge) -> Iterator[Problem]:
    cited = {erratum for rule in knowledge.rules for erratum in rule.erratum}
    for rule in knowledge.rules:
        if rule.school is School.SURVEY and not any(_is_seed(knowledge, source) for source in rule.sources):
            yield Problem(rule.where, f"rule {rule.id} of school survey cites no seed document.")
    for key in knowledge.errata:
        if key not in cited and any(rule.school is School.SURVEY for rule in knowledge.rules):
            yield Problem("sources.yaml", f"erratum {key} is attached to no rule.")


def _is_seed(knowledge: Knowledge, citation: str) -> bool:
    return knowledge.sources[citation.split(" ")[0]].kind == "seed"


def _stale(knowledge: Knowledge, today: datetime.date) -> Iterator[Problem]:
    for rule in knowledge.rules:
        if rule.is_verified and (today - datetime.date.fromisoformat(rule.verified)).days > STALE_DAYS:
            yield Problem(rule.where, f"rule {rule.id} was last looked up on {rule.verified}.", "Look it up again.")
