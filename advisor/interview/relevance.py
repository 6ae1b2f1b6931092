"""Answers that the plan does not use: they mean nothing beside other answers, or nothing depends on them any more."""

from __future__ import annotations

from collections.abc import Iterable

from advisor.facts.fact_base import FactBase
from advisor.facts.vocabulary import FactType
from advisor.inference.advise import consistent, situation_of
from advisor.inference.program.steps import apply_steps
from advisor.inference.proof.engine import Engine
from advisor.inference.situation import Situation


def unused_answers(engine: Engine, facts: FactBase, answered: Iterable[str]) -> tuple[str, ...]:
    """The answered facts without which, all together, the plan would be the same.

    Of two answers each of which makes the other superfluous, the one that was given later counts as unused.
    """
    program = engine.program
    base, _ = consistent(program, facts)
    situation = situation_of(program, base)
    unused: list[str] = []
    for name in reversed(list(answered)):
        slot = program.slots[name]
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
    apply_steps((step for step in engine.program.steps if step.slot not in situation.blank), values, assume=True)
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
