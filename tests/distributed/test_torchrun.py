"""The same worker under torchrun, which says where the others are."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.distributed.job import MESSAGES, Ended, Job, Ready, Run
from advisor.distributed.task import Task
from advisor.plain import encode

pytestmark = pytest.mark.thorough

TASK = Task("ffn", "tabular", 12, 4, (16,), most_examples=1000)
WORKER = "advisor.distributed.worker"


def job_file(folder: Path, *strategies: str, **changed: object) -> Path:
    settings = {"seconds": 0.5, "calibrates": False, **changed}
    path = folder / "job.json"
    path.write_text(json.dumps(encode(Job(TASK, strategies, 2, **settings))))  # type: ignore[arg-type]
    return path


def torchrun(processes: int, path: Path) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--standalone",
        f"--nproc-per-node={processes}",
        "-m",
        WORKER,
    ]
    return subprocess.run([*command, str(path)], capture_output=True, text=True, timeout=120, check=False)


def test_two_workers_and_a_server_are_three_processes(tmp_path: Path) -> None:
    done = torchrun(3, job_file(tmp_path, "synchronous", "asynchronous", "sharded"))
    assert done.returncode == 0, done.stderr
    said = [MESSAGES.read(line.encode()) for line in done.stdout.splitlines()]
    assert [one.strategy for one in said if isinstance(one, Run)] == ["synchronous", "asynchronous", "sharded"]
    assert sum(isinstance(one, Ready) for one in said) == 1
    assert sum(isinstance(one, Ended) for one in said) == 3


def test_too_few_processes_are_refused(tmp_path: Path) -> None:
    done = torchrun(2, job_file(tmp_path, "asynchronous"))
    assert done.returncode != 0
    assert "are 3 processes, and torchrun starts 2" in done.stderr


def test_a_port_in_use_is_said(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        where = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(taken.getsockname()[1]), "RANK": "0", "WORLD_SIZE": "2"}
        command = [sys.executable, "-m", WORKER, str(job_file(tmp_path, "synchronous"))]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=60, check=False, env={**os.environ, **where}
        )
    assert done.returncode == 1
    assert f"the port {where['MASTER_PORT']} is in use" in done.stderr
    assert "--master-port" in done.stderr
