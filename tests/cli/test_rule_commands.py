"""`advisor rules` coverage, docs, list and show, as a shell runs them, and the example pack."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .program import advisor, refused

ROOT = Path(__file__).parents[2]
PACK = ROOT / "examples" / "packs" / "eight-a10s"
ANSWERS = PACK / "answers" / "surface-defects.yaml"


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A pack with one rule, which no test shows."""
    folder = tmp_path / "house"
    folder.mkdir()
    what = "topic: cost, school: any, when: cluster.nodes > 1, value: 1, because: Ours., sources: [arithmetic]"
    (folder / "ours.yaml").write_text(f"- {{id: cost.ours, {what}}}\n")
    return folder


@pytest.mark.slow
def test_coverage_fails_on_a_rule_that_no_test_shows(house: Path) -> None:
    done = advisor("rules", "coverage", "--rules", house)
    assert done.code == 1
    assert "cost.ours: no test shows it firing or silent or unknown" in done.out
    assert done.out.splitlines()[-1].split(", ")[-1] != "0 not"


@pytest.mark.slow
def test_tests_of_a_pack_show_its_rules(house: Path) -> None:
    (house / "ours.test.yaml").write_text(
        "- {given: {cluster.nodes: 2}, fire: [cost.ours], expect: {cost: 1}}\n"
        "- {given: {cluster.nodes: 1}, silent: [cost.ours]}\n"
        "- {given: {cluster.nodes: null}, unknown: [cost.ours]}\n"
    )
    assert "cost.ours" not in advisor("rules", "coverage", "--rules", house).out
    assert json.loads(advisor("rules", "coverage", "--rules", house, "--format", "json").out)["cost.ours"] == [
        "fire",
        "silent",
        "unknown",
    ]


@pytest.mark.slow
def test_tests_of_the_base_do_not_see_a_pack(tmp_path: Path) -> None:
    """A pack may take out a rule that they speak of."""
    folder = tmp_path / "house"
    folder.mkdir()
    (folder / "ours.yaml").write_text("- {disable: cost.own-machine, because: Not here.}\n")
    assert "cost.own-machine" not in advisor("rules", "test", "--rules", folder).err


@pytest.mark.slow
def test_a_failing_test_of_a_pack_is_reported(house: Path) -> None:
    (house / "ours.test.yaml").write_text("- {given: {cluster.nodes: 2}, silent: [cost.ours]}\n")
    done = advisor("rules", "test", "--rules", house)
    assert done.code == 1
    assert "rule cost.ours fires, expected that it is silent" in done.err


def test_the_book_goes_to_stdout_or_into_a_file_that_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "rules.md"
    shown = advisor("rules", "docs").out
    assert shown.startswith("# The rule base\n")
    assert advisor("rules", "docs", "--output", path).code == 0
    assert path.read_text(encoding="utf-8") == shown
    assert "add --force" in refused("rules", "docs", "--output", path)
    assert advisor("rules", "docs", "--output", path, "--force").code == 0


def test_a_book_that_is_out_of_date_is_a_failure_that_says_how_to_mend_it(tmp_path: Path) -> None:
    path = tmp_path / "rules.md"
    advisor("rules", "docs", "--output", path)
    assert advisor("rules", "docs", "--check", path).code == 0
    path.write_text("old")
    for stale in (path, tmp_path / "none.md"):
        done = advisor("rules", "docs", "--check", stale)
        assert (done.code, done.out) == (1, "")
        assert "Run `make docs`." in done.said


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        (["show", "compute.device"], "It is a topic: `advisor rules list --topic compute.device` lists its rules."),
        (["show", "compute.device.gpuu"], "Did you mean compute.device.gpu?"),
        (["show", "?"], "`advisor rules list` lists all."),
        (["list", "--topic", "compute.device.gpu"], "It is a rule of topic compute.device."),
        (["list", "--topic", "compute.devise"], "Did you mean compute.device?"),
        (["list", "--topic", "?"], "Topics: network.type, "),
    ],
)
def test_a_wrong_name_gets_a_remedy(arguments: list[str], remedy: str) -> None:
    assert remedy in refused("rules", *arguments)


def test_the_glossary_explains_a_word_and_a_recommendation_together() -> None:
    document = json.loads(advisor("glossary", "dropout", "--format", "json").out)
    assert [term["term"] for term in document["terms"]] == ["dropout"]
    assert [topic["name"] for topic in document["topics"]] == ["training.regularization"]
    assert "TERMS: What the words mean" in advisor("glossary", "--all").out
    assert "Did you mean dropout?" in refused("glossary", "droput")


# --- the example pack ----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_example_pack_loads_and_its_tests_hold() -> None:
    done = advisor("rules", "test", "--rules", PACK)
    assert "packs/eight-a10s" not in done.err
    assert "house" not in advisor("rules", "coverage", "--rules", PACK).out


def test_the_plan_for_one_of_its_machines_marks_what_comes_from_the_house() -> None:
    inputs = ["--answers", ANSWERS, "--rules", PACK, "--machine", "none"]
    entries = json.loads(advisor("recommend", *inputs, "--format", "json").out)["recommendations"]
    assert entries["cost"]["value"] == 0
    assert entries["compute.device"]["value"] == "multi_gpu"
    for topic in ("cost", "parallelism.strategy", "training.precision"):
        assert entries[topic]["because"][0]["origin"] == str(PACK)
    assert any(line.endswith(f"# from the pack {PACK}") for line in entries["parallelism.strategy"]["actions"])
    assert f"from the rule pack {PACK}" in " ".join(advisor("recommend", *inputs, "--all").out.split())


def test_without_the_pack_nothing_of_the_house_is_advised() -> None:
    inputs = ["--answers", ANSWERS, "--machine", "none", "--format", "json"]
    entries = json.loads(advisor("recommend", *inputs).out)["recommendations"]
    assert entries["cost"]["value"] == 96
    assert "eight-a10s" not in json.dumps(entries)


def test_the_house_is_never_sent_away_to_rent() -> None:
    inputs = ["--rules", PACK, "--machine", "none", "--set", "machine.gpu.count=0", "--set", "network.parameters=25M"]
    rules = [reason["rule"] for reason in json.loads(advisor("recommend", *inputs, "--format", "json").out)
             ["recommendations"]["compute.device"]["because"]]  # fmt: skip
    assert "compute.device.rent-a-gpu" not in rules


def test_words_of_the_house_are_in_its_glossary() -> None:
    assert "computing group" in advisor("glossary", "container image", "--rules", PACK).out


def test_a_bare_glossary_is_one_screen_that_says_how_to_look_up() -> None:
    short, whole = advisor("glossary").out, advisor("glossary", "--all").out
    assert len(short.splitlines()) <= 40
    assert len(whole.splitlines()) > 1000
    for said in ("advisor glossary NAME", "--all", "data: What it learns from", "network.type", "settled"):
        assert said in short


def test_words_of_a_letter_are_listed() -> None:
    listed = advisor("glossary", "b").out
    assert "batch size:" in listed
    assert "learning rate:" not in listed


OWN_WORDS = """
settled leaning open measured verified topic fact probe plan school trial baseline figure starter rule status
"""


@pytest.mark.parametrize("word", OWN_WORDS.split())
@pytest.mark.some(4)
def test_the_advisors_own_words_are_explained(word: str) -> None:
    terms = json.loads(advisor("glossary", word, "--format", "json").out)["terms"]
    assert [term["term"] for term in terms] == [word]
