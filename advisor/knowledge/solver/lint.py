"""The remarks that need proof, on a rule base that loads."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.errors import Problem
from advisor.knowledge.model import Knowledge
from advisor.knowledge.solver.gaps import gaps
from advisor.knowledge.solver.pairs import idle_supersessions, rules_at_odds
from advisor.knowledge.solver.questions import Answer, Court
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
