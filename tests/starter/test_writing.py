"""A project is there whole or not at all, and takes nothing from anybody."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

from advisor.errors import InputError
from advisor.starter.writing import write_project

FILES = {"train.py": "print(1)\n", "README.md": "# Größe\n"}


def content(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


def test_a_new_folder_and_an_empty_one_are_filled(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for name in ("new", "empty"):
        write_project(tmp_path / name, FILES)
        assert content(tmp_path / name) == FILES
    assert {path.name for path in tmp_path.iterdir()} == {"new", "empty"}


def test_the_empty_folder_that_somebody_stands_in_is_filled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_project(Path(), FILES)
    assert content(Path.cwd()) == FILES


def test_a_folder_with_something_in_it_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match=r"not empty.*--force"):
        write_project(tmp_path, FILES)
    assert content(tmp_path) == {"notes.txt": "mine"}


def test_force_replaces_files_of_the_project_only(tmp_path: Path) -> None:
    for name in ("notes.txt", "train.py"):
        (tmp_path / name).write_text("mine")
    write_project(tmp_path, FILES, force=True)
    assert content(tmp_path) == {**FILES, "notes.txt": "mine"}


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("mine")
    project = tmp_path / "project"
    project.mkdir()
    (project / "train.py").symlink_to(tmp_path / "precious")
    write_project(project, FILES, force=True)
    assert (tmp_path / "precious").read_text() == "mine"
    assert content(project) == FILES


def test_a_folder_in_the_place_of_a_file_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    (tmp_path / "train.py").mkdir()
    with pytest.raises(InputError, match=r"train\.py is a folder|train\.py: is a folder"):
        write_project(tmp_path, FILES, force=True)
    assert [path.name for path in tmp_path.iterdir()] == ["train.py"]


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path) -> None:
    with (
        mock.patch("os.fsync", side_effect=OSError(28, "No space left on device")),
        pytest.raises(InputError, match="No space left"),
    ):
        write_project(tmp_path / "project", FILES)
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_moved_leaves_an_empty_folder_empty(tmp_path: Path) -> None:
    moved = Path.replace

    def once(path: Path, target: Path) -> Path:
        if path.name == "README.md":
            raise OSError(28, "No space left on device")
        return moved(path, target)

    with mock.patch.object(Path, "replace", once), pytest.raises(InputError, match="No space left"):
        write_project(tmp_path, FILES)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["file", "file/inside", "missing/inside", "nul\0l"])
def test_a_place_where_no_folder_can_be_is_named(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InputError, match="The project cannot be written"):
        write_project(tmp_path / name, FILES, force=True)
    assert (tmp_path / "file").read_text() == "mine"


KILLED = """
import os, sys
from pathlib import Path
from advisor.starter.writing import write_project

MOMENT
write_project(Path(sys.argv[1]), {"train.py": "", "README.md": ""})
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs locks on folders")
@pytest.mark.parametrize("moment", ["fsync", "replace"])
@pytest.mark.parametrize("there", [False, True])
def test_what_a_killed_program_has_left_is_gone_with_the_next(there: bool, moment: str, tmp_path: Path) -> None:
    project, other = tmp_path / "project", tmp_path / ".advisor-notes"
    other.mkdir()
    if there:
        project.mkdir()
    script = KILLED.replace("MOMENT", f"os.{moment} = lambda *_: os.kill(os.getpid(), 9)")
    done = subprocess.run([sys.executable, "-c", script, project], check=False)
    assert done.returncode == -signal.SIGKILL
    write_project(project, FILES)
    assert content(project) == FILES
    assert set(tmp_path.iterdir()) == {project, other}


@pytest.mark.skipif(sys.platform == "win32", reason="needs locks on folders")
def test_what_another_program_is_about_to_write_stays(tmp_path: Path) -> None:
    script = KILLED.replace("MOMENT", "os.fsync = lambda *_: (print(flush=True), sys.stdin.readline())")
    words = [sys.executable, "-c", script, tmp_path / "project"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        assert program.stdout is not None
        program.stdout.readline()
        (before,) = tmp_path.iterdir()
        write_project(tmp_path / "project", FILES)
        assert set(tmp_path.iterdir()) == {before, tmp_path / "project"}
        program.communicate(b"")
    assert content(tmp_path / "project") == FILES
