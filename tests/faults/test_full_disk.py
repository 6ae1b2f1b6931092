"""A disk that is full in the middle of any write: what was there stays, nothing half is left, and everybody is told."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from advisor.agent.agent import Revision
from advisor.agent.remembered.journal import Journal
from advisor.agent.remembered.memory import measurements_file, recall, remember
from advisor.agent.trials.outcomes import remember_trials
from advisor.cli.app import program
from advisor.cli.commands.experiments import probe
from advisor.errors import InputError
from advisor.files.output import write_text
from advisor.inference.advise import VALUES_ONLY
from advisor.interview import saved
from advisor.interview.progress import Progress
from advisor.knowledge import cache, loader
from advisor.machine.state import StateError, load_json, state_folder
from advisor.resources import rules_folder
from advisor.session.inputs import Inputs, plan_of
from advisor.session.measuring import Measured
from advisor.starter.writing import write_project

from ..agent.profiles_made import MACHINE, compared
from ..cli.program import PROGRAM, environment

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
if sys.platform != "win32":
    from .limited import disk_full_after


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("ADVISOR_CACHE", str(tmp_path / "cache"))
    return state_folder()


def everything(folder: Path) -> dict[str, bytes]:
    """All that lies there by name, but for locks, which are empty."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.name.endswith(".lock"))
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@dataclass(frozen=True)
class Write:
    """Something that is saved, twice: the second time is another content."""

    save: Callable[[Path, int], object]

    def size(self, folder: Path) -> int:
        """The longest file that it makes."""
        self.save(folder, 1)
        self.save(folder, 2)
        return max(len(content) for content in everything(folder).values())


def _profile(folder: Path, number: int) -> None:
    remember(MACHINE, [compared(date=f"2026-11-{number:02}")])


def _conversation(folder: Path, number: int) -> None:
    saved.save(Progress((("data.examples", number),)), "today")


def _trials(folder: Path, number: int) -> None:
    remember_trials([])


def _journal(folder: Path, number: int) -> None:
    journal = Journal.open({"which": "one"})
    assert journal is not None
    try:
        journal.begin("threads", float(number))
    finally:
        journal.close(finished=False)


def _report(folder: Path, number: int) -> None:
    write_text(folder / "report.md", f"{number}\n" * 2000, force=True)


def _project(folder: Path, number: int) -> None:
    write_project(folder / "project", {"a.py": "1" * 10, "b.py": f"{number}" * 3000}, force=True)


WRITES = [_profile, _conversation, _trials, _journal, _report, _project]


@pytest.mark.parametrize("save", WRITES, ids=lambda save: save.__name__.strip("_"))
def test_a_write_is_whole_or_not_at_all(save: Callable[[Path, int], None], tmp_path: Path) -> None:
    size = Write(save).size(tmp_path)
    before = everything(tmp_path)
    for count in sorted({0, 1, size // 3, size // 2, size - 1, *range(0, size, max(1, size // 10))}):
        with disk_full_after(count):
            try:
                save(tmp_path, 3)
            except InputError as error:
                told = str(error)
            else:
                pytest.fail(f"{count} of {size} bytes were enough")
        assert "File too large" in told
        assert any(word in told for word in ("Check the", "ADVISOR_STATE", "free space", "goes on"))
        assert everything(tmp_path) == before, f"after {count} of {size} bytes"
    save(tmp_path, 3)
    assert everything(tmp_path) != before or save is _trials


@pytest.mark.parametrize("save", WRITES, ids=lambda save: save.__name__.strip("_"))
def test_the_first_write_leaves_nothing_where_it_fails(save: Callable[[Path, int], None], tmp_path: Path) -> None:
    with disk_full_after(5), pytest.raises(InputError):
        save(tmp_path, 1)
    assert set(everything(tmp_path).values()) <= {b""}
    save(tmp_path, 1)


def test_what_is_finished_is_found_again_though_the_next_entry_did_not_fit() -> None:
    journal = Journal.open({"which": "one"})
    assert journal is not None
    journal.begin("threads", 1.0)
    size = journal.path.stat().st_size
    for count in range(size, size + 40, 7):
        with disk_full_after(count), pytest.raises(StateError, match="Work goes on"):
            journal.begin("storage", 2.0)
    journal.begin("memory", 3.0)
    journal.close(finished=False)
    again = Journal.open({"which": "one"})
    assert again is not None
    assert [entry.probe for entry in again.entries] == ["threads", "memory"]


def test_a_cache_that_does_not_fit_costs_time_only(tmp_path: Path) -> None:
    right = loader.load(rules_folder())
    for count in (0, 100, 100_000):
        with disk_full_after(count):
            assert cache.load_cached(rules_folder()) == right
        assert everything(tmp_path / "cache") == {}
    assert cache.load_cached(rules_folder()) == right


def limited(count: int, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The real program on such a disk."""
    script = "import os, resource, sys; n = int(sys.argv[1]); resource.setrlimit(resource.RLIMIT_FSIZE, (n, n)); "
    command = [
        sys.executable,
        "-P",
        "-c",
        f"{script}os.execv(sys.argv[2], sys.argv[2:])",
        str(count),
        *PROGRAM,
        *arguments,
    ]
    env = environment(PYTHONDONTWRITEBYTECODE="1", ADVISOR_STATE=str(cwd / "state"))
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False, timeout=300)


PLANNED = ["--machine", "none", "--set", "data.modality=tabular", "--set", "task.kind=classify"]
COMMANDS = [
    ["recommend", *PLANNED, "--output", "out", "--force"],
    ["recommend", *PLANNED, "--format", "json", "--output", "out", "--force"],
    ["recommend", *PLANNED, "--format", "markdown", "--output", "out", "--force"],
    ["recommend", *PLANNED, "--format", "html", "--output", "out", "--force"],
    ["rules", "docs", "--output", "out", "--force"],
    ["profiles", "export", "this", "--output", "out", "--force"],
    ["profiles", "show", "rtx-4090", "--format", "html", "--output", "out", "--force"],
    ["compare", "a.yaml", "--what-if", "data.examples=2M", "--output", "out", "--force"],
    ["report", "--plan", "plan.json", "--format", "html", "--output", "out", "--force"],
    ["starter", *PLANNED, "--output", "folder", "--force"],
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
@pytest.mark.some(2)
def test_every_command_that_writes_keeps_what_was_there(words: list[str], tmp_path: Path) -> None:
    remember(MACHINE, [compared()])
    (tmp_path / "a.yaml").write_text("data.examples: 5000\n")
    (tmp_path / "out").write_text("old\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "train.py").write_text("old\n")
    if words[0] == "report":
        made = ["recommend", *PLANNED, "--format", "json", "--output", "plan.json"]
        assert limited(10**9, *made, cwd=tmp_path).returncode == 0
    before = everything(tmp_path)
    for count in (0, 300):
        done = limited(count, *words, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (2, ""), done
        assert "cannot be written" in done.stderr
        assert "File too large" in done.stderr
        assert "Check" in done.stderr
        assert everything(tmp_path) == before
    assert limited(10**9, *words, cwd=tmp_path).returncode == 0


def test_what_was_measured_is_shown_though_its_report_does_not_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @contextmanager
    def measuring(inputs: Inputs, *_: Any, **__: Any) -> Iterator[Measured]:
        plan = plan_of(inputs, VALUES_ONLY)
        yield Measured(Revision(plan, plan, (compared(),)), inputs, (compared(),), resumable=False)

    monkeypatch.setattr(probe, "measuring", measuring)
    for format_ in ("text", "json", "html", "markdown"):
        words = ["probe", "--only", "threads", "--format", format_, "--output", str(tmp_path / "out")]
        with disk_full_after(100), pytest.raises(InputError, match="File too large"):
            program().main(words, standalone_mode=False)
        assert "threads" in capsys.readouterr().out
        assert not (tmp_path / "out").exists()


def test_answers_of_a_conversation_that_does_not_fit_are_told_and_the_last_ones_stay(tmp_path: Path) -> None:
    saved.save(Progress((("data.examples", 5),)), "today")
    before = everything(tmp_path / "state")
    script = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (50, 50)); import runpy; "
    command = [sys.executable, "-P", "-c", f"{script}runpy.run_module('advisor', run_name='__main__')"]
    env = environment(PYTHONDONTWRITEBYTECODE="1", ADVISOR_STATE=str(tmp_path / "state"))
    words = ["wizard", "--plain", "--resume", "--machine", "none"]
    done = subprocess.run(
        [*command, *words], env=env, input="1\n1\n1\n", capture_output=True, text=True, check=False, timeout=300
    )
    assert "Traceback" not in done.stderr
    assert "cannot be saved for later" in done.stderr
    assert "could not be saved" in done.stdout + done.stderr
    assert everything(tmp_path / "state") == before


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="only root mounts a file system")
def test_a_small_disk_that_is_really_full(tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    mounting = f"mount -t tmpfs -o size=32k none {small}"
    if (
        shutil.which("unshare") is None
        or subprocess.run(["unshare", "-m", "sh", "-c", mounting], check=False).returncode
    ):
        pytest.skip("nothing can be mounted here")
    command = " ".join([*PROGRAM, "recommend", *PLANNED, "--format", "html", "--force", "--output", f"{small}/out"])
    script = f"{mounting} && echo old > {small}/out && {command}; echo code $?; cat {small}/out; ls -A {small}"
    env = environment(PYTHONDONTWRITEBYTECODE="1", ADVISOR_STATE=str(small / "state"))
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script], env=env, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.stdout.split()[:4] == ["code", "2", "old", "out"]
    assert set(done.stdout.split()[4:]) <= {"state"}
    assert "No space left on device" in done.stderr


def test_what_is_remembered_can_be_read_after_every_fault() -> None:
    remember(MACHINE, [compared()])
    with disk_full_after(50), pytest.raises(InputError):
        remember(MACHINE, [compared(date="2026-11-22")])
    assert recall(MACHINE) == ([compared()], [])
    assert load_json(measurements_file("last"))
