"""The influence of answers: the recommendations that one can change, and the answers that change none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from advisor.facts.fact_base import FactBase
from advisor.facts.vocabulary import FactType
from advisor.inference.advise import consistent, situation_of
from advisor.inference.explaining.questions import Inquiry
from advisor.inference.outcomes import Outcome, same
from advisor.inference.program.boxes import landmarks
from advisor.inference.program.steps import apply_steps
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
    slot = program.fact_slots[name]
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


def unused_answers(engine: Engine, facts: FactBase, answered: Iterable[str]) -> tuple[str, ...]:
    """The answered facts without which, all together, the plan would be the same.

    Of two answers each of which makes the other superfluous, the one that was given later counts as unused.
    """
    program = engine.program
    base, _ = consistent(program, facts)
    situation = situation_of(program, base)
    unused: list[str] = []
    for name in reversed(list(answered)):
        slot = program.fact_slots[name]
        if situation.values[slot] is None:
            continue
        without = situation.changed(slot, None)
        speaks = program.facts[slot].type is FactType.TEXT or _is_read(engine, situation, without, slot)
        if not speaks or _means_nothing(engine, situation, slot):  # a text names what other facts are known by
            unused.append(name)
            situation = without
    return tuple(reversed(unused))


def _means_nothing(engine: Engine, situation: Situation, slot: int) -> bool:
    values = list(situation.values)
    apply_steps(engine.program.steps, values, assume=True, blank=situation.blank)
    return values[slot] is None


def _is_read(engine: Engine, situation: Situation, without: Situation, slot: int) -> bool:
    """True if some advice differs without the answer, or could with another one."""
    for topic in engine.program.topics.values():
        if topic.silent:
            continue
        decision, before = engine.decide(topic, without), engine.decide(topic, situation)
        if slot in decision.open_slots or (decision.outcome, decision.settled) != (before.outcome, before.settled):
            return True
    return False
