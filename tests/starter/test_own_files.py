"""A project reads the files of a folder that an inspection counts: none that is hidden or that a program left behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from advisor.datasets.media.class_folders import listed
from advisor.datasets.media.entries import LEFT_BEHIND
from advisor.starter.blueprint import Layout, Targets
from advisor.starter.rendering import render
from tests.starter.blueprints import blueprint, module, project

FOREIGN = (*(name.title() for name in LEFT_BEHIND), ".ipynb_checkpoints", "@eaDir", "cat/@eaDir/1.png")
OWN = ("cat", "dog", "Lost and found", "lost+found things", "#recycled")
READ = [f"{folder}/{name}" for folder in sorted(OWN) for name in ("1.png", "2.PNG", "recycler.png")]


def mixed(folder: Path, content: bytes = b"x") -> Path:
    """Folders of a user, and of programs among them."""
    for below in (*OWN, *FOREIGN):
        for name in ("1.png", "2.PNG", "recycler.png", "._1.png", "notes.txt"):
            path = folder / below / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    return folder


def test_a_project_reads_the_files_that_were_inspected(tmp_path: Path) -> None:
    mixed(tmp_path)
    made: dict[str, Any] = {"Path": Path}
    exec(render("data/_own_files.j2", {"left_behind": sorted(LEFT_BEHIND)}), made)  # noqa: S102  our own template
    read = [file.relative_to(tmp_path).as_posix() for file in made["own_files"](tmp_path, (".png",))]
    assert read == [name for name, _ in listed(tmp_path, {".png"}, "pictures").files]
    assert read == READ


def test_an_index_lists_the_files_that_were_inspected(tmp_path: Path) -> None:
    mixed(tmp_path / "data")
    index = module(project(tmp_path / "project", blueprint("cnn", Layout.PICTURE, Targets.CLASS)), "index")
    read = index.whole_files(tmp_path / "data", (".png",), lambda _: True, "picture")
    assert [file.relative_to(tmp_path / "data").as_posix() for file in read] == READ
