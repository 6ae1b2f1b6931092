"""Wrong rules, facts and topics, one by one: what the author is told, with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from .texts import FACTS, RULES, TOPICS, fact_text, problems, rule_text


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (rule_text(id=None), 1, "a rule lacks the key 'id'."),
        (rule_text(id="''"), 1, "a rule: id is empty."),
        (rule_text(topic=None), 1, "rule r lacks the key 'topic'."),
        (rule_text(school="tomorrow"), 3, "school cannot be 'tomorrow'. Known: survey, today and any."),
        (rule_text(because=None), 1, "rule r lacks the key 'because'."),
        (rule_text(because="[a, b]"), 5, "because must be one text."),
        (rule_text(sources=None), 1, "rule r cites nothing. Add `sources: [KEY PLACE]`."),
        (rule_text(sources="{book: III}"), 6, "sources must be a text or a list of texts."),
        (rule_text(sources="[bok 3]"), 1, "cites 'bok', which sources.yaml does not have. Did you mean book?"),
        (rule_text(erratum="E2"), 1, "names the erratum 'E2', which sources.yaml does not have. Known: E1."),
        (rule_text(verified="yesterday"), 1, "verified must be a date such as 2026-11-21, or no."),
        (rule_text(verified="2026-02-30"), 1, "verified must be a date such as 2026-11-21, or no."),
        (rule_text(readiness="12"), 7, "readiness runs from 1 to 9."),
        (rule_text(readiness="high"), 7, "readiness must be a number, not 'high'."),
        (rule_text(whne="true"), 7, "a rule has no key 'whne'. Did you mean when?"),
        (rule_text(value="tpu"), 1, "value uses 'tpu', which is not declared."),
        (rule_text(value='"\'tpu\'"'), 1, "value can be tpu. Did you mean gpu?"),
        (rule_text(value="3"), 1, "value is a number, where a choice is needed."),
        (rule_text(value=None), 1, "a rule of compute.device needs exactly one of the keys value."),
        (rule_text(value=None, for_="cpu"), 1, "a rule of compute.device needs exactly one of the keys value."),
        (rule_text(add="cpu"), 1, "a rule of compute.device needs exactly one of the keys value."),
        (rule_text(strength="strong"), 7, "only `for` and `against` have a strength."),
        (rule_text(when="data.examples"), 1, "when is a number, where a yes or no is needed."),
        (rule_text(when="[a]"), 7, "when must be one text."),
        (rule_text(supersedes="nobody"), 1, "supersedes 'nobody', which does not exist."),
        (rule_text(supersedes="type.images") + RULES, 1, "supersedes type.images, a rule of another topic."),
        (rule_text(school="survey", supersedes="s") + rule_text(id="s"), 1, "a rule of school survey supersedes nothing."),
        (rule_text(settles="probe"), 7, "settles must be a mapping of keys to values."),
        (rule_text(settles="{probe: threads}"), 7, "rule r lacks the key 'expects'."),
        (rule_text(settles="{probe: threads, expects: data.examples}"), 1, "expects is a number, where a yes or no is needed."),
        (rule_text(before="nobody"), 1, "`before` must name another rule of compute.device."),
        (rule_text(before="r"), 1, "`before` must name another rule of compute.device."),
        (rule_text(topic="network.type", for_="cnn"), 1, "rule r lacks the key 'strength'."),
        (rule_text(topic="network.type", for_="cnn", strength="big"), 7, "strength cannot be 'big'. Known: strong, "),
        (rule_text(topic="network.type", for_="rnn", strength="weak"), 6, "network.type cannot be 'rnn'. Did you mean cnn?"),
        (rule_text(topic="network.type", for_="cnn", against="ffn", strength="weak"), 1, "one of the keys for or"),
        (rule_text(topic="network.type", veto="cnn", before="x"), 1, "`before` means nothing in a topic of policy score."),
        (rule_text(topic="data.pipeline", add="everything"), 6, "data.pipeline cannot be 'everything'. Known: "),
        (rule_text(topic="training.batch_size", value='"data.modality"'), 1, "value is a choice, where a number is needed."),
        (rule_text(topic="training.batch_size", value="[1, 2]"), 1, "value is a list of numbers, where a number is needed."),
        (rule_text(value="[{a: 1}]"), 4, "value must be a text or a list of texts."),
        ("id: r\n", 1, "this must be a list of rules. Start each rule with `- id: ...`."),
        ("- just text\n", 1, "a rule must be a mapping of keys to values."),
        ("- {disable: nobody, because: So.}\n", 1, "there is no rule nobody to disable."),
        ("- {disable: r}\n", 1, "a disabled rule lacks the key 'because'."),
    ],
)  # fmt: skip
def test_a_wrong_rule_is_refused_in_words(tmp_path: Path, text: str, line: int, says: str) -> None:
    found = problems(tmp_path, rules=text)
    assert any(problem.startswith(f"rules.yaml:{line}: ") and says in problem for problem in found), found


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("  x: 5\n", "facts.yaml:10: fact x must be a mapping of keys to values."),
        (fact_text("type: choice"), "has no choices."),
        (fact_text("type: integer, min: low"), "min must be a number, not 'low'."),
        (fact_text("type: integer, max: nan"), "max must be a number, not 'nan'."),
        (fact_text("type: integer, min: 2, max: 1"), "min is larger than max."),
        (fact_text("type: boolean, ask: maybe"), "ask cannot be 'maybe'."),
        (fact_text("type: boolean, only_when: data.examples"), "only_when is a number, where a yes or no is needed."),
        (fact_text("type: boolean, assume: 3"), "assume is a number, where a yes or no is needed."),
        (fact_text("type: integer, derive: nobody"), "derive uses 'nobody', which is not declared."),
        (fact_text("type: integer, derive: compute.device"), "derive uses 'compute.device', which is not declared."),
        (fact_text("type: integer, derive: 1, assume: 2"), "has both assume and derive."),
        (fact_text("type: boolean, usual: 'true', assume: 'true'"), "has both assume and usual."),
        (fact_text("type: boolean, usual: 3"), "usual is a number, where a yes or no is needed."),
        (fact_text("type: boolean, familiar: data.examples"), "familiar is a number, where a yes or no is needed."),
        (fact_text("type: boolean, prior: {holds: 0.5, because: So.}"), "has a prior, but no default."),
        (fact_text("type: boolean, assume: 'true', prior: {holds: 1, because: So.}"), "a share between 0 and 1."),
        (fact_text("type: boolean, assume: 'true', prior: {holds: 0.5}"), "lacks the key 'because'."),
        (fact_text("type: integer, assume: 1, prior: {holds: 0.5, low: 3, high: 2, because: So.}"), "low must be below high."),
        (fact_text("type: integer, named_by: compute.devise"), "named_by 'compute.devise' is no topic."),
        (fact_text("type: integer, wordings: [{question: How many?}]"), "a wording lacks the key 'when'."),
        (fact_text("type: choice, choices: {a: a}, wordings: [{when: 'true', choices: {b: b}}]"), "a wording offers 'b'."),
        (
            fact_text("type: boolean, wordings: [{when: 'true', shortcuts: {s: {meaning: S, stands_for: {x: perhaps}}}}]"),
            "the shortcut s: x cannot be 'perhaps'.",
        ),
        (
            fact_text("type: boolean, wordings: [{when: 'true', shortcuts: {s: {meaning: S, stands_for: {y: 'yes'}}}}]"),
            "the shortcut s must have a name of its own and stand for a value of x, too.",
        ),
        ("opening: [data.exampels]\n", "the opening names 'data.exampels', which is no fact. Did you mean data.examples?"),
        ("constraints: {holds: true}\n", "facts.yaml:10: constraints must be a list."),
        ("constraints: [true]\n", "facts.yaml:10: a constraint must be a mapping"),
        ("constraints: [{holds: data.examples, because: So.}]\n", "the constraint is a number, where a yes or no is needed."),
        ("constraints: [{holds: data.examples > 1}]\n", "facts.yaml:10: a constraint lacks the key 'because'."),
        ("facs: {}\n", "facts.yaml:10: facts.yaml has no key 'facs'. Did you mean facts?"),
    ],
)  # fmt: skip
def test_a_wrong_fact_is_refused_in_words(tmp_path: Path, text: str, says: str) -> None:
    found = problems(tmp_path, facts=FACTS + text)
    assert any(problem.startswith("facts.yaml:10: ") and says in problem for problem in found), found


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("  t: {policy: first, values: {a: a}}\n", "lacks the key 'title'."),
        ("  t: {title: T, policy: first}\n", "topics of policy value have a type, all others have values."),
        ("  t: {title: T, policy: value, values: {a: a}}\n", "topics of policy value have a type, all others have values."),
        ("  t: {title: T, policy: value, type: text}\n", "type cannot be 'text'. Known: integer, number and integers."),
        ("  t: {title: T, policy: value, tolerance: much}\n", "tolerance must be a number, not 'much'."),
        ("  t: {title: T, policy: value, applies: data.examples}\n", "applies is a number, where a yes or no is needed."),
        ("  t: {title: T, policy: value, measured_by: threads}\n", "measured_by must be a mapping"),
        ("  t: {title: T, policy: value, measured_by: {probe: x, fact: nobody}}\n", "nobody is not a known fact."),
        ("  t: {title: T, policy: value, simulated_by: simulate}\n", "simulated_by must be a mapping"),
        ("  t: {title: T, policy: value, simulated_by: {probe: x, fact: nobody}}\n", "nobody is not a known fact."),
        ("  t: {title: T, policy: first, values: [a, b]}\n", "values must be a mapping"),
        ("  t: {title: T, policy: first, vales: {a: a}}\n", "has no key 'vales'. Did you mean values?"),
    ],
)  # fmt: skip
def test_a_wrong_topic_is_refused_in_words(tmp_path: Path, text: str, says: str) -> None:
    found = problems(tmp_path, topics=TOPICS + text)
    assert any(problem.startswith("topics.yaml:6: ") and says in problem for problem in found), found


def test_a_name_is_a_fact_or_a_topic(tmp_path: Path) -> None:
    found = problems(tmp_path, facts=FACTS + fact_text("type: integer", name="compute.device"))
    assert any(
        one.startswith("topics.yaml:3: compute.device is declared as a fact and as a topic. Rename") for one in found
    )


def test_a_topic_that_can_be_stated_takes_exactly_its_values(tmp_path: Path) -> None:
    choices = "type: choice, ask: false, closed: true, choices: {cpu: the processor, tpu: no value of the topic}"
    found = problems(tmp_path, facts=FACTS + fact_text(choices, name="compute.device"))
    assert any("compute.device is declared as a fact and as a topic" in one for one in found)
