"""Processes that have left the family of a child: they are found by the folder for temporary files that they inherit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.children import guard
from advisor.children.guard import end_strays

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")


def waiting(folder: Path) -> subprocess.Popen[bytes]:
    """A process in a session of its own that waits for the end of its input."""
    command = [sys.executable, "-S", "-c", "import sys; print(); sys.stdout.flush(); sys.stdin.read()"]
    found = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, "TMPDIR": str(folder)},
    )
    assert found.stdout is not None
    found.stdout.readline()
    return found


def test_only_those_with_the_same_folder_are_ended(tmp_path: Path) -> None:
    with waiting(tmp_path / "one") as one, waiting(tmp_path / "one-more") as other:
        end_strays(tmp_path / "one")

        assert one.wait() == -9
        assert other.poll() is None
        assert other.stdin is not None
        other.stdin.close()
        assert other.wait() == 0


def test_without_a_folder_nothing_is_ended(tmp_path: Path) -> None:
    with waiting(tmp_path) as one:
        end_strays(None)

        assert one.poll() is None


def test_one_is_found_whose_parent_ended_before_it_was_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    listings = iter([[ended.pid]])  # as of the moment in which that process had not started the other yet
    listed = guard._processes
    monkeypatch.setattr(guard, "_processes", lambda: next(listings, None) or listed())

    with waiting(tmp_path) as other:
        end_strays(tmp_path)

        assert other.wait() == -9
