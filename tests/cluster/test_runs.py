"""The whole program, its ranks started as torchrun would: what it leaves, and how it ends where one of them is missing."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from advisor.cluster.profile import Group, Kind, Operation, read
from advisor.distributed.wires.links import Place, links
from tests.distributed.load import straggler

PATIENCE = 120
"""Seconds for a busy machine to start torch and to measure."""
HERE = Place((), "lo", "127.0.0.1")


class Ranks:
    """Processes of one measurement."""

    def __init__(self, state: Path, places: Sequence[Place], *arguments: str, ranks: int | None = None) -> None:
        """Args: ranks: how many are to come, where not all are started."""
        self._state = state
        port = str(free_port()) if places[0] is HERE else "29500"
        self.processes = [
            self._start(place, arguments, {
                "RANK": str(rank), "WORLD_SIZE": str(ranks or len(places)), "MASTER_ADDR": places[0].address,
                "MASTER_PORT": port, "GLOO_SOCKET_IFNAME": place.interface,
                **({} if place is HERE else {"GROUP_RANK": str(rank)}),
            })
            for rank, place in enumerate(places)
        ]  # fmt: skip

    def _start(self, place: Place, arguments: Sequence[str], own: Mapping[str, str]) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [*place.prefix, sys.executable, "-m", "advisor.cluster", *arguments],
            env={**os.environ, **own, "OMP_NUM_THREADS": "1", "ADVISOR_STATE": str(self._state)},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def wait_for_all(self) -> None:
        """Until rank 0 says that all are there."""
        errors = self.processes[0].stderr
        assert errors is not None
        while "ranks are here" not in (line := errors.readline()):
            assert line, "rank 0 has ended"

    def end(self) -> list[tuple[int, str, str]]:
        """Status, output and errors of each, by rank."""
        said = [process.communicate(timeout=PATIENCE) for process in self.processes]
        return [(process.returncode, *told) for process, told in zip(self.processes, said, strict=True)]

    def close(self) -> None:
        for process in self.processes:
            process.kill()
            process.communicate()


@contextlib.contextmanager
def started(state: Path, places: Sequence[Place], *arguments: str, ranks: int | None = None) -> Iterator[Ranks]:
    made = Ranks(state, places, *arguments, ranks=ranks)
    try:
        yield made
    finally:
        made.close()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def test_two_ranks_leave_a_report_and_a_document(tmp_path: Path) -> None:
    workload = tmp_path / "step.json"
    workload.write_text(json.dumps({"network": "ffn", "modality": "tabular", "inputs": 8, "outputs": 3}))
    output = tmp_path / "cluster.json"
    asked = ("--seconds", "2", "--output", str(output), "--workload", str(workload))
    with started(tmp_path / "state", [HERE, HERE], *asked) as ranks:
        (status, told, errors), (other, silent, _) = ranks.end()
    assert (status, other, silent) == (0, 0, ""), errors
    assert told.startswith("Cluster: 1 node, 2 ranks on cpu, by gloo")
    found = read(output)
    assert {one.operation for one in found.collectives} == set(Operation)
    assert {one.group for one in found.collectives} == {Group.INSIDE}
    assert [(pair.first, pair.second) for pair in found.pairs] == [(0, 1)]
    assert [len(rank.products.samples) >= 18 and rank.steps is not None for rank in found.ranks] == [True, True]
    assert found.link()[0] > 0
    assert list((tmp_path / "state").rglob("cluster.json"))


@pytest.mark.gpu
def test_a_rank_on_every_card_exchanges_by_nccl(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    count, output, workload = torch.cuda.device_count(), tmp_path / "cluster.json", tmp_path / "step.json"
    if count < 2:
        pytest.skip("two cards are needed")
    workload.write_text(json.dumps({"network": "ffn", "modality": "tabular", "inputs": 8, "outputs": 3}))
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={count}"]
    asked = ["--seconds", "5", "--output", str(output), "--workload", str(workload)]
    done = subprocess.run(
        [*launcher, "-m", "advisor.cluster", *asked],
        env={**os.environ, "ADVISOR_STATE": str(tmp_path / "state")},
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = read(output)
    assert f"{count} rank" in done.stdout
    assert torch.cuda.get_device_name() in done.stdout
    assert len(found.pairs) == count * (count - 1) // 2
    assert all(min(rank.products.samples) > 0 and rank.steps is not None for rank in found.ranks)


@pytest.mark.parametrize(
    ("victim", "how", "told"),
    [
        (1, signal.SIGKILL, "Rank 1 (node "),
        pytest.param(0, signal.SIGKILL, "Rank 0 no longer answers, so rank 1 ended.", marks=pytest.mark.slow),
        pytest.param(1, signal.SIGSTOP, "Rank 1 (node ", marks=pytest.mark.slow),
        pytest.param(1, signal.SIGTERM, "it was ended from outside (SIGTERM)", marks=pytest.mark.slow),
    ],
    ids=["killed", "first killed", "hangs", "ended by its launcher"],
)
def test_a_rank_that_is_lost_ends_all_with_a_sentence(
    tmp_path: Path, victim: int, how: signal.Signals, told: str
) -> None:
    with started(tmp_path, [HERE, HERE], "--seconds", "60") as ranks:
        ranks.wait_for_all()
        time.sleep(0.5)
        ranks.processes[victim].send_signal(how)
        lost = time.monotonic()
        left = ranks.processes[1 - victim]
        _, errors = left.communicate(timeout=PATIENCE)
        assert time.monotonic() - lost < 40  # 13 s at rest
    assert left.returncode == 1
    assert told in errors
    assert "Traceback" not in errors


@pytest.mark.slow
def test_a_network_that_is_gone_ends_all_ranks(tmp_path: Path) -> None:
    """Connections stay as they are then, and nothing ever comes."""
    with links(2, 12.5e6, 1e-3) as found:
        if found.pace is not None or found.holder is None:
            pytest.skip(found.says)
        with started(tmp_path, found.places, "--seconds", "60") as ranks:
            ranks.wait_for_all()
            os.kill(found.holder.pid, signal.SIGKILL)
            lost = time.monotonic()
            said = ranks.end()
            assert time.monotonic() - lost < 40  # 14 s at rest
    assert [status for status, _, _ in said] == [1, 1]
    assert "Traceback" not in "".join(errors for _, _, errors in said)
    assert "hears nothing" in said[0][2] or "no longer answer" in said[0][2]


def test_ranks_that_do_not_come_are_named(tmp_path: Path) -> None:
    with started(tmp_path, [HERE], "--wait", "2", ranks=3) as ranks:
        ((status, _, errors),) = ranks.end()
    assert status == 1
    assert errors == "2 of 3 ranks did not come in 2 seconds: 1 and 2.\n"


def test_a_port_in_use_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("", 0)) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setattr(sys.modules[__name__], "free_port", lambda: port)
        with started(tmp_path, [HERE], "--wait", "2", ranks=2) as ranks:
            ((status, _, errors),) = ranks.end()
    assert status == 1
    assert errors.startswith(f"Rank 0: port {port} is in use")


@pytest.mark.slow
def test_what_cannot_be_written_is_told_before_anything_is_measured(tmp_path: Path) -> None:
    with started(tmp_path, [HERE, HERE], "--output", str(tmp_path / "no" / "x.json")) as ranks:
        (status, _, errors), (other, _, silent) = ranks.end()
    assert (status, other) == (2, 2)
    assert "there is no such folder. Create it first." in errors
    assert "no such folder" not in silent


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "it measures with all processes of a cluster, and this is a single one."),
        (("--seconds", "never"), "'never' is no number of seconds from 2 to 86400"),
    ],
)
def test_wrong_usage_is_told_without_torch(arguments: tuple[str, ...], told: str) -> None:
    alone = {name: value for name, value in os.environ.items() if name not in ("RANK", "SLURM_PROCID")}
    command = [sys.executable, "-m", "advisor.cluster", *arguments]
    done = subprocess.run(command, env=alone, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert told in done.stderr


def test_nothing_of_it_imports_torch_before_it_measures() -> None:
    names = ["__main__", "profile", "schedule", "findings", "fitting", "launch", "measurement", "running", "report"]
    code = "; ".join(
        [*(f"import advisor.cluster.{name}" for name in names), "import sys", "assert 'torch' not in sys.modules"]
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.thorough
@pytest.mark.parametrize("slow", [False, True], ids=["nothing slow", "a slow rank and a slow link"])
def test_four_nodes_tell_which_rank_and_which_link_is_slow(tmp_path: Path, slow: bool) -> None:
    """Two to a processor, so that each has half of one at most; the slow one has less than a tenth."""
    output = tmp_path / "cluster.json"
    with links(4, 12.5e6, 1e-3, shares={3: 0.5} if slow else {}) as found, contextlib.ExitStack() as closing:
        if found.pace is not None:
            pytest.skip(found.says)
        asked = ("--seconds", "12", "--output", str(output))
        ranks = closing.enter_context(started(tmp_path, found.places, *asked))
        for number, process in enumerate(ranks.processes):
            usable = sorted(os.sched_getaffinity(0))
            os.sched_setaffinity(process.pid, {usable[number % len(usable)]})
        if slow:
            closing.enter_context(straggler(ranks.processes[1].pid, 12.0))
        (status, _, errors), *_ = ranks.end()
    assert status == 0, errors
    findings = [(finding.kind, finding.ranks) for finding in read(output).findings]
    assert findings == ([(Kind.SLOW_RANK, (1,)), (Kind.SLOW_LINK, (3,))] if slow else [])
