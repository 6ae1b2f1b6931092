"""Files that are replaced in one step: what is left where the program is killed in the middle of it."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

from advisor.files.whole import replace

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="files without a name, as on Linux")

KILLED = """
import os, sys
from pathlib import Path
from advisor.files.whole import replace

def die(*_, **__):
    os.kill(os.getpid(), 9)

def refuse(*_, **__):
    raise PermissionError(1, "Operation not permitted")

WAY
MOMENT
replace(Path(sys.argv[1]), b"new")
"""


NAMED = ["del os.O_TMPFILE", "os.link = refuse"]
"""A system without files that have no name, and one that gives them none."""


def script(way: str, moment: str) -> str:
    return KILLED.replace("WAY", way).replace("MOMENT", moment)


@pytest.mark.parametrize(
    ("way", "moment"),
    [("", "os.fsync = die"), ("", "os.link = die"), *((way, "os.replace = die") for way in ("", *NAMED))],
)
def test_what_a_killed_program_has_left_is_gone_with_the_next_writing(way: str, moment: str, tmp_path: Path) -> None:
    path, other = tmp_path / "plan.md", tmp_path / ".advisor-notes"
    path.write_text("old")
    other.write_text("of somebody")
    done = subprocess.run([sys.executable, "-c", script(way, moment), str(path)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert path.read_text() == "old"
    replace(path, b"newer")
    assert path.read_text() == "newer"
    assert set(tmp_path.iterdir()) == {path, other}


@pytest.mark.parametrize("refused", [PermissionError(1, "Operation not permitted"), OSError(95, "Not supported")])
def test_where_nothing_can_be_linked_files_are_replaced_all_the_same(refused: OSError, tmp_path: Path) -> None:
    path = tmp_path / "plan.md"
    path.write_text("old")
    path.chmod(0o640)
    with mock.patch("os.link", side_effect=refused):
        replace(path, b"new", like=path.stat())
        replace(tmp_path / "other.md", b"other")
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("new", 0o640)
    assert {one.name: one.read_text() for one in tmp_path.iterdir()} == {"plan.md": "new", "other.md": "other"}


@pytest.mark.parametrize("way", ["", *NAMED])
def test_what_another_program_is_about_to_put_there_stays(way: str, tmp_path: Path) -> None:
    path = tmp_path / "plan.md"
    held = script(way, "os.replace = lambda *_: (print(flush=True), sys.stdin.read())")
    with subprocess.Popen(
        [sys.executable, "-c", held, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as program:
        assert program.stdout is not None
        program.stdout.readline()
        replace(path, b"mine")
        assert len(list(tmp_path.iterdir())) == 2
