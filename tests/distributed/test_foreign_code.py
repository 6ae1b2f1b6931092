"""Code of the user that workers run: nothing that it starts outlives them, and it finds nothing on the standard input."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import psutil
import pytest

from advisor.distributed.job import Job, Message, Progress
from advisor.distributed.launching.launch import run
from advisor.distributed.task import Task
from advisor.models.code import Argument, Code, Library
from advisor.probes.workload import NamedNetwork
from tests.faults.terminals import ADVISOR, Terminal

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the kernel of Linux keeps track of them")

LEAVES = """
import os, signal, sys, time
from pathlib import Path
from torch import nn

def leave():
    reading, writing = os.pipe()
    if os.fork():
        os.close(writing)
        os.read(reading, 1)  # until the other has left its number
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    (Path(__file__).parent / "left" / str(os.getpid())).touch()
    os.write(writing, b"x")
    os.closerange(0, 64)
    while True:
        time.sleep(60)

def rows():
    leave()
    return nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, 3 + len(sys.stdin.read())))
"""
GONE_SECONDS = 60.0
"""For the kernel to end what was killed, while the machine is busy."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "left").mkdir()
    path = tmp_path / "net.py"
    path.write_text(LEAVES)
    return path


def alive(file: Path) -> list[int]:
    """Processes that the code has left and that do not end; they are ended then."""
    numbers = [int(one.name) for one in (file.parent / "left").iterdir()]
    assert numbers, "nothing has left"
    found = [psutil.Process(number) for number in numbers if psutil.pid_exists(number)]
    ours = [one for one in found if one.status() != psutil.STATUS_ZOMBIE]
    _, rest = psutil.wait_procs(ours, timeout=GONE_SECONDS)
    rest = [one for one in rest if one.status() != psutil.STATUS_ZOMBIE]
    for one in rest:
        one.kill()
    return [one.pid for one in rest]


def job(file: Path, **changed: object) -> Job:
    code = Code(Library.FILE, "rows", (Argument((12,)),), file=str(file))
    task = Task("ffn", "tabular", 1, 1, named=NamedNetwork("net.py:rows", 259, "code", code), most_examples=300)
    settings = {"workers": 2, "seconds": 0.3, "calibrates": False, **changed}
    return Job(task, ("local_sgd",), **settings)  # type: ignore[arg-type]


def test_what_code_starts_in_another_session_ends_with_the_workers(file: Path) -> None:
    results = run(job(file))

    assert results.failed == ""
    assert len(results.runs) == 1
    assert alive(file) == []


def test_it_ends_where_a_worker_is_killed_too(file: Path) -> None:
    killed: list[int] = []

    def hear(message: Message) -> None:
        if isinstance(message, Progress) and not killed:
            workers = [one for keeper in psutil.Process().children() for one in keeper.children() if _trains(one)]
            killed.append(workers[0].pid)
            os.kill(workers[0].pid, signal.SIGKILL)

    results = run(job(file, seconds=60.0), hear=hear)

    assert "was ended by SIGKILL" in results.failed
    assert alive(file) == []


def _trains(process: psutil.Process) -> bool:
    return any("distributed.worker" in part for part in process.cmdline()) and process.pid != process.ppid()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL, signal.SIGHUP])
def test_nothing_is_left_of_the_command_that_is_ended(number: signal.Signals, file: Path, tmp_path: Path) -> None:
    told = ("task.kind=classify", "task.outputs=3", "data.modality=tabular")
    command = [
        "sync",
        "--model",
        "net.py:rows",
        "--input",
        "12",
        "--strategies",
        "synchronous,local_sgd",
        "--seeds",
        "3",
    ]
    command += ["--budget", "10min", *(word for one in told for word in ("--set", one))]
    private = {"ADVISOR_STATE": str(tmp_path / "state"), "TMPDIR": str(tmp_path)}
    terminal = Terminal([*ADVISOR, *command], tmp_path, private)
    try:
        while "net.py:rows were made" not in terminal.lines() and terminal.process.poll() is None:
            terminal.take()
        terminal.process.send_signal(number)
        assert terminal.ends() in (128 + number, -number), terminal.lines()
        assert "Traceback" not in terminal.lines()
        assert terminal.left() == []
        assert alive(file) == []
    finally:
        terminal.close()
