"""A training that is stopped or loses processes goes on from its newest checkpoint, as if nothing had happened."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import psutil
import pytest
import torch

from tests.starter.blueprints import module
from tests.starter.projects import TABLE, environment, generated, plan_of, run, with_advice
from tests.starter.test_training import SMALL
from tests.strangers import family

PATIENCE = 300.0
"""Seconds that anything may take before a test gives up: machines of tests are busy."""
TORCHRUN = [sys.executable, "-m", "torch.distributed.run"]


def project(folder: Path, **advice: Any) -> Path:
    """Of a plan for two machines, which never finds that it learns no more."""
    plan = plan_of(f"{TABLE} cluster.nodes=2", network_hidden_units=[8], network_normalization="none", **SMALL)
    usual: dict[str, Any] = {"compute.device": "cluster", "fault_tolerance": "checkpoint_interval"}
    usual |= {"training.regularization": [], "training.schedule": "constant"}  # whose rate knows no end of the training
    given = {name.replace("__", "."): value for name, value in advice.items()}
    return generated(folder, with_advice(plan, {**usual, **given}))


def elastic(folder: Path) -> Path:
    return project(folder, fault_tolerance="elastic")


def last(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = torch.load(folder / "last.pt", weights_only=True)
    return content


def alike(first: Path, second: Path, tolerance: float = 0.0) -> bool:
    """True if both trainings have come to the same weights after the same steps."""
    one, other = last(first), last(second)
    pairs = [(weights, other["network"][name]) for name, weights in one["network"].items()]
    same = all(torch.allclose(*pair, rtol=0.0, atol=tolerance) for pair in pairs)
    return same and one["step"] == other["step"]


class Started:
    """A program in a project's folder, and what it says."""

    def __init__(self, line: list[str], folder: Path, **variables: str) -> None:
        self.told = folder / f"said {time.monotonic_ns()}"
        with self.told.open("wb") as said:
            self.process = subprocess.Popen(
                line, cwd=folder, env={**environment(), **variables}, stdout=said, stderr=subprocess.STDOUT
            )

    @property
    def said(self) -> str:
        return self.told.read_text(errors="replace")

    def wait_for(self, word: str, times: int = 1) -> None:
        self.until(lambda: self.said.count(word) >= times)

    def until(self, condition: Callable[[], object]) -> None:
        end = time.monotonic() + PATIENCE
        while not condition():
            assert self.process.poll() is None, self.said
            assert time.monotonic() < end, self.said
            time.sleep(0.05)

    def worker(self, rank: int) -> psutil.Process:
        """The process of torchrun that has this rank."""
        for child in psutil.Process(self.process.pid).children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):
                if child.environ().get("RANK") == str(rank) and "train.py" in child.cmdline():
                    return child
        raise AssertionError(self.said)

    def kill(self) -> None:
        """With all that it has started."""
        for each in family(self.process.pid):
            with contextlib.suppress(psutil.NoSuchProcess):
                each.kill()
        self.process.wait()


@contextlib.contextmanager
def started(line: list[str], folder: Path, **variables: str) -> Iterator[Started]:
    one = Started(line, folder, **variables)
    try:
        yield one
    finally:
        one.kill()


# --- in one process ----------------------------------------------------------------------------------------


def test_a_job_that_is_told_to_end_writes_a_checkpoint_first(tmp_path: Path) -> None:
    folder = project(tmp_path / "project")
    with started([sys.executable, "train.py", "--epochs", "1000000"], folder) as training:
        training.wait_for("step ", 2)
        training.process.send_signal(signal.SIGTERM)
        assert training.process.wait(PATIENCE) == 143, training.said
    (stopped,) = re.findall(r"Stopped at step (\d+)\. runs/last\.pt goes on with --resume\.", training.said)
    assert last(folder / "runs")["step"] == int(stopped)
    assert f"goes on from step {stopped}" in run(folder, f"python train.py --steps {int(stopped) + 1} --resume")


def test_a_failure_in_the_first_epoch_finds_a_beginning(tmp_path: Path) -> None:
    """Else the best weights would be there and no last ones, and --resume would be refused."""
    folder = project(tmp_path / "project")
    train = module(folder, "train")
    with mock.patch.object(sys, "argv", ["train.py", "--output", str(tmp_path / "runs"), "--resume", "--steps", "9"]):
        options = train.arguments()
    before = signal.getsignal(signal.SIGTERM)
    try:
        training = train.Training(options, train.start())
        training.train_epoch = lambda: 1 / 0
        with pytest.raises(ZeroDivisionError):
            training.run()
    finally:
        signal.signal(signal.SIGTERM, before)
    assert last(tmp_path / "runs")["step"] == 0


def test_another_machine_waits_until_it_sees_the_checkpoint_of_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder on the network may show an older file for a minute."""
    train = module(project(tmp_path / "project"), "train")
    training, seen = object.__new__(train.Training), [{"step": 4}, {"step": 4}, {"step": 8}]
    waited: list[float] = []
    training.last, training.place = tmp_path / "last.pt", train.Place(torch.device("cpu"), rank=1)
    training.last.touch()
    monkeypatch.setattr(train.Place, "agreed", lambda place, step: 8)
    monkeypatch.setattr(train.checkpoints, "load", lambda path: seen.pop(0))
    monkeypatch.setattr(train.time, "sleep", waited.append)
    assert training.newest() == {"step": 8}
    assert seen == []

    monkeypatch.setattr(train.checkpoints, "load", lambda path: {"step": 4})
    with pytest.raises(SystemExit, match="must name a folder that all share"):
        training.newest()
    assert sum(waited) > 60


def test_each_start_of_torchrun_meets_where_no_earlier_one_has_met(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store of torchrun outlives processes; what those of before wrote there would be read."""
    devices = module(project(tmp_path / "project"), "devices")
    shared = devices.distributed.HashStore()
    monkeypatch.setattr(devices.distributed, "TCPStore", lambda *_, **__: shared)
    for name, value in {"USE_AGENT_STORE": "True", "RESTART_COUNT": "0"}.items():
        monkeypatch.setenv(f"TORCHELASTIC_{name}", value)
    monkeypatch.setenv("MASTER_ADDR", "127.0.0.1")
    monkeypatch.setenv("MASTER_PORT", "1")
    devices.meeting_place(2).set("rank 0", "an address")
    assert devices.meeting_place(2).check(["rank 0"])
    monkeypatch.setenv("TORCHELASTIC_RESTART_COUNT", "1")
    assert not devices.meeting_place(2).check(["rank 0"])


def test_fewer_processes_take_more_passes_for_a_step(tmp_path: Path) -> None:
    folder = elastic(tmp_path / "project")
    alone = run(folder, "python train.py --epochs 2")
    content = last(folder / "runs")
    assert (content["processes"], content["steps_an_epoch"]) == (1, 25)

    content |= {"processes": 2, "steps_an_epoch": 12, "step": 24}  # as two processes would have left it
    torch.save(content, folder / "runs" / "last.pt")
    on = run(folder, "python train.py --epochs 3 --resume")
    assert "step 50/50" in alone
    assert "goes on from step 24" in on
    assert "step 36/36" in on, "each step as large as that of two"
    assert last(folder / "runs")["processes"] == 2


def test_the_rate_goes_on_where_the_epochs_are(tmp_path: Path) -> None:
    """Other processes may divide an epoch into other steps."""
    folder = elastic(tmp_path / "project")
    run(folder, "python train.py --epochs 2")
    content = last(folder / "runs")
    content |= {"steps_an_epoch": 100, "step": 200}
    torch.save(content, folder / "runs" / "last.pt")
    assert "goes on from step 50" in run(folder, "python train.py --epochs 4 --resume")
    assert last(folder / "runs")["schedule"]["last_epoch"] == 100


# --- in several --------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_a_step_of_one_process_is_that_of_the_two_that_began(tmp_path: Path) -> None:
    folder = elastic(tmp_path / "project")
    line = [sys.executable, "train.py", "--processes", "2", "--output"]
    for output, steps in (("whole", "8"), ("part", "5")):
        subprocess.run([*line, output, "--steps", steps], cwd=folder, env=environment(), check=True, timeout=PATIENCE)
    run(folder, "python train.py --output part --steps 8 --resume")
    assert alike(folder / "whole", folder / "part", tolerance=1e-6)


@pytest.mark.thorough
@pytest.mark.parametrize("rank", [0, 1])
def test_torchrun_goes_on_from_the_newest_checkpoint_when_a_worker_is_killed(rank: int, tmp_path: Path) -> None:
    folder = project(tmp_path / "project")
    line = [
        *TORCHRUN,
        "--standalone",
        "--nproc-per-node=2",
        "--max-restarts=2",
        "train.py",
        "--resume",
        "--steps",
        "480",
    ]
    subprocess.run([*line, "--output", "whole"], cwd=folder, env=environment(), check=True, timeout=PATIENCE)

    with started([*line, "--output", "killed"], folder) as training:
        training.wait_for("step ", 3)
        training.worker(rank).kill()
        assert training.process.wait(PATIENCE) == 0, training.said
    (step,) = re.findall(r"goes on from step (\d+)", training.said)
    assert int(step) > 0
    assert training.said.count("this training starts anew") == 1
    assert alike(folder / "whole", folder / "killed"), "as if nothing had happened"


@pytest.mark.thorough
def test_when_all_processes_are_told_to_end_those_that_load_examples_let_them_finish(tmp_path: Path) -> None:
    """As Slurm does, which sends a signal to everything that a job has started."""
    folder = project(tmp_path / "project", data__pipeline=["workers"])
    assert "WORKERS = 4" in (folder / "settings.py").read_text()
    line = ["bash", "train.sh", "127.0.0.1", "0", "--epochs", "1000000"]
    alone = (
        (folder / "train.sh")
        .read_text()
        .replace("--nnodes=2 ", "--nnodes=1 ")
        .replace("--nproc-per-node=1", "--nproc-per-node=2")
    )
    (folder / "train.sh").write_text(alone)
    with started(line, folder, PATH=path_with_torchrun(tmp_path), PORT="29573") as training:
        training.wait_for("step ", 2)
        everybody = family(training.process.pid)
        assert len(everybody) > 2 + 2 * 4
        for each in reversed(everybody):
            each.terminate()
        assert psutil.wait_procs(everybody, PATIENCE)[1] == [], training.said
    (stopped,) = re.findall(r"Stopped at step (\d+)", training.said)
    assert last(folder / "runs")["step"] == int(stopped)


def path_with_torchrun(folder: Path) -> str:
    programs = folder / "bin"
    programs.mkdir()
    (programs / "torchrun").write_text(f'#!/bin/sh\nexec {shlex.join(TORCHRUN)} "$@"\n')
    (programs / "torchrun").chmod(0o755)
    (programs / "python").symlink_to(sys.executable)
    return f"{programs}:{os.environ['PATH']}"


@pytest.mark.thorough
@pytest.mark.parametrize("gently", [True, False], ids=["told before", "without a word"])
def test_a_machine_leaves_and_comes_back(gently: bool, tmp_path: Path) -> None:
    """Two machines, which are this one."""
    folder, path = elastic(tmp_path / "project"), path_with_torchrun(tmp_path)

    def machine(number: int) -> Started:
        line = ["bash", "train.sh", "localhost", str(number), "--epochs", "1000000"]
        return Started(line, folder, PATH=path, PORT="29574")

    first, second = machine(0), machine(1)
    try:
        first.wait_for("step ", 3)
        if gently:
            second.process.terminate()
        else:
            second.kill()
        first.wait_for("goes on from step ")
        step = int(re.findall(r"goes on from step (\d+)", first.said)[0])
        assert step > 0
        if gently:
            assert f"Stopped at step {step}." in first.said, "nothing is lost"
        first.until(lambda: last(folder / "runs")["step"] > step)
        second.kill()
        second = machine(1)
        first.wait_for("goes on from step ", 2)
    finally:
        for one in (first, second):
            one.kill()
    *_, stopped = re.findall(r"Stopped at step (\d+)", first.said)
    assert int(stopped) > step
    assert last(folder / "runs")["processes"] == 2


# --- with the schedulers themselves, where they are installed ----------------------------------------------


@pytest.mark.thorough
def test_ray_makes_a_trainer_of_it(tmp_path: Path) -> None:
    pytest.importorskip("ray.train.torch")
    folder = elastic(tmp_path / "project")
    trainer = module(folder, "train_ray").trainer(module(folder, "train").argparse.Namespace(output=tmp_path / "runs"))
    assert (trainer.scaling_config.min_workers, trainer.scaling_config.max_workers) == (1, 2)
    assert trainer.run_config.failure_config.max_failures == 100


@pytest.mark.thorough
def test_skypilot_makes_a_task_of_it(tmp_path: Path) -> None:
    task = pytest.importorskip("sky").Task
    folder = project(tmp_path / "project")
    file = folder / "train.sky.yaml"
    file.write_text(file.read_text().replace("your-data", "s3://bucket/data"))
    with contextlib.chdir(folder):
        made = task.from_yaml(str(file))
    assert made.num_nodes == 2
    (resources,) = made.resources
    assert resources.job_recovery["max_restarts_on_errors"] == 3


@pytest.mark.thorough
def test_kubeflow_reads_its_manifests(tmp_path: Path) -> None:
    models = pytest.importorskip("kubeflow_trainer_api.models")
    yaml = pytest.importorskip("yaml")
    documents = yaml.safe_load_all((project(tmp_path / "project") / "train.trainjob.yaml").read_text())
    found = {document["kind"]: document for document in documents}
    job = models.TrainerV1alpha1TrainJob.from_dict(found["TrainJob"])
    runtime = models.TrainerV1alpha1TrainingRuntime.from_dict(found["TrainingRuntime"])
    assert job.spec.trainer.num_nodes == 2
    assert runtime.spec.template.spec.failure_policy.max_restarts == 3


SLURM = ("slurmctld", "slurmd", "munged", "sbatch", "unshare", "ip")


@pytest.mark.thorough
@pytest.mark.skipif(os.geteuid() != 0 or not all(map(shutil.which, SLURM)), reason="needs Slurm, munge and root")
def test_slurm_itself_ends_a_job_with_a_checkpoint_and_starts_it_again(tmp_path: Path) -> None:
    """Slurm with two machines, which are this one, in namespaces of their own: nothing is reached from elsewhere, or left."""
    folder = project(tmp_path / "project", data__pipeline=["workers"])
    script = tmp_path / "cluster.sh"
    script.write_text(CLUSTER.format(folder=tmp_path, project=folder, python=sys.executable))
    (tmp_path / "slurm.conf").write_text(CONFIGURATION.format(folder=tmp_path, host=os.uname().nodename))
    line = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "bash", str(script)]
    with started(line, tmp_path, PATH=path_with_torchrun(tmp_path), SLURM_CONF=str(tmp_path / "slurm.conf")) as cluster:
        assert cluster.process.wait(PATIENCE) == 0, cluster.said
    log = (folder / "train-1.log").read_text()
    (stopped,) = re.findall(r"Stopped at step (\d+)", log)[:1]
    assert f"goes on from step {stopped}" in log, cluster.said


CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthInfo=socket={folder}/munge/socket
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmdSpoolDir={folder}/spool-%n
StateSaveLocation={folder}/state
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port=17001 CPUs=8 RealMemory=2000
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port=17002 CPUs=8 RealMemory=2000
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
"""
CLUSTER = """
set -eu
cd '{folder}'
ip link set lo up
ip link add name one type veth peer name two  # names are looked up only where there is more than loopback
ip address add 10.9.9.9/24 dev one
ip link set one up
ip link set two up
(cat /etc/hosts; echo 127.0.0.1 n1 n2) > hosts
mount --bind hosts /etc/hosts
mkdir -p state spool-n1 spool-n2 munge
chmod 700 munge
head -c 1024 /dev/urandom > munge/key
chmod 600 munge/key
munged --force --key-file="$PWD/munge/key" --socket="$PWD/munge/socket" --pid-file="$PWD/munge/pid" \\
    --log-file="$PWD/munge/log" --seed-file="$PWD/munge/seed"
slurmctld -c
slurmd -N n1
slurmd -N n2
until [ "$(sinfo --noheader --format=%T)" = idle ]; do sleep 1; done
cd '{project}'
sbatch --time=3 train.slurm '' --epochs 1000000
until squeue --noheader --format=%r | grep -q BeginTime; do sleep 1; done
scontrol update JobId=1 StartTime=now
until grep -q 'goes on from' train-1.log; do sleep 1; done
"""
