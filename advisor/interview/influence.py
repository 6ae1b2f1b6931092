"""The reason why a question is asked: the recommendations that its answer can change."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.facts.fact_base import FactBase
from advisor.inference.advise import consistent, situation_of
from advisor.inference.explaining.questions import Inquiry
from advisor.inference.outcomes import Outcome, same
from advisor.inference.program.boxes import landmarks
from advisor.inference.program.topic import TopicProgram
from advisor.inference.proof.engine import Engine
from advisor.inference.proof.search import feasible
from advisor.inference.situation import Situation

MOST_ANSWERS = 10


@dataclass(frozen=True, slots=True)
class Influence:
    """The topics that the answer to one question bears on, each list in the order of the plan.

    `proven`: two answers are known that lead to different advice. `possible`: rules that are still undecided read the
    fact, but no such two answers were found. Together they are all topics that depend on it.
    """

    fact: str
    proven: tuple[str, ...] = ()
    possible: tuple[str, ...] = ()


def influence(engine: Engine, facts: FactBase, name: str) -> Influence:
    """The effects that an answer to a question can have, whatever has been answered to it so far."""
    program = engine.program
    slot = program.slots[name]
    base, _ = consistent(program, facts.without(name))
    situation = situation_of(program, base)
    inquiry = Inquiry(engine, situation, base)
    proven: list[str] = []
    possible: list[str] = []
    for topic in program.topics.values():
        if topic.silent or slot not in engine.decide(topic, situation).open_slots:
            continue
        moves = inquiry.matters(slot, topic) or _reported_differently(engine, topic, situation, slot)
        (proven if moves else possible).append(topic.name)
    return Influence(name, tuple(proven), tuple(possible))


def _reported_differently(engine: Engine, topic: TopicProgram, situation: Situation, slot: int) -> bool:
    """True if two answers, everything else as it stands, make the plan say different things."""
    seen: list[Outcome] = []
    for value in landmarks(engine.program.facts[slot], topic.cuts.get(slot, ()))[:MOST_ANSWERS]:
        answered = situation.changed(slot, value)
        if topic.constraints and not feasible(topic, list(answered.values)):
            continue
        outcome = engine.reported(topic, answered)
        if not all(same(topic.topic, outcome, other) for other in seen):
            return True
        seen.append(outcome)
    return False
