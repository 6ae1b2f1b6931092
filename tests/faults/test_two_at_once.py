"""Several advisors at once on one memory, in processes of their own: nothing is lost, nobody waits for ever."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from advisor.agent.remembered.journal_file import JournalFile
from advisor.agent.remembered.memory import recall, remember
from advisor.errors import InputError
from advisor.machine import state as memory
from advisor.machine.state import load_json, state_folder

from ..agent.profiles_made import MACHINE, compared
from ..cli.program import PROGRAM, environment

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs locks on files")
LONGEST = 300
ROOT = Path(__file__).parents[2]
WAITING = """
import sys, time
from pathlib import Path
print("ready", flush=True)
sys.stdin.readline()
"""
"""The start of a script that goes on when it is told to, so that all of them work at the same time."""


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("ADVISOR_CACHE", str(tmp_path / "cache"))
    return state_folder()


def env(tmp_path: Path) -> dict[str, str]:
    return environment(ADVISOR_STATE=str(tmp_path / "state"), ADVISOR_CACHE=str(tmp_path / "cache"))


def together(scripts: Sequence[str], tmp_path: Path) -> list[tuple[int, str]]:
    """Run these scripts at once; the exit code and stderr of each."""
    started = [
        subprocess.Popen(
            [sys.executable, "-c", script], cwd=ROOT, env=env(tmp_path), text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for script in scripts
    ]  # fmt: skip
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in started:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    return [(process.wait(LONGEST), process.communicate()[1]) for process in started]


def at_once(commands: Sequence[Sequence[str]], tmp_path: Path) -> list[subprocess.CompletedProcess[str]]:
    """Run these commands of the real program at once."""
    started = [
        subprocess.Popen(
            [*PROGRAM, *words], cwd=tmp_path, env=env(tmp_path), text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for words in commands
    ]  # fmt: skip
    done = []
    for process in started:
        out, err = process.communicate(timeout=LONGEST)
        done.append(subprocess.CompletedProcess(process.args, process.returncode, out, err))
    return done


def test_nothing_that_several_measure_under_one_name_is_lost(tmp_path: Path) -> None:
    script = WAITING + (
        "from advisor.agent.remembered.memory import remember\n"
        "from tests.agent.profiles_made import MACHINE, compared\n"
        "for n in range(8):\n"
        "    remember(MACHINE, [compared(applies={'machine': MACHINE.fingerprint, 'network': f'WHO-{n}'})], 'lab')\n"
    )
    assert together([script.replace("WHO", who) for who in "abcd"], tmp_path) == [(0, "")] * 4
    found, problems = recall(MACHINE)
    assert problems == []
    assert {one.applies["network"] for one in found} == {f"{who}-{n}" for who in "abcd" for n in range(8)}


def test_what_is_read_while_another_saves_is_whole(tmp_path: Path) -> None:
    saving = WAITING + (
        "from advisor.interview import saved\nfrom advisor.interview.progress import Progress\n"
        "for n in range(60):\n    saved.save(Progress((('data.examples', n),)), 'today')\n"
    )
    reading = WAITING + (
        "from advisor.machine.state import NothingSavedError, load_json\nfrom advisor.interview.saved import session_file\n"
        "for n in range(200):\n"
        "    try:\n        assert load_json(session_file())['answers']\n"
        "    except NothingSavedError:\n        pass\n"
    )
    assert together([saving, saving, reading], tmp_path) == [(0, "")] * 3
    assert [path.name for path in state_folder().iterdir()] == ["interview.json"]
    assert load_json(state_folder() / "interview.json")


def test_two_projects_in_one_folder_do_not_become_one(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    for folder in ("there", "new"):
        script = WAITING + (
            "from advisor.starter.writing import write_project\nfrom advisor.errors import InputError\n"
            f"files = {{f'{{n}}.py': 'WHO' * 2000 for n in range(30)}}\n"
            f"try:\n    write_project(Path({str(tmp_path / folder)!r}), files, force=True)\n"
            "except InputError as error:\n    sys.exit(str(error))\n"
        )
        done = together([script.replace("WHO", who) for who in "abc"], tmp_path)
        assert any(code == 0 for code, _ in done)
        for code, err in done:
            assert code == 0 or "another program" in err, err
        contents = {path.read_text()[0] for path in (tmp_path / folder).iterdir()}
        assert len(contents) == 1
        assert len(list((tmp_path / folder).iterdir())) == 30
    assert not list(tmp_path.glob(".advisor-*"))


def test_two_that_find_no_cache_both_advise(tmp_path: Path) -> None:
    first, second = at_once([["recommend", "--machine", "none"]] * 2, tmp_path)
    assert (first.returncode, first.stderr) == (second.returncode, second.stderr) == (0, "")
    assert first.stdout == second.stdout
    assert len(list((tmp_path / "cache").iterdir())) == 1


def test_a_journal_is_written_by_one_run_at_a_time() -> None:
    first = JournalFile.open({"which": "one"})
    assert first is not None
    assert JournalFile.open({"which": "one"}) is None
    assert JournalFile.open({"which": "other"}) is not None
    first.close(finished=True)
    second = JournalFile.open({"which": "one"})
    assert second is not None
    assert second.read() == []


def test_a_program_that_is_stopped_while_it_saves_stops_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(MACHINE, [compared()])
    holding = (
        "import time\nfrom advisor.machine.state import locked\nfrom advisor.agent.remembered.memory import measurements_file\n"
        "with locked(measurements_file('last')):\n    print('ready', flush=True)\n    time.sleep(1000)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", holding], cwd=ROOT, env=env(tmp_path), text=True, stdout=subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        os.kill(process.pid, signal.SIGSTOP)
        monkeypatch.setattr(memory, "LONGEST_WAIT", 0.5)
        with pytest.raises(InputError, match=r"last\.json: another program has been at it"):
            remember(MACHINE, [compared(date="2026-11-22")])
        assert len(recall(MACHINE)[0]) == 1  # reading waits for nobody
    finally:
        process.kill()
        process.wait()
    remember(MACHINE, [compared(date="2026-11-22")])
    assert len(recall(MACHINE)[0]) == 2


@pytest.mark.slow
def test_two_probes_of_one_question_are_both_kept(tmp_path: Path) -> None:
    command = ["probe", "--only", "matmul", "--budget", "20s", "--format", "json"]
    done = at_once([command, command], tmp_path)
    for one in done:
        assert "Traceback" not in one.stderr
        assert one.returncode in (0, 1), one.stderr
    assert sum(one.stderr.count("Another run measures the same") for one in done) <= 1
    measured = [outcome for one in done for outcome in json.loads(one.stdout)["outcomes"] if outcome["failure"] is None]
    kept = recall_all(tmp_path)
    worth = [outcome for outcome in measured if outcome["conditions"]["others_share"] < 0.2]
    assert {outcome["date"] for outcome in worth} <= {outcome["date"] for outcome in kept}


def recall_all(tmp_path: Path) -> list[dict[str, str]]:
    files = (tmp_path / "state").rglob("measurements/*.json")
    return [outcome for path in files for outcome in json.loads(path.read_text())["outcomes"]]
