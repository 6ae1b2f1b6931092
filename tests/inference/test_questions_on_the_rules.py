"""Questions on the shipped rules: each asked one is shown to matter, and none that matters is left unasked."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from advisor.facts.fact_base import FactBase, Source
from advisor.facts.vocabulary import Fact, FactType, Value
from advisor.inference.advise import VALUES_ONLY, advise, engine_for, situation_of
from advisor.inference.explaining.questions import Inquiry
from advisor.inference.outcomes import same
from advisor.inference.plan import Plan, Status
from advisor.inference.program.boxes import landmarks
from advisor.knowledge import loader
from advisor.knowledge.model import Knowledge, School
from advisor.resources import rules_folder
from tests.properties import scaled

from .checking import hashable

MACHINES: dict[str, dict[str, Value]] = {
    "unknown": {},
    "laptop": {
        "machine.cpu.physical_cores": 8, "machine.cpu.logical_cores": 16, "machine.cpu.usable_cores": 16,
        "machine.cpu.sockets": 1, "machine.cpu.features": frozenset({"avx2"}), "machine.memory_bytes": 16 * 2**30,
        "machine.gpu.count": 0,
    },
    "two cards": {
        "machine.cpu.physical_cores": 16, "machine.cpu.logical_cores": 32, "machine.cpu.usable_cores": 32,
        "machine.memory_bytes": 128 * 2**30, "machine.gpu.count": 2, "machine.gpu.backend": "cuda",
        "machine.gpu.compute_capability": 8.6, "machine.gpu.memory_bytes": 24 * 10**9,
    },
}  # fmt: skip
PEOPLE = [(machine, seed) for machine in MACHINES for seed in range(scaled(2))]


@pytest.fixture(scope="module")
def rules() -> Knowledge:
    return loader.load(rules_folder())


def advised(rules: Knowledge, known: dict[str, Value]) -> Plan:
    return advise(rules, FactBase.of(known), School.TODAY, VALUES_ONLY)


def inquiry(rules: Knowledge, known: dict[str, Value]) -> Inquiry:
    engine = engine_for(rules, School.TODAY)
    base = FactBase.of(known, Source.DETECTED)
    return Inquiry(engine, situation_of(engine.program, base), base)


def truths(rules: Knowledge, seed: int) -> dict[str, Value]:
    """A value for every fact that can be asked for; those about the machine fit together."""
    dice = random.Random(seed)
    drawn = {fact.name: dice.choice(landmarks(fact, (10, 1_000, 100_000))) for fact in askable(rules)}
    return {**drawn, **MACHINES[dice.choice(["laptop", "two cards"])]}


def askable(rules: Knowledge) -> Iterator[Fact]:
    return (f for f in rules.vocabulary.facts.values() if f.ask and f.type is not FactType.TEXT)


def interviewed(rules: Knowledge, machine: str, seed: int) -> Iterator[tuple[Inquiry, dict[str, Value], str | None]]:
    """Each state of one conversation with the fact that is asked for there; None at the end."""
    known = {**MACHINES[machine]}
    said = truths(rules, seed)
    while True:
        asking = inquiry(rules, known)
        question = asking.next()
        yield asking, dict(known), question.fact if question else None
        if question is None:
            return
        known[question.fact] = said[question.fact]


@pytest.mark.parametrize(("machine", "seed"), PEOPLE)
def test_every_question_can_change_a_recommendation(rules: Knowledge, machine: str, seed: int) -> None:
    asked: list[str] = []
    for asking, known, fact in interviewed(rules, machine, seed):
        if fact is None:
            continue
        assert fact not in known
        asked.append(fact)
        found = next(
            found
            for question in asking.ordered()
            if question.fact == fact
            for topic in question.topics
            if (found := asking.example(asking.program.slots[fact], asking.program.topics[topic]))
        )
        assert {name for name in found.one if found.one[name] != found.other[name]} == {fact}
        one, other = (
            advised(rules, {**known, **facts}).recommendations[found.topic] for facts in (found.one, found.other)
        )
        assert Status.LEANING not in (one.status, other.status)
        assert (one.value, one.status, one.tied) != (other.value, other.status, other.tied)
    assert asked[0] == "task.kind"
    if "task.complexity" in asked:
        assert asked.index("data.modality") < asked.index("task.complexity")


@pytest.mark.parametrize(("machine", "seed"), PEOPLE)
def test_when_no_question_is_left_no_answer_was_found_to_change_anything(
    rules: Knowledge, machine: str, seed: int
) -> None:
    *_, (asking, known, _) = interviewed(rules, machine, seed)
    dice = random.Random(seed)
    measured = {
        f.name: dice.choice(landmarks(f, (2, 32)))
        for f in rules.vocabulary.facts.values()
        if f.group == "probe" and f.type is not FactType.TEXT  # the name of a column or file, which no rule compares
    }
    first: dict[str, object] = {}
    for attempt in range(12):
        said = truths(rules, 1_000 + attempt)
        rest = {name: value for name, value in said.items() if name.split(".")[0] != "machine" and name not in known}
        for topic, entry in advised(rules, {**known, **measured, **rest}).recommendations.items():
            value = hashable(entry.value)
            assert same(asking.program.topics[topic].topic, first.setdefault(topic, value), value), (topic, value)
