"""`--help` and `advisor help`: groups, lines that are whole, topics, and examples that run as they are printed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.agent.remembered.memory import remember
from advisor.cli.app import COMMANDS
from advisor.cli.helping import EXAMPLES, GROUPS
from advisor.cli.topics import TOPICS
from advisor.machine.detection.detection import detect

from ..agent.profiles_made import MEMORY, gauged
from .program import advisor, environment, keep_standards, refused

MEASURING = {"probe", "try", "apply", "bench", "sync", "profiles compare", "profiles export"}
ELSEWHERE = {
    "try": "apply",
    "probe": "tests/cli/test_probing.py",
    "bench": "tests/cli/test_bench.py",
    "sync": "tests/cli/test_sync.py",
    "simulate": "tests/cli/test_simulate.py",
    "profiles export": "profiles compare",
    "rules check": "make lint",
    "rules test": "make lint",
    "rules coverage": "make lint",
}
"""Whose lines CI runs in another place, which is named: here only by `make test-all`."""
NARROW = "--budget 30s --width 0.01 --batch 32,128"
SERVING = {"serve"}
"""It runs until Ctrl-C: tests/web."""
PARENTS = {"", *(name.rpartition(" ")[0] for name in COMMANDS)} - {"probe"}


def test_every_command_is_in_one_group() -> None:
    grouped = [name for names in GROUPS.values() for name in names]
    assert sorted(grouped) == sorted(name for name in COMMANDS if " " not in name)


@pytest.mark.parametrize("parent", sorted(PARENTS))
def test_each_command_has_a_whole_line_within_80_columns(parent: str) -> None:
    lines = advisor(*parent.split(), "--help", env={"COLUMNS": "80"}).out.splitlines()
    below = [name for name in COMMANDS if name.rpartition(" ")[0] == parent]
    for name in below:
        (line,) = (line for line in lines if line.startswith(f"  {name.rpartition(' ')[2]}  "))
        assert line.endswith(COMMANDS[name][1].partition("\n")[0])
        assert len(line) <= 80


def test_the_help_of_the_program_has_its_groups_in_order_topics_and_examples() -> None:
    out = advisor("--help").out
    headings = [line.rstrip(":") for line in out.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert headings == ["Options", *GROUPS, "Topics (advisor help TOPIC)", "Examples"]
    assert ", ".join(TOPICS) in " ".join(out.split())


def test_every_command_has_examples_that_call_it() -> None:
    assert set(EXAMPLES) == {"", *COMMANDS}
    for name, lines in EXAMPLES.items():
        assert any(line.startswith(f"advisor {name}".strip()) for line in lines)
        for line in lines:
            assert line in advisor(*name.split(), "--help").out if name in ("", "recommend", "rules list") else True


def marked(name: str) -> object:
    return pytest.param(name, marks=[pytest.mark.thorough] if name in ELSEWHERE else [])


def run_examples(name: str, folder: Path, narrow: bool = False) -> None:
    """Types every example of a command; `narrow` has those that take minutes time narrow networks, in less."""
    program = folder / "bin" / "advisor"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m advisor "$@"\n')
    program.chmod(0o755)
    work = folder / "empty"
    work.mkdir()
    env = environment(ADVISOR_STATE=str(folder / "state"))
    keep_standards(folder / "state")
    env["PATH"] = f"{program.parent}{os.pathsep}{env['PATH']}"
    for line in EXAMPLES[name]:
        if line == "advisor":  # it needs a terminal
            continue
        done = subprocess.run(
            ["sh", "-c", re.sub(r"--budget \d+min", NARROW, line) if narrow else line],
            cwd=work,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert (done.returncode, "Traceback" in done.stderr) == (0, False), (line, done.stderr)


@pytest.mark.parametrize("name", [marked(name) for name in sorted(set(EXAMPLES) - MEASURING - SERVING)])
@pytest.mark.some(8)
def test_examples_run_as_they_are_printed(name: str, tmp_path: Path) -> None:
    run_examples(name, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", [marked(name) for name in sorted(MEASURING)])
def test_examples_that_measure_run_as_they_are_printed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is kept on a busy machine, as tests find it: what others compare and export was measured before."""
    monkeypatch.setenv("ADVISOR_STATE", str(tmp_path / "state"))
    machine = detect()
    for kept in ("morning", "evening"):
        remember(machine, [gauged({MEMORY: 2e10}, probe="memory", machine=machine)], kept)
    run_examples(name, tmp_path, narrow=True)


@pytest.mark.thorough
def test_examples_that_take_minutes_run_for_as_long_as_they_say(tmp_path: Path) -> None:
    run_examples("bench", tmp_path)


@pytest.mark.parametrize("topic", TOPICS)
def test_a_topic_is_told_on_one_screen(topic: str) -> None:
    done = advisor("help", *topic.split("-"))
    assert (done.code, done.err) == (0, "")
    assert done.out.upper().startswith(topic.replace("-", " ").upper())
    lines = done.out.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80


def test_help_of_a_command_is_its_own_help() -> None:
    for command in (["recommend"], ["rules", "show"], []):
        assert advisor("help", *command).out == advisor(*command, "--help").out


def test_help_that_does_not_exist_is_refused_with_the_nearest() -> None:
    assert "Did you mean answers?" in refused("help", "anwers")
    assert "Topics: answers, data" in refused("help", "qqqqqq")
