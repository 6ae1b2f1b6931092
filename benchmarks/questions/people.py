"""People who ask for advice: complete, consistent and plausible sets of truths, drawn at random or completing a scenario."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from advisor.errors import InputError
from advisor.facts.fact_base import FactBase
from advisor.facts.values import parse_value
from advisor.facts.vocabulary import Fact, FactType, Value
from advisor.inference.advise import consistent, engine_for, situation_of
from advisor.inference.program.steps import apply_steps
from advisor.knowledge.model import Knowledge, School

GIB = 2**30
MODALITIES = {
    "classify": ("tabular", "image", "audio", "video", "text", "time_series", "graph", "tree"),
    "regress": ("tabular", "image", "audio", "text", "time_series", "graph"),
    "forecast": ("time_series", "tabular", "graph"),
    "generate": ("image", "text", "audio", "video", "tabular", "graph"),
    "reconstruct": ("image", "tabular", "audio"),
    "represent": ("text", "image", "graph", "tabular"),
    "detect_anomalies": ("tabular", "time_series", "image", "graph"),
    "segment": ("image", "video", "graph"),
    "translate": ("text", "audio"),
}
INPUTS = {
    "tabular": (4, 500), "image": (784, 1_000_000), "audio": (20, 256), "video": (30_000, 1_000_000),
    "text": (1, 1024), "time_series": (1, 50), "graph": (5, 500), "tree": (5, 500),
}  # fmt: skip
OUTPUTS = {
    "classify": (2, 1000), "regress": (1, 5), "forecast": (1, 30), "reconstruct": (8, 4096), "represent": (16, 1024),
    "segment": (2, 50), "translate": (8_000, 60_000),
}  # fmt: skip


@dataclass(frozen=True)
class Person:
    """What is true of one project. `machine` is detected before the first question, `truths` is what can be asked for."""

    name: str
    school: School
    machine: Mapping[str, Value]
    truths: Mapping[str, Value]


def as_text(value: Value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(sorted(value)) if isinstance(value, frozenset) else str(value)


# --- machines ---------------------------------------------------------------------------------------------------------


def _machine(cores: int, threads: int, memory: int, features: tuple[str, ...], sockets: int = 1) -> dict[str, Value]:
    return {
        "machine.cpu.physical_cores": cores, "machine.cpu.logical_cores": threads, "machine.cpu.usable_cores": threads,
        "machine.cpu.sockets": sockets, "machine.cpu.features": frozenset(features),
        "machine.memory_bytes": memory * GIB, "machine.gpu.count": 0,
    }  # fmt: skip


def _cards(
    count: int, memory: float, backend: str, capability: float | None, link: float, watts: float, nvlink: bool = False
) -> dict[str, Value]:
    facts: dict[str, Value] = {
        "machine.gpu.count": count, "machine.gpu.memory_bytes": int(memory * 1e9), "machine.gpu.backend": backend,
        "machine.gpu.usable_by_torch": True, "machine.gpu.same_pcie_bus": count <= 2, "machine.gpu.nvlink": nvlink,
        "machine.gpu.watts": watts, "machine.link.host_to_device_bytes_per_second": link,
    }  # fmt: skip
    if capability is not None:
        facts["machine.gpu.compute_capability"] = capability
    return facts


MACHINES: dict[str, dict[str, Value]] = {
    "old laptop": _machine(2, 4, 8, ("avx2",)),
    "laptop": _machine(8, 16, 16, ("avx2",)),
    "apple laptop": _machine(10, 10, 32, ("neon",)) | _cards(1, 22, "mps", None, 200e9, 60),
    "container": _machine(16, 32, 4, ("avx2", "avx512")) | {"machine.cpu.usable_cores": 2},
    "cpu server": _machine(56, 112, 512, ("avx2", "avx512", "avx512_bf16", "amx_bf16"), 2),
    "gaming pc": _machine(8, 16, 32, ("avx2",)) | _cards(1, 12, "cuda", 8.6, 25e9, 170),
    "workstation": _machine(16, 32, 64, ("avx2", "avx512")) | _cards(1, 24, "cuda", 8.9, 25e9, 450),
    "old workstation": _machine(6, 12, 32, ("avx2",)) | _cards(1, 8, "cuda", 6.1, 12e9, 180),
    "cloud T4": _machine(4, 8, 30, ("avx2", "avx512")) | _cards(1, 16, "cuda", 7.5, 12e9, 70),
    "two cards": _machine(16, 32, 128, ("avx2",)) | _cards(2, 24, "cuda", 8.6, 25e9, 350),
    "amd node": _machine(64, 128, 1024, ("avx2", "avx512"), 2) | _cards(8, 192, "rocm", None, 60e9, 750),
    "h100 node": _machine(96, 192, 2048, ("avx2", "avx512", "amx_bf16"), 2)
    | _cards(8, 80, "cuda", 9.0, 60e9, 700, True),
}


# --- everything else --------------------------------------------------------------------------------------------------


def _log(dice: random.Random, low: float, high: float) -> float:
    return float(f"{math.exp(dice.uniform(math.log(low), math.log(high))):.2g}")


def _whole(dice: random.Random, low: float, high: float) -> int:
    return round(_log(dice, low, high))


def _bytes(dice: random.Random, known: Mapping[str, Any]) -> int:
    values = known["data.examples"] * known["data.inputs"] * dice.choice((1, 2, 4))
    if known["data.modality"] in ("audio", "video", "text", "time_series"):
        values *= known["data.sequence_length"] ** 0.5
    return round(float(f"{max(values, 1000):.2g}"))


_NODES = (1, 1, 1, 1, 1, 1, 2, 4, 16, 64)
_FREE = ("none", "none", "none", "pytorch")
PLAUSIBLE: dict[str, Callable[[random.Random, Mapping[str, Any]], Value]] = {
    "data.modality": lambda dice, known: dice.choice(MODALITIES[known["task.kind"]]),
    "task.outputs": lambda dice, known: _whole(dice, *OUTPUTS.get(known["task.kind"], (1, 10))),
    "task.multilabel": lambda dice, _: dice.random() < 0.2,
    "task.max_error": lambda dice, _: _log(dice, 0.005, 0.3),
    "data.examples": lambda dice, _: _whole(dice, 100, 1e7),
    "data.inputs": lambda dice, known: _whole(dice, *INPUTS[known["data.modality"]]),
    "data.sequence_length": lambda dice, _: _whole(dice, 10, 5000),
    "data.bytes": _bytes,
    "data.labelled_fraction": lambda dice, _: dice.choice((1.0, 1.0, 1.0, 0.0, _log(dice, 0.005, 0.8))),
    "data.imbalance": lambda dice, _: _log(dice, 1, 200),
    "data.splittable": lambda dice, _: dice.random() < 0.9,
    "cluster.nodes": lambda dice, _: dice.choice(_NODES),
    "cluster.sites": lambda dice, _: dice.choice((1, 1, 1, 2, 4)),
    "cluster.network_bytes_per_second": lambda dice, _: _log(dice, 1e8, 5e10),
    "project.hours_available": lambda dice, _: _log(dice, 0.2, 300),
    "project.budget": lambda dice, _: _log(dice, 10, 1e5),
    "project.price_per_hour": lambda dice, _: dice.choice((0.0, _log(dice, 0.3, 100))),
    "project.target_readiness": lambda dice, _: dice.randint(3, 9),
    "project.framework": lambda dice, _: dice.choice((*_FREE, dice.choice(("tensorflow", "keras", "jax", "caffe")))),
    "network.parameters": lambda dice, _: _whole(dice, 1e4, 1e10),
}


def _anything(fact: Fact, dice: random.Random) -> Value:
    """A value of a fact of which nothing more is known than its declaration."""
    if fact.type is FactType.BOOLEAN:
        return dice.random() < 0.5
    if fact.type is FactType.CHOICE:
        return dice.choice(fact.choice_names)
    if fact.type is FactType.SET:
        return frozenset(name for name in fact.choice_names if dice.random() < 0.5)
    low, high = max(fact.minimum, min(1e-3, fact.maximum)), min(fact.maximum, 1e9)
    value = _log(dice, low, high) if low > 0 else dice.uniform(low, high)
    value = min(max(value, fact.minimum), fact.maximum)
    return round(value) if fact.type is FactType.INTEGER else value


def draw(
    knowledge: Knowledge, dice: random.Random, name: str, stated: Mapping[str, Value], school: School = School.TODAY
) -> Person:
    """A person of whom the stated facts are true, drawn again until no constraint is broken."""
    program = engine_for(knowledge, school).program
    while True:
        machine = {**MACHINES[dice.choice(sorted(MACHINES))]}
        if "machine.gpu.count" in stated:
            machine = _with_cards_like(machine, stated, dice)
        known: dict[str, Value] = {**machine, **stated}
        kinds = [kind for kind, fits in MODALITIES.items() if known.get("data.modality", fits[0]) in fits]
        known.setdefault("task.kind", dice.choice(kinds))
        facts = [fact for fact in program.facts if fact.ask and fact.type is not FactType.TEXT]
        order = {fact: place for place, fact in enumerate(PLAUSIBLE)}
        for fact in sorted(facts, key=lambda fact: order.get(fact.name, -1)):  # what others are drawn from comes first
            if fact.group != "machine" and fact.name not in known:
                plausible = PLAUSIBLE.get(fact.name)
                known[fact.name] = plausible(dice, known) if plausible else _anything(fact, dice)
        try:
            base, _ = consistent(program, FactBase.of(known))
        except InputError:
            continue
        values = list(situation_of(program, base).values)
        apply_steps(program.steps, values, assume=False)
        meaningful = {fact.name for fact in facts if values[program.slots[fact.name]] is not None and not fact.derive}
        detected = {n: known[n] for n in sorted(known) if program.facts[program.slots[n]].group == "machine"}
        truths = {n: known[n] for n in sorted(meaningful - detected.keys())}
        return Person(name, school, detected, truths)


def _with_cards_like(machine: dict[str, Value], stated: Mapping[str, Value], dice: random.Random) -> dict[str, Value]:
    """A machine with as many cards as stated: a kind that has some, where there are some."""
    count: Any = stated["machine.gpu.count"]
    fitting = [kind for kind in MACHINES.values() if bool(kind["machine.gpu.count"]) == bool(count)]
    machine = {**dice.choice(fitting), "machine.gpu.count": count}
    if stated.get("machine.gpu.backend", "cuda") != "cuda":
        machine.pop("machine.gpu.compute_capability", None)
    return machine


def at_random(knowledge: Knowledge, count: int, seed: int = 2018) -> list[Person]:
    dice = random.Random(seed)
    return [draw(knowledge, dice, f"person {number}", {}) for number in range(1, count + 1)]


def from_scenarios(knowledge: Knowledge, path: Path, seed: int = 2018) -> list[Person]:
    """A person for each scenario of a file: what it gives is true, and what it leaves open is drawn."""
    dice = random.Random(seed)
    people = []
    for case in yaml.safe_load(path.read_text(encoding="utf-8")):
        facts = knowledge.vocabulary.facts
        given = {name: parse_value(facts[name], str(text)) for name, text in case["given"].items()}
        stated = {name: value for name, value in given.items() if value is not None}
        people.append(draw(knowledge, dice, case["name"], stated, School(case.get("school", "today"))))
    return people
