"""The tests beside the rules: what they show, and how one that fails is reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.errors import InputError
from advisor.inference import rule_tests
from advisor.knowledge.model import Knowledge
from tests.small_rules import RuleBase, boolean, choice, integer, rule, topic

KNOWLEDGE: Knowledge = RuleBase(
    {"p": boolean(), "n": integer(0, 100, assume="1"), "c": choice("red", "blue"), "m": integer(0, 9)},
    {
        "device": topic("first", "cpu", "gpu", applies='c != "blue"'),
        "type": topic("score", "cnn", "ffn"),
        "items": topic("all", "a", "b"),
        "units": topic("value", type="integers"),
        "rate": topic("value", type="number"),
    },
    [
        rule("device.gpu", "device", when="p", value="gpu"),
        rule("device.cpu", "device", value="cpu", school="today"),
        rule("type.cnn", "type", for_="cnn", strength="weak", when="p"),
        rule("type.ffn", "type", for_="ffn", strength="weak"),
        rule("items.a", "items", add="a", when="n > 5"),
        rule("units.two", "units", value="[2 * n, n]"),
        rule("rate.n", "rate", value="n / 10"),
    ],
    ["n >= m"],
).load()


def run(tmp_path: Path, text: str) -> rule_tests.TestRun:
    path = tmp_path / "some.test.yaml"
    path.write_text(text, encoding="utf-8")
    return rule_tests.run(KNOWLEDGE, rule_tests.read_tests(KNOWLEDGE, path))


def failures(tmp_path: Path, text: str) -> list[str]:
    return [str(problem).removeprefix(f"{tmp_path}/") for problem in run(tmp_path, text).failures]


@pytest.mark.parametrize(
    "text",
    [
        "- {given: {p: yes}, fire: [device.gpu, device.cpu], expect: {device: gpu, type: null}}",
        "- {given: {p: no}, silent: [device.gpu], expect: {device: cpu, type: ffn}}",
        "- {unknown: [device.gpu], fire: type.ffn}",
        "- {given: {p: yes}, school: survey, fire: [device.gpu], silent: [device.cpu]}",
        "- {given: {c: blue}, expect: {device: null}}",
        "- {given: {n: 6}, expect: {items: [a], units: [12, 6], rate: 0.6}}",
        "- {given: {n: 5}, expect: {items: []}}",
        "- {expect: {units: [2, 1], rate: 1e-1}}",
        "- {given: {n: null}, unknown: [items.a], expect: {units: null, rate: ~}}",
    ],
)
def test_a_test_that_holds_passes(tmp_path: Path, text: str) -> None:
    assert failures(tmp_path, text) == []


def test_a_test_that_fails_is_reported_with_its_place_and_what_was_found(tmp_path: Path) -> None:
    text = """\
# comment
- given: {p: yes}
  silent: [device.gpu]
  unknown: [type.ffn]
  expect: {device: cpu, type: cnn, items: [a], units: [1, 2], rate: 5}
- given: {c: blue, p: no}
  fire: [device.gpu]
  expect: {device: cpu, type: null}
- given: {n: null}
  expect: {rate: 1, units: 5, items: null}
"""
    assert failures(tmp_path, text) == [
        "some.test.yaml:2: rule device.gpu fires, expected that it is silent.",
        "some.test.yaml:2: rule type.ffn fires, expected that it is unknown.",
        "some.test.yaml:2: device is gpu, expected cpu.",
        "some.test.yaml:2: type is open (tied: cnn, ffn), expected cnn.",
        "some.test.yaml:2: items is [], expected [a].",
        "some.test.yaml:2: units is [2, 1], expected [1, 2].",
        "some.test.yaml:2: rate is 0.1, expected 5.",
        "some.test.yaml:6: rule device.gpu is silent, expected that it fires.",
        "some.test.yaml:6: device is not applicable, expected cpu.",
        "some.test.yaml:6: type is ffn, expected null.",
        "some.test.yaml:9: rate is open (tied: nothing), expected 1.",
        "some.test.yaml:9: units is open (tied: nothing), expected 5.",
        "some.test.yaml:9: items is [], expected null.",
    ]


def test_assumptions_count_unless_the_fact_is_given_as_unknown(tmp_path: Path) -> None:
    assert failures(tmp_path, "- {expect: {rate: 0.1}}\n- {given: {n: ~}, expect: {rate: null}}") == []


def test_given_facts_that_exclude_each_other_fail_the_test_that_gives_them(tmp_path: Path) -> None:
    found = failures(tmp_path, "- {given: {n: 3, m: 5}, expect: {rate: 0.3}}\n- {given: {n: 3}, expect: {rate: 0.3}}")
    assert found == ["some.test.yaml:1: n = 3 and m = 5 cannot both be true: nothing else exists. Change one of them."]


def test_the_states_in_which_tests_show_each_rule_are_noted(tmp_path: Path) -> None:
    result = run(
        tmp_path,
        "- {given: {p: yes}, fire: [device.gpu]}\n- {given: {p: no}, silent: [device.gpu]}\n- {unknown: device.gpu}\n"
        "- {fire: [type.ffn]}\n",
    )
    assert result.tests == 4
    assert result.failures == ()
    assert result.shown["device.gpu"] == {"fire", "silent", "unknown"}
    assert result.shown["type.ffn"] == {"fire"}
    assert result.shown["rate.n"] == frozenset()
    assert set(result.shown) == {one.id for one in KNOWLEDGE.rules}


def test_every_problem_of_a_test_file_is_reported_at_once(tmp_path: Path) -> None:
    path = tmp_path / "some.test.yaml"
    path.write_text(
        """\
- {give: {p: yes}}
- {given: {q: yes, n: many}}
- {given: {p: yes}, fire: [device.gpuu], school: tomorrow}
- {given: {p: yes}, expect: {devise: cpu}}
- {fire: [type.ffn], silent: [type.ffn]}
- text
"""
    )
    with pytest.raises(InputError) as caught:
        rule_tests.read_tests(KNOWLEDGE, path)
    assert [str(problem).removeprefix(f"{tmp_path}/") for problem in caught.value.problems] == [
        "some.test.yaml:1: a test has no key 'give'. Did you mean given?",
        "some.test.yaml:2: 'q' is not a known fact. Known: p, n, c and m.",
        "some.test.yaml:2 n: 'many'. For example 2000, 50k or 2M.",
        "some.test.yaml:3: a test: school cannot be 'tomorrow'. Known: survey and today.",
        "some.test.yaml:3: there is no rule device.gpuu. Did you mean device.gpu?",
        "some.test.yaml:4: devise is not a topic. Did you mean device?",
        "some.test.yaml:5: rule type.ffn is expected in two states at once. Keep one of them.",
        "some.test.yaml:6: a test must be a mapping of keys to values.",
    ]


@pytest.mark.parametrize("text", ["given: {}", "just text"])
def test_a_file_that_is_no_list_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match="this must be a list of tests"):
        run(tmp_path, text)


def test_an_empty_file_holds_no_tests(tmp_path: Path) -> None:
    assert run(tmp_path, "# nothing yet\n").tests == 0


def test_test_files_are_found_beside_the_rules(tmp_path: Path) -> None:
    for name in ("b.test.yaml", "a.test.yaml", "a.yaml", "notes.txt"):
        (tmp_path / name).write_text("")
    assert [path.name for path in rule_tests.test_files(tmp_path, 0)] == ["a.test.yaml", "b.test.yaml"]
