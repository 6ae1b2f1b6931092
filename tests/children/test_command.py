"""Every process is started by one function, and none of them gets the current folder."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from advisor.children.command import Command, answer, module_command, program_command
from advisor.children.process import ChildProcess
from tests.traps import sprung, trapped

PACKAGE = Path(__file__).parents[2] / "advisor"
STARTERS = frozenset({"subprocess", "multiprocessing", "pty", "posix_spawn", "fork", "forkpty", "system", "popen"})
MAY_START = {
    "children/command.py": "it is the one that does",
    "children/process.py": "watches what was started",
    "children/helper.py": "watches what was started",
    "children/guard.py": "forks: the keeper of a process of ours, which ends what foreign code of that process starts",
    "distributed/wires/hub.py": "runs ip and tc by their whole paths, inside the namespaces that it holds",
    "probes/benches/feeding.py": "forks: the loaders of torch, which begin as a copy of a process of ours",
}
MAY_NAME_THE_INTERPRETER = {"children/command.py", "cli/commands/looking/doctor.py"}  # doctor: in a line to be typed


def names_in(tree: ast.AST) -> Iterator[str]:
    """Of what is imported, and of attributes: `os.system`."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=module, names=names):
                yield from [str(module), *(alias.name for alias in names)]
            case ast.Attribute(value=ast.Name(owner), attr=name):
                yield f"{owner}.{name}"


def starts(name: str) -> bool:
    """True of a name by which processes are started."""
    first, _, last = name.rpartition(".")
    exec_or_spawn = last.startswith(("exec", "spawn")) and first == "os"
    return exec_or_spawn or (last in STARTERS and first in ("", "os")) or name.partition(".")[0] == "subprocess"


def test_nothing_is_started_past_the_one_function() -> None:
    found, interpreter = set(), set()
    for path in PACKAGE.rglob("*.py"):
        names = set(names_in(ast.parse(path.read_text(encoding="utf-8"))))
        place = path.relative_to(PACKAGE).as_posix()
        if any(map(starts, names)):
            found.add(place)
        if "sys.executable" in names:
            interpreter.add(place)
    assert found == set(MAY_START)
    assert interpreter == MAY_NAME_THE_INTERPRETER


@pytest.mark.parametrize(
    "name", ["subprocess.Popen", "os.system", "os.execv", "os.spawnl", "multiprocessing", "os.fork"]
)
def test_the_search_finds_other_ways_to_start_a_process(name: str) -> None:
    assert starts(name)


def said(command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The lines that a child prints which is started in that folder."""
    monkeypatch.chdir(folder)
    lines = []
    with ChildProcess(command) as child:
        while isinstance(event := child.event(120.0), bytes):
            lines.append(event.decode())
    return lines


TELLS = """
import os, subprocess, sys
import json, yaml
print(os.getcwd())
subprocess.run([sys.executable, "-c", "import json, yaml"])
"""


@pytest.mark.parametrize("entries", ["", ".", "relative", f"{os.pathsep}/no/such", f"/no/such{os.pathsep}"])
def test_neither_a_child_nor_what_it_starts_finds_modules_of_the_current_folder(
    entries: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = trapped(tmp_path / "trap")
    trapped(folder / "relative")
    monkeypatch.setenv("PYTHONPATH", entries)
    for own in (None, [sys.executable, "-c", TELLS]):
        lines = said(module_command("json.tool", instead=own), folder, monkeypatch)
        assert str(folder) not in lines
    assert sprung(folder) == []


def test_of_search_paths_absolute_entries_are_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PYTHONPATH", "PATH", "LD_LIBRARY_PATH", "CPATH"):
        monkeypatch.setenv(name, os.pathsep.join(["", "/first", ".", "lib", "/second", ""]))
    for environment in (module_command("x").environment, program_command("/bin/true").environment):
        for name in ("PYTHONPATH", "PATH", "LD_LIBRARY_PATH", "CPATH"):
            assert environment[name] == f"/first{os.pathsep}/second"


def test_of_the_variables_of_python_those_are_passed_on_that_are_meant_for_children(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    meant = {"PYTHONHOME": "/python", "PYTHONNOUSERSITE": "1", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"}
    astray = ("INSPECT", "STARTUP", "BREAKPOINT", "WARNINGS", "PROFILEIMPORTTIME", "VERBOSE", "DEBUG", "OF_TOMORROW")
    for name, value in {**meant, **{f"PYTHON{name}": "1" for name in astray}}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", "relative")
    monkeypatch.setenv("PYTORCH_ALLOC_CONF", "a word of torch")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    environment = module_command("x").environment
    ours = {name: value for name, value in environment.items() if name.startswith("PYTHON")}
    assert {name: value for name, value in ours.items() if name != "PYTHONPATH"} == {**meant, "PYTHONSAFEPATH": "1"}
    assert environment["PYTORCH_ALLOC_CONF"] == "a word of torch"
    assert environment["CUDA_VISIBLE_DEVICES"] == ""


def test_variables_are_changed_and_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_PLACES", "cores")
    environment = module_command("x", {"OMP_PLACES": None, "OMP_NUM_THREADS": "2"}).environment
    assert "OMP_PLACES" not in environment
    assert environment["OMP_NUM_THREADS"] == "2"


def test_a_child_is_not_kept_waiting_by_a_variable_for_the_command_that_was_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONINSPECT", "1")
    monkeypatch.setenv("PYTHONPROFILEIMPORTTIME", "1")
    with ChildProcess(module_command("", instead=[sys.executable, "-c", "print(1)"])) as child:
        assert child.event(120.0) == b"1"
        assert child.ending(60.0) == 0
        assert child.last_words() == ""


@pytest.mark.skipif(sys.platform == "win32", reason="asks a program of Unix")
def test_a_program_of_the_system_is_asked() -> None:
    assert answer(program_command("/bin/sh", "-c", "echo here"), 60) == "here"
    assert answer(program_command("/bin/sh", "-c", "exit 1"), 60) is None
    assert answer(program_command("/no/such/program"), 60) is None
    assert answer(program_command("/bin/sh", "-c", "sleep 600"), 0.2) is None


def test_the_traps_of_these_tests_spring(tmp_path: Path) -> None:
    folder = trapped(tmp_path / "trap")
    subprocess.run([sys.executable, "-c", "import torch"], cwd=folder, check=False, capture_output=True)
    assert sprung(folder) == ["torch.py"]


def test_a_reader_that_an_interrupt_kept_from_beginning_finds_no_pipe_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    readers: list[threading.Thread] = []

    def interrupted(reader: threading.Thread) -> None:
        readers.append(reader)
        raise KeyboardInterrupt

    command = module_command("", instead=[sys.executable, "-c", "print(1)"])
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", interrupted)
        with pytest.raises(KeyboardInterrupt), ChildProcess(command):
            pass
    (reader,) = readers
    reader.run()
