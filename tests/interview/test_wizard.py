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

from advisor.errors import InputError
from advisor.files.aside import name_aside
from advisor.interview.saved import load, session_file
from advisor.knowledge.cache import load_cached
from advisor.resources import rules_folder
from tests.tui.terminal import heed_signals

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
    return pexpect.spawn(
        ADVISOR,
        arguments,
        env=home,
        encoding="utf-8",
        timeout=60,
        dimensions=(24, 80),
        preexec_fn=heed_signals,  # type: ignore[arg-type]
    )


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
        elif not went_back and fact == "task.kind":
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
    done = run(home, "tabular\nclassify\n")
    assert done.returncode == 0
    assert "[task.kind]" in done.stdout
    assert "Network type" in done.stdout
    assert "Traceback" not in done.stderr


def test_a_wrong_answer_is_explained_and_asked_again(home: dict[str, str]) -> None:
    done = run(home, "tabular\nclasify\nclassify\n!\n")
    assert done.returncode == 0
    assert "Did you mean classify?" in done.stderr
    assert done.stdout.count("[task.kind]") == 2


def test_a_stopped_conversation_resumes_with_every_answer(home: dict[str, str]) -> None:
    run(home, "image\nclassify\n!\n")
    done = run(home, "change task.kind\n!\n", "--resume")
    assert done.returncode == 0
    assert "Resumed with 2 answers." in done.stdout
    assert "(asked: classify)" in done.stdout


def test_nothing_to_resume_is_said_with_exit_code_2(home: dict[str, str]) -> None:
    done = run(home, "", "--resume")
    assert done.returncode == 2
    assert "nothing is saved" in done.stderr


def test_what_a_killed_wizard_left_of_its_first_answer_goes_with_the_next_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path))
    left = session_file().parent / name_aside(session_file())
    left.parent.mkdir(parents=True, exist_ok=True)
    left.write_text("{")
    with pytest.raises(InputError, match="nothing is saved"):
        load(load_cached(rules_folder()).vocabulary)
    assert not left.exists()


OTHER_ANSWERS = b'{"schema": "advisor/interview/1", "answers": {"task.kind": "paint"}}'


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b"\xff\x00", OTHER_ANSWERS])
@pytest.mark.some(1)
def test_a_damaged_session_is_one_message(home: dict[str, str], tmp_path: Path, damage: bytes) -> None:
    run(home, "image\n!\n")
    saved = next((tmp_path / "state").rglob("interview.json"))
    saved.write_bytes(damage)
    done = run(home, "", "--resume")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert len(re.findall(r"^\S", done.stderr, re.MULTILINE)) == 1
    assert "Start afresh with `advisor wizard`, without --resume." in done.stderr
    assert "Measure" not in done.stderr
    assert run(home, "!\n").returncode == 0
    kept = [path.read_bytes() for path in saved.parent.iterdir() if path != saved]
    assert damage in kept or saved.read_bytes() == damage


def test_ctrl_c_keeps_what_was_answered(home: dict[str, str]) -> None:
    wizard = start({**home, "NO_COLOR": "1"})
    wizard.expect(PROMPT)
    wizard.sendline("image")
    wizard.expect(r"(?m)^\[task\.[a-z]+\]|^\[data\.[a-z]+\]")
    wizard.kill(signal.SIGINT)
    wizard.expect(pexpect.EOF)
    wizard.close()
    assert wizard.exitstatus == 130
    said = " ".join((wizard.before or "").replace("│", " ").split())
    assert "Traceback" not in said
    assert "`advisor wizard --plain --resume --machine none` goes on from here." in said
    assert "Resumed with 1 answer." in run(home, "!\n", "--resume").stdout


def test_a_state_folder_that_cannot_be_written_is_a_warning(home: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file stands where the folder should be")
    done = run(home, "image\n!\n")
    assert done.returncode == 0
    assert "cannot be saved" in done.stderr
    assert "Network type" in done.stdout


@pytest.mark.slow
def test_the_report_is_not_written_over_a_file(home: dict[str, str], tmp_path: Path) -> None:
    mine = tmp_path / "mine.md"
    mine.write_text("precious")
    done = run(home, f"save {mine}\n!\n")
    assert mine.read_text() == "precious"
    assert "the file exists" in done.stderr
    assert f"write {mine}! to replace it" in done.stderr
    assert "--force" not in done.stderr
    assert f"Saved the report to {mine}." in run(home, f"save {mine}!\n!\n").stdout
    assert mine.read_text().startswith("# Advice")


def test_hostile_input_is_refused_without_a_traceback(home: dict[str, str]) -> None:
    done = run(home, "\x1b[31m[bold]__import__('os')\n" + "9" * 10_000 + "\n!\n")
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert "\x1b[31m" not in done.stderr


def test_a_new_conversation_puts_the_saved_one_aside(home: dict[str, str], tmp_path: Path) -> None:
    first = run(home, "image\n!\n")
    second = run(home, "text\n!\n")
    assert "an earlier conversation" not in first.stdout
    assert "`advisor wizard --plain --resume --machine none` goes on with it" in second.stdout
    kept = next((tmp_path / "state").rglob("interview.previous.json"))
    assert "image" in kept.read_text()


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


# --- every part of the conversation, on a terminal -------------------------------------------------------------------


def at(wizard: pexpect.spawn[str], fact: str, typed: str) -> str:
    """Types a line at the prompt for a fact and returns what is said up to the next prompt."""
    wizard.expect(r"\r\n\[([a-z_.]+)\] $|^\[([a-z_.]+)\] $")
    assert wizard.match is not None
    assert (wizard.match[1] or wizard.match[2]) == fact, wizard.before  # type: ignore[index]
    wizard.sendline(typed)
    wizard.expect_exact(typed)
    wizard.expect(r"(?=\r\n\[[a-z_.]+\] $)")
    return " ".join((wizard.before or "").split())


def test_every_explanation_can_be_had_within_the_conversation(home: dict[str, str]) -> None:
    wizard = start({**home, "NO_COLOR": "1"})
    help_text = at(wizard, "data.modality", "?")
    assert "skip leave it as it is" in help_text
    assert "Words used here:" in help_text
    assert "edge: A link between two things of a graph." in help_text
    assert "The answer can change: Network type (now open)" in at(wizard, "data.modality", "why")
    assert "question" in at(wizard, "data.modality", "tab")
    assert "question" in at(wizard, "task.kind", "cl")
    fact = next_prompt(wizard)
    how = at(wizard, fact, "how network.type")
    assert "network.type = gradient_boosting" in how
    assert "task.kind = classify (stated)" in how
    assert "cost.money = project.price_per_hour * project.hours_available" in at(wizard, fact, "how cost.money")
    assert "means nothing for this plan" in at(wizard, fact, "how scaling.workers")
    assert "lstm (long short-term memory network): Does not apply" in at(wizard, fact, "why not network.type lstm")
    assert "Does not apply" in at(wizard, fact, "why not lstm")
    assert "data.sparse_ids: no → yes gives ffn" in at(wizard, fact, "flip network.type")
    assert "data.modality: What is one example?" in at(wizard, fact, "? data.modality")
    assert "network.type: gradient_boosting" in at(wizard, fact, "plan")
    assert "task.kind: classify" in at(wizard, fact, "answers")
    wizard.sendline("quit")
    wizard.expect_exact("PLAN  ")
    wizard.expect(pexpect.EOF)
    wizard.close()
    assert wizard.exitstatus == 0


def next_prompt(wizard: pexpect.spawn[str]) -> str:
    """The fact that is asked for; its prompt is still to be answered."""
    wizard.expect(r"(?=\r\n\[([a-z_.]+)\] $)")
    assert wizard.match is not None
    return wizard.match[1]  # type: ignore[index,return-value]


def test_what_if_shows_two_columns_and_changes_nothing(home: dict[str, str]) -> None:
    wizard = start({**home, "NO_COLOR": "1"})
    at(wizard, "data.modality", "tabular")
    at(wizard, "task.kind", "classify")
    fact = next_prompt(wizard)
    said = at(wizard, fact, "what if data.modality=image data.examples=50k")
    assert "after: if data.modality = image and data.examples = 50,000 examples" in said
    assert "Network type gradient_boosting cnn (convolutional" in said
    assert at(wizard, fact, "answers").endswith("data.modality: tabular task.kind: classify")
    wizard.sendeof()
    wizard.expect(pexpect.EOF)


def test_a_narrow_terminal_gets_the_two_plans_one_below_the_other(home: dict[str, str]) -> None:
    typed = "tabular\nclassify\nwhat if data.modality=image\n!\n"
    done = run({**home, "COLUMNS": "60"}, typed)
    assert "  before: gradient_boosting [gradient-boosted" in done.stdout
    assert "  after: cnn (convolutional network)" in done.stdout


@pytest.mark.slow
def test_an_answer_that_lost_its_meaning_is_shown_kept_saved_and_used_again(home: dict[str, str]) -> None:
    done = run(home, "image\ngenerate\nchange task.generation\nsequence\nchange task.kind\nclassify\nanswers\n!\n")
    assert "kept, not used: task.generation = sequence" in done.stdout
    assert "task.generation: sequence (kept, not used)" in " ".join(done.stdout.split())
    again = run(home, "change task.kind\ngenerate\n!\n", "--resume")
    assert "kept, not used: task.generation = sequence" in again.stdout
    assert "used again: task.generation = sequence" in again.stdout


TYPED = [
    ("save", "Write `save FILE`"),
    ("change", "Write `change NAME`, for example `change data.modality`"),
    ("how", "Write `how TOPIC`"),
    ("flip", "Write `flip TOPIC`"),
    ("why not", "Write `why not TOPIC VALUE`"),
    ("what if", "Write `what if NAME=VALUE`"),
    ("help", "The form of the data decides"),
    ("help cnn", "cnn is a value of network.type."),
    ("what if task.kind=", "unknown"),
    ("why data.modality", "The answer can change:"),
    ("back", "This is the first question."),
    ("how Network type", "network.type = "),
    ("how type", "network.type = "),
    ("why not cn", "There is no such topic"),
    ("why not relu", "Activation (network.activation)"),
    ("why not network.type", "Which value is meant?"),
    ("why not network.type foo", "'foo' is not a value of network.type"),
    ("how network.typ", "Did you mean network.type?"),
    ("flip training", "There is no such topic"),
    ("what if network.type=cnn", "network.type is a recommendation, not a fact."),
    ("what if data.modalty=image", "Did you mean data.modality?"),
    ("change network.type", "network.type is a recommendation, not a fact."),
    ("change probe.threads.best", "This is measured, not asked"),
    ("? xyzzy", "Nothing is called that"),
    ("99", "Give a number from 1 to 8"),
    ("t", "could be tabular, text, time_series or tree"),
]
"""What is typed at the first question, and what the answer says."""


def test_whatever_is_typed_is_understood_or_explained(home: dict[str, str]) -> None:
    wizard = start({**home, "NO_COLOR": "1", "COLUMNS": "80"})
    told, asked = {}, iter(prompts(wizard))
    next(asked)
    for typed, _ in TYPED:
        wizard.sendline(typed)
        next(asked)
        assert wizard.before is not None
        told[typed] = " ".join(wizard.before.split())
    wizard.sendline("!")
    rest = list(asked)
    wizard.close()
    assert (rest, wizard.exitstatus) == ([], 0)
    assert {typed: told[typed] for typed, said in TYPED if said not in told[typed]} == {}
    assert not [typed for typed, answer in told.items() if "Traceback" in answer]


@pytest.mark.parametrize("stop", ["!", "quit", "exit", "stop"])
@pytest.mark.some(1)
def test_the_conversation_can_be_stopped_with_a_plan_at_any_time(stop: str, home: dict[str, str]) -> None:
    done = run(home, f"image\n{stop}\n")
    assert done.returncode == 0
    assert "PLAN  " in done.stdout
    assert "`advisor wizard --plain --resume --machine none` goes on from here." in done.stdout


@pytest.mark.slow
def test_a_finished_conversation_can_be_looked_into_and_changed(home: dict[str, str]) -> None:
    wizard = start({**home, "NO_COLOR": "1"})
    seen = []
    for prompt in prompts(wizard):
        seen.append(prompt)
        if prompt == "plan" and seen.count("plan") == 1:
            wizard.sendline("flip network.type")
        elif prompt == "plan" and seen.count("plan") == 2:
            wizard.sendline("change task.kind")
        else:
            wizard.sendline("cl" if prompt == "task.kind" else "")
    wizard.close()
    assert wizard.exitstatus == 0
    assert seen.count("task.kind") == 2
    assert seen[-3:] == ["plan", "report", "answers"]


@pytest.mark.slow
def test_another_school_on_resuming_is_taken_and_said(home: dict[str, str]) -> None:
    run(home, "image\n!\n")
    done = run(home, "!\n", "--resume", "--school", "survey")
    assert "was held by the school today; it goes on by survey" in done.stdout
    assert ", by the survey as written" in done.stdout
    silent = run(home, "!\n", "--resume")
    assert "goes on by" not in silent.stdout


@pytest.mark.slow
def test_an_answer_that_no_longer_fits_is_named_and_asked_for_again(home: dict[str, str], tmp_path: Path) -> None:
    run(home, "change machine.cpu.physical_cores\n8\n!\n")
    machine = tmp_path / "machine.yaml"
    machine.write_text("machine.cpu.logical_cores: 4\n")
    command = [ADVISOR, "wizard", "--plain", "--resume", "--machine", str(machine)]
    done = subprocess.run(command, input="!\n", env=home, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0
    assert "Resumed with 0 answers." in done.stdout
    assert "machine.cpu.physical_cores is asked for again:" in done.stdout


@pytest.mark.slow
def test_a_card_that_is_named_brings_its_published_figures(home: dict[str, str]) -> None:
    named = "change machine.gpu.count\n1\nchange machine.gpu.name\nrtx-4090\nchange machine.gpu.memory_bytes\n!\n"
    assert "(published: 24" in run(home, named).stdout
    unknown = "change machine.gpu.count\n1\nchange machine.gpu.name\nRTX 4099\n!\n"
    assert "Did you mean rtx-4090?" in run(home, unknown).stderr


def test_the_questions_left_are_counted(home: dict[str, str]) -> None:
    done = run(home, "image\nclassify\n10\n!\n")
    assert re.findall(r"^About \d+ questions? left to a good plan\.$", done.stdout, re.MULTILINE)


def test_once_a_good_plan_is_ready_it_is_said_before_the_first_detail(home: dict[str, str]) -> None:
    known = {**ANSWERS, "project.hours_available": "10", "cluster.nodes": "1", "project.priority": "accuracy"}
    wizard = start({**home, "NO_COLOR": "1"})
    told, asked = [], []
    for fact in prompts(wizard):
        told.append(wizard.before or "")
        asked.append(fact)
        if "A good plan is ready" in told[-1]:
            wizard.sendline("!")
        else:
            wizard.sendline(known.get(fact, "no" if fact == "task.multilabel" else ""))
    wizard.close()
    assert re.search(r"A good plan is ready: type ! to finish, or answer about \d+ more that change", told[-1])
    assert not [text for text in told[:-1] if "A good plan is ready" in text]
    assert 4 <= len(asked) <= 12


def test_what_is_not_known_is_assumed_aloud(home: dict[str, str]) -> None:
    done = run(home, "\nclassify\nchange cluster.nodes\n\n!\n")
    assert "  assuming tabular\n" in done.stdout
    assert "  assuming 1 machine\n" in done.stdout


def test_nothing_is_wider_than_the_terminal(home: dict[str, str]) -> None:
    wizard = start({**home, "NO_COLOR": "1"})
    for typed in ("?", "why", "image", "how training.optimizer", "what if data.modality=text", "plan", "!"):
        wizard.expect(r"\[[a-z_.]+\] $")
        assert max(len(line) for line in (wizard.before or "").splitlines()) <= 80
        wizard.sendline(typed)
    wizard.expect(pexpect.EOF)
    assert max(len(line) for line in (wizard.before or "").splitlines()) <= 80
