"""Questions to the solver on a rule base that loads: the remarks that need proof, and states proven impossible."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from advisor.errors import Problem
from advisor.knowledge.model import Knowledge, Rule, School
from advisor.knowledge.solver.gaps import gaps
from advisor.knowledge.solver.pairs import idle_supersessions, rules_at_odds
from advisor.knowledge.solver.questions import Answer, Court
from advisor.knowledge.solver.values import negation
from advisor.knowledge.solver.verdicts import rules_without_effect


@dataclass(frozen=True, slots=True)
class Proven:
    """Remarks, and the number of questions that the solver could not answer within its limits: no remark comes of those."""

    remarks: tuple[Problem, ...]
    unanswered: int


def prove(knowledge: Knowledge) -> Proven:
    """Everything the solver finds in a rule base."""
    court = Court(knowledge)
    facts = knowledge.vocabulary.facts
    if facts and court.asker_at_large(facts).ask() is Answer.IMPOSSIBLE:
        where = next((constraint.where for constraint in knowledge.vocabulary.constraints), "facts.yaml")
        what = "no project could satisfy all constraints together."
        return Proven((Problem(where, what, "Correct one of them."),), court.tally.unanswered)
    odds = list(rules_at_odds(court))
    told = {remark.where for remark in odds}  # of two that contradict each other the later one never decides
    effects = [remark for remark in rules_without_effect(court) if remark.where not in told]
    found = [*effects, *odds, *idle_supersessions(court), *gaps(court)]
    return Proven(tuple(dict.fromkeys(found)), court.tally.unanswered)


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
    formulas = {"fire": truth.true, "silent": truth.false, "unknown": negation(truth.known)}
    return {state for state in states if asker.ask(formulas[state]) is not Answer.IMPOSSIBLE}
