"""Loading a rule base: every problem of every file at once, each with file, line and remedy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from advisor.errors import InputError
from advisor.knowledge import loader
from advisor.knowledge.model import Effect, Policy, School, Strength
from tests.small_rules import RuleBase, advised, boolean, choice, integer, number, rule, topic

FACTS = """\
groups: {data: The data, task: The task}
facts:
  data.examples: {group: data, type: integer, min: 1, question: How many?, help: Count them.}
  data.modality:
    group: data
    type: choice
    question: Which?
    help: Say.
    choices: {image: a picture, text: words}
"""
TOPICS = """\
topics:
  network.type: {title: Network, policy: score, values: {cnn: convolutional, ffn: plain}}
  compute.device: {title: Device, policy: first, values: {cpu: processor, gpu: card}}
  training.batch_size: {title: Batch, policy: value, type: integer}
  data.pipeline: {title: Pipeline, policy: all, values: {prefetch: ahead, shard: in parts}}
"""
SOURCES = """\
sources:
  book: {title: A book}
errata:
  E1: {about: a figure, text: It should read 3.}
"""
RULES = """\
- id: type.images
  topic: network.type
  school: survey
  when: data.modality == "image"
  for: cnn
  strength: strong
  because: Neighbours belong together.
  sources: [book III.D]
"""


def problems(tmp_path: Path, **files: str) -> list[str]:
    """The problems of a rule base, one text for each; `facts`, `topics`, `sources` and `rules` have a sound default."""
    for name, text in {"facts": FACTS, "topics": TOPICS, "sources": SOURCES, "rules": RULES, **files}.items():
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    try:
        loader.load(tmp_path)
    except InputError as error:
        return [str(problem).removeprefix(f"{tmp_path}/") for problem in error.problems]
    return []


def rule_text(**keys: Any) -> str:
    """A sound rule of topic compute.device with some keys changed; None leaves a key out. Rules of `score` and `all` topics
    have no value."""
    if keys.get("topic") in ("network.type", "data.pipeline"):
        keys = {"value": None, **keys}
    given = {
        "id": "r", "topic": "compute.device", "school": "any", "value": "cpu", "because": "So.", "sources": "[book]", **keys,
    }  # fmt: skip
    lines = [f"{key.rstrip('_')}: {value}" for key, value in given.items() if value is not None]
    return "- " + "\n  ".join(lines) + "\n"


def fact_text(keys: str, name: str = "x") -> str:
    """A fact at the end of facts.yaml with these keys."""
    return f"  {name}: {{group: data, question: What?, help: Say., {keys}}}\n"


def test_a_rule_is_read_with_everything_it_says(tmp_path: Path) -> None:
    assert problems(tmp_path) == []
    knowledge = loader.load(tmp_path)
    (read,) = knowledge.rules
    assert (read.id, read.topic, read.school, read.effect) == ("type.images", "network.type", School.SURVEY, Effect.FOR)
    assert (read.value, read.strength, read.argument) == ("cnn", Strength.STRONG, "type.images")
    assert (read.when, read.because) == ('data.modality == "image"', "Neighbours belong together.")
    assert (read.sources, read.where) == (("book III.D",), f"{tmp_path}/rules.yaml:1")
    assert not read.is_verified
    assert knowledge.topics["training.batch_size"].policy is Policy.VALUE
    assert knowledge.vocabulary.facts["data.examples"].minimum == 1
    assert knowledge.errata["E1"].text == "It should read 3."


def test_all_problems_of_all_files_are_reported_at_once_in_the_order_of_their_lines(tmp_path: Path) -> None:
    found = problems(
        tmp_path,
        facts=FACTS
        + "  data.bytes: {group: dta, type: integr, question: How many?, help: Count.}\n"
        + "  data.name: {group: data, type: text, question: '', hlep: Say.}\n",
        topics=TOPICS + "  cost: {title: Cost, policy: cheapest, values: {a: a}}\n",
        rules=RULES + rule_text(topic="compute.devise") + rule_text(id="type.images", valeu="cpu"),
        more=rule_text(when="data.exampels > 5", because=None),
    )
    assert found == [
        "facts.yaml:10: fact data.bytes: type cannot be 'integr'. Did you mean integer?",
        "facts.yaml:10: fact data.bytes: group cannot be 'dta'. Did you mean data?",
        "facts.yaml:11: fact data.name has no key 'hlep'. Did you mean help?",
        "facts.yaml:11: fact data.name: question is empty.",
        "facts.yaml:11: fact data.name lacks the key 'help'.",
        "more.yaml:1: rule r lacks the key 'because'.",
        "more.yaml:1: rule r: when uses 'data.exampels', which is not declared. Did you mean data.examples?",
        "rules.yaml:10: rule r: 'compute.devise' is not a topic. Did you mean compute.device?",
        f"rules.yaml:15: rule type.images stands at {tmp_path}/rules.yaml:1 already. Ids are unique.",
        "rules.yaml:21: a rule has no key 'valeu'. Did you mean value?",
        "topics.yaml:6: topic cost: policy cannot be 'cheapest'. Known: score, first, value and all.",
    ]


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
        (rule_text(topic="network.type", for_="cnn", against="ffn", strength="weak"), 1, "exactly one of the keys for or against or veto"),
        (rule_text(topic="network.type", veto="cnn", before="x"), 1, "`before` means nothing in a topic of policy score."),
        (rule_text(topic="data.pipeline", add="everything"), 6, "data.pipeline cannot be 'everything'. Known: prefetch and shard."),
        (rule_text(topic="training.batch_size", value='"data.modality"'), 1, "value is a choice, where a number is needed."),
        (rule_text(topic="training.batch_size", value="[1, 2]"), 4, "value must be one text."),
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
        ("  t: {title: T, policy: first, values: [a, b]}\n", "values must be a mapping"),
        ("  t: {title: T, policy: first, vales: {a: a}}\n", "has no key 'vales'. Did you mean values?"),
    ],
)  # fmt: skip
def test_a_wrong_topic_is_refused_in_words(tmp_path: Path, text: str, says: str) -> None:
    found = problems(tmp_path, topics=TOPICS + text)
    assert any(problem.startswith("topics.yaml:6: ") and says in problem for problem in found), found


def test_a_name_is_a_fact_or_a_topic(tmp_path: Path) -> None:
    found = problems(tmp_path, facts=FACTS + fact_text("type: integer", name="compute.device"))
    assert "topics.yaml:3: compute.device is declared as a fact and as a topic. Rename one of them." in found


@pytest.mark.parametrize("name", ["facts", "topics", "sources"])
def test_a_missing_declaration_is_named(tmp_path: Path, name: str) -> None:
    problems(tmp_path)
    (tmp_path / f"{name}.yaml").unlink()
    with pytest.raises(InputError, match=f"{name}.yaml is missing"):
        loader.load(tmp_path)


@pytest.mark.parametrize("name", ["facts", "topics"])
@pytest.mark.parametrize("text", ["", "- a\n", "text\n"])
def test_an_empty_or_misshapen_declaration_is_named(tmp_path: Path, name: str, text: str) -> None:
    assert any(problem.startswith(f"{name}.yaml:1: ") for problem in problems(tmp_path, **{name: text}))


def test_broken_yaml_of_several_files_is_reported_at_once(tmp_path: Path) -> None:
    found = problems(tmp_path, rules="- id: [\n", more="a: 1\na: 2\n", facts="x: &y 1\n")
    assert [problem.split(":")[0] for problem in sorted(found)] == ["facts.yaml", "more.yaml", "rules.yaml"]


def test_a_folder_without_rules_is_named(tmp_path: Path) -> None:
    for folder, says in (
        (tmp_path, "there is no .yaml file in it"),
        (tmp_path / "nowhere", "this is not a folder"),
        (Path(__file__), "this is not a folder"),
        (tmp_path / ("x" * 300), "File name too long"),
    ):
        with pytest.raises(InputError, match=says):
            loader.load(folder)


# --- circles ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("base", "says"),
    [
        (
            RuleBase({"a": integer(derive="b"), "b": integer(derive="c + 1"), "c": integer(only_when="a > 1")}),
            "these facts depend on each other in a circle: a -> b -> c -> a.",
        ),
        (RuleBase({"a": integer(assume="a")}), "these facts depend on each other in a circle: a -> a."),
        (
            RuleBase(
                {"p": boolean()},
                {"t": topic("first", "x", "y"), "u": topic("first", "x", "y")},
                [rule("t1", "t", when='u == "x"', value="x"), rule("u1", "u", value='"x" if t == "y" else "y"')],
            ),
            "these topics depend on each other in a circle: t -> u -> t.",
        ),
        (
            RuleBase({"p": boolean()}, {"t": topic("first", "x", applies='t == "x"')}, [rule("t1", "t", value="x")]),
            "these topics depend on each other in a circle: t -> t.",
        ),
        (
            RuleBase(
                {"p": boolean()},
                {"t": topic("all", "x")},
                [
                    rule("a", "t", add="x", supersedes=["b"]),
                    rule("b", "t", add="x", supersedes=["c"]),
                    rule("c", "t", add="x", supersedes=["a"]),
                ],
            ),
            "these rules supersede each other in a circle: a -> b -> c -> a.",
        ),
        (
            RuleBase(
                {"p": boolean()},
                {"t": topic("first", "x")},
                [rule("a", "t", value="x", before="b"), rule("b", "t", value="x", before="a")],
            ),
            "rule a: `before` leads in a circle.",
        ),
    ],
    ids=["facts", "a fact and itself", "topics", "a topic and itself", "supersedes", "before"],
)
def test_circles_are_refused(base: RuleBase, says: str) -> None:
    with pytest.raises(InputError) as caught:
        base.load()
    assert says in str(caught.value)


def test_a_long_row_of_definitions_is_no_circle() -> None:
    facts = {"f0": integer()} | {f"f{i}": integer(derive=f"f{i - 1} + 1") for i in range(1, 2000)}
    assert len(RuleBase(facts).load().vocabulary.facts) == 2000


# --- order ------------------------------------------------------------------------------------------------------------


def ids(base: RuleBase) -> list[str]:
    return [read.id for read in base.load().rules]


def first_rules(*said: tuple[str, str]) -> RuleBase:
    """Rules of one `first` topic, each with what it stands before."""
    rules = [rule(name, "t", value="x", **({"before": before} if before else {})) for name, before in said]
    return RuleBase({"p": boolean()}, {"t": topic("first", "x")}, rules)


def test_rules_keep_their_order_in_the_file() -> None:
    assert ids(first_rules(("c", ""), ("a", ""), ("b", ""))) == ["c", "a", "b"]


def test_files_count_by_name(tmp_path: Path) -> None:
    problems(tmp_path, rules=rule_text(id="one"), aaa=rule_text(id="two"), zzz=rule_text(id="three"))
    assert [read.id for read in loader.load(tmp_path).rules] == ["two", "one", "three"]


@pytest.mark.parametrize(
    ("said", "order"),
    [
        ([("a", ""), ("b", ""), ("c", "a")], ["c", "a", "b"]),
        ([("a", ""), ("b", ""), ("c", "b")], ["a", "c", "b"]),
        ([("c", ""), ("a", "b"), ("b", "c")], ["a", "b", "c"]),
        ([("d", ""), ("a", "b"), ("b", "c"), ("c", "d")], ["a", "b", "c", "d"]),
        ([("x", ""), ("a", "x"), ("b", "x")], ["a", "b", "x"]),
    ],
)
def test_before_puts_a_rule_directly_before_another(said: list[tuple[str, str]], order: list[str]) -> None:
    assert ids(first_rules(*said)) == order


def test_the_order_of_declarations_does_not_matter() -> None:
    facts = {
        "total": integer(derive="nodes * cards"),
        "cards": integer(assume="nodes"),
        "nodes": integer(),
        "x": number(),
    }
    topics = {"late": topic("first", "y", "n"), "early": topic("first", "y", "n")}
    rules = [
        rule("l1", "late", when='early == "y"', value="y"),
        rule("l2", "late", value="n"),
        rule("e1", "early", when="total > 4", value="y"),
        rule("e2", "early", value="n"),
    ]
    plan = advised(RuleBase(facts, topics, rules).load(), nodes=2, cards=3)
    assert plan.facts["total"].value == 6
    assert (plan.value("early"), plan.value("late")) == ("y", "y")


def test_a_choice_of_a_fact_can_be_the_value_of_a_topic() -> None:
    base = RuleBase(
        {"best": choice("cpu", "gpu")}, {"device": topic("first", "cpu", "gpu")}, [rule("r", "device", value="best")]
    )
    assert base.load().rules[0].value == "best"
