"""The run on a graphics card, rehearsed without one: limits, an end half-way, and going on."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from benchmarks.cards import parts, summary
from benchmarks.cards.kit import THERE, lacking
from benchmarks.cards.parts import Folder, Outcome, Part, Status, run
from benchmarks.cards.plans import PLANS, answers

ROOT = Path(__file__).resolve().parents[2]
CHECKS = ROOT / "benchmarks" / "cards" / "checks.py"
MARKED = "import os, pytest\npytestmark = pytest.mark.gpu\n"


def program(source: str) -> list[str]:
    return [sys.executable, "-c", source]


def part(*sources: str, limit: float = 60.0, **more: Any) -> Part:
    return Part("part", "A part", [program(source) for source in sources], limit, **more)


def outcome(folder: Folder, tried: Part, seconds: float = 600.0) -> Outcome:
    return run(tried, folder, seconds, {})


def test_a_part_ends_well_with_its_result(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    tried = part(
        f"open({str(folder.results / 'found.json')!r}, 'w').write('[3]')",
        result="found.json",
        read=lambda found: (f"{found[0]} found", []),
    )
    done = outcome(folder, tried)
    assert (done.status, done.found, done.problems) == (Status.PASSED, "3 found", [])
    assert folder.finished(tried) == done


def test_a_printed_result_is_kept_apart_from_the_log(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    source = "import sys; print('{}'); print('warned', file=sys.stderr)"
    done = outcome(folder, part(source, result="found.json", prints=True))
    assert done.status is Status.PASSED
    assert (folder.results / "found.json").read_text() == "{}\n"
    assert (folder.logs / "part.log").read_text().endswith("warned\n")


def test_what_goes_wrong_is_told_and_ends_the_part(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    done = outcome(folder, part("print('told', end=''); raise SystemExit(3)", "print('never')"))
    assert (done.status, done.problems) == (Status.FAILED, ["exit code 3: see logs/part.log"])
    assert (folder.logs / "part.log").read_text().endswith("told")


def test_a_part_without_its_result_has_failed(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    (folder.results / "found.json").write_text("an older one")
    assert outcome(folder, part("pass", result="found.json")).status is Status.FAILED


def test_problems_in_a_result_are_failures(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    tried = part("print([])", result="found.json", prints=True, read=lambda found: ("", ["too slow"]))
    assert outcome(folder, tried).problems == ["too slow"]
    assert outcome(folder, tried).status is Status.FAILED


@pytest.mark.parametrize(("limit", "left"), [(8.0, 600.0), (60.0, 8.0)])
def test_what_takes_too_long_is_stopped_with_all_that_it_started(
    limit: float, left: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "LEAST_SECONDS", 0.0)
    folder = Folder(tmp_path)
    sleeper = "import time; time.sleep(600)"
    source = (
        "import subprocess, sys, time\n"
        f"child = subprocess.Popen([sys.executable, '-c', {sleeper!r}])\n"
        f"open({str(tmp_path / 'child')!r}, 'w').write(str(child.pid))\n"
        "time.sleep(600)\n"
    )
    tried = part(source, limit=limit)
    done = outcome(folder, tried, left)
    assert (done.status, done.problems) == (Status.OUT_OF_TIME, ["stopped after 8 s"])
    assert folder.finished(tried) is None  # so it is run again
    child = int((tmp_path / "child").read_text())
    with contextlib.suppress(psutil.NoSuchProcess):
        psutil.Process(child).wait(60)


def test_a_part_is_not_begun_without_time(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    assert outcome(folder, part("open('no', 'w')"), 1.0).status is Status.NOT_BEGUN
    assert list(folder.logs.iterdir()) == []


def test_a_summary_says_what_is_left_and_what_went_wrong() -> None:
    told = [
        Outcome("doctor", "Doctor", Status.PASSED, 1.0, "2 findings"),
        Outcome("checks", "Tests marked gpu", Status.NO_CARD),
        Outcome("rates", "Rates", Status.FAILED, 2.0, "", ["exit code 1"]),
    ]
    page = summary.as_markdown({"card": "none"}, told)
    assert "| Tests marked gpu | not possible here: no card | 0 |  |" in page
    assert "- Rates: exit code 1" in page
    assert "Not complete" not in page
    page = summary.as_markdown({}, [*told, Outcome("profile", "Profile", Status.NOT_BEGUN)])
    assert "Not complete: the same command goes on where this run ended." in page


def checks(folder: Path) -> tuple[int, dict[str, Any]]:
    words = ["--journal", folder / "journal", "--result", folder / "result.json", "--tests", folder / "tests"]
    done = subprocess.run(
        [sys.executable, CHECKS, *map(str, words)], cwd=folder, capture_output=True, text=True, check=False
    )
    kept = folder / "result.json"
    return done.returncode, json.loads(kept.read_text()) if kept.exists() else {}


def test_tests_on_a_card_go_on_after_one_that_ended_the_run(tmp_path: Path) -> None:
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / "test_it.py").write_text(
        MARKED + "def test_first():\n    assert not os.path.exists('first')\n    open('first', 'w')\n"
        "def test_hangs():\n    os._exit(9)\ndef test_wrong():\n    assert 1 == 2\n"
    )
    (tests / "test_other.py").write_text("assert False, 'imported for nothing'\n")
    assert checks(tmp_path) == (9, {})
    code, found = checks(tmp_path)
    assert code == 9  # and now it comes last
    (tests / "test_it.py").write_text((tests / "test_it.py").read_text().replace("os._exit(9)", "pass"))
    code, found = checks(tmp_path)
    assert code == 0
    ended = {test["test"].rpartition("::")[2]: test["outcome"] for test in found["tests"]}
    assert ended == {"test_first": "passed", "test_wrong": "failed", "test_hangs": "passed"}
    told, problems = summary.of_checks(found)
    assert told == "2 passed, 1 failed, 0 skipped"
    assert [problem.rpartition("::")[2] for problem in problems] == ["test_wrong failed"]


def gpu(folder: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, ROOT / "benchmarks" / "gpu.py", "--output", folder, *words],
        env={**os.environ, "CUDA_VISIBLE_DEVICES": ""},
        stdout=subprocess.PIPE,
        text=True,
    )


def statuses(folder: Path) -> dict[str, str]:
    return {one["part"]: one["status"] for one in json.loads((folder / "summary.json").read_text())["parts"]}


@pytest.mark.slow
def test_a_run_without_a_card_says_what_cannot_be_done(tmp_path: Path) -> None:
    done = gpu(tmp_path)
    done.communicate()
    assert done.returncode == 0
    told = statuses(tmp_path)
    assert told.pop("doctor") == "passed"
    assert set(told.values()) == {"no card"}
    assert len(told) == 14


@pytest.mark.thorough
def test_a_rehearsal_that_was_ended_goes_on(tmp_path: Path) -> None:
    short = ["rates", "starter-pictures", "starter-text", "checks", *(f"probe-{plan}" for plan in PLANS)]
    words = ["--cpu", "--measure", "4", *(word for name in short for word in ("--only", name))]
    first = gpu(tmp_path, *words)
    done = tmp_path / "outcomes" / "rates.json"
    while not done.exists() and first.poll() is None:
        time.sleep(0.05)
    first.send_signal(signal.SIGTERM)
    first.communicate()
    assert first.returncode == 128 + signal.SIGTERM
    before = done.stat().st_mtime_ns
    assert not (tmp_path / "outcomes" / "starter-text.json").exists()

    second = gpu(tmp_path, *words)
    second.communicate()
    told = statuses(tmp_path)
    assert done.stat().st_mtime_ns == before  # not measured again
    assert told["checks"] == "no card"
    assert told["starter-pictures"] == told["starter-text"] == "passed"
    # What so little time measures on a busy machine is open; that it is told is not.
    assert {told[f"probe-{plan}"] for plan in PLANS} <= {"passed", "failed", "out of time"}
    assert all((tmp_path / "logs" / f"{name}.log").exists() for name, status in told.items() if status != "no card")
    assert not list(tmp_path.rglob("*.part"))


def test_the_kit_holds_what_the_program_needs_and_nothing_that_is_there() -> None:
    names = {pinned.partition("==")[0] for pinned in lacking()}
    assert {"typer", "textual", "platformdirs", "polars"} <= names
    assert not names & THERE
    assert "nn-advisor" not in names


@pytest.mark.parametrize("plan", PLANS)
def test_small_answers_are_about_the_same_task(plan: str) -> None:
    assert answers(plan).splitlines()[0] == answers(plan, small=True).splitlines()[0]
