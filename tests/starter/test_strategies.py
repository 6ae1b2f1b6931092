"""What several processes of a project exchange: as the plan advises it, and equal after a stop."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from advisor.errors import InputError
from advisor.starter.planning import blueprint_of
from advisor.starter.project import refuse_unkept
from tests.starter.blueprints import module
from tests.starter.projects import TABLE, complaints, environment, generated, plan_of, run
from tests.starter.test_training import SMALL

TWO = f"{TABLE} machine.gpu.count=2"
CLUSTER = f"{TABLE} cluster.nodes=2 machine.gpu.count=4"
DRIVE = """
import copy, signal, sys
import torch
import devices
from torch import distributed
import settings, train
from devices import run_together, start, stop
from strategies import choice

settings.SCHEDULE, settings.DROPOUT, settings.LOG_EVERY = "constant", 0.0, 1000
STRATEGIES = sys.argv[1:]


def flat(network):
    parts = [weight.full_tensor() if hasattr(weight, "full_tensor") else weight for weight in network.parameters()]
    return torch.cat([part.detach().reshape(-1) for part in parts])


def trained(options, place, name, output, steps, resume=False, asked=False):
    own = copy.copy(options)
    own.strategy, own.output, own.steps, own.resume = choice(name), train.Path(output), steps, resume
    request = train.StopRequest()
    training = train.Training(own, place, request)
    apart, votes = {}, set()
    agree, evenly = devices.Place.most_of_all, training.strategy.evenly

    def voting(place, number):
        votes.add(training.step)
        return agree(place, number)

    def asking(batches):
        for batch in evenly(batches):
            if place.rank == 1:  # alone hears it
                request.number = signal.SIGTERM
            yield batch

    devices.Place.most_of_all = voting
    if asked:
        training.strategy.evenly = asking
    after = training.strategy.stepped

    def watched(step):
        after(step)
        mine = flat(training.network)
        found = [torch.empty_like(mine) for _ in range(place.world)]
        distributed.all_gather(found, mine)
        apart[step] = max(float((mine - other).abs().max()) for other in found)

    training.strategy.stepped = watched
    try:
        training.run()
        assert not asked
    except SystemExit as ended:
        assert asked and ended.code == 143
    devices.Place.most_of_all = agree
    distributed.barrier()  # its files are there
    return apart, votes, training.best


def work(options):
    place = start()
    torch.set_num_threads(1)
    for name in STRATEGIES:
        folder = name.partition(":")[0]
        apart, votes, _ = trained(options, place, name, f"{folder}/whole", 8)
        trained(options, place, name, f"{folder}/again", 4)
        trained(options, place, name, f"{folder}/again", 8, resume=True)
        trained(options, place, name, f"{folder}/asked", 5, asked=True)
        losses = [trained(options, place, name, f"{folder}/{steps}", steps)[2] for steps in (1, 60)]
        if place.leads:
            torch.save({"apart": apart, "votes": sorted(votes), "losses": losses}, f"{folder}/found.pt")
            torch.save(torch.load(f"{folder}/asked/last.pt", weights_only=True), f"{folder}/stopped.pt")
        trained(options, place, name, f"{folder}/asked", 8, resume=True)
    stop(place)


if __name__ == "__main__":
    words, sys.argv = sys.argv, ["train.py", "--learning-rate", "0.01"]
    options = train.arguments()
    sys.argv = words
    run_together(2, work, options)
"""


def project(folder: Path, facts: str = TWO, **advised: Any) -> Path:
    plan = plan_of(facts, network_hidden_units=[16, 16], compute_device="multi_gpu", **{**SMALL, **advised})
    return generated(folder, plan)


NAMES = [
    "synchronous",
    "sharded",
    "local_sgd:every=3",
    "diloco:every=3",
    "powersgd",
    "fp16_compression",
    "bf16_compression",
]


@pytest.fixture(scope="module")
def trainings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every strategy, in two processes: eight steps, and the same with a stop after four, in the middle of a round."""
    folder = project(tmp_path_factory.mktemp("strategies") / "project", training_batch_size=32)
    assert complaints(folder) == ""
    drive = DRIVE.replace("STRATEGIES = sys.argv[1:]", f"STRATEGIES = {NAMES!r}")
    (folder / "drive.py").write_text(drive)
    done = subprocess.run(
        [sys.executable, "drive.py"], cwd=folder, env=environment(), capture_output=True, text=True, check=False, timeout=900
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder


def last(folder: Path, name: str, run_of: str = "whole") -> dict[str, Any]:
    content: dict[str, Any] = torch.load(folder / name.partition(":")[0] / run_of / "last.pt", weights_only=True)
    return content


def found(folder: Path, name: str) -> dict[str, Any]:
    content: dict[str, Any] = torch.load(folder / name.partition(":")[0] / "found.pt", weights_only=True)
    return content


def difference(left: dict[str, Any], right: dict[str, Any]) -> float:
    return max(
        float((left["network"][name].float() - right["network"][name].float()).abs().max()) for name in left["network"]
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_training_goes_on_as_if_it_had_not_been_stopped(trainings: Path, name: str) -> None:
    whole, again = last(trainings, name), last(trainings, name, "again")
    assert whole["step"] == again["step"] == 8
    if name == "powersgd":  # which sends the first two steps after each start whole
        assert difference(whole, again) < 0.1
        for content in (whole, again):
            left_out = content["strategy"]["left_out"]
            assert len(left_out) == 2
            assert set(left_out[0]) == {key for key in content["network"] if key.endswith(("weight", "bias"))}
            assert any(float(part.abs().max()) > 0 for part in left_out[1].values())
    else:
        assert difference(whole, again) <= 1e-6
        assert whole["best"] == pytest.approx(again["best"], rel=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_processes_agree_after_each_exchange_and_differ_between(trainings: Path, name: str) -> None:
    apart = found(trainings, name)["apart"]
    every = 3 if "every" in name else 1
    assert set(apart) == set(range(1, 9))
    for step, distance in apart.items():
        assert (distance < 1e-6) is (step % every == 0), (name, step, distance)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_processes_wait_for_each_other_where_they_exchange_and_before_they_validate(trainings: Path, name: str) -> None:
    votes = found(trainings, name)["votes"]
    assert votes == ([3, 6, 8] if "every" in name else list(range(1, 9)))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_signal_that_one_process_hears_while_it_validates_stops_all(trainings: Path, name: str) -> None:
    stopped = torch.load(trainings / name.partition(":")[0] / "stopped.pt", weights_only=True)
    assert (stopped["step"], stopped["unjudged"]) == (5, True)
    whole, again = last(trainings, name), last(trainings, name, "asked")
    assert again["step"] == 8
    assert difference(whole, again) <= (0.1 if name == "powersgd" else 1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_loss_falls(trainings: Path, name: str) -> None:
    first, longer = found(trainings, name)["losses"]
    assert longer < 0.9 * first


@pytest.mark.slow
def test_shares_give_the_same_weights_as_copies(trainings: Path) -> None:
    assert difference(last(trainings, "synchronous"), last(trainings, "sharded")) < 1e-5


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_one_process_goes_on_with_what_two_began_and_exchanges_nothing(
    trainings: Path, name: str, tmp_path: Path
) -> None:
    source = trainings / name.partition(":")[0] / "whole" / "last.pt"
    target = tmp_path / "runs" / "last.pt"
    target.parent.mkdir()
    target.write_bytes(source.read_bytes())
    words = f"python train.py --steps 10 --resume --output {target.parent} --strategy {name}"
    assert "goes on from step 8" in run(trainings, words)


def test_workers_give_away_what_lies_in_the_memory_of_the_processor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    strategies = module(project(tmp_path / "project"), "strategies")
    network = torch.nn.Linear(3, 2)
    optimizer = torch.optim.Adam(network.parameters())
    network(torch.ones(1, 3)).sum().backward()
    optimizer.step()
    copied: list[torch.Tensor] = []
    given: list[dict[str, Any]] = []
    usual = torch.Tensor.cpu

    def copy(tensor: torch.Tensor) -> torch.Tensor:
        copied.append(usual(tensor).clone())
        return copied[-1]

    def gathered(_: object, own: dict[str, Any]) -> list[dict[str, Any]]:
        given.append(own)
        return given

    monkeypatch.setattr(torch.Tensor, "cpu", copy)
    monkeypatch.setattr(strategies, "average", lambda *_: None)
    monkeypatch.setattr(strategies, "gathered", gathered)
    strategy = strategies.LocalSgd(strategies.Place(torch.device("cpu")), strategies.choice("local_sgd"))
    strategy.network = network
    strategy.states({"network": network, "optimizer": optimizer})
    tensors = [
        *given[0]["weights"],
        *(value for state in given[0]["optimizer"]["state"].values() for value in state.values()),
    ]
    assert len(tensors) == 2 + 2 * 3
    assert all(any(tensor is copy for copy in copied) for tensor in tensors)


def test_one_process_learns_the_same_whatever_the_strategy(tmp_path: Path) -> None:
    folder = project(tmp_path / "project")
    for name in ("synchronous", "diloco:every=2", "powersgd", "sharded"):
        run(folder, f"python train.py --steps 4 --output {name.partition(':')[0]} --strategy {name}")
    found = [
        torch.load(folder / name / "last.pt", weights_only=True)
        for name in ("synchronous", "diloco", "powersgd", "sharded")
    ]
    assert [difference(found[0], one) for one in found] == [0.0] * 4


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("gossip", "is no strategy. Known: synchronous"),
        ("local_sgd:rank=2", "has no setting rank. It has: every"),
        ("local_sgd:every=0", "every=0 is too small"),
        ("local_sgd:every=2.5", "every=2.5 is no whole number"),
        ("diloco:rate=much", "rate=much is no number"),
    ],
)
def test_what_is_no_strategy_is_refused(
    tmp_path: Path, words: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        run(project(tmp_path / "project"), f"python train.py --strategy {words}")
    assert ended.value.code == 2
    assert says in capsys.readouterr().err


def advised(facts: str = TWO, device: str = "multi_gpu", **advice: Any) -> tuple[str, str]:
    """The strategy of the project for such a plan, and what differs."""
    made = blueprint_of(plan_of(facts, network_hidden_units=[8], compute_device=device, **{**SMALL, **advice}))
    return made.strategy, " ".join(made.differences)


@pytest.mark.parametrize(
    ("facts", "device", "advice", "strategy"),
    [
        (TWO, "multi_gpu", {}, "synchronous"),
        (TWO, "multi_gpu", {"parallelism_strategy": "sharded_data_parallel"}, "sharded"),
        (TWO, "multi_gpu", {"memory_strategy": "shard_states"}, "sharded"),
        (CLUSTER, "cluster", {"sync_strategy": "local_sgd"}, "diloco:every=100:inside=4"),
        (f"{TWO} sim.sync.best=local_sgd", "multi_gpu", {"sync_strategy": "local_sgd"}, "local_sgd:every=8"),
        (CLUSTER, "cluster", {"sync_strategy": "synchronous", "communication": ["gradient_compression"]}, "bf16_compression"),
        (f"{TWO} sim.compression.best=powersgd", "multi_gpu", {"communication": ["gradient_compression"]}, "powersgd"),
        (TABLE, "gpu", {"sync_strategy": "local_sgd"}, "synchronous"),
    ],
)  # fmt: skip
def test_what_the_plan_advises_is_built(facts: str, device: str, advice: dict[str, Any], strategy: str) -> None:
    found, differs = advised(facts, device, **advice)
    assert found == strategy
    assert "advises local_sgd" not in differs or device == "gpu"
    assert "advises sharded_data_parallel" not in differs


@pytest.mark.parametrize("asynchronous", ["asynchronous", "delay_compensated", "mixed_asynchronous"])
def test_what_is_not_built_is_told(asynchronous: str) -> None:
    found, differs = advised(CLUSTER, "cluster", sync_strategy=asynchronous)
    assert found == "synchronous"
    assert f"the plan advises {asynchronous}; the project exchanges gradients at every step" in differs


def test_compression_that_another_strategy_leaves_no_place_for_is_told() -> None:
    advice = {"communication": ["gradient_compression"], "sync_strategy": "local_sgd"}
    assert "gradients are not compressed, since the project is diloco" in advised(CLUSTER, "cluster", **advice)[1]


def test_plans_that_divide_states_are_built_where_a_project_can_and_else_refused() -> None:
    plan = plan_of(TWO, network_hidden_units=[8], compute_device="multi_gpu", memory_strategy="shard_states")
    refuse_unkept(plan, blueprint_of(plan))
    for advice in ({"training_optimizer": "lamb"}, {"training_precision": "fp16"}):
        plan = plan_of(
            TWO, network_hidden_units=[8], compute_device="multi_gpu", memory_strategy="shard_states", **advice
        )
        with pytest.raises(InputError, match="keeps all states on each device"):
            refuse_unkept(plan, blueprint_of(plan))
