"""From nodes to a plan: two of them are measured by torchrun on this machine, and the plan rests on what was found."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.cluster.profile import read
from advisor.session.inputs import Inputs, gather, plan_of
from advisor.session.reporting import report_of
from tests.cluster.made import profile
from tests.cluster.test_runs import PATIENCE, free_port

TASK = ["task.kind=classify", "data.modality=image", "data.inputs=3072", "data.examples=50000", "task.outputs=10"]


def reported(machine: Path) -> tuple[Inputs, str]:
    """The inputs of a plan for this machine, and its report."""
    inputs = gather(sets=TASK, machine=str(machine), complain=lambda title, what: None, recall=False)
    plan = plan_of(inputs)

    def nothing() -> object:
        raise AssertionError("a page of text shows no evidence")

    return inputs, report_of(plan, inputs.knowledge, "json", nothing)  # type: ignore[arg-type]


def network_in(report: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(report)["facts"]["cluster.network_bytes_per_second"]
    return found


def test_the_plan_names_the_link_and_when_it_was_measured(tmp_path: Path) -> None:
    path = tmp_path / "cluster.json"
    path.write_text(json.dumps(profile().to_json()))
    _, report = reported(path)
    assert network_in(report) == {"value": 1e7, "source": "measured", "note": "on 2 nodes on 2030-01-02"}


@pytest.mark.thorough
def test_two_nodes_of_torchrun_are_the_machine_of_a_plan(tmp_path: Path) -> None:
    """Two launchers on this machine: torchrun numbers them as it numbers nodes."""
    path, endpoint = tmp_path / "cluster.json", f"127.0.0.1:{free_port()}"
    command = [
        sys.executable, "-m", "torch.distributed.run", "--nnodes=2", "--nproc-per-node=1", "--rdzv-backend=c10d",
        f"--rdzv-endpoint={endpoint}", "-m", "advisor.cluster", "--seconds", "2", "--output", str(path), "--save", "here",
    ]  # fmt: skip
    state = {"ADVISOR_STATE": str(tmp_path / "state"), "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
    nodes = [
        subprocess.Popen(
            command, env={**os.environ, **state}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    try:
        said = [node.communicate(timeout=PATIENCE) for node in nodes]
    finally:
        for node in nodes:
            node.kill()
    assert [node.returncode for node in nodes] == [0, 0], said
    measured = read(path)
    assert len(measured.nodes) == 2
    inputs, report = reported(path)
    told = network_in(report)
    assert told["value"] == measured.network()
    assert str(told["note"]).startswith(f"on 2 nodes on {measured.date[:10]}")
    assert inputs.cluster == measured
    assert list((tmp_path / "state").rglob("clusters/here.json"))
