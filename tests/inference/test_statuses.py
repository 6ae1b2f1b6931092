"""Statuses and values against an oracle that tries every completion of what is unknown."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.facts.fact_base import FactBase
from advisor.inference.advise import advise
from advisor.inference.plan import Status
from advisor.inference.proof import search as proof
from advisor.knowledge.model import School
from tests.properties import examples
from tests.small_rules import RuleBase

from .checking import check, hashable, is_possible, knowing, oracle_of, plan_of
from .oracle import domain, is_same
from .random_bases import Case, cases


@examples(300)
@given(cases())
def test_statuses_and_values_are_those_of_trying_every_completion(case: Case) -> None:
    oracle = oracle_of(case)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(proof, "NODE_CAP", 100_000)
        plan = plan_of(case)
    for name, advice in oracle.advice(case.known).items():
        check(plan.recommendations[name], advice, bool(oracle.rules[name]))


@examples(200)
@given(cases(), st.sampled_from([1, 2, 3, proof.NODE_CAP]), st.randoms(use_true_random=False))
def test_a_settled_value_never_changes_when_unknown_facts_become_known(
    case: Case, node_cap: int, dice: random.Random
) -> None:
    oracle = oracle_of(case)
    knowledge = case.base.load()
    settled: dict[str, object] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(proof, "NODE_CAP", node_cap)
        unknown = [name for name, fact in case.base.facts.items() if "derive" not in fact and name not in case.known]
        for name in [None, *dice.sample(unknown, len(unknown))]:
            if name is not None:
                answers = [v for v in domain(case.base.facts[name]) if is_possible(oracle, {**case.known, name: v})]
                case = knowing(case, {name: dice.choice(answers)})
            plan = plan_of(case, knowledge)
            for topic, entry in plan.recommendations.items():
                if topic in settled:
                    declared = case.base.topics[topic]
                    assert is_same(declared, hashable(entry.value), settled[topic])
                if entry.status is Status.SETTLED:
                    settled[topic] = hashable(entry.value)


@examples(150)
@given(cases(), st.integers(1, 5))
def test_what_is_called_settled_at_a_tiny_node_cap_is_so_under_every_completion(case: Case, node_cap: int) -> None:
    oracle = oracle_of(case)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(proof, "NODE_CAP", node_cap)
        plan = plan_of(case)
    for name, advice in oracle.advice(case.known).items():
        entry = plan.recommendations[name]
        if entry.status is Status.SETTLED:
            assert advice.every_completion_gives(hashable(entry.value))


@examples(60)
@given(cases(), st.randoms(use_true_random=False))
def test_a_plan_does_not_depend_on_the_order_of_the_facts(case: Case, dice: random.Random) -> None:
    oracle_of(case)
    knowledge = case.base.load()
    shuffled = dict(dice.sample(list(case.known.items()), len(case.known)))
    one = advise(knowledge, FactBase.of(case.known), School(case.school))
    other = advise(case.base.load(), FactBase.of(shuffled), School(case.school))
    assert one.to_json() == other.to_json()


@examples(60)
@given(cases(kinds=("score", "all")), st.randoms(use_true_random=False))
def test_score_and_all_topics_do_not_depend_on_the_order_of_the_rules(case: Case, dice: random.Random) -> None:
    oracle_of(case)
    rules = dice.sample(list(case.base.rules), len(case.base.rules))
    shuffled = RuleBase(case.base.facts, case.base.topics, rules, case.base.constraints)
    one = advise(case.base.load(), FactBase.of(case.known), School(case.school))
    other = advise(shuffled.load(), FactBase.of(case.known), School(case.school))
    assert one.questions == other.questions
    for name, entry in one.recommendations.items():
        twin = other.recommendations[name]
        assert (twin.value, twin.status, twin.tied, twin.flips, twin.depends_on) == (
            entry.value,
            entry.status,
            entry.tied,
            entry.flips,
            entry.depends_on,
        )
        assert {reason.rule for reason in twin.because} == {reason.rule for reason in entry.because}


@examples(60)
@given(cases(), st.randoms(use_true_random=False))
def test_what_the_engine_remembers_never_shows(case: Case, dice: random.Random) -> None:
    oracle = oracle_of(case)
    remembering = case.base.load()
    stated = [name for name, fact in case.base.facts.items() if "derive" not in fact]
    for _ in range(4):
        known = {name: dice.choice(domain(case.base.facts[name])) for name in stated if dice.random() < 0.6}
        if is_possible(oracle, known):
            advise(remembering, FactBase.of(known), School(dice.choice(["today", "survey"])))
    used = advise(remembering, FactBase.of(case.known), School(case.school))
    fresh = advise(case.base.load(), FactBase.of(case.known), School(case.school))
    assert json.dumps(used.to_json()) == json.dumps(fresh.to_json())
