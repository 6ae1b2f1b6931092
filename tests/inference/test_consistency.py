"""Constraints between facts: answers that exclude each other, and observations that an answer makes impossible."""

from __future__ import annotations

import json
from itertools import permutations
from typing import Any

import pytest

from advisor.errors import InputError
from advisor.facts.fact_base import FactBase, Known, Source
from advisor.inference.advise import advise
from advisor.inference.plan import Plan, Status
from advisor.knowledge.model import Knowledge
from tests.small_rules import RuleBase, advised, boolean, integer, rule, topic

CORES = RuleBase(
    {
        "cpu.physical": integer(1, 64, unit="cores"),
        "cpu.logical": integer(1, 128, unit="threads"),
        "cpu.usable": integer(1, 128),
        "gpu.count": integer(0, 8),
        "gpu.memory": integer(1, 100, only_when="gpu.count > 0"),
        "gpu.total": integer(derive="gpu.count * gpu.memory", ask="false"),
    },
    {"t": topic("first", "many", "few"), "u": topic("value", type="integer")},
    [
        rule("t1", "t", when="cpu.physical > 8", value="many"),
        rule("t2", "t", value="few"),
        rule("u1", "u", value="gpu.total"),
    ],
    ["cpu.physical <= cpu.logical", "gpu.total <= 200"],
).load()


def plan(answers: dict[str, Any], detected: dict[str, Any]) -> Plan:
    return advise(CORES, FactBase.of(answers).with_values(detected, Source.DETECTED))


def refusal(knowledge: Knowledge, **answers: Any) -> str:
    with pytest.raises(InputError) as caught:
        advised(knowledge, **answers)
    assert caught.value.title == "These answers exclude each other"
    return str(caught.value.problems[0])


def test_answers_that_exclude_each_other_are_refused_with_the_reason() -> None:
    assert refusal(CORES, cpu__physical=16, cpu__logical=8) == (
        "cpu.physical and cpu.logical: cpu.physical = 16 cores and cpu.logical = 8 threads cannot both be true: "
        "nothing else exists. Change one of them."
    )


def test_the_facts_that_a_definition_rests_on_are_named() -> None:
    assert refusal(CORES, gpu__count=4, gpu__memory=80) == (
        "gpu.count and gpu.memory: gpu.count = 4 and gpu.memory = 80 cannot both be true: nothing else exists. "
        "Change one of them."
    )


def test_one_impossible_answer_is_refused() -> None:
    base = RuleBase({"n": integer(0, 9), "m": integer(0, 9)}, constraints=["n < 5 and m < 5"]).load()
    assert "n = 7 is impossible: nothing else exists. Change it." in refusal(base, n=7)
    assert "n = 7 and m = 1 cannot both be true" in refusal(base, n=7, m=1)


def test_an_answer_withdraws_everything_observed_of_the_same_part() -> None:
    changed = plan({"cpu.logical": 4}, {"cpu.physical": 16, "cpu.usable": 12, "gpu.count": 1})
    assert changed.withdrawn == ("cpu.physical", "cpu.usable")
    assert set(changed.facts) == {"cpu.logical", "gpu.count"}
    assert changed.recommendations["t"].status is Status.SETTLED
    assert changed.value("t") == "few"


def test_observations_that_agree_with_the_answers_stay() -> None:
    kept = plan({"cpu.logical": 32}, {"cpu.physical": 16})
    assert (kept.withdrawn, kept.value("t")) == ((), "many")


def test_answers_that_exclude_each_other_are_not_saved_by_withdrawing_observations() -> None:
    base = RuleBase({"n": integer(0, 9), "m": integer(0, 9)}, constraints=["n < 5 and m < 5"]).load()
    facts = FactBase.of({"n": 7}).with_values({"m": 8}, Source.DETECTED)
    with pytest.raises(InputError, match="n = 7 is impossible"):
        advise(base, facts)


def test_an_answer_that_means_nothing_excludes_nothing() -> None:
    unused = advised(CORES, gpu__count=0, gpu__memory=100)
    assert unused.unused == ("gpu.memory",)


def test_an_answer_that_may_mean_nothing_excludes_nothing_yet() -> None:
    base = RuleBase(
        {"p": boolean(), "n": integer(0, 9, only_when="p")},
        {"t": topic("first", "x", "y")},
        [rule("a", "t", when="p", value="x"), rule("b", "t", value="y")],
        ["n < 5"],
    ).load()
    entry = advised(base, n=7).recommendations["t"]
    assert (entry.value, entry.status) == ("y", Status.SETTLED)
    assert "p = yes and n = 7 cannot both be true" in refusal(base, p=True, n=7)


def test_the_order_of_the_facts_shows_nowhere() -> None:
    detected = {"cpu.physical": 16, "cpu.usable": 12, "gpu.count": 1, "gpu.memory": 8}
    stated = {"cpu.logical": 4, "gpu.count": 0, "gpu.memory": 4}
    elsewhere = Known(2, Source.MEASURED, applies={"machine": "another one"})
    plans = []
    for order in permutations(detected):
        facts = FactBase.of({name: stated[name] for name in order if name in stated} | stated)
        facts = facts.with_values({name: detected[name] for name in order}, Source.DETECTED)
        for name in order:
            facts = facts.with_known(name, elsewhere)
        plans.append(json.dumps(advise(CORES, facts).to_json()))
    assert set(plans) == {plans[0]}


def test_a_constraint_narrows_what_can_still_be_true() -> None:
    narrowed = advised(CORES, cpu__logical=8).recommendations["t"]
    assert (narrowed.value, narrowed.status) == ("few", Status.SETTLED)
    wide = advised(CORES, cpu__logical=9).recommendations["t"]
    assert wide.status is Status.LEANING


def test_what_was_worked_out_for_one_machine_is_not_remembered_for_another() -> None:
    for logical, status in ((8, Status.SETTLED), (9, Status.LEANING), (8, Status.SETTLED)):
        assert advised(CORES, cpu__logical=logical).recommendations["t"].status is status


def test_a_flip_never_leads_to_answers_that_exclude_each_other() -> None:
    entry = advised(CORES, cpu__logical=12, cpu__physical=4).recommendations["t"]
    assert {(flip.fact, flip.then) for flip in entry.flips} == {("cpu.physical", "many")}
    assert all(flip.to <= 12 for flip in entry.flips)


def test_a_contradiction_is_reported_and_the_answer_counts() -> None:
    contradicted = plan({"gpu.count": 0}, {"gpu.count": 2})
    assert [(c.fact, c.used.value, c.overruled.value) for c in contradicted.contradictions] == [("gpu.count", 0, 2)]
    assert contradicted.facts["gpu.count"].value == 0
