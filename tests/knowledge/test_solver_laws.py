"""The solver's lints find what trying every situation finds, neither more nor less."""

from __future__ import annotations

import itertools
import re
from functools import cache
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

pytest.importorskip("z3")

from advisor.knowledge.model import School
from advisor.knowledge.solver.gaps import gaps
from advisor.knowledge.solver.pairs import idle_supersessions, rules_at_odds
from advisor.knowledge.solver.questions import Court
from advisor.knowledge.solver.verdicts import judged
from tests.inference.oracle import evaluate
from tests.inference.random_bases import Names, _advice
from tests.properties import examples
from tests.small_rules import RuleBase, a_set, boolean, choice, fact, integer, topic

from .every_situation import Situations

POOL = {
    "p": boolean(group="task"),
    "q": boolean(group="probe"),
    "c": choice("red", "green", "blue"),
    "n": integer(0, 2, group="task"),
    "m": integer(1, 2, group="probe"),
    "s": a_set("x", "y", group="machine"),
}
SCHOOLS = ("any", "any", "any", "today", "survey")


@st.composite
def number_text(draw: st.DrawFn, names: Names, depth: int = 1) -> str:
    """Numbers that floating point computes exactly."""
    leaf = st.sampled_from([*names.numbers, *names.numbers, "1", "2", "0.5"])
    one, other = (draw(number_text(names, depth - 1)) if depth and draw(st.booleans()) else draw(leaf) for _ in "ab")
    forms = [
        one, f"({one} + {other})", f"({one} - {other})", f"({one} * {other})", f"({one} / 2)", f"({one} // {other})",
        f"(4 / ({one}))", f"min({one}, {other})", f"max({one}, {other})", f"ceil({one} / 2)", f"round({one} / 2)", f"(-{one})",
        f"({one} if {draw(st.sampled_from(names.atoms()))} else {other})",
    ]  # fmt: skip
    return draw(st.sampled_from(forms))


@st.composite
def condition_text(draw: st.DrawFn, names: Names, depth: int = 2) -> str:
    kind = draw(st.integers(0, 6)) if depth else 0
    if kind <= 2:
        return draw(st.sampled_from(names.atoms()))
    if kind == 3 and names.numbers:
        sign = draw(st.sampled_from(["<", "<=", "==", "!=", ">", ">="]))
        return f"{draw(number_text(names))} {sign} {draw(number_text(names))}"
    one, other = draw(condition_text(names, depth - 1)), draw(condition_text(names, depth - 1))
    if kind == 4:
        return f"not ({one})"
    return f"({one}) {draw(st.sampled_from(['and', 'or']))} ({other})"


@st.composite
def facts_of(draw: st.DrawFn, names: Names) -> dict[str, dict[str, Any]]:
    facts: dict[str, dict[str, Any]] = {}
    for name in draw(st.lists(st.sampled_from(sorted(POOL)), min_size=2, max_size=3, unique=True)):
        facts[name] = dict(POOL[name])
        if len(facts) > 1 and draw(st.integers(0, 2)) == 0:
            facts[name]["only_when"] = draw(condition_text(names, 1))
        names.add(name, facts[name])
    if draw(st.integers(0, 2)) == 0:
        facts["d"] = fact("integer", min=0, max=2, derive=draw(number_text(names)), ask="false")
        names.add("d", facts["d"])
    return facts


@st.composite
def rules_of(draw: st.DrawFn, name: str, declared: dict[str, Any], names: Names) -> list[dict[str, Any]]:
    """Few different conditions, so that rules meet."""
    conditions = draw(st.lists(condition_text(names), min_size=1, max_size=3))
    rules: list[dict[str, Any]] = []
    for position in range(draw(st.integers(1, 4))):
        school = draw(st.sampled_from(SCHOOLS))
        one: dict[str, Any] = {
            "id": f"{name}.{position}",
            "topic": name,
            "school": school,
            "because": "so",
            "sources": ["book"],
        }
        if draw(st.integers(0, 5)):
            one["when"] = draw(st.sampled_from(conditions))
        one |= draw(_advice(declared, names)) if declared["policy"] != "value" else {"value": draw(number_text(names))}
        older = [other["id"] for other in rules]
        if older and school != "survey" and draw(st.integers(0, 3)) == 0:
            one["supersedes"] = draw(st.lists(st.sampled_from(older), min_size=1, max_size=2, unique=True))
        rules.append(one)
    return rules


@st.composite
def bases(draw: st.DrawFn) -> RuleBase:
    names = Names([], [], [], {}, {})
    facts = draw(facts_of(names))
    constraints = draw(st.lists(condition_text(names, 1), max_size=1)) if draw(st.integers(0, 2)) == 0 else []
    topics: dict[str, Any] = {}
    rules: list[dict[str, Any]] = []
    for position in range(draw(st.integers(1, 2))):
        kind = draw(st.sampled_from(["score", "first", "all", "integer", "number"]))
        declared = topic(kind, "va", "vb") if kind in ("score", "first", "all") else topic("value", type=kind)
        if draw(st.integers(0, 3)) == 0:
            declared["applies"] = draw(condition_text(names, 1))
        name = f"t{position}"
        topics[name] = declared
        rules += draw(rules_of(name, declared, names))
        names.add(name, declared)
    base = RuleBase(facts, topics, rules, constraints)
    assume(Situations(base, "today").all)  # constraints that exclude every project make every remark true
    return base


def every(base: RuleBase) -> Any:
    return cache(lambda school: Situations(base, school))


@given(bases())
@examples(60)
def test_every_rule_gets_the_fate_it_deserves(base: RuleBase) -> None:
    knowledge, situations = base.load(), every(base)
    court = Court(knowledge)
    for written in base.rules:
        rule = knowledge.by_id[written["id"]]
        for school in [School.TODAY] if rule.school is School.TODAY else [School.SURVEY, School.TODAY]:
            assert judged(court, rule, school).fate.value == situations(school.value).fate(written), (rule.id, school)
    assert court.tally.unanswered == 0


@given(bases())
@examples(60)
def test_rules_at_odds_are_those_that_hold_together_everywhere_or_nowhere(base: RuleBase) -> None:
    court = Court(base.load())
    said = [problem.what for problem in rules_at_odds(court)]
    today = Situations(base, "today")
    expected = set()
    for one, other in itertools.combinations(base.rules, 2):
        if one["topic"] == other["topic"] and today.ever_together(one, one) and today.ever_together(other, other):
            idle = one["id"] in other.get("supersedes", ()) and not today.ever_together(one, other)
            expected |= {f"rule {other['id']} supersedes {one['id']}, but they never hold together."} if idle else set()
    assert {problem.what for problem in idle_supersessions(court)} == expected
    by_id = {rule["id"]: rule for rule in base.rules}
    for what in said:
        one, other = (by_id[name] for name in re.findall(r"\bt\d\.\d\b", what)[:2])
        assert any(Situations(base, school).alike(one, other) for school in ("today", "survey")), what
    for one, other in itertools.combinations(base.rules, 2):
        if _contradicting(base, one, other) and today.alike(one, other):
            expected_words = f"rules {one['id']} and {other['id']} hold in the same situations"
            assert any(what.startswith(expected_words) for what in said), (one, other)


def _contradicting(base: RuleBase, one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Two rules of one school and of a topic that takes the first, with different values, neither superseding the other."""
    values = {one.get("value"), other.get("value")}
    named = values <= set(base.topics[one["topic"]].get("values", ()))
    supersedes = {*one.get("supersedes", ()), *other.get("supersedes", ())} & {one["id"], other["id"]}
    same = one["topic"] == other["topic"] and one["school"] == other["school"]
    return same and named and len(values) == 2 and not supersedes


@given(bases())
@examples(80)
def test_a_topic_has_a_gap_where_some_complete_situation_leaves_it_silent(base: RuleBase) -> None:
    court = Court(base.load())
    said = [problem.what for problem in gaps(court)]
    today = Situations(base, "today")
    for name, declared in base.topics.items():
        mine = [what for what in said if what.startswith(f"topic {name}: ")]
        silent = today.silences(name) if declared["policy"] != "all" else []
        assert bool(mine) == bool(silent), (name, mine)
        for what in mine:
            told = what.partition(" where ")[2].rstrip(".")
            alike = [
                values for values in today.complete if all(_fits(part, values) for part in told.split(" and ") if part)
            ]
            assert alike, what
            applying = [v for v in alike if evaluate(declared.get("applies", "true"), v) is True]
            assert applying, what
            assert all(today.silent(name, values) for values in applying), what
    assert court.tally.unanswered == 0


def _fits(part: str, values: dict[str, Any]) -> bool:
    """Whether a situation is as one part of an example tells."""
    for ending in (" does not apply", " is not measured", " means nothing"):
        if part.endswith(ending):
            return values[part.removesuffix(ending)] is None
    return evaluate(part, values) is True
