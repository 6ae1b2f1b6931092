"""Folders with entries that cannot be read: each costs itself alone, and is told by its name."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from advisor.datasets.inspect import inspect
from advisor.datasets.media import entries
from advisor.datasets.media.entries import entries_below

from .made import write_digits


def remarks(folder: Path) -> str:
    found = inspect(folder)
    assert found.examples == 60
    assert len(found.classes) == 10
    return " ".join(remark.what for remark in found.remarks)


def test_a_link_to_itself_costs_itself_alone(tmp_path: Path) -> None:
    folder = write_digits(tmp_path / "d")
    (folder / "3" / "x.png").symlink_to("x.png")
    assert "1 entry cannot be read and was left out: 3/x.png (a link to itself)" in remarks(folder)


def test_broken_links_are_counted_and_some_are_named(tmp_path: Path) -> None:
    folder = write_digits(tmp_path / "d")
    for number in range(7):
        (folder / "0" / f"gone{number}.png").symlink_to(tmp_path / "nowhere")
    told = remarks(folder)
    assert "7 entries cannot be read and were left out: 0/gone0.png (a link to nothing)" in told
    assert "3 others" in told


def test_links_of_folders_in_a_circle_are_not_followed(tmp_path: Path) -> None:
    folder = write_digits(tmp_path / "d")
    (folder / "1" / "up").symlink_to(folder)
    (folder / "2" / "self").symlink_to("self")
    told = remarks(folder)
    assert "Links to folders that were not followed: 1." in told
    assert "2/self (a link to itself)" in told


def test_a_link_to_a_picture_elsewhere_is_an_example(tmp_path: Path) -> None:
    folder = write_digits(tmp_path / "d", 59)
    other = write_digits(tmp_path / "other", 1)
    (folder / "0" / "linked.png").symlink_to(other / "0" / "0000.png")
    assert "cannot be read" not in remarks(folder)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in folders on this system")
def test_pipes_and_sockets_are_no_examples_and_are_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_digits(tmp_path / "d")
    os.mkfifo(folder / "4" / "pipe.png")
    monkeypatch.chdir(folder / "5")  # the path of a socket is short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket.png")
    told = remarks(folder)
    assert "2 entries cannot be read and were left out: 4/pipe.png" in told
    assert "4/pipe.png (a pipe, a socket or a device)" in told
    assert "5/socket.png (a pipe, a socket or a device)" in told


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    folder = write_digits(tmp_path / "d")
    (folder / "secret").mkdir(mode=0)
    assert "secret (a folder: it may not be read)" in remarks(folder)


def test_a_folder_that_goes_away_meanwhile_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_digits(tmp_path / "d")
    (folder / "secret").mkdir()
    scandir = os.scandir

    def refusing(path: str | Path) -> object:
        if Path(path).name == "secret":
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    assert "secret (a folder: it may not be read)" in remarks(folder)


def test_folders_deeper_than_are_looked_into_are_told(tmp_path: Path) -> None:
    folder = write_digits(tmp_path / "d")
    deep = folder / "6"
    for _ in range(60):
        deep /= "f"
    deep.mkdir(parents=True)
    assert f"(a folder more than {entries.DEEPEST} deep)" in remarks(folder)


def test_more_entries_than_are_looked_at_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_digits(tmp_path / "d")
    monkeypatch.setattr("advisor.datasets.media.class_folders.MOST_ENTRIES", 40)
    told = [remark.what for remark in inspect(folder).remarks]
    assert "Only the first 40 entries of the folder were looked at." in told


def test_names_that_are_no_text_are_read(tmp_path: Path) -> None:
    folder = write_digits(tmp_path / "d")
    try:
        (folder / "7").rename(folder / os.fsdecode(b"\xff\xfe"))
    except OSError:
        pytest.skip("this file system takes no names but UTF-8")
    remarks(folder)


def test_entries_are_listed_with_their_sizes_and_faults(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "B.PNG").write_bytes(b"123")
    (tmp_path / ".hidden").write_bytes(b"1")
    (tmp_path / "z").symlink_to("z")
    found = {entry.name: entry for entry in entries_below(tmp_path)}
    assert found.keys() == {"a/B.PNG", "z"}
    assert (found["a/B.PNG"].size, found["a/B.PNG"].suffix, found["a/B.PNG"].is_file) == (3, ".png", True)
    assert found["z"].fault == "a link to itself"
