"""`make quick`: every room can be checked, later ones too."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.quick import main, paths_of_tests, rooms, steps


def test_every_folder_and_module_of_the_program_is_a_room() -> None:
    assert {"probes", "cli", "facts", "errors"} <= set(rooms())
    assert not {name for name in rooms() if name.startswith("_")}


def test_a_room_that_comes_later_is_found_with_its_tests(tmp_path: Path) -> None:
    for file in ("advisor/__init__.py", "advisor/later/__init__.py", "advisor/words.py", "advisor/data/notes.yaml"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    for file in ("tests/later/test_later.py", "tests/other/test_words.py"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    assert rooms(tmp_path) == ["later", "words"]
    assert paths_of_tests("later", tmp_path) == [tmp_path / "tests/later"]
    assert paths_of_tests("words", tmp_path) == [tmp_path / "tests/other/test_words.py"]
    assert steps("later", tmp_path)[-1][-1] == "tests/later"
    (tmp_path / "tests/other/test_words.py").unlink()
    assert "pytest" not in steps("words", tmp_path)[-1][0]


def test_rules_and_profiles_are_rooms_with_the_tests_of_what_reads_them() -> None:
    assert {"rules", "profiles"} <= set(rooms())
    assert steps("rules")[-1][-1] == "tests/knowledge"
    assert {"check", "test"} <= {command[-1] for command in steps("rules")}
    assert "tests/machine" in steps("profiles")[-1]


def test_the_words_are_tested_with_every_room() -> None:
    assert all("tests/docs/test_words.py" in steps(room)[-1] for room in rooms())


@pytest.mark.parametrize("wrong", [["nowhere"], [], ["probes", "cli"]])
def test_an_unknown_room_is_answered_with_those_that_there_are(
    wrong: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(wrong) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "Write `make quick ROOM=probes` with one of:" in said.err
    assert all(room in said.err for room in rooms())
