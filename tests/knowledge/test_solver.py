"""Remarks that need proof, one rule base for each: what can never matter, is at odds, or leaves a gap."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("z3")

from advisor.knowledge import loader
from advisor.knowledge.solver.lint import prove
from tests.small_rules import RuleBase, a_set, boolean, choice, integer, number, rule, topic

FACTS = {
    "p": boolean(),
    "q": boolean(),
    "n": integer(1, 100),
    "m": integer(1, 100),
    "x": number(0, 1),
    "c": choice("red", "green", "blue"),
    "s": a_set("x", "y"),
    "depth": integer(1, 9, only_when='c == "red"'),
    "width": integer(1, 9, only_when='c != "red"'),
    "total": integer(derive="n * m", ask="false"),
    "best": integer(1, 64, group="probe"),
}
TOPICS = {
    "f": topic("first", "x", "y", gaps="Not asked here."),
    "v": topic("value", type="number", min=1, max=1000, gaps="Not asked here."),
    "s1": topic("score", "x", "y", gaps="Not asked here."),
    "w": topic("all", "x", "y"),
}
CLOSED = "says why it has gaps, but there is none"


def remarks(*rules: dict[str, Any], constraints: tuple[str, ...] = (), **topics: dict[str, Any]) -> list[str]:
    """What the solver says of these rules; nothing about gaps unless topics are given that declare none."""
    base = RuleBase(FACTS, topics or TOPICS, list(rules), constraints)
    proven = prove(base.load())
    assert proven.unanswered == 0
    return [remark.what for remark in proven.remarks if CLOSED not in remark.what or topics]


# --- conditions that never hold ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "when",
    [
        "n > 5 and n < 3",
        "n + m > 200",
        'p and not p and c == "red"',
        'c == "red" and c in ("green", "blue")',
        "depth > 3 and width > 3",
        'depth > 3 and c == "blue"',
        "total < n",
        "total == 7 and n == 2",
        "ceil(x) > 1",
        "floor(n / 2) * 2 == 5",
        "sqrt(n) > 16",
        "log2(n) > 7",
        "min(n, m) > max(n, m)",
        "1 / (n - n) > 0",
        '"x" in s and "x" not in s',
        "round(x) == 2",
        "(n if p else m) > 50 and n < 10 and m < 10",
    ],
)
def test_a_condition_that_nothing_satisfies_is_remarked(when: str) -> None:
    assert remarks(rule("r", "f", when=when, value="x")) == [f"rule r can never hold: `{when}`."]


@pytest.mark.parametrize(
    "when",
    [
        "n > 5 and n < 7",
        "n + m > 199",
        'depth > 3 and c == "red"',
        "total == 7 and n == 1",
        "round(x) == 1 and x < 0.6",
        "sqrt(n) > 9.5",
        "log2(n) >= 6.5",
        "best > 3 and n == 1",
        "n // 3 == 33",
        "-n < -99",
    ],
)
def test_a_condition_that_something_satisfies_is_not(when: str) -> None:
    assert remarks(rule("r", "f", when=when, value="x")) == []


def test_constraints_and_the_applicability_of_the_topic_count() -> None:
    assert remarks(rule("r", "f", when="n > m", value="x"), constraints=("n <= m",)) == [
        "rule r can never hold: `n > m`."
    ]
    never = remarks(rule("r", "f", when="n > 5", value="x"), f=topic("first", "x", applies="n < 3", gaps="So."))
    assert never == ["rule r can never hold where its topic applies: `n > 5`."]


def test_a_recommendation_that_is_never_given_satisfies_nothing() -> None:
    given = [rule("f1", "f", when="p", value="x"), rule("f2", "f", value="y")]
    assert remarks(*given, rule("r", "w", when='f == "x" and p', add="x")) == []
    assert remarks(*given, rule("r", "w", when='f == "x" and not p', add="x")) == [
        'rule r can never hold with what is ever recommended as f: `f == "x" and not p`.'
    ]


def test_the_outcome_of_a_score_topic_is_worked_out() -> None:
    scored = [
        rule("a", "s1", for_="x", strength="strong"),
        rule("b", "s1", when="p", for_="y", strength="strong"),
        rule("c", "s1", when="p", for_="y", strength="weak"),
        rule("d", "s1", when="q", veto="x"),
    ]
    assert remarks(*scored, rule("r", "w", when='s1 == "x" and not p', add="x")) == []
    for when in ('s1 == "x" and p', 's1 == "x" and q', 's1 == "y" and not p'):
        assert remarks(*scored, rule("r", "w", when=when, add="x")) == [
            f"rule r can never hold with what is ever recommended as s1: `{when}`."
        ]


def test_an_expectation_counts_where_its_rule_holds() -> None:
    settles = {"probe": "threads", "expects": "best > n"}
    assert remarks(rule("r", "f", when="n < 10", value="x", settles=settles)) == []
    assert remarks(rule("r", "f", when="n > 64", value="x", settles=settles)) == [
        "rule r expects what no probe can find where it holds."
    ]


def test_a_value_that_can_never_be_computed_is_remarked() -> None:
    said = "rule r never gives a value: `{}` cannot be computed, or is out of bounds, wherever it holds."
    assert remarks(rule("r", "v", when="n == m", value="1 / (n - m)")) == [said.format("1 / (n - m)")]
    assert remarks(rule("r", "v", value="x / 2")) == [said.format("x / 2")]
    assert remarks(rule("r", "v", value="x * 2")) == []


# --- rules that never matter ------------------------------------------------------------------------------------------


def test_a_rule_behind_others_that_hold_wherever_it_does_is_remarked() -> None:
    ahead = [rule("a", "f", when="n < 50", value="x"), rule("b", "f", when="n >= 40 and n <= 90", value="x")]
    assert remarks(*ahead, rule("r", "f", when="n == 91", value="y")) == []
    assert remarks(*ahead, rule("r", "f", when="n < 80", value="y")) == [
        "rule r never decides: wherever it holds, a or b comes first."
    ]


def test_a_last_resort_for_what_is_unknown_matters() -> None:
    known = [rule("a", "f", when="n < 50", value="x"), rule("b", "f", when="n >= 50", value="y")]
    assert remarks(*known, rule("r", "f", value="x")) == []


def test_a_rule_whose_forerunners_are_superseded_or_give_no_value_matters() -> None:
    ahead = rule("a", "f", when="p", value="x")
    silencer = rule("b", "f", when="p and q", value="x", supersedes=["a"])
    late = rule("r", "f", when="p and q and n > 5", value="y")
    assert remarks(ahead, late) == ["rule r never decides: wherever it holds, a comes first."]
    assert remarks(ahead, late, silencer) == []
    fallback = [rule("a", "v", value="best"), rule("r", "v", value="n")]
    assert remarks(*fallback) == []


def test_out_of_bounds_a_rule_gives_way() -> None:
    assert remarks(rule("a", "v", when="n > 5", value="n * 20"), rule("r", "v", when="n > 60", value="n")) == []
    assert remarks(rule("a", "v", when="n > 5", value="n * 10"), rule("r", "v", when="n > 60", value="n")) == [
        "rule r never decides: wherever it holds, a comes first."
    ]


def test_what_supersedes_a_rule_wherever_it_holds_is_named() -> None:
    for of, said in (("s1", {"for_": "x", "strength": "weak"}), ("w", {"add": "x"})):
        both = [rule("a", of, when="n > 5", **said), rule("b", of, when="n > 3", supersedes=["a"], **said)]
        assert remarks(*both) == ["rule a never counts: wherever it holds, so does b, which supersedes it."]


def test_a_survey_rule_need_only_matter_in_its_own_school() -> None:
    survey = rule("a", "f", when="n > 5", value="x", school="survey")
    assert remarks(survey, rule("b", "f", when="n > 3", value="y", school="today", supersedes=["a"])) == []
    assert remarks(rule("b", "f", when="n > 3", value="y", school="today"), survey) == []
    anyway = {**survey, "school": "any"}
    assert remarks(rule("b", "f", when="n > 3", value="y", school="today"), anyway) == []
    assert remarks(rule("b", "f", when="n > 3", value="y", school="any"), anyway) == [
        "rule a never decides: wherever it holds, b comes first."
    ]


def test_a_pack_may_overrule_the_base() -> None:
    texts = RuleBase(FACTS, TOPICS, [rule("a", "f", when="p", value="x")]).texts()
    pack = RuleBase(FACTS, TOPICS, [rule("b", "f", value="y")]).texts()["rules.yaml"]
    files = [*((0, Path(name), text) for name, text in texts.items()), (1, Path("pack.yaml"), pack)]
    assert [remark.what for remark in prove(loader.build(files)).remarks if CLOSED not in remark.what] == []


# --- rules at odds ----------------------------------------------------------------------------------------------------


def test_rules_that_hold_alike_and_say_different_things_are_remarked() -> None:
    odds = [rule("a", "f", when="n > 5", value="x"), rule("b", "f", when="not n <= 5", value="y")]
    assert remarks(*odds) == ["rules a and b hold in the same situations, but say x and y."]
    overtaken = ["rule b never decides: wherever it holds, a comes first."]
    assert remarks(odds[0], rule("b", "f", when="n > 6", value="y")) == overtaken
    assert remarks(odds[0], {**odds[1], "school": "survey"}) == overtaken


def test_a_strong_argument_and_its_contrary_are_remarked() -> None:
    aye = rule("a", "s1", when="n > 5", for_="x", strength="strong")
    nay = rule("b", "s1", when="n >= 6", against="x", strength="strong")
    said = "rules a and b hold in the same situations, but a is strongly for x and b "
    assert remarks(aye, nay) == [f"{said}is strongly against it."]
    assert remarks(aye, rule("b", "s1", when="n >= 6", veto="x")) == [f"{said}excludes it."]
    assert remarks(aye, {**nay, "strength": "weak"}) == []
    assert remarks(aye, {**nay, "against": "y"}) == []
    assert remarks({**aye, "school": "survey"}, {**nay, "school": "today", "supersedes": ["a"]}) == []


def test_rules_that_say_the_same_in_other_words_are_remarked() -> None:
    twice = [rule("a", "w", when="n > 5 and p", add="x"), rule("b", "w", when="p and n >= 6", add="x")]
    assert remarks(*twice) == ["rule b says the same as a."]
    assert remarks(twice[0], {**twice[1], "add": "y"}) == []


def test_superseding_what_never_holds_at_the_same_time_is_remarked() -> None:
    low = rule("a", "w", when="n < 5", add="x")
    assert remarks(low, rule("b", "w", when="n > 3", add="y", supersedes=["a"])) == []
    assert remarks(low, rule("b", "w", when="n > 5", add="y", supersedes=["a"])) == [
        "rule b supersedes a, but they never hold together."
    ]


# --- gaps -------------------------------------------------------------------------------------------------------------


def test_a_gap_is_told_by_what_matters_of_an_example() -> None:
    low = rule("a", "f", when="n < 5 and p", value="x")
    said = "topic f: no rule of school today recommends anything where {}."
    assert remarks(low, rule("b", "f", when="n >= 5", value="y"), f=topic("first", "x", "y")) == [
        said.format("n < 5 and not p")
    ]
    assert remarks(low, rule("b", "f", when="n >= 5 or not p", value="y"), f=topic("first", "x", "y")) == []


def test_a_threshold_between_two_rules_belongs_to_one_of_them() -> None:
    rules = [rule("a", "f", when="n < 5", value="x"), rule("b", "f", when="n > 5", value="y")]
    assert remarks(*rules, f=topic("first", "x", "y")) == [
        "topic f: no rule of school today recommends anything where n == 5."
    ]


def test_what_a_probe_measures_may_be_unknown() -> None:
    rules = [rule("a", "f", when="best > 3", value="x"), rule("b", "f", when="best <= 3", value="y")]
    assert remarks(*rules, f=topic("first", "x", "y")) == [
        "topic f: no rule of school today recommends anything where best is not measured."
    ]


def test_where_a_fact_means_nothing_something_must_be_said_too() -> None:
    rules = [rule("a", "f", when="depth > 3", value="x"), rule("b", "f", when="depth <= 3", value="y")]
    assert remarks(*rules, f=topic("first", "x", "y")) == [
        "topic f: no rule of school today recommends anything where depth does not apply."
    ]
    assert remarks(*rules, f=topic("first", "x", "y", applies='c == "red"')) == []


def test_arguments_that_cancel_out_leave_a_gap() -> None:
    rules = [
        rule("a", "s1", for_="x", strength="strong"),
        rule("b", "s1", when='c == "blue"', against="x", strength="strong"),
    ]
    assert remarks(*rules, s1=topic("score", "x")) == [
        'topic s1: no rule of school today recommends anything where c == "blue".'
    ]


def test_a_topic_is_not_blamed_for_the_silence_of_another() -> None:
    rules = [rule("a", "f", when="p", value="x"), rule("b", "v", when='f == "x"', value="1")]
    assert remarks(*rules, f=topic("first", "x"), v=topic("value", type="number")) == [
        "topic f: no rule of school today recommends anything where not p."
    ]


def test_silence_may_be_intended_and_then_has_to_exist() -> None:
    silent = topic("first", "x", gaps="Without p there is nothing to say.")
    assert remarks(rule("a", "f", when="p", value="x"), f=silent) == []
    assert remarks(rule("a", "f", value="x"), f=silent) == ["topic f says why it has gaps, but there is none."]


def test_items_of_a_topic_that_adds_may_all_be_missing() -> None:
    assert remarks(rule("a", "w", when="p", add="x"), w=topic("all", "x")) == []


def test_constraints_that_exclude_every_project_are_remarked_alone() -> None:
    assert remarks(rule("r", "f", when="n > 1000", value="x"), constraints=("n > 50", "n < 50")) == [
        "no project could satisfy all constraints together."
    ]
