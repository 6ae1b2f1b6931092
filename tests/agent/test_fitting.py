"""The way to fit into memory is the first whose needs, by the plan's own figures, do not exceed what there is."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

from advisor.agent.settling.advising import advise_here
from advisor.facts.fact_base import FactBase, Source
from advisor.inference.plan import MemoryOption, Plan, Status
from advisor.knowledge.cache import knowledge_for
from advisor.knowledge.model import Knowledge, School

CARD = {
    "machine.gpu.count": 1, "machine.gpu.backend": "cuda", "machine.gpu.compute_capability": 9.0, "cluster.nodes": 1,
    "machine.gpu.usable_by_torch": True, "machine.gpu.memory_bytes": 80_000_000_000,
}  # fmt: skip
PICTURES = {
    "task.kind": "classify", "data.modality": "image", "data.examples": 1_281_167, "task.outputs": 1000,
    "data.inputs": 150_528, "project.pretrained_allowed": False,
}  # fmt: skip
TEXTS = {
    "task.kind": "generate", "task.generation": "sequence", "data.modality": "text", "data.examples": 50_000,
    "data.sequence_length": 2048, "network.parameters": 1_000_000_000, "project.pretrained_allowed": False,
}  # fmt: skip


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return knowledge_for(())


def advised(knowledge: Knowledge, *facts: dict[str, Any], school: School = School.TODAY) -> Plan:
    stated = {name: value for some in facts for name, value in some.items()}
    return advise_here(knowledge, FactBase.of(stated), None, school=school)


def chosen(plan: Plan) -> MemoryOption:
    return next(option for option in plan.memory if option.fits)


def figure(plan: Plan, name: str) -> float:
    found = next(one.value for one in plan.figures if one.name == name)
    assert found is not None
    return found


def holds_together(plan: Plan) -> None:
    """The batch is what is computed at a time, times passes, times ranks; and what fits by the plan fits by its figures."""
    micro, passes, ranks = (
        plan.value(name) for name in ("training.micro_batch", "training.accumulation", "parallelism.data_ranks")
    )
    assert plan.value("training.batch_size") == micro * passes * ranks
    if plan.value("memory.strategy") != "does_not_fit":
        assert figure(plan, "memory.training") <= figure(plan, "memory.usable") * (1 + 1e-9)
        assert micro <= figure(plan, "memory.batch_ceiling")


def test_a_network_that_fits_with_its_whole_batch_is_left_alone(knowledge: Knowledge) -> None:
    plan = advised(knowledge, CARD, PICTURES)
    assert plan.value("memory.strategy") == "fits"
    assert (plan.value("training.micro_batch"), plan.value("training.accumulation")) == (128, 1)
    holds_together(plan)


def test_with_less_memory_the_batch_is_worked_through_in_passes(knowledge: Knowledge) -> None:
    stated = {"training.batch_size": 1024}
    whole = chosen(advised(knowledge, CARD, PICTURES, stated, {"machine.gpu.memory_bytes": 10**12}))
    half = {"machine.gpu.memory_bytes": int((whole.states + whole.reserved + whole.activations / 2) / 0.9) + 1}
    plan = advised(knowledge, CARD, PICTURES, stated, half)
    assert plan.value("memory.strategy") == "gradient_accumulation"
    assert (plan.value("training.micro_batch"), plan.value("training.accumulation")) == (512, 2)
    at_once = plan.memory[0]
    assert (at_once.strategy, at_once.micro_batch) == ("fits", 1024)
    assert at_once.needed > at_once.usable
    holds_together(plan)


def test_where_fewer_than_eight_pictures_fit_activations_are_computed_again(knowledge: Knowledge) -> None:
    stated = {"training.batch_size": 128}
    whole = chosen(advised(knowledge, CARD, PICTURES, stated))
    few = {"machine.gpu.memory_bytes": int((whole.states + whole.reserved + whole.activations / 32) / 0.9) + 1}
    plan = advised(knowledge, CARD, PICTURES, stated, few)
    assert plan.value("memory.strategy") == "checkpointing"
    accumulating = next(option for option in plan.memory if option.strategy == "gradient_accumulation")
    assert (accumulating.micro_batch, accumulating.fits) == (4, False)
    holds_together(plan)


@pytest.mark.parametrize(("cards", "strategy"), [(1, "offload"), (8, "shard_states")])
def test_states_too_large_for_a_card_are_shared_or_moved(knowledge: Knowledge, cards: int, strategy: str) -> None:
    large = {"network.parameters": 13_000_000_000, "machine.gpu.count": cards, "machine.gpu.nvlink": cards > 1}
    plan = advised(knowledge, CARD, TEXTS, large, {"machine.memory_bytes": 2_000_000_000_000})
    assert plan.value("memory.strategy") == strategy
    holds_together(plan)


def test_states_that_no_memory_holds_fit_nowhere_and_the_plan_says_what_would_help(knowledge: Knowledge) -> None:
    large = {"network.parameters": 70_000_000_000, "machine.memory_bytes": 256_000_000_000}
    unsaid = {name: value for name, value in TEXTS.items() if name != "project.pretrained_allowed"}
    plan = advised(knowledge, CARD, unsaid, large)
    entry = plan.recommendations["memory.strategy"]
    assert entry.value == "does_not_fit"
    assert not any(option.fits for option in plan.memory)
    assert any("training.adaptation=qlora" in note for note in entry.notes)
    assert any("machine.gpu.count=32" in note for note in entry.notes)


@pytest.mark.parametrize(("chosen", "lighter"), [("lora", ["qlora"]), ("qlora", [])])
def test_what_is_chosen_already_is_no_remedy(knowledge: Knowledge, chosen: str, lighter: list[str]) -> None:
    large = {"network.parameters": 70_000_000_000, "machine.memory_bytes": 32_000_000_000}
    small = {"machine.gpu.memory_bytes": 60_000_000_000 if lighter else 24_000_000_000}
    adapted = {"project.pretrained_allowed": True, "training.adaptation": chosen, "data.sequence_length": 512}
    entry = advised(knowledge, CARD, TEXTS, large, small, adapted).recommendations["memory.strategy"]
    assert entry.value == "does_not_fit"
    told = " ".join(entry.notes)
    assert [one for one in ("lora", "qlora") if f"training.adaptation={one}." in told] == lighter
    assert "It could fit with a smaller network, of less than" in told
    assert "adapters" not in " ".join(entry.actions)
    assert not any("adapters" in reason.text for reason in entry.because)


def test_nothing_published_is_advised_for_a_network_of_which_nothing_is_published(knowledge: Knowledge) -> None:
    large = {"network.parameters": 70_000_000_000, "machine.memory_bytes": 256_000_000_000}
    unpublished = FactBase.of({**CARD, **TEXTS, **large, "project.pretrained_allowed": None}).with_values(
        {"network.has_weights": False}, Source.INSPECTED
    )
    entry = advise_here(knowledge, unpublished, None).recommendations["memory.strategy"]
    assert entry.value == "does_not_fit"
    assert not any("training.adaptation" in note for note in entry.notes)


def test_states_that_fill_a_device_are_those_of_a_network_as_large_as_is_told(knowledge: Knowledge) -> None:
    large = {"network.parameters": 70_000_000_000, "machine.memory_bytes": 64_000_000_000}
    plan = advised(knowledge, CARD, TEXTS, large)
    (told,) = [note for note in plan.recommendations["memory.strategy"].notes if "It could fit with" in note]
    assert "less than 4,000,000,000 weights" in told
    assert figure(plan, "memory.largest_model") == pytest.approx(4e9, rel=0.1)
    fitting = advised(knowledge, CARD, TEXTS, {**large, "network.parameters": 3_000_000_000})
    assert fitting.value("memory.strategy") != "does_not_fit"
    assert not any("It could fit with" in note for note in fitting.recommendations["memory.strategy"].notes)


def test_a_stated_number_of_examples_at_a_time_that_does_not_fit_is_told_with_one_that_does(
    knowledge: Knowledge,
) -> None:
    size = {"training.batch_size": 8192, "machine.gpu.memory_bytes": 24_000_000_000}
    plan = advised(knowledge, CARD, PICTURES, size, {"training.micro_batch": 8192})
    entry = plan.recommendations["memory.strategy"]
    assert entry.value == "does_not_fit"
    assert "8192 examples at a time as you stated" in entry.because[0].text
    sentence = r"You stated 8,192 examples at a time, which do not fit; ([\d,]+) would \(training.micro_batch=(\d+), "
    told = re.search(sentence, " ".join(entry.notes))
    assert told is not None
    fits = int(told[2])
    assert told[1] == f"{fits:,}"
    assert advised(knowledge, CARD, PICTURES, size, {"training.micro_batch": fits}).value("memory.strategy") == (
        "gradient_accumulation"
    )
    assert advised(knowledge, CARD, PICTURES, size).value("training.micro_batch") == fits


def test_texts_too_long_for_one_card_are_divided_among_several(knowledge: Knowledge) -> None:
    long = {"network.parameters": 8_000_000_000, "data.sequence_length": 131_072, "machine.gpu.count": 8}
    adapters = {"project.pretrained_allowed": True, "training.adaptation": "lora", "machine.gpu.nvlink": True}
    plan = advised(knowledge, CARD, TEXTS, long, adapters)
    assert (plan.value("memory.strategy"), plan.value("parallelism.model_ranks")) == ("shard_states", 8)
    assert plan.value("parallelism.data_ranks") == 1
    holds_together(plan)


def test_every_way_is_told_with_what_it_needs(knowledge: Knowledge) -> None:
    plan = advised(knowledge, CARD, PICTURES)
    entry = plan.recommendations["memory.strategy"]
    assert [option.strategy for option in plan.memory] == ["fits", "gradient_accumulation", "checkpointing", "offload"]
    assert {other.value for other in entry.alternatives} == {"gradient_accumulation", "checkpointing", "offload"}
    assert all("on each device" in other.why_not for other in entry.alternatives)
    needed = figure(plan, "memory.training")
    assert chosen(plan).needed == pytest.approx(needed)


def test_flips_of_what_rests_on_memory_hold_when_they_are_stated(knowledge: Knowledge) -> None:
    facts = (CARD, TEXTS, {"machine.gpu.count": 8, "network.parameters": 3_000_000_000})
    plan = advised(knowledge, *facts)
    for name in ("parallelism.strategy", "training.batch_size", "sync.strategy", "memory.strategy"):
        for flip in plan.recommendations[name].flips:
            assert advised(knowledge, *facts, {flip.fact: flip.to}).value(name) == flip.then, (name, flip)


def test_needs_that_rest_on_something_assumed_settle_nothing(knowledge: Knowledge) -> None:
    plan = advised(knowledge, CARD, {**PICTURES, "task.kind": None})
    assert plan.recommendations["memory.strategy"].status in (Status.LEANING, Status.OPEN)


def test_a_stated_batch_is_kept_and_shared_out(knowledge: Knowledge) -> None:
    plan = advised(knowledge, CARD, PICTURES, {"machine.gpu.count": 8, "training.batch_size": 4096})
    assert (plan.value("training.batch_size"), plan.value("parallelism.data_ranks")) == (4096, 8)
    assert plan.value("training.learning_rate") == pytest.approx(1.6)
    holds_together(plan)


@pytest.mark.parametrize(
    ("stated", "taken", "told"),
    [
        ({"training.batch_size": 100, "machine.gpu.count": 8}, ("training.batch_size", 96), "96 or 104 they can"),
        ({"training.batch_size": 5, "machine.gpu.count": 8}, ("training.batch_size", 8), "8 or 16 they can"),
        ({"training.micro_batch": 48}, ("training.micro_batch", 32), "Any divisor of 128 can be stated"),
        ({"training.micro_batch": 43_916}, ("training.micro_batch", 128), "Any divisor of 128 can be stated"),
    ],
)
def test_a_batch_that_cannot_be_shared_as_stated_is_told_and_the_next_one_taken(
    knowledge: Knowledge, stated: dict[str, int], taken: tuple[str, int], told: str
) -> None:
    plan = advised(knowledge, CARD, PICTURES, stated)
    name, size = taken
    assert plan.value(name) == size
    assert told in plan.recommendations[name].notes[-1]
    assert plan.unused == (name,)
    holds_together(plan)


def test_a_stated_batch_that_other_machines_could_not_share_stops_no_plan(knowledge: Knowledge) -> None:
    facts = (CARD, PICTURES, {"training.batch_size": 130, "machine.gpu.count": 2})
    plan = advised(knowledge, *facts)
    assert plan.value("training.batch_size") == 130
    for flip in plan.recommendations["sync.strategy"].flips:
        assert advised(knowledge, *facts, {flip.fact: flip.to}).value("sync.strategy") == flip.then


def test_a_stated_way_that_does_not_fit_is_kept_and_warned_of(knowledge: Knowledge) -> None:
    plan = advised(knowledge, CARD, TEXTS, {"network.parameters": 13_000_000_000, "memory.strategy": "fits"})
    entry = plan.recommendations["memory.strategy"]
    assert entry.value == "fits"
    assert any(note.startswith("You stated it. Nothing fits: the least") for note in entry.notes)


def test_the_survey_makes_the_batch_smaller(knowledge: Knowledge) -> None:
    small = {"machine.gpu.memory_bytes": 2_500_000_000}
    plan = advised(knowledge, CARD, PICTURES, small, school=School.SURVEY)
    if plan.memory:
        assert plan.value("memory.strategy") in ("fits", "smaller_batch")
        holds_together(plan)


def test_bigger_cards_never_need_a_costlier_way(knowledge: Knowledge) -> None:
    order = ["fits", "gradient_accumulation", "checkpointing", "offload", "does_not_fit"]
    places = []
    for power in range(31, 39):
        plan = advised(
            knowledge, CARD, TEXTS, {"machine.gpu.memory_bytes": 2**power, "machine.memory_bytes": 64 * 10**9}
        )
        places.append(order.index(plan.value("memory.strategy")))
        holds_together(plan)
    assert places == sorted(places, reverse=True)
    assert math.prod(places[-1:]) == 0
