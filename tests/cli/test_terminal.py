"""Output: files, pipes, full disks, narrow and colourless terminals, Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pexpect  # type: ignore[import-untyped]
import pytest

from advisor.report.page import cells

from .program import PROGRAM, advisor, environment, refused

PICTURES = ["--set", "data.modality=image", "--set", "task.kind=classify", "--machine", "none"]
RECOMMEND = ["recommend", *PICTURES]

linux = pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full and signals as on Linux")


# --- files ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("format_", ["text", "json", "markdown"])
@pytest.mark.some(1)
def test_the_output_can_be_a_file_and_stdout_stays_empty(format_: str, tmp_path: Path) -> None:
    output = tmp_path / "advice"
    done = advisor(*RECOMMEND, "--format", format_, "--output", output)
    assert (done.code, done.out) == (0, "")
    assert output.read_text(encoding="utf-8") == advisor(*RECOMMEND, "--format", format_).out


@linux
def test_a_file_that_was_written_is_named_in_a_terminal_and_nowhere_else(tmp_path: Path) -> None:
    output = tmp_path / "advice.md"
    terminal = pexpect.spawn(
        PROGRAM[0],
        [*PROGRAM[1:], *RECOMMEND, "--output", str(output)],
        env=environment(COLUMNS="40"),
        encoding="utf-8",
    )
    terminal.expect(f"Saved: {output}", timeout=60)
    terminal.expect(pexpect.EOF)
    assert output.read_text(encoding="utf-8").startswith("# Advice")
    assert advisor(*RECOMMEND, "--output", output, "--force").err == ""


def test_an_existing_file_is_kept_unless_force_is_given(tmp_path: Path) -> None:
    output = tmp_path / "advice.md"
    output.write_text("mine")
    message = refused(*RECOMMEND, "--output", output)
    assert f"{output}: the file exists Name another file or add --force." in message
    assert output.read_text() == "mine"
    assert advisor(*RECOMMEND, "--output", output, "--force").code == 0
    assert output.read_text(encoding="utf-8").startswith("# Advice")


@pytest.mark.parametrize("command", ["recommend --answers", "recommend --machine", "probe --for"])
def test_the_file_of_answers_is_never_rewritten(command: str, tmp_path: Path) -> None:
    answers = tmp_path / "answers.yaml"
    answers.write_text("data.modality: image\n")
    link = tmp_path / "link.yaml"
    link.symlink_to(answers)
    for output in (answers, link):
        message = refused(*command.split(), answers, "--output", output, "--force")
        assert f"{output}: the answers or the data come from this file, and it is never rewritten" in message
    assert answers.read_text() == "data.modality: image\n"


def test_an_output_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    assert "this is a folder" in refused(*RECOMMEND, "--output", tmp_path)
    message = refused(*RECOMMEND, "--output", tmp_path / "none" / "advice.md")
    assert str(tmp_path / "none" / "advice.md") in message
    assert "Check the folder" in message
    saved = tmp_path / "plan.json"
    assert advisor(*RECOMMEND, "--format", "json", "--output", saved).code == 0
    assert "this is a folder" in refused("report", "--plan", saved, "--output", tmp_path)


@linux
def test_a_full_disk_leaves_the_old_file_and_no_half_one(tmp_path: Path) -> None:
    output = tmp_path / "advice.md"
    output.write_text("mine")
    limited = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)); sys.argv[0] = 'advisor'; "
    done = subprocess.run(
        [sys.executable, "-c", f"{limited}from advisor.cli.main import main; main()", *RECOMMEND, "--force", "--output", output],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert str(output) in done.stderr
    assert "Traceback" not in done.stderr
    assert output.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [output]


@linux
@pytest.mark.parametrize("arguments", [RECOMMEND, ["glossary"], ["--help"], [*RECOMMEND, "--format", "json"]])
@pytest.mark.some(1)
def test_stdout_on_a_full_disk_is_a_failure_and_no_traceback(arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*PROGRAM, *arguments], env=environment(), stdout=full, stderr=subprocess.PIPE, text=True, timeout=300, check=False
        )  # fmt: skip
    assert done.returncode == 1
    assert "The work failed" in done.stderr
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


@linux
def test_a_device_that_is_full_is_named() -> None:
    assert "/dev/full: No space left on device" in refused(*RECOMMEND, "--output", "/dev/full", "--force")


# --- pipes and terminals -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["rules list --format json", "recommend", "profiles list"])
def test_a_reader_that_stops_early_is_no_failure(command: str) -> None:
    script = f"set -o pipefail; {' '.join(PROGRAM)} {command} | head -n 1"
    done = subprocess.run(
        ["bash", "-c", script], env=environment(), capture_output=True, text=True, timeout=300, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 1


@linux
def test_a_closed_stdout_is_no_failure() -> None:
    script = f"{' '.join(PROGRAM)} glossary >&-"
    done = subprocess.run(["bash", "-c", script], env=environment(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_through_a_pipe_there_are_no_control_codes() -> None:
    for arguments in (
        RECOMMEND,
        ["explain", "network.type", *PICTURES],
        ["glossary"],
        ["profiles", "list"],
        ["--help"],
    ):
        assert "\x1b" not in advisor(*arguments).out


def widest(text: str) -> int:
    """Columns of the longest line; commands are left whole, so that they can be copied."""
    return max(cells(line) for line in text.splitlines() if not line.startswith("  advisor "))


@pytest.mark.parametrize("columns", [24, 40, 60, 80, 200])
@pytest.mark.some(2)
def test_the_width_follows_the_terminal(columns: int) -> None:
    for arguments in (RECOMMEND, ["glossary", "data"], ["profiles", "show", "rtx-4090"]):
        assert widest(advisor(*arguments, env={"COLUMNS": str(columns)}).out) <= min(columns, 100)


@pytest.mark.parametrize("columns", ["", "0", "-3", "wide", "99999999999999999999"])
@pytest.mark.some(2)
def test_a_senseless_width_does_no_harm(columns: str) -> None:
    assert advisor(*RECOMMEND, env={"COLUMNS": columns}).code == 0


def test_a_stdout_of_ascii_gets_ascii() -> None:
    plain = {"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    text = advisor(*RECOMMEND, env=plain)
    assert (text.code, text.err) == (0, "")
    assert "~ leaning" in text.out
    document = advisor("glossary", "--format", "json", env=plain)
    assert document.out.isascii()
    assert advisor("explain", "network.type", *PICTURES, env=plain).code == 0


def in_a_terminal(*arguments: str, columns: int = 80, **env: str) -> tuple[str, int]:
    output, code = pexpect.run(
        " ".join([*PROGRAM, *arguments]),
        env=environment(TERM="xterm-256color", **env),
        dimensions=(24, columns),
        encoding="utf-8",
        withexitstatus=True,
        timeout=300,
    )
    return output, code


@linux
def test_a_terminal_gets_colour_unless_it_says_no() -> None:
    coloured, code = in_a_terminal(*RECOMMEND)
    assert code == 0
    assert "\x1b[" in coloured
    for refusal in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        env = {"TERM": "xterm-256color", **refusal}
        plain, code = pexpect.run(
            " ".join([*PROGRAM, *RECOMMEND]),
            env=environment(**env),
            encoding="utf-8",
            withexitstatus=True,
            timeout=300,
        )
        assert (code, "\x1b" in plain) == (0, False)


@linux
def test_in_a_narrow_terminal_nothing_is_wider() -> None:
    output, _ = in_a_terminal(*RECOMMEND, columns=40, NO_COLOR="1")
    assert widest(output) <= 40


@linux
def test_an_error_in_a_terminal_has_a_frame_with_a_title() -> None:
    output, code = in_a_terminal("explain", "nothing.like.this", NO_COLOR="1")
    assert code == 2
    assert "There is no such topic" in output
    assert "─" in output


# --- interruption --------------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def hangups_are_heard() -> Iterator[None]:
    """Programs hand on that they ignore a signal, as `nohup` does, below which these tests may run."""
    if sys.platform == "win32":
        yield
        return
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@linux
@pytest.mark.parametrize(
    ("number", "code", "said"),
    [
        (signal.SIGINT, 130, "Interrupted"),
        (signal.SIGTERM, 143, "Ended by SIGTERM"),
        (signal.SIGHUP, 129, "Ended by SIGHUP"),
    ],
)
def test_a_signal_while_reading_ends_with_its_code_and_one_message(
    tmp_path: Path, number: signal.Signals, code: int, said: str
) -> None:
    pipe = tmp_path / "answers.yaml"
    os.mkfifo(pipe)
    child = subprocess.Popen(
        [*PROGRAM, "recommend", "--answers", str(pipe)],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with pipe.open("w"):  # opens when the program reads, which then waits for us
        child.send_signal(number)
        out, err = child.communicate(timeout=300)
    assert (child.returncode, out) == (code, "")
    assert err.startswith(said)
    assert "Traceback" not in err


@linux
def test_a_signal_that_is_ignored_stays_so(tmp_path: Path) -> None:
    script = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\nfrom advisor.cli import main\n"
    script += "main.hear_of_the_end(); print(signal.getsignal(signal.SIGHUP) is signal.SIG_IGN)"
    done = subprocess.run([sys.executable, "-c", script], env=environment(), capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"


@linux
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_measuring_gives_the_cursor_back(number: signal.Signals) -> None:
    script = """
import time
from advisor.cli import main
from advisor.cli.progress import MeasuringProgress

def measure():
    with MeasuringProgress(60.0) as progress:
        progress.line("under way")
        time.sleep(60)

main._run = measure
main.main()
"""
    child = pexpect.spawn(
        sys.executable, ["-c", script], env={**environment(), "TERM": "xterm"}, encoding="utf-8", timeout=60,
        ignore_sighup=False,
    )  # fmt: skip
    child.expect_exact("under way")
    child.kill(number)
    child.expect(pexpect.EOF)
    child.close()
    assert "\x1b[?25h" in child.before
    assert f"Ended by {number.name}" in child.before
    assert child.exitstatus == 128 + number


@linux
def test_a_second_signal_does_not_disturb_what_is_put_away_after_the_first() -> None:
    script = """
import sys
from advisor.cli import main

def work():
    try:
        print("under way", flush=True)
        sys.stdin.readline()
    finally:
        print("putting away", flush=True)
        sys.stdin.readline()
        print("put away", flush=True)

main._run = work
main.main()
"""
    child = subprocess.Popen(
        [sys.executable, "-c", script], env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert child.stdout is not None
    assert child.stdout.readline() == "under way\n"
    child.send_signal(signal.SIGHUP)
    assert child.stdout.readline() == "putting away\n"
    for another in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        child.send_signal(another)
    out, err = child.communicate("\n", timeout=300)
    assert (child.returncode, out) == (129, "put away\n")
    assert err.startswith("Ended by SIGHUP")
