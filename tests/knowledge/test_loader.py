"""Loading a rule base: every problem of every file at once, and rules in the order in which they count."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.errors import InputError
from advisor.knowledge import loader
from advisor.knowledge.model import Effect, Policy, School, Strength
from tests.small_rules import RuleBase, advised, boolean, choice, integer, number, rule, topic

from .texts import FACTS, RULES, TOPICS, problems, rule_text


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


def test_a_circle_that_a_pack_closes_is_told_where_the_pack_closes_it(tmp_path: Path) -> None:
    base = RuleBase(
        {"p": boolean()},
        {"t": topic("first", "x", "y"), "u": topic("first", "x", "y")},
        [rule("t1", "t", when='u == "x"', value="x"), rule("u1", "u", value="y")],
    )
    base.write(tmp_path / "base")
    (tmp_path / "pack").mkdir()
    text = 'id: house.u\n  topic: u\n  school: any\n  when: t == "y"\n  value: x\n  because: So.\n  sources: [mine]\n'
    (tmp_path / "pack" / "house.yaml").write_text(f"- {text}", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        loader.load(tmp_path / "base", [tmp_path / "pack"])
    said = str(caught.value)
    assert "house.yaml:1: rule house.u: these topics depend on each other in a circle" in said


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


def test_files_of_sub_folders_count_by_name_too(tmp_path: Path) -> None:
    problems(tmp_path, rules=rule_text(id="one"), aaa=rule_text(id="two"), zzz=rule_text(id="three"))
    (tmp_path / "subject").mkdir()
    (tmp_path / "aaa.yaml").rename(tmp_path / "subject" / "aaa.yaml")
    (tmp_path / "subject" / "rules.test.yaml").write_text("- a test: of one\n")
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "more.yaml").write_text(rule_text(id="four"))
    assert [read.id for read in loader.load(tmp_path).rules] == ["two", "one", "three"]


def test_a_file_name_stands_for_one_file(tmp_path: Path) -> None:
    (tmp_path / "subject").mkdir()
    (tmp_path / "subject" / "rules.yaml").write_text(rule_text())
    (found,) = problems(tmp_path)
    assert (
        found == f"subject/rules.yaml: {tmp_path}/rules.yaml has this name already. Give each file a name of its own."
    )


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
