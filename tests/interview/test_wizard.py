"""The real program, driven through its bracketed prompts: by a pipe, and on a pseudo-terminal."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

ADVISOR = str(Path(sys.executable).parent / "advisor")
ANSWERS = {
    "task.kind": "classify",
    "task.outputs": "10",
    "data.modality": "image",
    "data.examples": "50k",
    "data.inputs": "784",
    "project.pretrained_allowed": "no",
    "probe": "no",
}


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """An environment in which the program remembers things under tmp_path only."""
    return {**os.environ, "ADVISOR_STATE": str(tmp_path / "state"), "COLUMNS": "80", "TERM": "xterm"}


def start(home: dict[str, str], *options: str) -> pexpect.spawn[str]:
    arguments = ["wizard", "--plain", "--machine", "none", *options]
    return pexpect.spawn(ADVISOR, arguments, env=home, encoding="utf-8", timeout=60, dimensions=(24, 80))  # type: ignore[arg-type]


PROMPT = r"(?m)^\[([a-z_.]+)\][^\r\n]*$"


def prompts(wizard: pexpect.spawn[str]) -> Iterator[str]:
    while wizard.expect([PROMPT, pexpect.EOF]) == 0:
        assert wizard.match is not None
        yield wizard.match[1]  # type: ignore[index]


def test_a_program_goes_from_the_first_question_to_a_saved_report_changing_an_answer_on_the_way(
    home: dict[str, str], tmp_path: Path
) -> None:
    report = tmp_path / "plan.md"
    wizard = start(home)
    went_back = False
    for fact in prompts(wizard):
        if fact == "report":
            wizard.sendline(str(report))
        elif fact == "data.modality" and not went_back:
            wizard.sendline("tabular")
        elif not went_back and fact.startswith("data."):
            went_back = True
            wizard.sendline("<")
        else:
            wizard.sendline(ANSWERS.get(fact, ""))
    wizard.close()
    assert went_back
    assert wizard.exitstatus == 0
    text = report.read_text(encoding="utf-8")
    assert "cnn" in text
    assert "gradient_boosting" not in text.split("##")[1]


def run(home: dict[str, str], typed: str, *options: str) -> subprocess.CompletedProcess[str]:
    command = [ADVISOR, "wizard", "--plain", "--machine", "none", *options]
    return subprocess.run(command, input=typed, env=home, capture_output=True, text=True, timeout=60, check=False)


def test_the_end_of_input_stops_with_the_plan(home: dict[str, str]) -> None:
    done = run(home, "classify\n")
    assert done.returncode == 0
    assert "[task.kind]" in done.stdout
    assert "Network type" in done.stdout
    assert "Traceback" not in done.stderr


def test_a_wrong_answer_is_explained_and_asked_again(home: dict[str, str]) -> None:
    done = run(home, "clasify\nclassify\n!\n")
    assert done.returncode == 0
    assert "Did you mean classify?" in done.stderr
    assert done.stdout.count("[task.kind]") == 2


def test_a_stopped_conversation_resumes_with_every_answer(home: dict[str, str]) -> None:
    run(home, "classify\n!\n")
    done = run(home, "change task.kind\n!\n", "--resume")
    assert done.returncode == 0
    assert "Resumed with 1 answers" in done.stdout
    assert "(asked: classify)" in done.stdout


def test_nothing_to_resume_is_said_with_exit_code_2(home: dict[str, str]) -> None:
    done = run(home, "", "--resume")
    assert done.returncode == 2
    assert "nothing is saved" in done.stderr


OTHER_ANSWERS = b'{"schema": "advisor/interview/1", "answers": {"task.kind": "paint"}}'


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b"\xff\x00", OTHER_ANSWERS])
def test_a_damaged_session_is_one_message(home: dict[str, str], tmp_path: Path, damage: bytes) -> None:
    run(home, "classify\n!\n")
    saved = next((tmp_path / "state").rglob("interview.json"))
    saved.write_bytes(damage)
    done = run(home, "", "--resume")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert len(re.findall(r"^╭", done.stderr, re.MULTILINE)) <= 1


def test_ctrl_c_keeps_what_was_answered(home: dict[str, str]) -> None:
    wizard = start(home)
    wizard.expect(PROMPT)
    wizard.sendline("classify")
    wizard.expect(r"(?m)^\[task\.[a-z]+\]|^\[data\.[a-z]+\]")
    wizard.kill(signal.SIGINT)
    wizard.expect(pexpect.EOF)
    wizard.close()
    assert wizard.exitstatus == 130
    assert "Traceback" not in (wizard.before or "")
    assert "Resumed with 1 answers" in run(home, "!\n", "--resume").stdout


def test_a_state_folder_that_cannot_be_written_is_a_warning(home: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file stands where the folder should be")
    done = run(home, "classify\n!\n")
    assert done.returncode == 0
    assert "cannot be saved" in done.stderr
    assert "Network type" in done.stdout


def test_the_report_is_not_written_over_a_file(home: dict[str, str], tmp_path: Path) -> None:
    mine = tmp_path / "mine.md"
    mine.write_text("precious")
    done = run(home, f"save {mine}\n!\n")
    assert mine.read_text() == "precious"
    assert "the file exists" in done.stderr


def test_hostile_input_is_refused_without_a_traceback(home: dict[str, str]) -> None:
    done = run(home, "\x1b[31m[bold]__import__('os')\n" + "9" * 10_000 + "\n!\n")
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert "\x1b[31m" not in done.stderr


def test_a_new_conversation_puts_the_saved_one_aside(home: dict[str, str], tmp_path: Path) -> None:
    run(home, "classify\n!\n")
    run(home, "regress\n!\n")
    kept = next((tmp_path / "state").rglob("interview.previous.json"))
    assert "classify" in kept.read_text()


def test_it_works_without_any_input(home: dict[str, str]) -> None:
    done = subprocess.run(  # noqa: S602
        f"{ADVISOR} wizard --plain --machine none <&-",
        shell=True,
        env=home,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr
