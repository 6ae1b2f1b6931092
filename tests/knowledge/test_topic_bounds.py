"""Bounds of what a topic can recommend, and reasons for its silence: declared in topics.yaml."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.errors import InputError
from advisor.knowledge.model import Knowledge
from advisor.plain import decode, encode
from tests.small_rules import RuleBase, integer, rule, topic

FACTS = {"n": integer(1, 100)}
THREADS = topic("value", type="integer", min=1, max=64)
WIDTHS = topic("value", type="integers", min=1, max=1000)


def refusals(declared: dict[str, Any], *rules: dict[str, Any]) -> list[str]:
    try:
        RuleBase(FACTS, {"t": declared}, rules).load()
    except InputError as error:
        return [f"{problem.what} {problem.remedy}".strip() for problem in error.problems]
    return []


@pytest.mark.parametrize("value", ["1", "64", "n", "n * 1000", "[1] if n > 1 else [2]", "0 if n > 5 else 1", "1 / 0"])
def test_a_value_within_the_bounds_or_not_known_yet_is_accepted(value: str) -> None:
    assert refusals(WIDTHS if "[" in value else THREADS, rule("r", "t", value=value)) == []


@pytest.mark.parametrize("value", ["0", "65", "0.6", "-3", "2 * 40", "1 if 1 > 2 else 0"])
def test_a_constant_out_of_bounds_is_refused(value: str) -> None:
    assert refusals(THREADS, rule("r", "t", value=value)) == [f"rule r: t cannot be {value}. It is from 1 to 64."]


@pytest.mark.parametrize("value", ["[0]", "[64, 1001]", "[5, -1, 5]"])
def test_every_number_of_a_list_lies_within_the_bounds(value: str) -> None:
    assert refusals(WIDTHS, rule("r", "t", value=value)) == [f"rule r: t cannot be {value}. It is from 1 to 1000."]


def test_one_bound_is_enough() -> None:
    money, share = topic("value", type="number", min=0), topic("value", type="number", max=0.5)
    assert refusals(money, rule("r", "t", value="-1")) == ["rule r: t cannot be -1. It is at least 0."]
    assert refusals(share, rule("r", "t", value="1")) == ["rule r: t cannot be 1. It is at most 0.5."]
    assert refusals(money, rule("r", "t", value="1e12")) == []


def test_bounds_are_sound_and_belong_to_numbers() -> None:
    assert refusals(topic("value", type="number", min=2, max=1)) == ["topic t: min is larger than max."]
    assert refusals(topic("first", "x", min=1)) == ["topic t: only topics of policy value have min and max."]


def test_a_reason_for_gaps_is_a_reason() -> None:
    assert refusals(topic("first", "x", gaps="It is nobody's business.")) == []
    assert refusals(topic("first", "x", gaps=" ")) == ["topic t: gaps is empty."]


def test_what_is_declared_is_remembered() -> None:
    knowledge = RuleBase(FACTS, {"t": {**THREADS, "gaps": "So."}, "u": topic("value")}).load()
    again = decode(Knowledge, encode(knowledge, brief=True))
    assert again.topics == knowledge.topics
    assert (again.topics["t"].minimum, again.topics["t"].maximum, again.topics["t"].gaps) == (1, 64, "So.")
    assert (again.topics["u"].minimum, again.topics["u"].maximum, again.topics["u"].gaps) == (None, None, "")


@pytest.mark.parametrize(
    ("value", "admitted"), [(1, True), (64.0, True), (0.99, False), (64.5, False), (float("inf"), False)]
)
def test_a_computed_value_is_admitted_before_it_is_rounded(value: float, admitted: bool) -> None:
    declared = RuleBase(FACTS, {"t": THREADS}).load().topics["t"]
    assert declared.admits(value) is admitted
    assert declared.admits((32, value)) is admitted
