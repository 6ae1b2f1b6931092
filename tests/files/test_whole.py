"""Files that are replaced in one step: what is left where the program is killed in the middle of it."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.files.whole import replace

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="files without a name, as on Linux")

KILLED = """
import os, sys
from pathlib import Path
from advisor.files.whole import replace

def die(*_, **__):
    os.kill(os.getpid(), 9)

MOMENT
replace(Path(sys.argv[1]), b"new")
"""


@pytest.mark.parametrize("moment", ["os.fsync = die", "os.link = die", "os.replace = die"])
def test_what_a_killed_program_has_left_is_gone_with_the_next_writing(tmp_path: Path, moment: str) -> None:
    path, other = tmp_path / "plan.md", tmp_path / ".advisor-notes"
    path.write_text("old")
    other.write_text("of somebody")
    done = subprocess.run([sys.executable, "-c", KILLED.replace("MOMENT", moment), str(path)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert path.read_text() == "old"
    replace(path, b"newer")
    assert path.read_text() == "newer"
    assert set(tmp_path.iterdir()) == {path, other}


def test_what_another_program_is_about_to_put_there_stays(tmp_path: Path) -> None:
    path = tmp_path / "plan.md"
    held = KILLED.replace("MOMENT", "os.replace = lambda *_: (print(flush=True), sys.stdin.read())")
    with subprocess.Popen(
        [sys.executable, "-c", held, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as program:
        assert program.stdout is not None
        program.stdout.readline()
        replace(path, b"mine")
        assert len(list(tmp_path.iterdir())) == 2
