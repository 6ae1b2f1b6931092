"""Remarks on a rule base that loads: what can never hold, says the same twice, or nobody has looked up lately."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from advisor.knowledge.lint import lint
from tests.small_rules import RuleBase, a_set, boolean, choice, integer, rule, topic

FACTS = {
    "p": boolean(),
    "n": integer(1, 100),
    "c": choice("red", "blue"),
    "s": a_set("x", "y"),
    "best": integer(1, 64, group="probe"),
}
DO = ["do {value}"]
TOPICS = {
    "t": topic("first", "x", actions=DO),
    "u": topic("value", type="integer", actions=DO),
    "w": topic("all", "a", "b", actions=DO),
}


def remarks(*rules: dict[str, Any], today: datetime.date | None = None) -> list[str]:
    """What is said of these rules; the erratum and the sources of every rule base here belong to one more."""
    attached = rule("attached", "u", value="1", erratum="E1", sources=["book", "seed"])
    knowledge = RuleBase(FACTS, TOPICS, [attached, *rules]).load()
    return [problem.what for problem in lint(knowledge, today)]


def test_a_sound_rule_base_gives_no_remarks() -> None:
    assert remarks(rule("r", "t", when="p", value="x"), rule("a", "w", add="a"), rule("b", "w", add="b")) == []


@pytest.mark.parametrize(
    "when",
    [
        "1 > 2",
        "n < 1",
        "n > 100",
        "n > 5 and false",
        'c == "red" and not true',
        "n * 2 > 200",
        "1 / 0 > 1",
        "n - n > 99",
    ],
)
def test_a_condition_that_can_never_hold_is_remarked(when: str) -> None:
    assert remarks(rule("r", "t", when=when, value="x")) == [f"rule r can never hold: `{when}`."]


@pytest.mark.parametrize("when", ["n >= 100", "n == 1", '"x" in s', 'c != "red"', "u > 10", '"a" in w', "p"])
def test_a_condition_that_can_hold_is_not(when: str) -> None:
    assert remarks(rule("r", "t", when=when, value="x")) == []


def test_an_expectation_that_no_probe_can_meet_is_remarked() -> None:
    settles = {"probe": "threads", "expects": "best > 64"}
    assert remarks(rule("r", "t", value="x", settles=settles)) == ["rule r expects what no probe can find."]


def test_rules_that_say_the_same_are_remarked() -> None:
    twice = [rule("r", "t", when="p and\n n > 1", value="x"), rule("s", "t", when="p and n > 1", value="x")]
    assert remarks(*twice) == ["rule s says the same as r."]
    assert remarks(twice[0], rule("s", "t", when="p and n > 2", value="x")) == []


def test_a_value_that_no_rule_speaks_for_is_remarked() -> None:
    assert remarks(rule("a", "w", add="a")) == ["topic w: no rule speaks for b."]


def test_a_value_that_an_expression_can_name_is_spoken_for() -> None:
    topics = {"t": topic("first", "red", "blue", "green", actions=DO)}
    base = RuleBase(FACTS, topics, [rule("r", "t", value="c", sources=["book", "seed"])])
    assert [problem.what for problem in lint(base.load())] == ["topic t: no rule speaks for green."]


IDLE = "topic t: there is nothing to do for "


@pytest.mark.parametrize(
    ("actions", "rules", "said"),
    [
        (None, [{}, {}], [f"{IDLE}x or y."]),
        (None, [{"actions": ["once"]}, {}], [f"{IDLE}y."]),
        (None, [{"actions": ["once"]}, {"actions": ["twice"]}], []),
        ({"x": ["so"]}, [{}, {}], [f"{IDLE}y."]),
        ({"x": ["so"]}, [{}, {"actions": ["twice"]}], []),
        (["do {value}"], [{}, {}], []),
    ],
)
def test_a_value_with_which_nobody_is_told_what_to_do_is_remarked(
    actions: Any, rules: list[Any], said: list[str]
) -> None:
    declared = topic("first", "x", "y", **({"actions": actions} if actions else {}))
    written = [
        rule(name, "t", value=name, when="p", sources=["book", "seed"], **keys)
        for name, keys in zip("xy", rules, strict=True)
    ]
    assert [problem.what for problem in lint(RuleBase(FACTS, {"t": declared}, written).load())] == said


def test_every_rule_for_a_value_says_what_to_do_or_the_topic_does() -> None:
    written = [
        rule("r", "t", value="x", when="p", actions=["once"]),
        rule("s", "t", value="x", sources=["book", "seed"]),
    ]
    found = lint(RuleBase(FACTS, {"t": topic("first", "x")}, written).load())
    assert [problem.what for problem in found] == ["topic t: there is nothing to do for x."]


def test_a_number_too_needs_something_to_do_with_it() -> None:
    base = RuleBase(FACTS, {"u": topic("value", type="number")}, [rule("r", "u", value="n", sources=["book", "seed"])])
    assert [problem.what for problem in lint(base.load())] == ["topic u: there is nothing to do for its value."]


def test_readiness_may_be_left_out() -> None:
    assert remarks(rule("r", "t", value="x", readiness=9), rule("a", "w", add="a"), rule("b", "w", add="b")) == []


def test_a_survey_rule_cites_a_seed() -> None:
    assert remarks(rule("r", "t", value="x", school="survey")) == ["rule r of school survey cites no seed document."]
    assert remarks(rule("r", "t", value="x", school="survey", sources=["seed III.D", "book"])) == []


def test_an_erratum_belongs_to_a_rule() -> None:
    survey = rule("r", "t", value="x", school="survey", sources=["seed", "book"])
    knowledge = RuleBase(FACTS, TOPICS, [survey]).load()
    assert [problem.what for problem in lint(knowledge)] == ["erratum E1 is attached to no rule."]


def test_a_source_is_cited_by_a_rule() -> None:
    knowledge = RuleBase(FACTS, TOPICS, [rule("r", "t", value="x", sources=["book 2.1"])]).load()
    assert [problem.what for problem in lint(knowledge)] == ["source seed is cited by no rule."]


def test_what_was_looked_up_too_long_ago_is_remarked_on_the_day_that_is_named() -> None:
    old = rule("r", "t", value="x", verified="2020-01-01")
    assert remarks(old) == []
    assert remarks(old, today=datetime.date(2020, 6, 1)) == []
    assert remarks(old, today=datetime.date(2026, 6, 1)) == ["rule r was last looked up on 2020-01-01."]
    assert remarks(rule("r", "t", value="x", verified="no"), today=datetime.date(2026, 6, 1)) == []
