"""Where a process may reserve little memory, the program says so; no library aborts, hangs or leaves a traceback."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.program import PROGRAM, Finished, advisor, environment

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    data = tmp_path / "data.csv"
    data.write_text("a,b,kind\n" + "".join(f"{i % 7},{i % 5},{'even' if i % 2 else 'odd'}\n" for i in range(80)))
    return data


def limited(limit: str, *arguments: str) -> Finished:
    """Run below a limit, as the shell's ulimit takes it: `-v 400000` are KiB."""
    line = ["sh", "-c", f'ulimit {limit}; exec "$@"', "sh", *PROGRAM, *arguments]
    done = subprocess.run(
        line, env=environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False
    )
    return Finished(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("limit", ["-v 150000", "-v 400000", "-v 900000", "-v 1500000", "-d 400000"])
@pytest.mark.parametrize("command", ["inspect", "try --target kind --budget 5s --data"])
def test_data_that_cannot_be_read_for_lack_of_memory_are_refused_with_a_remedy(
    limit: str, command: str, data: Path
) -> None:
    advisor("recommend", "--machine", "none", "--set", "task.kind=classify")  # reading the rules anew takes more
    done = limited(limit, *command.split(), str(data))
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("Not enough memory to read the data\n")
    assert "ulimit -v unlimited" in done.said


@pytest.mark.parametrize("limit", ["-v 20000", "-v 24000"])
def test_where_the_program_itself_finds_no_room_it_says_so(limit: str, data: Path) -> None:
    done = limited(limit, "inspect", str(data))
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("Not enough memory")
    assert "Traceback" not in done.err
    assert "ulimit -v" in done.said


def test_a_limit_above_what_is_reserved_lets_data_be_read(data: Path) -> None:
    assert limited("-v 40000000", "inspect", str(data)).code == 0


def test_advice_takes_little_memory() -> None:
    done = limited("-v 150000", "recommend", "--machine", "none", "--set", "task.kind=classify")
    assert (done.code, done.err) == (0, "")


@pytest.mark.slow
def test_what_torch_lacks_in_its_process_is_told_as_its_failure() -> None:
    done = limited("-v 400000", "doctor")
    assert done.code == 1
    assert "Traceback" not in done.err
    assert "PyTorch  cannot be asked" in done.out


FAILS = """
from advisor.cli import app, main
def fail(name, **typed):
    raise {error}
app.run = fail
main.main()
"""


@pytest.mark.parametrize("error", ["MemoryError", 'RuntimeError("can\'t start new thread")'])
def test_memory_and_threads_that_the_system_refuses_end_in_a_message(error: str) -> None:
    line = [sys.executable, "-c", FAILS.format(error=error), "recommend"]
    done = subprocess.run(line, env=environment(), capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(("Not enough memory\n", "No thread can be started\n"))
    assert "Traceback" not in done.stderr


def test_too_few_files_that_may_be_open_are_not_blamed_on_the_data(data: Path) -> None:
    done = limited("-n 8", "inspect", str(data))
    assert done.code in (0, 1, 2)
    assert "damaged" not in done.err
    assert "Traceback" not in done.err
