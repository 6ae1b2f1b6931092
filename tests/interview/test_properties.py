"""What the conversation claims of questions and answers, on random rule bases."""

from __future__ import annotations

from hypothesis import given

from advisor.errors import InputError
from advisor.facts.fact_base import FactBase
from advisor.inference.advise import VALUES_ONLY
from advisor.interview.influence import Influence
from advisor.interview.interview import Interview
from advisor.knowledge.model import School
from tests.inference.checking import oracle_of
from tests.inference.random_bases import Case, cases
from tests.properties import examples


def interview(case: Case) -> Interview:
    conversation = Interview(case.base.load(), school=School(case.school))
    conversation.restore(case.known, ())
    return conversation


@examples(60)
@given(cases())
def test_why_covers_every_recommendation_that_depends_on_the_answer_and_proves_only_such(case: Case) -> None:
    oracle = oracle_of(case)
    conversation = interview(case)
    plan = conversation.plan(VALUES_ONLY)
    for name in case.base.facts:
        if name in plan.facts or name in case.known:
            continue
        found = conversation.why(name)
        depending = {topic for topic, entry in plan.recommendations.items() if name in entry.depends_on}
        assert depending <= {*found.proven, *found.possible}
        assert not set(found.proven) & set(found.possible)
        for topic in found.proven:
            assert topic in depending
            assert oracle.matters(case.known, name, topic) or _reports_differ(conversation, name, topic)


def _reports_differ(conversation: Interview, name: str, topic: str) -> bool:
    """Whether two answers make the plan say different things, which assumptions can do where no completion does."""
    fact = conversation.fact(name)
    texts = fact.choice_names or ("yes", "no") if not fact.numeric else [str(number) for number in range(-50, 200)]
    seen = set()
    for text in texts:
        try:
            seen.add(str(conversation.what_if({name: text}, VALUES_ONLY).after.value(topic)))
        except InputError:
            continue
    return len(seen) > 1


@examples(60)
@given(cases())
def test_without_the_unused_answers_the_plan_is_the_same(case: Case) -> None:
    oracle_of(case)
    conversation = interview(case)
    unused = conversation.unused()
    assert set(unused) <= set(case.known)
    whole = conversation.plan(VALUES_ONLY)
    kept = {name: value for name, value in conversation.progress.answers if name not in unused}
    less = Interview(conversation.knowledge, FactBase.of(kept), conversation.school).plan(VALUES_ONLY)
    for topic, entry in whole.recommendations.items():
        other = less.recommendations[topic]
        assert (entry.value, entry.status, entry.tied) == (other.value, other.status, other.tied)


@examples(60)
@given(cases())
def test_the_only_unused_answer_means_nothing_or_can_change_nothing(case: Case) -> None:
    oracle_of(case)
    conversation = interview(case)
    unused = conversation.unused()
    if len(unused) == 1 and unused[0] not in conversation.plan(VALUES_ONLY).unused:
        assert conversation.why(unused[0]) == Influence(unused[0])
