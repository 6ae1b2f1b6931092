"""Questions on small random rule bases, held against an oracle that tries every completion."""

from __future__ import annotations

import random
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from advisor.facts.fact_base import FactBase
from advisor.inference.advise import advise, consistent, engine_for, situation_of
from advisor.inference.explaining.questions import Inquiry
from advisor.inference.plan import Status
from advisor.knowledge.model import Knowledge, School
from tests.properties import examples

from .checking import knowing, oracle_of
from .oracle import Oracle, evaluate
from .random_bases import Case, cases


def inquiry(case: Case, knowledge: Knowledge, declined: frozenset[str] = frozenset()) -> Inquiry:
    engine = engine_for(knowledge, School(case.school))
    base, _ = consistent(engine.program, FactBase.of({**dict.fromkeys(declined), **case.known}))
    return Inquiry(engine, situation_of(engine.program, base), base)


@examples(150)
@given(cases())
def test_every_question_matters_under_some_completion(case: Case) -> None:
    oracle = oracle_of(case)
    asking = inquiry(case, case.base.load())
    questions = asking.questions()
    assert asking.next() == (questions[0] if questions else None)
    for question in questions:
        topics = asking.why(question)
        assert topics
        for topic in topics:
            assert oracle.matters(case.known, question.fact, topic)


@examples(150)
@given(cases())
def test_an_example_of_why_a_question_matters_differs_in_that_fact_alone_and_moves_the_topic(case: Case) -> None:
    oracle = oracle_of(case)
    asking = inquiry(case, case.base.load())
    for question in asking.questions():
        slot = asking.program.slots[question.fact]
        for name in asking.why(question):
            found = asking.example(slot, asking.program.topics[name])
            assert found is not None
            assert {fact for fact in found.one if found.one[fact] != found.other[fact]} == {question.fact}
            assert found.one.keys() == found.other.keys()
            assert not found.one.keys() & case.known.keys()
            assert oracle.matters({**case.known, **found.one}, question.fact, name) is False
            one, other = ({**case.known, **facts} for facts in (found.one, found.other))
            assert outcome(oracle, one, name) != outcome(oracle, other, name)


def outcome(oracle: Oracle, known: dict[str, object], topic: str) -> object:
    """What every completion of these facts gives for the topic."""
    (only,) = {repr(oracle.at_completion(raw)[topic]) for raw in oracle.completions(known)}
    return only


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


@st.composite
def cases_with_measurements(draw: st.DrawFn) -> Case:
    """Also facts that nobody is asked for."""
    case = draw(cases())
    silent = draw(st.sets(st.sampled_from(sorted(case.base.facts)), max_size=2))
    facts = {n: {**fact, "ask": "false"} if n in silent else fact for n, fact in case.base.facts.items()}
    return replace(case, base=replace(case.base, facts=facts))


@examples(300)
@given(cases_with_measurements(), st.randoms(use_true_random=False))
def test_when_no_question_is_left_no_answer_can_change_anything_any_more(case: Case, dice: random.Random) -> None:
    oracle = oracle_of(case)
    truth = dice.choice(list(oracle.completions(case.known)))
    knowledge = case.base.load()
    declined: set[str] = set()
    while (question := inquiry(case, knowledge, frozenset(declined)).next()) is not None:
        assert any(oracle.matters(case.known, question.fact, topic) for topic in question.topics)
        if dice.random() < 0.2:
            declined.add(question.fact)
        else:
            case = knowing(case, {question.fact: truth[question.fact]})
    spoken = [topic for topic, rules in oracle.rules.items() if rules]
    silent = {name for name, fact in case.base.facts.items() if fact.get("ask") == "false"}
    for name in case.base.facts.keys() - case.known.keys() - declined - silent:
        if means_something(oracle, case, name):
            assert not [topic for topic in spoken if oracle.matters(case.known, name, topic)]


def means_something(oracle: Oracle, case: Case, name: str) -> bool:
    """As far as is known, assumptions made: a fact whose meaning hangs on another answer waits for that."""
    gate = str(case.base.facts[name].get("only_when", "true"))
    return evaluate(gate, oracle.prepared(case.known, assume=True)) is True
