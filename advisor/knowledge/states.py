"""The truth values that the condition of a rule can take at all, so that no test is asked to show what cannot be."""

from __future__ import annotations

from advisor.knowledge.expressions.regions import FALSE, TRUE, UNKNOWN
from advisor.knowledge.lint import whole_region
from advisor.knowledge.model import Knowledge, Policy, Rule, School, Topic, is_literal

_STATES = {"fire": TRUE, "silent": FALSE, "unknown": UNKNOWN}


def possible_states(knowledge: Knowledge) -> dict[str, frozenset[str]]:
    """For every rule the states that some facts, known or not, could bring about.

    What is left out is proven impossible: a rule without a condition only fires, and one that reads nothing but a
    recommendation that always has a value is never unknown. Some of what is named may be impossible all the same, where
    several facts would have to contradict each other.
    """
    box = whole_region(knowledge)
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
            rule.topic == topic.name and _is_last_resort(topic, rule)
            for rule in knowledge.rules
            if rule.school is not School.TODAY
        )
    )


def _is_last_resort(topic: Topic, rule: Rule) -> bool:
    return rule.when is None and is_literal(topic, rule)
