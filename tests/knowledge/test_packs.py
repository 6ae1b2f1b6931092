"""Packs: a house's own rules on top of the base, added, replaced by id, or taken out."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.errors import InputError
from advisor.facts.fact_base import FactBase
from advisor.inference.advise import advise
from advisor.knowledge import loader
from advisor.knowledge.cache import knowledge_for
from advisor.knowledge.model import Knowledge
from tests.small_rules import RuleBase, boolean, rule, topic

BASE = RuleBase(
    {"p": boolean()},
    {"t": topic("first", "x", "y", "z"), "s": topic("score", "x", "y")},
    [
        rule("t.p", "t", when="p", value="x"),
        rule("t.otherwise", "t", value="y"),
        rule("s.old", "s", for_="x", strength="strong"),
        rule("s.new", "s", school="today", for_="y", strength="weak", supersedes=["s.old"]),
    ],
)


def pack(folder: Path, *lines: str, **files: str) -> Path:
    folder.mkdir()
    if lines:
        (folder / "house.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return folder


def ours(identifier: str, value: str, rest: str = "") -> str:
    return f"- {{id: {identifier}, topic: t, school: any, value: {value}, because: Ours., sources: [book]{rest}}}"


def load(tmp_path: Path, *packs: Path) -> Knowledge:
    return loader.load(BASE.write(tmp_path / "base"), packs)


def order(knowledge: Knowledge) -> list[str]:
    return [one.id for one in knowledge.rules if one.topic == "t"]


def advice(knowledge: Knowledge, topic_name: str = "t") -> object:
    return advise(knowledge, FactBase.of({"p": True})).value(topic_name)


def problems(tmp_path: Path, *packs: Path) -> list[str]:
    with pytest.raises(InputError) as caught:
        load(tmp_path, *packs)
    return [str(problem).removeprefix(f"{tmp_path}/") for problem in caught.value.problems]


def test_other_yaml_in_a_sub_folder_of_a_pack_is_none_of_its_rules(tmp_path: Path) -> None:
    house = pack(tmp_path / "house", ours("house.one", "z"))
    (house / "answers").mkdir()
    (house / "answers" / "mine.yaml").write_text("p: yes\n")
    assert order(load(tmp_path, house)) == ["house.one", "t.p", "t.otherwise"]


def test_a_new_rule_comes_before_those_of_the_base(tmp_path: Path) -> None:
    knowledge = load(tmp_path, pack(tmp_path / "house", ours("t.ours", "z")))
    assert order(knowledge) == ["t.ours", "t.p", "t.otherwise"]
    assert advice(knowledge) == "z"


def test_the_last_pack_comes_first(tmp_path: Path) -> None:
    one = pack(tmp_path / "one", ours("t.one", "z"), ours("t.two", "z"))
    other = pack(tmp_path / "other", ours("t.other", "y"))
    assert order(load(tmp_path, one, other)) == ["t.other", "t.one", "t.two", "t.p", "t.otherwise"]


def test_before_puts_a_rule_of_a_pack_among_those_of_the_base(tmp_path: Path) -> None:
    knowledge = load(tmp_path, pack(tmp_path / "house", ours("t.ours", "z", ", before: t.otherwise")))
    assert order(knowledge) == ["t.p", "t.ours", "t.otherwise"]
    assert advice(knowledge) == "x"


def test_a_rule_with_a_known_id_replaces_it(tmp_path: Path) -> None:
    knowledge = load(tmp_path, pack(tmp_path / "house", ours("t.p", "z", ", when: p")))
    assert order(knowledge) == ["t.p", "t.otherwise"]
    assert (knowledge.by_id["t.p"].value, knowledge.by_id["t.p"].layer) == ("z", 1)
    assert advice(knowledge) == "z"


def test_a_rule_can_be_taken_out(tmp_path: Path) -> None:
    knowledge = load(tmp_path, pack(tmp_path / "house", "- {disable: t.p, because: Not here.}"))
    assert order(knowledge) == ["t.otherwise"]


def test_a_rule_that_others_supersede_can_be_taken_out(tmp_path: Path) -> None:
    knowledge = load(tmp_path, pack(tmp_path / "house", "- {disable: s.old, because: Not here.}"))
    assert knowledge.by_id["s.new"].supersedes == ()
    assert advice(knowledge, "s") == "y"


def test_taking_out_a_rule_that_supersedes_lets_the_other_speak_again(tmp_path: Path) -> None:
    knowledge = load(tmp_path, pack(tmp_path / "house", "- {disable: s.new, because: Not here.}"))
    assert advice(knowledge, "s") == "x"


def test_a_rule_that_others_stand_before_can_be_taken_out(tmp_path: Path) -> None:
    house = pack(tmp_path / "house", ours("t.ours", "z", ", before: t.p"))
    more = pack(tmp_path / "more", "- {disable: t.p, because: Not here.}")
    assert order(load(tmp_path, house, more)) == ["t.ours", "t.otherwise"]


def test_two_packs_may_take_out_the_same_rule(tmp_path: Path) -> None:
    packs = [pack(tmp_path / name, "- {disable: t.p, because: Not here.}") for name in ("one", "other")]
    assert order(load(tmp_path, *packs)) == ["t.otherwise"]


def test_a_later_pack_can_bring_back_what_an_earlier_one_took_out(tmp_path: Path) -> None:
    one = pack(tmp_path / "one", "- {disable: t.p, because: Not here.}")
    other = pack(tmp_path / "other", ours("t.p", "z", ", when: p"))
    assert advice(load(tmp_path, one, other)) == "z"


def test_a_pack_brings_its_own_sources_and_tests(tmp_path: Path) -> None:
    house = pack(
        tmp_path / "house",
        "- {id: t.ours, topic: t, school: any, value: z, because: Ours., sources: [wiki 3]}",
        sources="sources: {wiki: {title: Our wiki}}\n",
    )
    (house / "house.test.yaml").write_text("- {given: {}, expect: {t: z}}\n")
    assert load(tmp_path, house).sources["wiki"].title == "Our wiki"


@pytest.mark.parametrize("name", ["facts", "topics"])
def test_a_pack_cannot_declare_facts_or_topics(tmp_path: Path, name: str) -> None:
    house = pack(tmp_path / "house", **{name: f"{name}: {{}}\n"})
    found = problems(tmp_path, house)
    assert found == [
        f"house/{name}.yaml: a pack cannot bring its own {name}.yaml. Facts and topics are shared by all rules."
    ]


def test_only_the_pack_is_blamed_for_its_problems(tmp_path: Path) -> None:
    house = pack(
        tmp_path / "house",
        ours("t.one", "w"),
        ours("t.two", "x", ", when: q"),
        ours("t.two", "x", ", supersedes: s.old"),
        "- {disable: t.pp, because: Not here.}",
    )
    assert problems(tmp_path, house) == [
        "house/house.yaml:1: rule t.one: value uses 'w', which is not declared. Known: p, t and s.",
        "house/house.yaml:3: rule t.two stands at house/house.yaml:2 already. Ids are unique.".replace(
            "at house", f"at {tmp_path}/house"
        ),
        "house/house.yaml:3: rule t.two: supersedes s.old, a rule of another topic.",
        "house/house.yaml:4: there is no rule t.pp to disable. Did you mean t.p?",
    ]


def test_a_pack_that_turns_a_rule_of_the_base_into_another_topic_is_refused(tmp_path: Path) -> None:
    house = pack(tmp_path / "house", ours("s.old", "z"))
    (problem,) = problems(tmp_path, house)
    assert problem.startswith("house/house.yaml:1: rule s.")
    assert "supersedes s.old, a rule of another topic" in problem


def test_a_pack_that_does_so_to_a_rule_that_others_come_before_is_told_of_its_own_rule(tmp_path: Path) -> None:
    house = pack(
        tmp_path / "house",
        "- id: training.batch_size.few-examples\n  topic: cost\n  school: today\n"
        '  when: data.examples < 5\n  value: "1"\n  because: It is so.\n  sources: [judgement]\n  verified: no\n',
    )
    with pytest.raises(InputError) as caught:
        knowledge_for((house,))
    problem = next(one for one in caught.value.problems if "before" in one.what)
    assert problem.where == f"{house}/house.yaml:1"
    assert "a rule of another topic" in problem.what


def test_all_packs_are_read_before_anything_is_said(tmp_path: Path) -> None:
    bad = pack(tmp_path / "bad", "- {id: [\n")
    empty = pack(tmp_path / "empty")
    found = problems(tmp_path, tmp_path / "nowhere", empty, bad)
    assert [problem.split(":")[0] for problem in found] == ["nowhere", "empty"]


def test_a_rule_from_a_pack_names_its_origin_in_the_plan(tmp_path: Path) -> None:
    house = pack(tmp_path / "house", ours("t.ours", "z", ', actions: ["do {value}"]'))
    entry = advise(load(tmp_path, house), FactBase()).recommendations["t"]
    assert entry.because[0].origin == str(house)
    assert entry.actions == (f"do z   # from the pack {house}",)


def test_packs_that_are_larger_than_all_may_be_together_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """docs/limits.md has the number."""
    monkeypatch.setattr(loader, "MAX_BYTES", 4_000_000)
    comment = f"# {'long ' * 180_000}\n"
    packs = [pack(tmp_path / name, f"{comment}{ours(f't.{name}', 'z')}") for name in "abcde"]
    load(tmp_path, *packs[:4])
    refused = problems(tmp_path, *packs)
    assert refused == ["e/house.yaml: the packs up to here hold more than 4 MB. Leave out rules that you do not need."]
