"""Runner of the tests that stand beside the rules: given facts, which rules fire, stay silent or are unknown, what is advised."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from advisor import safe_yaml
from advisor.errors import InputError, Problem, did_you_mean
from advisor.facts.answers import answers_from_node
from advisor.facts.fact_base import FactBase, Source
from advisor.facts.vocabulary import Value
from advisor.inference.advise import consistent, engine_for, situation_of
from advisor.inference.outcomes import NOT_APPLICABLE, Tie, same
from advisor.inference.situation import Situation
from advisor.knowledge.loader import yaml_files
from advisor.knowledge.model import Knowledge, Policy, School
from advisor.reading import Reader
from advisor.wording import shorten

_KEYS = ("given", "school", "fire", "silent", "unknown", "expect")
_STATES = {"fire": True, "silent": False, "unknown": None}


@dataclass(frozen=True)
class RuleTest:
    """One entry of a NAME.test.yaml."""

    where: str
    given: dict[str, Value | None]
    school: School = School.TODAY
    states: dict[str, bool | None] = field(default_factory=dict)
    expect: dict[str, safe_yaml.Node] = field(default_factory=dict)


@dataclass(frozen=True)
class TestRun:
    tests: int
    failures: tuple[Problem, ...]
    shown: dict[str, frozenset[str]]  # rule -> the states in which tests show it


def test_files(folder: Path, layer: int) -> list[Path]:
    return [path for path in yaml_files(folder, layer) if path.name.endswith(".test.yaml")]


def read_tests(knowledge: Knowledge, path: Path) -> list[RuleTest]:
    """The tests of one file. Raises InputError with every problem in it."""
    root = safe_yaml.load_file(path)
    problems: list[Problem] = []
    reader = Reader(str(path), problems)
    tests: list[RuleTest] = []
    if root is not None and not isinstance(root, safe_yaml.Sequence):
        reader.note(root.line, "this must be a list of tests.", "Start each with `- given: {...}`.")
    for item in root.items if isinstance(root, safe_yaml.Sequence) else ():
        entry = reader.mapping(item, "a test", _KEYS)
        if entry is None:
            continue
        try:
            given = answers_from_node(knowledge.vocabulary, entry.items.get("given"), str(path))
        except InputError as error:
            problems.extend(error.problems)
            continue
        schools = [School.SURVEY.value, School.TODAY.value]
        school = School(reader.choice(entry, "school", "a test", schools, default=School.TODAY.value))
        states: dict[str, bool | None] = {}
        for key, state in _STATES.items():
            for identifier in reader.texts(entry, key, "a test"):
                if identifier not in knowledge.by_id:
                    hint = did_you_mean(identifier, knowledge.by_id)
                    reader.note(entry.line, f"there is no rule {shorten(identifier)}.", hint)
                elif states.get(identifier, state) is not state:
                    reader.note(
                        entry.line, f"rule {identifier} is expected in two states at once.", "Keep one of them."
                    )
                else:
                    states[identifier] = state
        expect = {}
        for name, node, line in reader.pairs(entry.items.get("expect"), "expect") if "expect" in entry.items else ():
            if name not in knowledge.topics:
                reader.note(line, f"{shorten(name)} is not a topic.", did_you_mean(name, knowledge.topics))
            else:
                expect[name] = node
        tests.append(RuleTest(f"{path}:{entry.line}", given, school, states, expect))
    if problems:
        raise InputError("These rule tests cannot be used", problems)
    return tests


def run(knowledge: Knowledge, tests: Sequence[RuleTest]) -> TestRun:
    """Run the tests and note in which states they show each rule."""
    failures: list[Problem] = []
    shown: dict[str, set[str]] = {rule.id: set() for rule in knowledge.rules}
    names = {True: "fire", False: "silent", None: "unknown"}
    for test in tests:
        try:
            failures.extend(_failures(knowledge, test))
        except InputError as error:
            failures.extend(Problem(test.where, problem.what, problem.remedy) for problem in error.problems)
        for identifier, state in test.states.items():
            shown[identifier].add(names[state])
    return TestRun(len(tests), tuple(failures), {rule: frozenset(states) for rule, states in shown.items()})


def _failures(knowledge: Knowledge, test: RuleTest) -> Iterator[Problem]:
    known = {name: value for name, value in test.given.items() if value is not None}
    facts = FactBase.of(known, Source.ASKED)
    facts = replace(facts, blank=frozenset(test.given) - frozenset(known))
    engine = engine_for(knowledge, test.school)
    facts, _ = consistent(engine.program, facts)
    situation = situation_of(engine.program, facts)
    for identifier, wanted in test.states.items():
        actual = rule_state(knowledge, identifier, test.school, situation)
        if actual is not wanted:
            words = {True: "fires", False: "is silent", None: "is unknown"}
            yield Problem(test.where, f"rule {identifier} {words[actual]}, expected that it {words[wanted]}.")
    for name, node in test.expect.items():
        outcome = engine.decide(engine.program.topics[name], situation).outcome
        wanted_text = _node_text(node)
        if not _matches(knowledge, name, outcome, node):
            yield Problem(test.where, f"{name} is {_outcome_text(outcome)}, expected {wanted_text}.")


def rule_state(knowledge: Knowledge, identifier: str, school: School, situation: Situation) -> bool | None:
    """Return whether a rule's condition holds, doesn't, or is unknown, as the leading plan sees the facts."""
    rule = knowledge.by_id[identifier]
    engine = engine_for(knowledge, school)
    topic = engine.program.topics[rule.topic]
    if not any(compiled.rule is rule for compiled in topic.combination.rules):
        return False
    state: bool | None = knowledge.condition(rule).at(engine.prepared(topic, situation))
    return state


def _node_text(node: safe_yaml.Node) -> str:
    if isinstance(node, safe_yaml.Sequence):
        return "[" + ", ".join(_node_text(item) for item in node.items) + "]"
    return node.text if isinstance(node, safe_yaml.Scalar) else "?"


def _outcome_text(outcome: Any) -> str:
    if outcome is NOT_APPLICABLE:
        return "not applicable"
    if isinstance(outcome, Tie):
        return f"open (tied: {', '.join(outcome) or 'nothing'})"
    return str(list(outcome)) if isinstance(outcome, tuple) else str(outcome)


def _matches(knowledge: Knowledge, name: str, outcome: Any, node: safe_yaml.Node) -> bool:
    topic = knowledge.topics[name]
    if isinstance(node, safe_yaml.Scalar) and node.text in ("null", "~", "") and not node.quoted:
        return outcome is NOT_APPLICABLE or (isinstance(outcome, Tie) and topic.policy is not Policy.ALL)
    if isinstance(node, safe_yaml.Sequence):
        wanted = [_node_text(item) for item in node.items]
        return isinstance(outcome, tuple) and not isinstance(outcome, Tie) and [str(v) for v in outcome] == wanted
    if not isinstance(node, safe_yaml.Scalar):
        return False
    if isinstance(outcome, int | float):
        try:
            return same(replace(topic, tolerance=1e-9), float(outcome), float(node.text))
        except ValueError:
            return False
    return bool(outcome == node.text)
