"""Answers as files: every problem reported at once with its line, and what was written reads back equal."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.errors import InputError
from advisor.facts.answers import answers_text, parse_assignment, read_answers
from advisor.facts.vocabulary import Value, Vocabulary
from advisor.files.output import write_text
from tests.properties import examples
from tests.small_rules import RuleBase, a_set, boolean, choice, fact, integer, number

VOCABULARY: Vocabulary = (
    RuleBase(
        {
            "task.kind": choice("classify", "regress", group="task"),
            "task.multilabel": boolean(group="task"),
            "data.examples": integer(1, unit="examples", question="How many examples: are there?"),
            "data.imbalance": number(1, unit="ratio"),
            "machine.cpu.features": a_set("avx2", "neon", group="machine"),
            "machine.cpu.physical_cores": integer(1, unit="cores", group="machine"),
            "machine.gpu.name": fact("text", group="machine"),
        }
    )
    .load()
    .vocabulary
)


def read(folder: Path, text: str) -> dict[str, Value | None]:
    path = folder / "answers.yaml"
    path.write_text(text, encoding="utf-8")
    return read_answers(VOCABULARY, path)


def problems_of(folder: Path, text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        read(folder, text)
    return [str(problem).removeprefix(f"{folder}/") for problem in caught.value.problems]


def test_flat_and_nested_answers_mean_the_same(tmp_path: Path) -> None:
    flat = """
        task.kind: classify
        machine.cpu.physical_cores: 8
        machine.cpu.features: [avx2, neon]
    """
    nested = """
        task: {kind: classify}
        machine:
          cpu:
            physical_cores: 8
            features: avx2 neon
    """
    expected = {
        "task.kind": "classify",
        "machine.cpu.physical_cores": 8,
        "machine.cpu.features": frozenset({"avx2", "neon"}),
    }
    assert read(tmp_path, flat) == read(tmp_path, nested) == expected


def test_half_nested_names_are_understood(tmp_path: Path) -> None:
    assert read(tmp_path, "machine.cpu:\n  physical_cores: 4\n") == {"machine.cpu.physical_cores": 4}


def test_what_nobody_knows_is_an_answer_too(tmp_path: Path) -> None:
    text = "task.kind: unknown\ntask.multilabel: ~\ndata.examples:\ndata.imbalance: don't know\n"
    assert read(tmp_path, text) == dict.fromkeys(
        ("task.kind", "task.multilabel", "data.examples", "data.imbalance"), None
    )


def test_an_empty_set_is_not_unknown(tmp_path: Path) -> None:
    assert read(tmp_path, "machine.cpu.features: []") == {"machine.cpu.features": frozenset()}


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "---\n"])
def test_an_empty_file_holds_no_answers(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, text) == {}


def test_all_problems_are_reported_at_once_each_with_its_line(tmp_path: Path) -> None:
    text = """\
task.kind: clasify
data:
  examples: many
  exmaples: 5
task.multilabel: perhaps
data.imbalance: 0.5
machine.gpu.name: [a, b]
machine.cpu.features: {avx2: yes}
data.examples: 7
"""
    assert problems_of(tmp_path, text) == [
        "answers.yaml:1 task.kind: 'clasify'. Did you mean classify?",
        "answers.yaml:3 data.examples: 'many'. For example 2000, 50k or 2M.",
        "answers.yaml:4: 'data.exmaples' is not a known fact. Did you mean data.examples?",
        "answers.yaml:5 task.multilabel: 'perhaps'. Write yes or no.",
        "answers.yaml:6 data.imbalance: '0.5'. It must lie between 1 and 1000000.",
        "answers.yaml:7: machine.gpu.name needs one value, not a list. Write the value after the colon.",
        "answers.yaml:8: machine.cpu.features needs one value, not a mapping. Write the value after the colon.",
    ]


def test_a_fact_stated_flat_and_nested_is_stated_twice(tmp_path: Path) -> None:
    found = problems_of(tmp_path, "data.examples: 5\ndata: {examples: 6}\n")
    assert found == ["answers.yaml:2: data.examples is stated twice. Keep one of them."]


def test_a_repeated_key_is_refused(tmp_path: Path) -> None:
    found = problems_of(tmp_path, "data.examples: 5\ndata.examples: 5\n")
    assert found == ["answers.yaml:2: repeats the key data.examples of line 1. Keep one of them."]


@pytest.mark.parametrize("text", ["- task.kind: classify\n", "classify\n", "[a, b]"])
def test_a_file_that_is_no_mapping_is_refused(tmp_path: Path, text: str) -> None:
    assert "answers.yaml:1: this is not a list of names and values" in problems_of(tmp_path, text)[0]


def test_scalars_mean_what_they_say(tmp_path: Path) -> None:
    assert read(tmp_path, "task.multilabel: no\ndata.examples: 010\ndata.imbalance: 1e3\n") == {
        "task.multilabel": False,
        "data.examples": 10,
        "data.imbalance": 1000.0,
    }
    assert "'12:30:45'" in problems_of(tmp_path, "data.examples: 12:30:45")[0]


def test_one_assignment_of_the_command_line() -> None:
    assert parse_assignment(VOCABULARY, "data.examples = 50k") == ("data.examples", 50_000)
    assert parse_assignment(VOCABULARY, "machine.gpu.name=a=b") == ("machine.gpu.name", "a=b")
    assert parse_assignment(VOCABULARY, "task.kind=") == ("task.kind", None)


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("data.examples", "there is no = in it"),
        ("data.exampels=5", "Did you mean data.examples?"),
        ("data.examples=five", "--set data.examples: 'five'"),
        ("=5", "'' is not a known fact"),
        ("\x1b[2J=5", "--set [2J=5: '[2J' is not a known fact"),
    ],
)
def test_a_wrong_assignment_names_what_is_wrong(written: str, says: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_assignment(VOCABULARY, written)
    assert says in str(caught.value)


# --- writing ----------------------------------------------------------------------------------------------------------

ANSWERS: dict[str, st.SearchStrategy[Any]] = {
    "task.kind": st.sampled_from(["classify", "regress"]),
    "task.multilabel": st.booleans(),
    "data.examples": st.integers(1, 1_000_000),
    "data.imbalance": st.floats(1, 1e6),
    "machine.cpu.features": st.frozensets(st.sampled_from(["avx2", "neon"])),
    "machine.cpu.physical_cores": st.integers(1, 10_000),
    "machine.gpu.name": st.sampled_from(
        ["RTX 4090", "a: b # c", "- x", "'", '"', "yes", "{[", "\\n", "ß €", "%", "&a", "*a"]
    ),
}


@examples(200)
@given(st.fixed_dictionaries({}, optional={name: st.none() | values for name, values in ANSWERS.items()}))
def test_answers_written_down_read_back_equal(tmp_path: Path, answers: dict[str, Value | None]) -> None:
    path = tmp_path / "answers.yaml"
    write_text(path, answers_text(VOCABULARY, answers, "Made by a test\nin two lines: # x"), force=True)
    assert read_answers(VOCABULARY, path) == answers


def test_a_detected_name_with_control_characters_still_gives_a_readable_file(tmp_path: Path) -> None:
    text = answers_text(VOCABULARY, {"machine.gpu.name": "RTX\x1b[2J\x7f\x85 4090\n"}, "heading")
    assert read(tmp_path, text) == {"machine.gpu.name": "RTX[2J 4090"}


def test_the_written_file_explains_itself_in_the_order_of_the_vocabulary(tmp_path: Path) -> None:
    text = answers_text(VOCABULARY, {"data.examples": 50_000, "task.kind": None}, "Answers")
    assert text == (
        "# Answers\n\n# What is it?\ntask.kind: unknown\n\n# How many examples: are there?\ndata.examples: 50000\n"
    )


def test_a_file_is_never_overwritten_unasked(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("precious")
    with pytest.raises(InputError, match=r"the file exists.*--force"):
        write_text(path, answers_text(VOCABULARY, {}, "x"))
    assert path.read_text() == "precious"
    write_text(path, answers_text(VOCABULARY, {"data.examples": 5}, "x"), force=True)
    assert read_answers(VOCABULARY, path) == {"data.examples": 5}


@pytest.mark.parametrize(
    ("target", "says"),
    [
        (".", "this is a folder"),
        ("missing/answers.yaml", "No such file or directory"),
        ("file/answers.yaml", "Not a directory"),
        ("x" * 300, "File name too long"),
        ("nul\0l", "is not a file name"),
    ],
)
def test_a_file_that_cannot_be_written_is_a_message(tmp_path: Path, target: str, says: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=says):
        write_text(tmp_path / target, "text", force=True)


@pytest.mark.parametrize("call", ["write", "fsync", "replace"])
def test_a_full_disk_leaves_the_old_file_whole_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    path = tmp_path / "answers.yaml"
    path.write_text("data.examples: 5\n")

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    if call == "write":
        monkeypatch.setattr(os, "fdopen", full)
    elif call == "fsync":
        monkeypatch.setattr(os, "fsync", full)
    else:
        monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(InputError, match=r"No space left on device.*free space"):
        write_text(path, answers_text(VOCABULARY, {"data.examples": 6}, "x"), force=True)
    monkeypatch.undo()
    assert read_answers(VOCABULARY, path) == {"data.examples": 5}
    assert [entry.name for entry in tmp_path.iterdir()] == ["answers.yaml"]


def test_an_interrupted_write_leaves_the_old_file_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "answers.yaml"
    path.write_text("old")

    def interrupted(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_text(path, "new", force=True)
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["answers.yaml"]


def test_a_pipe_can_be_written_to(tmp_path: Path) -> None:
    write_text(Path(os.devnull), "text", force=True)
    assert Path(os.devnull).is_char_device()
