"""Flips and questions, held to their word: each listed flip gives its `then`, each question can matter."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.facts.fact_base import FactBase
from advisor.inference import proof
from advisor.inference.advise import Detail, advise, consistent, engine_for, situation_of
from advisor.inference.plan import Status
from advisor.inference.questions import Inquiry
from advisor.knowledge.model import Knowledge, School
from tests.properties import examples

from .checking import hashable, knowing, oracle_of, plan_of
from .oracle import Oracle, evaluate
from .random_bases import Case, cases


def inquiry(case: Case, knowledge: Knowledge) -> Inquiry:
    engine = engine_for(knowledge, School(case.school))
    base, _ = consistent(engine.program, FactBase.of(case.known))
    return Inquiry(engine, situation_of(engine.program, base), base)


@examples(150)
@given(cases(), st.sampled_from([1, 3, proof.NODE_CAP]))
def test_setting_a_listed_flip_gives_its_then(case: Case, node_cap: int) -> None:
    oracle_of(case)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(proof, "NODE_CAP", node_cap)
        plan = plan_of(case, detail=Detail(reasons=False, flips=True, questions=False))
        for name, entry in plan.recommendations.items():
            for flip in entry.flips:
                changed = plan_of(knowing(case, {flip.fact: flip.to})).recommendations[name]
                assert hashable(changed.value) == flip.then
                assert changed.value != entry.value


@examples(150)
@given(cases())
def test_every_question_matters_under_some_completion(case: Case) -> None:
    oracle = oracle_of(case)
    asking = inquiry(case, case.base.load())
    for question in asking.questions():
        topics = asking.why(question)
        assert topics
        for topic in topics:
            assert oracle.matters(case.known, question.fact, topic)


@examples(150)
@given(cases())
def test_a_leaning_topic_whose_open_facts_can_be_asked_for_has_a_question(case: Case) -> None:
    oracle = oracle_of(case)
    knowledge = case.base.load()
    plan = advise(knowledge, FactBase.of(case.known), School(case.school))
    asking = inquiry(case, knowledge)
    asked = {topic for question in asking.questions() for topic in asking.why(question)}
    for name, entry in plan.recommendations.items():
        if entry.status is Status.LEANING and all(can_mean_something(oracle, case, fact) for fact in entry.depends_on):
            assert name in asked


def can_mean_something(oracle: Oracle, case: Case, fact: str) -> bool:
    """Whether some completion gives the fact a meaning; one that hangs on a meaningless fact is never asked for."""
    declared = case.base.facts[fact]
    assert "derive" not in declared
    applies = declared.get("only_when", "true")
    return any(evaluate(applies, oracle.prepared(raw, assume=False)) is True for raw in oracle.completions(case.known))
