"""The values that lead at the facts as they are assumed: a first look at a plan, long before its statuses are proven."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from advisor.facts.fact_base import FactBase
from advisor.inference.advise import consistent, engine_for, situation_of
from advisor.inference.outcomes import NOT_APPLICABLE, Outcome, Tie
from advisor.inference.plan import Recommendation, Status
from advisor.inference.proof.points import Point
from advisor.knowledge.model import Knowledge, School


def leading(knowledge: Knowledge, facts: FactBase, school: School) -> Mapping[str, Outcome]:
    """The outcome of each topic at one point, which takes a millisecond. The plan says otherwise where every completion agrees
    on another, and where what is needed does not fit into memory.

    Raises:
        InputError: two stated facts exclude each other.
    """
    program = engine_for(knowledge, school).program
    situation = situation_of(program, consistent(program, facts)[0])
    point = Point(program, situation.values, assume=True, blank=situation.blank).complete()
    return {name: point.outcomes[topic.slot] for name, topic in program.topics.items() if not topic.silent}


def led_by(entry: Recommendation, outcome: Outcome) -> Recommendation:
    """The recommendation as it looks if this leads; its status is not known yet."""
    if outcome is NOT_APPLICABLE:
        return replace(entry, value=None, tied=(), status=Status.NOT_APPLICABLE)
    if isinstance(outcome, Tie):
        return replace(entry, value=None, tied=tuple(outcome), status=Status.OPEN)
    value = list(outcome) if isinstance(outcome, tuple) else outcome
    return replace(entry, value=value, tied=(), status=Status.LEANING)
