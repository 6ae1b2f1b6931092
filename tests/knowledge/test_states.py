"""Which states of a rule tests can be asked to show."""

from __future__ import annotations

import pytest

from advisor.knowledge.lint import possible_states
from advisor.knowledge.solver.lint import impossible_states
from tests.small_rules import RuleBase, boolean, integer, rule, topic

FACTS = {"p": boolean(), "n": integer(1, 9)}
TOPICS = {"t": topic("first", "x", "y"), "u": topic("first", "x", "y"), "s": topic("score", "x", "y")}
FALL_BACK = [
    rule("u.p", "u", when="p", value="x"),
    rule("u.last", "u", value="y"),
    rule("s.p", "s", for_="x", strength="weak"),
]
ALL = {"fire", "silent", "unknown"}


@pytest.mark.parametrize(
    ("when", "states"),
    [
        (None, {"fire"}),
        ("p", ALL),
        ("n > 3", ALL),
        ("n >= 1", {"fire", "unknown"}),  # its least value: never silent
        ('u == "x"', {"fire", "silent"}),  # always has a value
        ('u == "x" and p', ALL),
        ('s == "x"', ALL),  # may be open
        ('u in ("x", "y")', {"fire"}),
    ],
)
def test_what_cannot_be_is_not_asked_for(when: str | None, states: set[str]) -> None:
    ours = rule("t.ours", "t", value="x", **({"when": when} if when else {}))
    assert possible_states(RuleBase(FACTS, TOPICS, [*FALL_BACK, ours]).load())["t.ours"] == states


def test_a_recommendation_without_last_resort_may_be_missing() -> None:
    knowledge = RuleBase(FACTS, TOPICS, [FALL_BACK[0], rule("t.ours", "t", when='u == "x"', value="x")]).load()
    assert possible_states(knowledge)["t.ours"] == ALL


def test_a_last_resort_of_today_leaves_the_survey_without_one() -> None:
    rules = [
        FALL_BACK[0],
        rule("u.last", "u", school="today", value="y"),
        rule("t.ours", "t", when='u == "x"', value="x"),
    ]
    assert possible_states(RuleBase(FACTS, TOPICS, rules).load())["t.ours"] == ALL


def test_the_solver_finds_what_the_rules_behind_a_recommendation_exclude() -> None:
    """`s` is only x where p is known, so that a condition on both is never unknown for the sake of p."""
    ours = [
        rule("u.last", "u", value="y"),
        rule("s.x", "s", when="p", for_="x", strength="strong"),
        rule("s.y", "s", for_="y", strength="weak"),
        rule("t.ours", "t", when='s == "x" and p', value="x"),
        rule("t.open", "t", when='s == "x" and n > 3', value="y"),
    ]
    knowledge = RuleBase(FACTS, TOPICS, ours).load()
    asked = {name: possible_states(knowledge)[name] for name in ("t.ours", "t.open")}
    assert asked == {"t.ours": ALL, "t.open": ALL}
    assert impossible_states(knowledge, asked) == {"t.ours": {"unknown"}, "t.open": set()}


def test_a_state_that_one_school_allows_is_possible() -> None:
    ours = [
        rule("s.x", "s", when="p", for_="x", strength="weak"),
        rule("s.y", "s", school="today", for_="y", strength="moderate"),
        rule("t.ours", "t", when='s == "x"', value="x"),
    ]
    knowledge = RuleBase(FACTS, TOPICS, ours).load()
    assert impossible_states(knowledge, {"t.ours": ["fire", "unknown"]}) == {"t.ours": set()}
