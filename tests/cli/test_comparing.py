"""`advisor compare`: two files, or one file and what is supposed, in two columns or one below the other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from advisor.report.page import cells

from .program import advisor, refused

NOWHERE = ["--machine", "none"]


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    path = tmp_path / "pictures.yaml"
    path.write_text("task.kind: classify\ndata.modality: image\ndata.examples: 50k\n")
    return path


def test_what_if_gives_the_same_differences_as_a_second_file(answers: Path, tmp_path: Path) -> None:
    other = tmp_path / "texts.yaml"
    other.write_text("task.kind: classify\ndata.modality: text\ndata.examples: 7000\n")
    supposed = ["--what-if", "data.modality=text", "--what-if", "data.examples=7k"]
    one = json.loads(advisor("compare", answers, other, *NOWHERE, "--format", "json").out)
    two = json.loads(advisor("compare", answers, *supposed, *NOWHERE, "--format", "json").out)
    assert (one["facts"], one["topics"], one["same"]) == (two["facts"], two["topics"], two["same"])
    assert two["what_if"] == {"data.modality": "text", "data.examples": 7000}
    assert "what_if" not in one
    changed = {entry["topic"]: (entry["a"]["value"], entry["b"]["value"]) for entry in two["topics"]}
    assert changed["network.type"][0] == "cnn"
    assert changed["network.type"][0] != changed["network.type"][1]
    assert all({"value", "status"} <= set(entry[side]) for entry in two["topics"] for side in ("a", "b"))


def test_several_suppositions_can_follow_one_option(answers: Path) -> None:
    done = advisor(
        "compare", answers, "--what-if", "data.modality=text", "data.examples=7k", *NOWHERE, "--format", "json"
    )
    assert json.loads(done.out)["what_if"] == {"data.modality": "text", "data.examples": 7000}


def test_a_supposition_goes_before_what_is_set(answers: Path) -> None:
    sets = ["--set", "data.examples=1000", "--what-if", "data.examples=unknown"]
    (fact,) = json.loads(advisor("compare", answers, *sets, *NOWHERE, "--format", "json").out)["facts"][:1]
    assert (fact["fact"], fact["a"]["value"]) == ("data.examples", 1000)
    assert fact["b"]["value"] != 1000
    assert (fact["a"]["source"], fact["b"]["source"]) == ("asked", "assumed")


def test_a_wide_terminal_gets_two_columns_and_a_narrow_one_a_stack(answers: Path) -> None:
    supposed = ["compare", answers, "--what-if", "data.modality=text", *NOWHERE]
    wide, narrow = (advisor(*supposed, env={"COLUMNS": columns}).out.splitlines() for columns in ("80", "79"))
    assert any("cnn" in line and line.startswith("Network type") for line in wide)
    assert any(line.split() == ["before", "after"] for line in wide)
    assert "  before: image (stated)" in narrow
    assert "  after: text (stated)" in narrow
    assert max(map(cells, wide)) <= 80
    assert max(map(cells, narrow)) <= 79


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ([], "there is only one set of answers"),
        (["{}", "--what-if", "data.examples=5"], "and --what-if are given"),
        (["{}", "{}"], "3 files are given"),
        (["--what-if", "data.exmples=5"], "--what-if data.exmples=5: 'data.exmples' is not a known fact."),
        (["--what-if", "data.examples=many"], "--what-if data.examples: 'many'"),
        (["--what-if", "data.examples"], "Write --what-if data.modality=image."),
        (["--what-if", "network.type=cnn"], "network.type is a recommendation, not a fact."),
        (["--what-if", "data.examples=5", "data.examples=6"], "give it two values"),
    ],
)
@pytest.mark.some(3)
def test_anything_but_two_sides_is_refused(more: list[str], said: str, answers: Path) -> None:
    assert said in refused("compare", answers, *(text.format(answers) for text in more), *NOWHERE)
