"""Plans of five hundred drawn projects: batch, memory and figures agree, and no recommendation contradicts another.

`make test-all` draws two thousand.

Networks of 0.1 million to 400 billion weights, 1 to 1,024 devices of the profiles, sequences of 128 to 131,072.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from advisor.agent.settling.advising import advise_here
from advisor.facts.fact_base import FactBase, Source
from advisor.inference.advise import Detail
from advisor.inference.plan import Plan, Status
from advisor.knowledge.cache import knowledge_for
from advisor.machine.profiles.devices import DeviceKind
from advisor.machine.profiles.files import load_devices
from advisor.session.machines import with_published

PROJECTS = 2_000
AT_ONCE = 50
SETTLE = Detail(reasons=True, flips=False, questions=False)
TASKS: tuple[dict[str, Any], ...] = (
    {"task.kind": "generate", "task.generation": "sequence", "data.modality": "text"},
    {"task.kind": "translate", "data.modality": "text"},
    {"task.kind": "classify", "data.modality": "text", "task.outputs": 4},
    {"task.kind": "classify", "data.modality": "image", "data.inputs": 150_528, "task.outputs": 1000},
    {"task.kind": "segment", "data.modality": "image", "data.inputs": 196_608, "task.outputs": 5},
    {"task.kind": "represent", "data.modality": "image", "data.inputs": 12_288},
    {"task.kind": "generate", "task.generation": "random", "data.modality": "image", "data.inputs": 12_288},
    {"task.kind": "classify", "data.modality": "audio", "task.outputs": 10},
    {"task.kind": "classify", "data.modality": "video", "data.inputs": 150_528, "task.outputs": 10},
    {"task.kind": "forecast", "data.modality": "time_series", "data.inputs": 8, "task.outputs": 1},
    {"task.kind": "reconstruct", "data.modality": "tabular", "data.inputs": 200},
    {"task.kind": "regress", "data.modality": "graph", "data.inputs": 30, "task.outputs": 1},
)

SEVERAL = ("multi_gpu", "cluster")
SHARED = ("sharded_data_parallel", "hybrid", "model_parallel")
AGREE: tuple[tuple[str, Callable[[Plan], bool], Callable[[Plan], bool]], ...] = (
    (
        "a single device divides nothing",
        lambda p: p.value("compute.device") in ("cpu", "gpu"),
        lambda p: p.value("parallelism.strategy") in ("none", "threads") and p.value("sync.strategy") == "none",
    ),
    (
        "a single device is the only rank",
        lambda p: p.value("compute.device") in ("cpu", "gpu") and is_network(p),
        lambda p: p.value("parallelism.data_ranks") == 1,
    ),
    (
        "shared states are shared by devices",
        lambda p: p.value("memory.strategy") == "shard_states",
        lambda p: p.value("parallelism.strategy") in SHARED and p.value("compute.device") in SEVERAL,
    ),
    (
        "what fits one device is not sharded",
        lambda p: p.value("memory.strategy") in ("fits", "gradient_accumulation", "checkpointing"),
        lambda p: p.value("parallelism.strategy") != "sharded_data_parallel",
    ),
    (
        "shards keep step",
        lambda p: p.value("parallelism.strategy") == "sharded_data_parallel",
        lambda p: p.value("sync.strategy") == "synchronous",
    ),
    (
        "only published weights are adapted",
        lambda p: p.value("training.adaptation") in ("lora", "qlora", "last_layer"),
        lambda p: p.value("network.init") == "pretrained" and said(p, "project.pretrained_allowed") is not False,
    ),
    (
        "weights that may not be used are not",
        lambda p: said(p, "project.pretrained_allowed") is False,
        lambda p: p.value("network.init") != "pretrained",
    ),
    (
        "weights of a published network are a start",
        lambda p: p.value("network.model") not in (None, "none"),
        lambda p: p.value("network.init") == "pretrained" and p.value("training.adaptation") != "none",
    ),
    (
        "a processor has no formats of cards",
        lambda p: p.value("compute.device") == "cpu",
        lambda p: p.value("training.precision") not in ("tf32", "fp16", "fp8"),
    ),
    (
        "eight bits need a card that has them",
        lambda p: p.value("training.precision") == "fp8",
        lambda p: (said(p, "machine.gpu.compute_capability") or 99) >= 8.9,
    ),
    (
        "accumulation passes are more than one",
        lambda p: p.value("memory.strategy") == "gradient_accumulation",
        lambda p: p.value("training.accumulation") > 1,
    ),
    (
        "it fits in one pass",
        lambda p: p.value("memory.strategy") == "fits" and is_network(p),
        lambda p: p.value("training.accumulation") == 1,
    ),
)


def said(plan: Plan, name: str) -> Any:
    known = plan.facts.get(name)
    return None if known is None else known.value


def is_network(plan: Plan) -> bool:
    return plan.recommendations["training.batch_size"].status is not Status.NOT_APPLICABLE


def logarithmic(dice: random.Random, low: float, high: float) -> int:
    return round(math.exp(dice.uniform(math.log(low), math.log(high))))


@cache
def cards() -> tuple[str, ...]:
    return tuple(sorted(name for name, one in load_devices().items() if one.kind is DeviceKind.GPU))


def project(number: int) -> FactBase:
    """The facts of one drawn project; some are left unknown, as people leave them."""
    dice = random.Random(number)
    facts: dict[str, Any] = dict(dice.choice(TASKS))
    facts["data.examples"] = logarithmic(dice, 100, 1e9)
    facts["data.sequence_length"] = 2 ** dice.randint(7, 17)
    facts["network.parameters"] = logarithmic(dice, 1e5, 4e11)
    facts["project.pretrained_allowed"] = dice.choice((True, False))
    facts["project.target_readiness"] = dice.randint(1, 9)
    facts["machine.memory_bytes"] = 2 ** dice.randint(33, 42)
    facts["machine.cpu.physical_cores"] = facts["machine.cpu.usable_cores"] = 2 ** dice.randint(0, 6)
    if dice.random() < 0.9:
        facts["machine.gpu.name"] = dice.choice(cards())
        facts["machine.gpu.count"] = dice.choice((1, 2, 4, 8))
        facts["machine.gpu.nvlink"] = facts["machine.gpu.count"] > 1 and dice.random() < 0.5
        facts["machine.link.host_to_device_bytes_per_second"] = dice.choice((15.75e9, 31.5e9, 63e9))
        if facts["machine.gpu.count"] == 1:
            del facts["machine.gpu.nvlink"]
    else:
        facts["machine.gpu.count"] = 0
    facts["cluster.nodes"] = dice.choice((1, 1, 1, 2, 4, 16, 64, 128))
    if facts["cluster.nodes"] > 1:
        facts["cluster.network_bytes_per_second"] = dice.choice((125e6, 1.25e9, 12.5e9, 50e9))
        facts["cluster.sites"] = dice.choice((1, 1, 1, 3))
    for name in ("project.pretrained_allowed", "network.parameters", "machine.memory_bytes", "data.sequence_length"):
        if dice.random() < 0.15:
            del facts[name]
    return with_published(knowledge_for(()), FactBase.of(facts, Source.ASKED))


def complaints(number: int) -> list[str]:
    plan = advise_here(knowledge_for(()), project(number), None, detail=SETTLE)
    figures = {figure.name: figure.value for figure in plan.figures if figure.value is not None}
    found = [f"{name} = {value}" for name, value in figures.items() if not math.isfinite(value) or value < 0]
    found += [what for what, holds, agrees in AGREE if holds(plan) and not agrees(plan)]
    if is_network(plan):
        found += shared_out(plan)
    size = plan.facts.get("network.parameters")
    if size is not None and size.source in (Source.DERIVED, Source.PUBLISHED) and size.value != figures["network.size"]:
        found.append(f"{size.value} weights counted, {figures['network.size']} told")
    if plan.memory and plan.value("memory.strategy") != "does_not_fit":
        needed, usable = figures["memory.training"], figures["memory.usable"]
        if needed > usable * (1 + 1e-9):
            found.append(f"{plan.value('memory.strategy')} needs {needed:.4g} of {usable:.4g} bytes")
    if figures.get("scaling.efficiency", 0) > 1:
        found.append("efficiency above 1")
    if figures.get("scaling.speed_up", 0) > figures.get("scaling.workers", 1) * (1 + 1e-9):
        found.append("speed-up above the number of workers")
    inside = plan.value("parallelism.strategy") == "hybrid" and plan.value("parallelism.model_ranks") == 1
    group = figures.get("scaling.shard_group")
    if inside and said(plan, "data.modality") != "tabular" and group not in (None, said(plan, "machine.gpu.count")):
        found.append(f"every machine holds all states, and {group} devices share them")
    alone = plan.value("memory.strategy") not in ("shard_states", "offload", "does_not_fit")
    if alone and figures.get("scaling.speed_up", 1) < 1 and plan.value("parallelism.strategy") != "model_parallel":
        found.append("several devices that are slower than one, which training would fit")
    found += exchange(plan, figures)
    peak = next((one.value for figure in plan.figures for one in figure.inputs if one.name == "plan.peak_flops"), None)
    if peak and figures.get("time.step") and figures["compute.device_flops"] / figures["time.step"] > peak:
        found.append("more operations a second than the device has")
    return [f"project {number}: {one}" for one in found]


def exchange(plan: Plan, figures: dict[str, float]) -> list[str]:
    """Complaints about the exchange inside machines and between them, and about states that wait in main memory."""
    found, machines = [], figures.get("scaling.machines", 1)
    parts = [figures.get(f"communication.{one}") for one in ("bytes", "inside_bytes", "between_bytes")]
    if None not in parts and not math.isclose(parts[0], parts[1] + parts[2]):
        found.append(f"{parts[1]:.4g} bytes inside and {parts[2]:.4g} between are {parts[0]:.4g} in all")
    if machines == 1 and (figures.get("communication.between_bytes") or figures.get("communication.between_seconds")):
        found.append("an exchange between machines, of which there is one")
    if figures.get("scaling.cards") == 1 and figures.get("communication.inside_bytes"):
        found.append("an exchange inside machines of one worker")
    if parts[2] and figures.get("communication.between_seconds") == 0:
        found.append("an exchange between machines that takes no time")
    ring = figures.get("communication.trained_bytes", 0) * 2 * (machines - 1) / machines
    copies = figures.get("scaling.shard_group", 1) < figures.get("scaling.workers", 1)
    copies &= plan.value("parallelism.strategy") in ("data_parallel", "hybrid") and not said(plan, "data.sparse_ids")
    if parts[2] and copies and parts[2] > ring * (1 + 1e-9):
        found.append(f"{parts[2]:.4g} bytes cross the network, where a ring of what is trained takes {ring:.4g}")
    exposed, both = figures.get("communication.exposed_seconds"), ("inside_seconds", "between_seconds")
    whole = [figures.get(f"communication.{one}") for one in both]
    computed = not any(said(plan, f"parallelism.{one}_speed_up") for one in ("machine", "cluster"))
    if exposed is not None and None not in whole and computed and exposed > sum(whole) * (1 + 1e-9):
        found.append("more of the exchange is exposed than there is")
    moved = figures.get("offload.seconds")
    waits = plan.value("memory.strategy") == "offload" and plan.value("compute.device") != "cpu"
    if "memory.states" in figures and (moved is not None) != waits:
        found.append(f"states that wait in main memory {'not ' if waits else ''}moved")
    if moved is not None and figures.get("time.step", math.inf) < max(moved, figures.get("time.computing", 0)):
        found.append("a step takes less time than moving what it needs")
    return found


def shared_out(plan: Plan) -> list[str]:
    batch, micro, passes, ranks = (
        plan.value(f"{name}")
        for name in ("training.batch_size", "training.micro_batch", "training.accumulation", "parallelism.data_ranks")
    )
    if batch is None:
        return []
    told = f"batch {batch}, micro {micro}, passes {passes}, ranks {ranks}"
    return [] if min(micro, passes, ranks) >= 1 and batch == micro * passes * ranks else [told]


@pytest.mark.some(16)  # of which CI has a fourth
@pytest.mark.parametrize(
    "first",
    [pytest.param(n, marks=[] if n < PROJECTS / 4 else [pytest.mark.thorough]) for n in range(0, PROJECTS, AT_ONCE)],
)
def test_no_plan_contradicts_itself(first: int) -> None:
    assert [one for number in range(first, first + AT_ONCE) for one in complaints(number)] == []
