"""The states of a rule that no situation can bring about, once the topics that it reads are what their own rules make of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from advisor.knowledge.model import Knowledge, Rule, School
from advisor.knowledge.solver.questions import Answer, Court
from advisor.knowledge.solver.values import Formula, Truth, negation


def impossible_states(knowledge: Knowledge, asked: Mapping[str, Collection[str]]) -> dict[str, frozenset[str]]:
    """Of the states asked for (`fire`, `silent`, `unknown`), by rule, those that are proven impossible in every school.

    `network.init == "pretrained" and network.type == "cnn"` is an example: weights are only ever pretrained where the type
    is known, so this is never unknown.
    """
    court = Court(knowledge)
    found = {}
    for identifier, states in asked.items():
        rule = knowledge.by_id[identifier]
        left = set(states)
        for school in rule.counts_in:
            left -= _possible(court, rule, school, left)
        found[identifier] = frozenset(left)
    return found


def _possible(court: Court, rule: Rule, school: School, states: Collection[str]) -> set[str]:
    names = court.knowledge.condition(rule).names
    asker = court.asker_at_large(court.names_behind(names, school))
    for topic in court.upstream(names):
        asker.add(*court.formulas(topic, school).definition())
    truth = court.situations.seen.truth(rule.when or "true")
    return {state for state in states if asker.ask(_formula(truth, state)) is not Answer.IMPOSSIBLE}


def _formula(truth: Truth, state: str) -> Formula:
    return {"fire": truth.true, "silent": truth.false}.get(state, negation(truth.known))
