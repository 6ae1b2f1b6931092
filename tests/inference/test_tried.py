"""Closed facts, which only a trial can tell, and rules that give a value before arguments: against the oracle."""

from __future__ import annotations

import random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from advisor.inference.advise import Detail, engine_for
from advisor.inference.plan import Status
from advisor.inference.proof import search as proof
from advisor.knowledge.model import School
from tests.properties import examples

from .checking import check, hashable, is_possible, knowing, oracle_of, plain, plan_of
from .oracle import domain, is_same
from .random_bases import Case, cases

TRIED = cases(kinds=("score", "score", "first", "all", "integer"), tried=True)


@examples(120)
@given(TRIED)
def test_statuses_and_values_are_those_of_trying_every_completion(case: Case) -> None:
    oracle = oracle_of(case)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(proof, "NODE_CAP", 100_000)
        plan = plan_of(case)
    for name, advice in oracle.advice(case.known).items():
        check(plan.recommendations[name], advice, bool(oracle.rules[name]))


@examples(100)
@given(TRIED, st.sampled_from([1, 3, proof.NODE_CAP]), st.randoms(use_true_random=False))
def test_a_settled_value_never_changes_when_what_can_be_asked_becomes_known(
    case: Case, node_cap: int, dice: random.Random
) -> None:
    oracle, knowledge = oracle_of(case), case.base.load()
    settled: dict[str, object] = {}
    facts = case.base.facts
    unknown = [n for n in facts if n not in case.known and not {"derive", "closed"} & facts[n].keys()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(proof, "NODE_CAP", node_cap)
        for name in [None, *dice.sample(unknown, len(unknown))]:
            if name is not None:
                answers = [v for v in domain(facts[name]) if is_possible(oracle, {**case.known, name: v})]
                case = knowing(case, {name: dice.choice(answers)})
            for topic, entry in plan_of(case, knowledge).recommendations.items():
                if topic in settled:
                    assert is_same(case.base.topics[topic], hashable(entry.value), settled[topic])
                if entry.status is Status.SETTLED:
                    settled[topic] = hashable(entry.value)


@examples(100)
@given(TRIED)
def test_setting_a_listed_flip_gives_its_then(case: Case) -> None:
    oracle_of(case)
    knowledge = case.base.load()
    for name, entry in plan_of(case, knowledge, Detail(reasons=False, questions=False)).recommendations.items():
        for flip in entry.flips:
            assert flip.fact != "z"
            flipped = plan_of(knowing(case, {flip.fact: flip.to}), knowledge)
            assert flipped.value(name) == plain(flip.then)


@examples(60)
@given(TRIED)
def test_nobody_is_asked_for_it_and_everything_can_be_explained(case: Case) -> None:
    oracle_of(case)
    plan = plan_of(case, case.base.load(), Detail())
    assert "z" not in plan.questions
    assert all("z" not in entry.depends_on for entry in plan.recommendations.values())


@examples(60)
@given(TRIED, st.sampled_from(["va", "vb", None]))
def test_what_was_remembered_of_other_trials_never_shows(case: Case, other: str | None) -> None:
    oracle = oracle_of(case)
    knowledge = case.base.load()
    known = {name: value for name, value in case.known.items() if name != "z"} | ({"z": other} if other else {})
    assume(is_possible(oracle, known))
    plan_of(Case(case.base, known, case.school), knowledge, Detail())
    after = plan_of(case, knowledge, Detail())
    engine_for(knowledge, School(case.school)).forget()
    assert plan_of(case, knowledge, Detail()).to_json() == after.to_json()
