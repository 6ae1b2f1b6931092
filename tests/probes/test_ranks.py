"""Processes that learn together: what is tried, that they really exchange, and what happens where one misbehaves."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from ipaddress import ip_address
from pathlib import Path

import pytest

from advisor.children.errors import CannotRunError
from advisor.probes.benches.allreduce import shares
from advisor.probes.child import peer
from advisor.probes.child.rank import Doing, RankLaunch, gradient_sizes
from advisor.probes.child.rank_group import RankGroup, RankTrial
from advisor.probes.probe import Probe
from advisor.probes.protocol import Message, Note, Ready, Rehearsed, Skipped
from advisor.probes.runner import run
from advisor.probes.settings.ranks import ALLREDUCE, RANKS, local_ranks
from advisor.probes.surroundings import Surroundings
from advisor.probes.workload import Device, Workload
from tests.probes.first_pair import first_pair
from tests.strangers import attack, listening

SMALL = Workload("ffn", "tabular", 6, 3, (5,), batch_size=8)
ON_CARD = replace(SMALL, device=Device.CUDA)
CORES = {"machine.cpu.usable_cores": 8}
CARDS = {"machine.gpu.count": 4, "machine.gpu.backend": "cuda"}
linux = pytest.mark.skipif(sys.platform != "linux", reason="sends signals of Linux")


@pytest.mark.parametrize(
    ("workload", "surroundings", "ranks"),
    [
        (SMALL, Surroundings(usable_cores=8), 2),
        (SMALL, Surroundings(usable_cores=8, numa_nodes=4), 4),
        (SMALL, Surroundings(usable_cores=1, numa_nodes=4), 1),
        (ON_CARD, Surroundings(usable_cores=8, gpus=4), 4),
        (ON_CARD, Surroundings(usable_cores=8, gpus=1), 1),
    ],
)
def test_as_many_processes_as_cards_or_nodes_or_two(workload: Workload, surroundings: Surroundings, ranks: int) -> None:
    assert local_ranks(replace(surroundings, workload=workload)) == ranks


@pytest.mark.parametrize(
    ("workload", "facts", "reason"),
    [
        (SMALL, {}, "It is not known how many cores"),
        (SMALL, {"machine.cpu.usable_cores": 1}, "There is only one usable core"),
        (ON_CARD, {}, "It is not known how many graphics cards"),
        (ON_CARD, {"machine.gpu.count": 1}, "There is only one graphics card"),
    ],
)
@pytest.mark.parametrize("probe", [RANKS, ALLREDUCE], ids=lambda probe: probe.name)
def test_what_cannot_be_shared_is_said(probe: Probe, workload: Workload, facts: dict[str, int], reason: str) -> None:
    assert reason in str(probe.why_not(workload, facts))


def test_a_batch_smaller_than_the_ranks_cannot_be_shared_but_gradients_can() -> None:
    assert "A batch of 2 cannot be shared by 4 processes" in str(RANKS.why_not(replace(ON_CARD, batch_size=2), CARDS))
    assert ALLREDUCE.why_not(replace(ON_CARD, batch_size=2), CARDS) is None


def test_one_process_is_usual_and_several_belong_to_data_parallelism() -> None:
    assert RANKS.before({}, SMALL, CORES) == "one"
    assert RANKS.before({"parallelism.strategy": "data_parallel"}, SMALL, CORES) == "several"
    assert RANKS.settings(SMALL, CORES, "one") == ("one", "several")
    assert ALLREDUCE.settings(SMALL, CORES, "at once") == ("at once", "piece by piece")
    assert ALLREDUCE.before({}, SMALL, CORES) == "at once"


def test_shares_add_up_to_the_batch() -> None:
    divided = shares(replace(SMALL, batch_size=11), ranks=4, cores=8)
    assert [share.batch_size for share in divided] == [3, 3, 3, 2]
    assert {share.threads for share in divided} == {2}


def test_gradients_are_counted_tensor_by_tensor() -> None:
    assert gradient_sizes(SMALL) == [30, 5, 15, 3]


# Real processes.


@pytest.mark.slow
@pytest.mark.parametrize(
    ("probe", "settings"),
    [(RANKS, ["one", "several"]), (ALLREDUCE, ["at once", "piece by piece"])],
    ids=["ranks", "allreduce"],
)
def test_local_processes_are_timed(probe: Probe, settings: list[int | str]) -> None:
    told = first_pair(probe, SMALL, settings[0], settings)
    ready = next(message for message in told if isinstance(message, Ready))
    assert ready.torch
    rehearsed = [message for message in told if isinstance(message, Rehearsed)]
    assert {message.setting for message in rehearsed} == set(settings)
    assert all(message.peak_memory_bytes > 50_000_000 for message in rehearsed)
    assert not any(isinstance(message, Skipped) for message in told)
    assert Note("2 processes with 1 thread each exchanged gradients by gloo.") in told


def two(*, trains: bool, seconds: float, memory_bytes: int = 5 * 10**8) -> list[RankLaunch]:
    """The launches of two ranks."""
    both = shares(SMALL, 2, 2)
    return [RankLaunch(share, rank, 2, seconds, memory_bytes, 0, trains) for rank, share in enumerate(both)]


@pytest.fixture
def group() -> Iterator[RankGroup]:
    ranks = RankGroup(two(trains=True, seconds=60.0))
    yield ranks
    ranks.close()


@linux
@pytest.mark.parametrize(
    ("strike", "reason"),
    [(signal.SIGKILL, r"Process 2 of 2 was ended by SIGKILL\."), (signal.SIGSTOP, "gave no answer in the time it had")],
)
@pytest.mark.slow
def test_a_rank_that_dies_or_hangs_between_steps_is_a_reason(
    group: RankGroup, strike: signal.Signals, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peer, "LONGEST_SILENCE", 1.0)
    monkeypatch.setattr(peer, "SLOWEST", 0)
    trial = RankTrial(group, "several", Doing.TRAINING, 4, 8.0, on_card=False)
    trial.warm_up(60.0)
    trial.step()
    trial.finish()
    assert trial.peak_memory_bytes() > 50_000_000
    pids = [process.pid for process in group._running]
    os.kill(pids[1], strike)
    trial.step()
    with pytest.raises(CannotRunError, match=reason):
        trial.finish()
    group.close()
    assert not any(lives(pid) for pid in pids)


def lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@linux
@pytest.mark.slow
def test_nobody_else_finds_a_store_where_ranks_meet(group: RankGroup, tmp_path: Path) -> None:
    """All ports are on the loopback interface, and torch's client is refused by each."""
    group.wait(time.monotonic() + 120.0)
    found = listening(os.getpid())
    assert [ip for ip in found.values() if not ip_address(ip).is_loopback] == []
    assert attack(found, tmp_path / "MARK") == []
    trial = RankTrial(group, "several", Doing.TRAINING, 4, 8.0, on_card=False)
    trial.warm_up(120.0)


def test_gradients_that_do_not_fit_the_memory_are_refused() -> None:
    ranks = RankGroup(two(trains=False, seconds=60.0, memory_bytes=250))
    try:
        with pytest.raises(CannotRunError, match="its 53 gradients do not fit"):
            RankTrial(ranks, "at once", Doing.AT_ONCE, 53, 212.0, on_card=False).warm_up(60.0)
    finally:
        ranks.close()


EXCHANGES = """
from types import SimpleNamespace
import torch
from torch import distributed
from advisor.probes.child import rank
from advisor.probes.workload import Workload
network = Workload("ffn", "tabular", 6, 3, (5,), batch_size=8, threads=1)
distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)
exchanged = []
def count(state, bucket):
    exchanged.append(bucket.buffer().numel())
    done = torch.futures.Future()
    done.set_result(bucket.buffer())
    return done
made = torch.nn.parallel.DistributedDataParallel.__init__
def init(self, *arguments, **options):
    made(self, *arguments, **options)
    self.register_comm_hook(None, count)
torch.nn.parallel.DistributedDataParallel.__init__ = init
step = rank._trainer(SimpleNamespace(memory_bytes=10**9, seed=0), network)
step(rank.Doing.TRAINING, 8)
print(sum(exchanged))
"""


def test_every_training_step_exchanges_all_gradients() -> None:
    said = subprocess.run([sys.executable, "-c", EXCHANGES], check=False, capture_output=True, text=True, timeout=120)
    assert said.stdout.split() == [str(sum(gradient_sizes(SMALL)))], said.stderr[-2000:]


# Made-up processes that misbehave.


PRELUDE = """
import json, os, signal, sys, time
def say(**message): print(json.dumps(message), flush=True)
def hear(): return json.loads(sys.stdin.readline())
rank = hear()["rank"]
"""


@pytest.fixture
def made_up() -> Iterator[Callable[[str], RankTrial]]:
    groups: list[RankGroup] = []

    def make(script: str) -> RankTrial:
        command = [sys.executable, "-c", PRELUDE + script]
        groups.append(RankGroup(two(trains=True, seconds=5.0), command))
        return RankTrial(groups[-1], "several", Doing.TRAINING, 4, 8.0, on_card=False)

    yield make
    for group in groups:
        group.close()


def test_ranks_that_answer_are_believed_and_their_memory_counts_together(made_up: Callable[[str], RankTrial]) -> None:
    trial = made_up("say(torch='2', threads=1)\nwhile hear(): say(peak=rank + 5)")
    trial.warm_up(30.0)
    assert trial.peak_memory_bytes() == 11
    assert trial.work == 8.0


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("time.sleep(60 * rank); say(torch='2', threads=1); time.sleep(60)", "gave no answer in the time it had"),
        ("if rank: sys.exit(3)\ntime.sleep(60)", r"Process 2 of 2 ended with status 3\."),
        ("if rank: os.abort()\ntime.sleep(60)", r"Process 2 of 2 was ended by SIGABRT\."),
        ("if rank: print('hello', flush=True)\ntime.sleep(60)", "Process 2 of 2 wrote what is no answer: hello"),
        ("say(failed='this build of torch has no gloo.'); time.sleep(60)", "this build of torch has no gloo"),
        ("say(torch='2', threads=1); hear(); say(peak='much'); time.sleep(60)", "peak: much, which is no number"),
        ("say(torch='2', threads=1)\nwhile hear(): time.sleep(3); say(peak=1)", "too long for the time left"),
    ],
)
def test_ranks_that_misbehave_are_a_reason(made_up: Callable[[str], RankTrial], script: str, reason: str) -> None:
    seconds = 3.0 if "60 * rank" in script else 8.5 if "sleep(3)" in script else 30.0
    trial = made_up(script)
    with pytest.raises(CannotRunError, match=reason):
        trial.warm_up(seconds)


@pytest.mark.gpu
def test_cards_exchange_gradients() -> None:
    torch = pytest.importorskip("torch")
    if torch.cuda.device_count() < 2:
        pytest.skip("there is one card only")
    told: list[Message] = []
    facts = CARDS | {"machine.gpu.count": torch.cuda.device_count()}
    workload = Workload("transformer", "text", 1000, 2, (256, 1024), 64, batch_size=64, device=Device.CUDA)
    for probe, before in ((RANKS, "one"), (ALLREDUCE, "at once")):
        outcome = run(probe, workload, before=before, facts=facts, budget_seconds=90, on_event=told.append)
        assert outcome.failure is None
        assert outcome.n > 0
