"""What a child keeps in the folder of temporary files is gone when the child is, however it ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from advisor.children.command import module_command
from advisor.children.process import ChildProcess
from advisor.children.supervise import Limits
from advisor.children.temporary import GRACE_SECONDS, PREFIX, temporary_folder
from advisor.probes.protocol import Message, Sample
from advisor.probes.runner import run
from advisor.probes.settings.cores import THREADS
from advisor.probes.settings.loading import WORKERS
from advisor.probes.workload import Workload

TABLE = Workload("ffn", "tabular", 6, 2, (8,), batch_size=16, threads=1)
linux = pytest.mark.skipif(sys.platform != "linux", reason="loader processes are started on Linux only")
locks = pytest.mark.skipif(sys.platform == "win32", reason="folders have no locks there")


@pytest.fixture
def system_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Stands in for /tmp; the names of sockets in it may not be long."""
    with tempfile.TemporaryDirectory(prefix="adv-") as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)


WRITES = (
    "import os, signal, sys, tempfile, time\n"
    "open(tempfile.mkdtemp() + '/file', 'w').write('x')\n"
    "print(tempfile.gettempdir(), flush=True)\n"
)


def test_a_child_has_a_folder_of_its_own(system_folder: Path) -> None:
    with ChildProcess(module_command("", instead=[sys.executable, "-c", f"{WRITES}time.sleep(600)"])) as child:
        said = child.event(120.0)
        assert isinstance(said, bytes)
        own = Path(said.decode())
        assert own.parent == system_folder
        assert len([path for path in own.rglob("*") if path.is_file()]) == 1
    assert list(system_folder.iterdir()) == []


@pytest.mark.parametrize(
    "ending", ["sys.exit(0)", "sys.exit(3)", "os.kill(os.getpid(), signal.SIGKILL)", "time.sleep(600)"]
)
def test_nothing_is_left_however_a_probe_ends(system_folder: Path, ending: str) -> None:
    command = [sys.executable, "-c", WRITES + ending]
    outcome = run(
        THREADS, TABLE, before=2, settings=[1, 2], budget_seconds=1.0, command=command, limits=Limits(grace_seconds=0.0)
    )
    assert outcome.failure is not None
    assert list(system_folder.iterdir()) == []


def test_a_program_that_cannot_be_started_leaves_nothing(system_folder: Path) -> None:
    with pytest.raises(FileNotFoundError):
        run(THREADS, TABLE, before=2, settings=[1, 2], budget_seconds=1.0, command=["/no/such/program"])
    assert list(system_folder.iterdir()) == []


@linux
@pytest.mark.slow
def test_a_child_that_is_killed_while_it_has_loader_processes_leaves_nothing(system_folder: Path) -> None:
    pytest.importorskip("torch")
    kept: list[str] = []

    def interrupt(message: Message) -> None:
        if isinstance(message, Sample) and message.setting == 2:
            kept.extend(path.name for path in system_folder.rglob("*"))
            raise KeyboardInterrupt

    facts = {"machine.cpu.usable_cores": 6}
    with pytest.raises(KeyboardInterrupt):
        run(
            WORKERS, TABLE, before=0, settings=[0, 2], budget_seconds=300.0, facts=facts, folder=str(system_folder),
            on_event=interrupt,
        )  # fmt: skip
    assert any(name.startswith("pymp-") for name in kept), kept
    assert list(system_folder.iterdir()) == []


@locks
def test_the_folder_of_a_process_that_was_killed_is_removed_by_the_next(system_folder: Path) -> None:
    code = (
        "import sys, tempfile; tempfile.tempdir = sys.argv[1]\n"
        "from advisor.children.temporary import temporary_folder\n"
        "with temporary_folder() as folder: print(folder, flush=True); sys.stdin.read()"
    )
    for others in ("someone-else", f"{PREFIX}notes-of-somebody"):
        (system_folder / others).mkdir()
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", code, str(system_folder)], stdin=pipe, stdout=pipe, text=True
    ) as process:
        assert process.stdout is not None
        killed = Path(process.stdout.readline().strip())
        with temporary_folder():
            assert killed.exists(), "its process lives"
        process.send_signal(signal.SIGKILL)
        process.wait()
    with temporary_folder() as folder:
        assert not killed.exists()
        assert folder.exists()
    assert {left.name for left in system_folder.iterdir()} == {"someone-else", f"{PREFIX}notes-of-somebody"}


@locks
def test_a_folder_made_just_now_is_not_taken_for_an_abandoned_one(system_folder: Path) -> None:
    young, old = (Path(tempfile.mkdtemp(prefix=PREFIX)) for _ in range(2))
    make_old(old)
    with temporary_folder():
        assert young.exists()
        assert not old.exists()


def make_old(*folders: Path) -> None:
    long_ago = time.time() - 2 * GRACE_SECONDS
    for folder in folders:
        os.utime(folder, (long_ago, long_ago))
