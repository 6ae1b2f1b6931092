"""Simulated strategies move the bytes that they exchange: a slower link takes longer, and what is not known is said to be so."""

from __future__ import annotations

from functools import cache
from math import prod
from typing import Any

import pytest

from advisor.agent.exchanged import exchanged_network
from advisor.distributed.strategies import DECLARED
from advisor.errors import InputError
from advisor.report.page import Look
from advisor.report.strategies.simulation import simulation_json, simulation_page
from advisor.session.inputs import Inputs, gather, plan_of
from advisor.session.simulating import Asked, scenario_of
from advisor.simulation.result import Result
from advisor.simulation.scenario import Scenario
from advisor.simulation.timing import timing

EXCHANGING = (
    *DECLARED, "pipeline:stages=4:parts=8", "pipeline:stages=2:parts=1", "mixed_asynchronous:groups=1",
    "mixed_asynchronous:groups=4", "backup_workers:backups=2", "local_sgd:every=2",
)  # fmt: skip


@cache
def inputs(*sets: str, model: str | None = "resnet50") -> Inputs:
    return gather(sets=list(sets), machine="none", model=model, complain=lambda title, what: None)


def scene(
    name: str, model: str | None = "resnet50", sets: tuple[str, ...] = (), **asked: Any
) -> tuple[Scenario, tuple[str, ...]]:
    told = inputs(*sets, model=model)
    usual: dict[str, Any] = {"workers": 4, "steps": 40, "batch": 32, "step_time": "250ms"}
    return scenario_of(plan_of(told), told, Asked(strategy=name, **usual | asked))


def simulated(name: str, **asked: Any) -> Result:
    return timing(scene(name, **asked)[0])


@pytest.mark.parametrize("name", EXCHANGING)
def test_every_strategy_takes_longer_on_a_slower_link_and_sends_bytes(name: str) -> None:
    slow, fast, free = (simulated(name, link=link) for link in ("1Mbit/s", "1Gbit/s", "inf"))
    assert slow.seconds > 3 * fast.seconds > 3 * free.seconds
    assert slow.bytes == fast.bytes == free.bytes > 0


def test_a_pipeline_passes_on_the_activations_of_each_boundary_there_and_back() -> None:
    found, notes = scene("pipeline:stages=4:parts=8", link="1Mbit/s")
    values = (28 * 28 * 512, 14 * 14 * 1024, 14 * 14 * 1024)
    assert found.between_stages == tuple(4 * 32 * one for one in values)
    result = timing(found)
    assert result.bytes == 40 * 2 * 4 * 4 * 32 * sum(values)  # steps, directions, workers, bytes of a value, examples
    largest = 2 * 4 * 32 * values[0] * 4 / 8 / 125_000
    assert result.seconds > 40 * 8 * largest  # the slowest link is busy all the time
    assert any("1.61 MB, 802.82 kB and 802.82 kB for each example" in note for note in notes)


def test_a_larger_batch_passes_on_more_and_more_parts_take_as_many_bytes() -> None:
    one, two = (simulated("pipeline:stages=4:parts=8", link="1Gbit/s", batch=batch) for batch in (32, 64))
    assert two.bytes == 2 * one.bytes
    assert simulated("pipeline:stages=4:parts=16", link="1Gbit/s").bytes == one.bytes


@pytest.mark.parametrize("name", ["pipeline:stages=4:parts=8", "synchronous", "sharded", "asynchronous", "powersgd"])
def test_half_the_bits_are_half_the_bytes(name: str) -> None:
    whole, half = (simulated(name, link="1Gbit/s", precision=precision) for precision in ("fp32", "bf16"))
    assert half.bytes == pytest.approx(whole.bytes / 2, rel=1e-6)


def test_compression_to_16_bits_changes_nothing_where_gradients_have_16_bits() -> None:
    assert simulated("fp16_compression", precision="fp16").bytes == simulated("synchronous", precision="fp16").bytes


@pytest.mark.parametrize("model", ["unet", "whisper-small", "vgg16"])
def test_what_is_not_known_to_pass_between_stages_is_said_to_be_unknown(model: str) -> None:
    found, notes = scene("pipeline:stages=2", model, link="1Mbit/s")
    result = timing(found)
    page = simulation_page(found, result, notes, Look(width=100))
    assert "sent          not known" in page
    assert "at most" in page
    assert any("not known" in note and "--activations" in note for note in notes)
    document = simulation_json(found, result, notes)
    assert document["bytes"] is None
    assert document["exchange"]["between_stages"] is None


def test_stated_activations_count_in_place_of_counted_ones() -> None:
    found, notes = scene("pipeline:stages=3:parts=1", "unet", workers=3, activations="1 MB")
    assert found.between_stages == (32 * 10**6,) * 2
    assert timing(found).bytes == 40 * 2 * 3 * 2 * 32 * 10**6
    assert any("1 MB for an example (given)" in note for note in notes)


def test_the_network_of_a_plan_that_is_built_here_passes_on_what_its_layers_give() -> None:
    sets = ("task.kind=classify", "task.outputs=10", "data.modality=image", "data.inputs=3072", "data.examples=50000",
            "project.pretrained_allowed=no")  # fmt: skip
    found, notes = scene("pipeline:stages=2", None, sets)
    network = exchanged_network(plan_of(inputs(*sets, model=None)), None)
    assert network is not None
    assert network.parameters * 4 == found.message_bytes
    assert found.between_stages[0] in {4 * 32 * prod(layer.shape) for layer in network.layers}
    assert any("counted of cnn" in note for note in notes)


@pytest.mark.parametrize(
    ("asked", "where"), [({"precision": "fp7"}, "--precision"), ({"activations": "much"}, "--activations")]
)
def test_what_cannot_be_read_is_refused(asked: dict[str, str], where: str) -> None:
    with pytest.raises(InputError, match=where):
        scene("pipeline:stages=2", **asked)


def test_matrices_of_the_network_say_what_powersgd_sends() -> None:
    times = simulated("synchronous").bytes / simulated("powersgd:rank=2").bytes
    assert times == pytest.approx(116.6, rel=0.01)
    assert scene("powersgd", "vgg16")[0].shapes == ()


CLUSTER = (
    "cluster.nodes=4",
    "machine.gpu.count=8",
    "machine.gpu.memory_bytes=80GB",
    "cluster.network_bytes_per_second=10Gbit/s",
)
MIXED = (
    *CLUSTER, "machine.gpu.backend=cuda", "data.modality=image", "task.kind=classify", "task.outputs=1000",
    "data.examples=1000000", "project.pretrained_allowed=no", "machine.gpu.compute_capability=8.0",
)  # fmt: skip
ADAPTED = (*CLUSTER, "data.modality=text", "task.kind=generate", "data.examples=5000", "project.pretrained_allowed=yes")


@pytest.mark.parametrize(
    ("name", "bytes_", "said"),
    [
        ("synchronous", 4, "Workers exchange fp32: bf16 of the plan is mixed precision"),
        ("local_sgd", 4, "Workers exchange fp32: bf16 of the plan is mixed precision"),
        ("sharded", 2, "Workers exchange bf16, as the plan computes in bf16."),
        ("pipeline:stages=2", 2, "Workers exchange bf16, as the plan computes in bf16."),
    ],
)
def test_the_format_follows_the_precision_of_the_plan(name: str, bytes_: int, said: str) -> None:
    plan = plan_of(inputs(*MIXED))
    assert plan.value("training.precision") == "bf16"

    found, notes = scene(name, sets=MIXED)
    stated, told = scene(name, sets=MIXED, precision="fp32")

    assert found.value_bytes == bytes_
    assert found.message_bytes == bytes_ * plan.facts["network.parameters"].value  # type: ignore[operator]
    assert any(one.startswith(said) for one in notes)
    assert stated.value_bytes == 4
    assert not any("of the plan" in one or "as the plan computes" in one for one in told)


def test_a_plan_in_32_bits_says_nothing_of_formats() -> None:
    sets = ("task.kind=classify", "task.outputs=10", "data.modality=image", "data.inputs=3072", "data.examples=50000",
            "project.pretrained_allowed=no")  # fmt: skip
    found, notes = scene("sharded", None, sets)
    assert found.value_bytes == 4
    assert not any("exchange" in one for one in notes)


@pytest.mark.parametrize("name", ["synchronous", "local_sgd", "asynchronous", "mixed_asynchronous"])
def test_of_a_plan_with_adapters_workers_exchange_what_is_trained(name: str) -> None:
    plan = plan_of(inputs(*ADAPTED, model="llama-3.1-8b"))
    assert plan.value("training.adaptation") in ("lora", "qlora")
    weights = plan.facts["network.parameters"].value

    found, notes = scene(name, "llama-3.1-8b", ADAPTED)

    assert found.message_bytes == 4 * round(0.01 * weights)  # type: ignore[operator]
    assert any("Workers exchange what the plan trains: 80,302,612 of 8,030,261,248 weights." in one for one in notes)


def test_sharded_workers_gather_frozen_weights_too() -> None:
    found, notes = scene("sharded", "llama-3.1-8b", ADAPTED, precision="bf16")
    weights = 8_030_261_248
    assert timing(found).bytes == pytest.approx(40 * 3 * 2 * (2 * weights + 0.01 * weights), rel=1e-6)
    assert any("gather the frozen ones, too" in one for one in notes)


def test_a_new_last_layer_is_all_that_is_exchanged() -> None:
    sets = (
        *CLUSTER,
        "task.kind=classify",
        "task.outputs=10",
        "data.modality=image",
        "data.examples=500",
        "project.pretrained_allowed=yes",
    )
    plan = plan_of(inputs(*sets))
    share = {figure.name: figure.value for figure in plan.figures}["memory.trained_share"]
    found, _ = scene("synchronous", sets=sets)
    assert share is not None
    assert found.message_bytes == 4 * round(share * plan.facts["network.parameters"].value)  # type: ignore[operator]
