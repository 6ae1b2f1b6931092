"""Boxes of completions, narrowed fact by fact, against the same boxes worked out from scratch."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from advisor.errors import InputError
from advisor.facts.fact_base import FactBase
from advisor.inference.advise import consistent, engine_for, situation_of
from advisor.inference.outcomes import Outcome
from advisor.inference.program.boxes import is_point, split
from advisor.inference.program.program import Program
from advisor.inference.program.steps import apply_steps_over
from advisor.inference.program.topic import TopicProgram
from advisor.inference.situation import Situation
from advisor.knowledge.cache import knowledge_for
from advisor.knowledge.expressions.regions import point
from advisor.knowledge.model import Knowledge, School
from tests.properties import examples

from .random_bases import Case, cases

FEW = {"task.kind": "classify", "data.modality": "image", "data.examples": 20_000}


def from_scratch(
    program: Program, situation: Situation, box: dict[int, Any], topic: TopicProgram
) -> tuple[Outcome, Any]:
    """The outcome and region of a topic over a box, with everything before it worked out anew."""
    given = situation.values
    regions: list[Any] = [None] * program.width
    for slot, whole in enumerate(program.domains):
        regions[slot] = box.get(slot, whole) if given[slot] is None else point(given[slot])
    apply_steps_over(program.steps, given, regions)
    for one in program.topics.values():
        outcome, regions[one.slot], _ = one.over(regions)
        if one is topic:
            return outcome, regions[one.slot]
    raise AssertionError(topic.name)


def check_narrowing(knowledge: Knowledge, facts: FactBase, school: School, dice: random.Random) -> None:
    engine = engine_for(knowledge, school)
    program = engine.program
    situation = situation_of(program, consistent(program, facts)[0])
    for topic in program.topics.values():
        if topic.silent:
            continue
        residual = engine.residual(topic, situation)
        boxed = residual.whole()
        for _ in range(6):
            assert (boxed.outcome, boxed.regions[topic.slot]) == from_scratch(program, situation, boxed.box, topic)
            wide = [slot for slot, region in boxed.box.items() if not is_point(region)]
            if not wide:
                break
            slot = dice.choice(wide)
            parts = split(program.facts[slot], boxed.box[slot], topic.cuts.get(slot, ()))
            boxed = residual.narrowed(boxed, slot, dice.choice(parts))


@examples(150)
@given(cases(), st.randoms(use_true_random=False))
def test_a_narrowed_box_is_what_it_is_from_scratch(case: Case, dice: random.Random) -> None:
    try:
        check_narrowing(case.base.load(), FactBase.of(case.known), School(case.school), dice)
    except InputError:
        assume(False)  # what is known is impossible


@examples(12)
@given(st.sets(st.sampled_from(sorted(FEW))), st.randoms(use_true_random=False))
def test_it_is_so_with_the_rules_that_ship(known: set[str], dice: random.Random) -> None:
    check_narrowing(knowledge_for(), FactBase.of({name: FEW[name] for name in known}), School.TODAY, dice)
