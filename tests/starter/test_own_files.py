"""A project reads the files of a folder that an inspection counts: none that is hidden or that a program left behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from advisor.datasets.media.class_folders import listed
from advisor.starter import rendering

TEMPLATE = Path(rendering.__file__).with_name("templates") / "data" / "_own_files.j2"
FOREIGN = ("__MACOSX", ".ipynb_checkpoints", "@eaDir", "#recycle", "$RECYCLE.BIN", "lost+found", "cat/@eaDir/1.png")


def test_a_project_reads_the_files_that_were_inspected(tmp_path: Path) -> None:
    for folder in ("cat", "dog", "Lost and found", *FOREIGN):
        for name in ("1.png", "2.PNG", "._1.png", "notes.txt"):
            path = tmp_path / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"x")
    made: dict[str, Any] = {"Path": Path}
    exec(TEMPLATE.read_text(encoding="utf-8"), made)  # noqa: S102  our own template, which holds plain code
    read = [file.relative_to(tmp_path).as_posix() for file in made["own_files"](tmp_path, (".png",))]
    assert read == [name for name, _ in listed(tmp_path, {".png"}, "pictures").files]
    assert read == ["Lost and found/1.png", "Lost and found/2.PNG", "cat/1.png", "cat/2.PNG", "dog/1.png", "dog/2.PNG"]
