"""The card that is named: its published figures, and what is said when nothing is known of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from advisor.facts.fact_base import FactBase, Source
from advisor.knowledge.cache import knowledge_for
from advisor.session.machines import named_machine, unknown_card, with_published

from ..agent.profiles_made import compared, profile
from .program import advisor

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "machines" / "h200-vm.json"
DETECTED = {"machine.gpu.count": 1, "machine.gpu.name": "NVIDIA H200", "machine.gpu.memory_bytes": 150_000_000_000}


def named(card: str) -> FactBase:
    facts = FactBase.of(DETECTED, Source.DETECTED).with_values({"machine.gpu.name": card}, Source.ASKED)
    return with_published(knowledge_for(()), facts)


def test_naming_another_card_than_the_detected_one_sets_aside_what_was_detected_of_that() -> None:
    memory = named("rtx-4090").known("machine.gpu.memory_bytes")
    assert memory is not None
    assert memory.source is Source.PUBLISHED
    assert memory.value < 30_000_000_000  # type: ignore[operator]
    assert named("rtx-4099").known("machine.gpu.memory_bytes") is None


def test_naming_the_detected_card_by_another_spelling_changes_nothing() -> None:
    memory = named("h200-sxm-141gb").known("machine.gpu.memory_bytes")
    assert memory is not None
    assert memory.source is Source.DETECTED


def test_a_card_without_a_profile_is_noted_and_only_what_was_stated_is_complained_of() -> None:
    problem = unknown_card(named("A100"))
    assert problem is not None
    assert "a100-pcie-40gb, a100-pcie-80gb, a100-sxm-40gb or a100-sxm-80gb" in problem.remedy
    assert unknown_card(named("rtx-4090")) is None
    detected = with_published(knowledge_for(()), FactBase.of({"machine.gpu.name": "Card X"}, Source.DETECTED))
    assert unknown_card(detected) is None
    known = detected.known("machine.gpu.name")
    assert known is not None
    assert known.note == "nothing is known of this card"


def test_what_a_profile_says_of_its_machine_names_the_profile_since_it_was_not_detected_here(tmp_path: Path) -> None:
    file = tmp_path / "lab.json"
    file.write_text(json.dumps(profile([compared()], name="lab").to_json()))
    known = named_machine(knowledge_for(()), str(file)).facts.known("machine.cpu.physical_cores")
    assert known is not None
    assert (known.value, known.source, known.note) == (4, Source.DETECTED, "machine profile lab")


def planned(name: str, **stated: object) -> FactBase:
    """The facts of a machine that is named, with what is stated beside it."""
    facts = {fact.replace("__", "."): value for fact, value in stated.items()}
    knowledge = knowledge_for(())
    return with_published(knowledge, named_machine(knowledge, name).facts.with_values(facts, Source.ASKED))  # type: ignore[arg-type]


@pytest.mark.parametrize("processor", ["epyc-9654", "i7-3820", "2x-e5-2630-v3", "xeon-8480"])
def test_a_machine_that_is_a_processor_has_no_card(processor: str) -> None:
    known = planned(processor).known("machine.gpu.count")
    assert known is not None
    assert (known.value, known.source, known.note) == (0, Source.PUBLISHED, f"profile {processor}")


def test_a_processor_with_a_card_that_is_stated_has_that_card() -> None:
    count = planned("epyc-9654", machine__gpu__count=2).known("machine.gpu.count")
    assert count is not None
    assert count.value == 2
    named = planned("epyc-9654", machine__gpu__name="rtx-4090")
    known = named.known("machine.gpu.count")
    assert known is not None
    assert (known.value, known.source) == (1, Source.ASSUMED)
    assert named.known("machine.gpu.memory_bytes") is not None


def test_a_machine_that_is_a_card_keeps_it_where_more_is_stated_of_it() -> None:
    count = planned("m4-max", machine__gpu__memory_bytes=64 * 10**9).known("machine.gpu.count")
    assert count is not None
    assert count.value == 1


def test_the_machine_that_was_measured_in_a_study_can_be_planned_for() -> None:
    facts = planned(str(EXAMPLE))
    card, cores = facts.known("machine.gpu.name"), facts.known("machine.cpu.physical_cores")
    assert card is not None
    assert cores is not None
    assert (card.value, cores.value) == ("NVIDIA H200", 16)


@pytest.mark.parametrize("here", [{"machine.gpu.count": 0}, {}])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("machine.gpu.memory_bytes", 16 * 2**30), ("machine.gpu.name", "rtx-4090"), ("machine.gpu.backend", "rocm"),
        ("machine.gpu.watts", 300.0), ("machine.link.host_to_device_bytes_per_second", 3e10),
    ],
)  # fmt: skip
def test_a_figure_of_a_card_means_that_there_is_one(name: str, value: object, here: dict[str, Any]) -> None:
    stated = FactBase.of(here, Source.DETECTED).with_values({name: value}, Source.ASKED)  # type: ignore[dict-item]
    count = with_published(knowledge_for(()), stated).known("machine.gpu.count")
    assert count is not None
    assert (count.value, count.source) == (1, Source.ASSUMED)
    assert f"since {name} is stated" in count.note


@pytest.mark.parametrize(
    "stated",
    [
        {"machine.gpu.memory_bytes": 16 * 2**30, "machine.gpu.count": 0}, {"machine.gpu.backend": "none"},
        {"data.examples": 5}, {"machine.cpu.usable_cores": 2},
    ],
)  # fmt: skip
def test_other_answers_leave_a_machine_without_cards_as_it_is(stated: dict[str, Any]) -> None:
    facts = FactBase.of({"machine.gpu.count": 0}, Source.DETECTED).with_values(stated, Source.ASKED)
    count = with_published(knowledge_for(()), facts).known("machine.gpu.count")
    assert count is not None
    assert count.value == 0


def test_a_plan_for_stated_memory_of_a_card_is_for_a_card_and_says_why(tmp_path: Path) -> None:
    answers = tmp_path / "my.yaml"
    answers.write_text(
        "task.kind: classify\ndata.modality: image\ndata.examples: 20k\nmachine.gpu.memory_bytes: 16 GiB\n"
    )
    plan = json.loads(advisor("recommend", str(answers), "--machine", "none", "--format", "json").out)
    assert plan["recommendations"]["compute.device"]["value"] == "gpu"
    text = advisor("recommend", str(answers), "--machine", "none", "--all").out
    assert "machine.gpu.count is taken as 1 card (assumed, since" in " ".join(text.split())
