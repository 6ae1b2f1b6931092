"""Processes that learn together: started by one line of the README, and open to nobody else."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from ipaddress import ip_address
from pathlib import Path

import psutil
import pytest
import torch

from tests.starter.projects import TABLE, command, commands, environment, generated, plan_of
from tests.starter.test_training import SMALL
from tests.strangers import attack, family, listening

pytestmark = pytest.mark.slow
PATIENCE = 300.0
"""Seconds that anything may take before a test gives up: machines of tests are busy."""
TORCHRUN = [sys.executable, "-m", "torch.distributed.run"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = generated(tmp_path / "project", plan_of(TABLE, network_hidden_units=[8], **SMALL))
    settings = (project / "settings.py").read_text()
    changed = re.sub("(?m)^PATIENCE = [0-9]+", "PATIENCE = 10**9", settings)
    assert changed != settings, "it would end when it learns no more"
    (project / "settings.py").write_text(changed)
    return project


@pytest.fixture
def table(tmp_path: Path) -> Path:
    table = tmp_path / "table.csv"
    table.write_text("a,b,kind\n" + "".join(f"{i % 7},{i % 5},{'even' if i % 2 else 'odd'}\n" for i in range(80)))
    return table


def line_of(project: Path) -> list[str]:
    """The line of the README that starts several processes on this computer."""
    (line,) = [line for line in commands(project) if "torchrun" in line or "--processes" in line]
    program, *arguments = shlex.split(line)
    return [*({"python": [sys.executable], "torchrun": TORCHRUN}[program]), *arguments]


@contextlib.contextmanager
def running(line: list[str], project: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The training, which ends with all its processes when the test does."""
    with (project / "said").open("wb") as said:
        process = subprocess.Popen(line, cwd=project, env=environment(), stdout=said, stderr=subprocess.STDOUT)
    try:
        yield process
    finally:
        for each in family(process.pid):
            with contextlib.suppress(psutil.NoSuchProcess):
                each.kill()
        process.wait()


def epochs_told(project: Path) -> int:
    return (project / "said").read_text(errors="replace").count("step ")


def wait_for(condition: Callable[[], object], process: subprocess.Popen[bytes], project: Path) -> None:
    until = time.monotonic() + PATIENCE
    while not condition():
        assert process.poll() is None, (project / "said").read_text()
        assert time.monotonic() < until, (project / "said").read_text()
        time.sleep(0.05)


def test_the_line_of_the_readme_listens_to_this_computer_alone_and_runs_nothing_that_it_is_sent(
    project: Path, tmp_path: Path
) -> None:
    """All ports are written to, as another user of this computer could."""
    mark = tmp_path / "MARK"
    line = [word for word in line_of(project) if word not in ("--data", "PATH")]
    with running([*line, "--epochs", "1000000"], project) as training:
        wait_for(lambda: epochs_told(project), training, project)
        found = listening(training.pid)
        assert len(found) >= 2, "the two processes exchange by sockets"
        assert [ip for ip in found.values() if not ip_address(ip).is_loopback] == []
        assert attack(found, mark) == []
        told = epochs_told(project)
        wait_for(lambda: epochs_told(project) > told + 5, training, project)
        assert not mark.exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_all_processes_end_with_the_one_that_was_typed(project: Path, number: signal.Signals) -> None:
    line = [word for word in line_of(project) if word not in ("--data", "PATH")]
    with running([*line, "--epochs", "1000000"], project) as training:
        wait_for(lambda: epochs_told(project), training, project)
        processes = family(training.pid)[1:]
        training.send_signal(number)
        training.wait(PATIENCE)
        assert psutil.wait_procs(processes, PATIENCE)[1] == []
        assert [path for path in (project / "together").iterdir() if path.name.startswith((".", "tmp"))] == []


def test_two_processes_share_the_rows(project: Path, table: Path, tmp_path: Path) -> None:
    project = generated(tmp_path / "with data", plan_of(TABLE, network_hidden_units=[8], **SMALL), data=table)
    done = subprocess.run(
        [*line_of(project), "--epochs", "2"], cwd=project, env=environment(), capture_output=True, text=True,
        check=False, timeout=500,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("step ") == 2  # only one of the two tells of each epoch
    last = torch.load(project / "together" / "last.pt", weights_only=True)
    assert last["step"] == 4  # 64 rows: two batches of 16 for each


def test_what_one_process_cannot_do_is_said_once_for_all(project: Path) -> None:
    done = subprocess.run(
        [sys.executable, "train.py", "--processes", "2", "--data", "missing"], cwd=project, env=environment(),
        capture_output=True, text=True, check=False, timeout=500,
    )  # fmt: skip
    assert done.returncode == 1
    assert "missing cannot be read as a table" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_process_that_loses_another_waits_for_its_reason(project: Path) -> None:
    """The first leaves the group some time before it ends, as a slow end does."""
    devices = project / "devices.py"
    joined = "        distributed.init_process_group(backend, store=store, rank=rank, world_size=world)\n"
    leaves = f"{' ' * 8}if rank == 0:\n{' ' * 12}distributed.destroy_process_group()\n{' ' * 12}time.sleep(2)\n"
    assert joined in devices.read_text()
    says = f"{' ' * 12}raise SystemExit('The first says why.')\n{' ' * 8}distributed.barrier()\n"
    devices.write_text(devices.read_text().replace(joined, joined + leaves + says))
    done = subprocess.run(
        [sys.executable, "train.py", "--processes", "2"], cwd=project, env=environment(),
        capture_output=True, text=True, check=False, timeout=500,
    )  # fmt: skip
    assert done.returncode == 1
    assert "The first says why." in done.stderr
    assert "Traceback" not in done.stderr


SRUN = """#!/bin/sh
# Two machines, which are this one.
while case "$1" in -*) ;; *) false ;; esac; do shift; done
SLURM_NODEID=1 "$@" & other=$!
SLURM_NODEID=0 "$@"; first=$?
wait $other && exit $first
"""


def test_the_job_for_a_cluster_trains_and_runs_nothing_that_its_store_is_sent(tmp_path: Path, table: Path) -> None:
    """Slurm itself is made up. The store listens everywhere, which the README says."""
    plan = plan_of(f"{TABLE} cluster.nodes=2", network_hidden_units=[8], compute_device="cluster", **SMALL)
    project = generated(tmp_path / "project", plan)
    assert "only where you trust everybody on these networks" in " ".join(
        (project / "docs/cluster.md").read_text().split()
    )
    programs = tmp_path / "bin"
    programs.mkdir()
    torchrun = f'#!/bin/sh\nexec {shlex.join(TORCHRUN)} "$@"\n'
    for name, script in {"srun": SRUN, "scontrol": "#!/bin/sh\necho 127.0.0.1\n", "torchrun": torchrun}.items():
        (programs / name).write_text(script)
        (programs / name).chmod(0o755)
    slurm = {"SLURM_JOB_ID": "4711", "SLURM_JOB_NUM_NODES": "2", "SLURM_JOB_NODELIST": "node[1-2]"}
    job = ["env", f"PATH={programs}:{os.environ['PATH']}", *(f"{name}={value}" for name, value in slurm.items())]
    mark = tmp_path / "MARK"
    with running([*job, "bash", "train.slurm"], project) as training:
        wait_for(lambda: bool(attack(listening(training.pid), mark)), training, project)
        wait_for(lambda: epochs_told(project), training, project)
        assert not mark.exists()


def test_torchrun_starts_it_too(project: Path, table: Path) -> None:
    line = [*TORCHRUN, "--nproc-per-node=2", "--master-port=29571", "train.py", "--data", str(table), "--epochs", "1"]
    done = subprocess.run(
        line, cwd=project, env=environment(), capture_output=True, text=True, check=False, timeout=500
    )
    assert done.returncode == 0, done.stderr
    assert command(project, "--processes")
    assert done.stdout.count("step ") == 1
