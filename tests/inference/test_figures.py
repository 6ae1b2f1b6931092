"""The computed numbers of a plan against figures worked out by hand, and against published ones."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pytest

from advisor.agent.settling.figures import with_figures
from advisor.facts.fact_base import FactBase, Source
from advisor.inference.advise import VALUES_ONLY, advise
from advisor.inference.figures import Quantity, compute_figures
from advisor.inference.plan import ComputedFigure, Plan, Status
from advisor.knowledge import loader
from advisor.knowledge.model import Knowledge, School
from advisor.resources import rules_folder
from advisor.session.models import with_model


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return loader.load(rules_folder())


def plan(knowledge: Knowledge, **facts: Any) -> Plan:
    stated = {name.replace("__", "."): value for name, value in facts.items()}
    return advise(knowledge, FactBase.of(stated), detail=VALUES_ONLY)


def figures(knowledge: Knowledge, made: Plan, given: Mapping[str, Quantity] | None = None) -> dict[str, ComputedFigure]:
    found = with_figures(knowledge, made).figures if given is None else compute_figures(knowledge, made, given)
    return {figure.name: figure for figure in found}


def value(found: dict[str, ComputedFigure], name: str) -> float:
    assert found[name].value is not None, found[name].missing
    return found[name].value


TABLE = {"data__modality": "tabular", "data__inputs": 20, "task__kind": "classify", "task__outputs": 3}
SERVER = {"machine__gpu__count": 8, "machine__gpu__memory_bytes": 80_000_000_000, "machine__gpu__backend": "cuda"}


def test_a_plan_with_a_network_counts_its_weights_and_operations(knowledge: Knowledge) -> None:
    made = plan(knowledge, data__modality="image", data__inputs=64, task__kind="classify", task__outputs=10)
    found = figures(knowledge, made)
    colours, (first, second), outputs = 1, made.value("network.hidden_units"), 10
    weights = sum(9 * a * b + b for a, b in [(colours, first), (first, first), (first, second), (second, second)])
    normalised = 2 * 2 * (first + second)  # a weight and a shift for every channel
    assert made.value("network.normalization") == "batch_norm"
    assert value(found, "network.size") == weights + normalised + second * outputs + outputs
    macs = 64 * 9 * (colours * first + first * first) + 16 * 9 * (first * second + second * second) + second * outputs
    assert value(found, "compute.forward_flops") == 2 * macs
    assert value(found, "compute.training_flops") == 6 * macs
    assert value(found, "compute.step_flops") == 6 * macs * made.value("training.batch_size")
    assert value(found, "memory.states") % value(found, "network.size") == 0


def test_a_stated_size_outranks_the_counted_one_and_scales_what_was_counted(knowledge: Knowledge) -> None:
    facts = {"data__modality": "image", "data__inputs": 64, "task__kind": "classify", "task__outputs": 10}
    counted = figures(knowledge, plan(knowledge, **facts))
    size = int(value(counted, "network.size"))
    found = figures(knowledge, plan(knowledge, **facts, network__parameters=100 * size))
    assert value(found, "network.size") == 100 * size
    assert value(found, "compute.macs") == pytest.approx(100 * value(counted, "compute.macs"))
    given = found["memory.activations_per_example"].inputs
    kept = next(one.value for one in given if one.name == "plan.kept_values")
    before = counted["memory.activations_per_example"].inputs
    assert kept == pytest.approx(10 * next(one.value for one in before if one.name == "plan.kept_values"), abs=1)


def test_a_language_model_of_a_stated_size_is_estimated(knowledge: Knowledge) -> None:
    """7 billion weights: 4096 wide with 32 layers in practice; 6 operations to train for each weight and token, and for each
    product of two tokens in attention."""
    facts = {"data__modality": "text", "task__kind": "generate", "task__generation": "sequence"}
    facts |= {"project__pretrained_allowed": False}
    made = plan(knowledge, **facts, network__parameters=7_000_000_000, data__sequence_length=4096)
    found = figures(knowledge, with_values(made, {"training.precision": "bf16", "memory.strategy": "fits"}))
    attention = 2 * 4096**2 * 4096 * 32
    assert value(found, "compute.training_flops") == pytest.approx(6 * (7e9 * 4096 + attention), rel=0.03)
    real = (
        19 * 2 * 4096 * 4096 * 32 + 8 * 4096 * 128_256
    )  # bytes: 34 for each step, unit and layer, 4 of two norms, scores
    assert value(found, "memory.work_per_example") < 0.02 * real
    assert value(found, "memory.activations_per_example") == pytest.approx(real, rel=0.2)


@pytest.mark.parametrize(("optimizer", "each"), [("sgd", 8), ("sgd_momentum", 12), ("adamw", 16)])
def test_states_take_what_the_optimiser_keeps(knowledge: Knowledge, optimizer: str, each: int) -> None:
    """Rajbhandari et al. 2020, section 3.1: 16 bytes a weight with Adam in 32 bits."""
    made = with_values(plan(knowledge, **TABLE), {"training.optimizer": optimizer, "training.precision": "fp32"})
    found = figures(knowledge, made, {"plan.parameters": Quantity(1000, "counted")})
    assert value(found, "memory.states") == each * 1000


def with_values(made: Plan, values: Mapping[str, Any]) -> Plan:
    """The plan, had it recommended this."""
    from dataclasses import replace

    entries = dict(made.recommendations)
    for topic, wanted in values.items():
        entries[topic] = replace(entries[topic], value=wanted)
    return replace(made, recommendations=entries)


def test_the_idle_share_of_the_survey(knowledge: Knowledge) -> None:
    """Wünsche 2018, IV.B: 8 GB over 31.5 GB/s take 0.254 s; three cards on one bus and 0.5 s of computing: 65.6 %."""
    base = {**SERVER, "machine__gpu__count": 3, "machine__gpu__same_pcie_bus": True, "data__inputs": 2_000_000}
    made = plan(knowledge, **base, data__modality="image", machine__link__host_to_device_bytes_per_second=31.5e9)
    made = with_values(made, {"training.micro_batch": 1000, "compute.device": "multi_gpu"})
    found = figures(knowledge, made, {"plan.measured_step_seconds": Quantity(0.5, "measured")})
    assert value(found, "transfer.seconds") == pytest.approx(0.254, abs=5e-4)
    assert value(found, "transfer.useful_share") == pytest.approx(0.656, abs=5e-4)


def test_the_checkpoint_interval_of_llama_3(knowledge: Knowledge) -> None:
    """16,384 GPUs failed every 3.1 h; saving for 60 s then pays every 19 minutes (Young 1974)."""
    made = plan(knowledge, cluster__nodes=2048, **SERVER, data__modality="text", network__parameters=405_000_000_000)
    made = with_values(made, {"training.precision": "bf16", "storage": "local_nvme"})
    found = figures(knowledge, made, {"plan.parameters": Quantity(10_000_000_000, "asked")})
    assert value(found, "failure.mean_seconds") == pytest.approx(3.1 * 3600, rel=0.01)
    assert value(found, "checkpoint.seconds") == pytest.approx(60)
    assert value(found, "checkpoint.interval") == pytest.approx(19.3 * 60, rel=0.01)
    assert value(found, "checkpoint.lost_share") == pytest.approx(2 * 60 / math.sqrt(2 * 60 * 3.1 * 3600), rel=0.01)


@pytest.mark.parametrize(
    ("stated", "hours"),
    [
        ({}, 5.8 * 365.25 * 24 / 64),
        ({"cluster__stragglers": True}, 24 / (64 * 0.1 + 64 / (5.8 * 365.25))),
        ({"cluster__stragglers": True, "cluster__preemptions_per_day": 0}, 5.8 * 365.25 * 24 / 64),
        ({"cluster__preemptions_per_day": 0.01}, 24 / (64 * 0.01 + 64 / (5.8 * 365.25))),
    ],
)
def test_machines_that_are_taken_away_stop_the_training_as_often_as_stated(
    knowledge: Knowledge, stated: dict[str, Any], hours: float
) -> None:
    card = {"machine__gpu__count": 1, "machine__gpu__memory_bytes": 80_000_000_000, "machine__gpu__backend": "cuda"}
    made = plan(knowledge, cluster__nodes=64, **card, data__modality="text", network__parameters=10**9, **stated)
    found = figures(knowledge, with_values(made, {"compute.device": "cluster"}))
    assert value(found, "failure.mean_seconds") == pytest.approx(hours * 3600)


def test_a_single_rented_machine_is_taken_away_as_often_as_stated(knowledge: Knowledge) -> None:
    made = plan(knowledge, cluster__nodes=1, cluster__preemptions_per_day=1, data__modality="text")
    assert value(figures(knowledge, made), "failure.mean_seconds") == pytest.approx(86_400 / (1 + 1 / 30))


def test_a_ring_moves_twice_the_gradients_less_one_share(knowledge: Knowledge) -> None:
    """8 workers, 4 MB of gradients, 10 GB/s at 80 %: 2 * 7/8 * 4e6 / 8e9 s and 14 messages of 10 us."""
    made = plan(knowledge, **SERVER, machine__link__host_to_device_bytes_per_second=10e9)
    made = with_values(made, {"compute.device": "multi_gpu", "communication": ["nccl"]})
    found = figures(knowledge, made, {"plan.parameters": Quantity(1_000_000, "counted")})
    assert value(found, "communication.gradient_bytes") == 4_000_000
    assert value(found, "communication.ring_seconds") == pytest.approx(2 * 7 / 8 * 4e6 / 8e9 + 14e-5)
    assert value(found, "communication.tree_seconds") == pytest.approx(2 * 4e6 / 8e9 + 6e-5)


def test_what_computing_hides_of_the_exchange_is_not_waited_for(knowledge: Knowledge) -> None:
    made = plan(knowledge, **SERVER, machine__link__host_to_device_bytes_per_second=10e9)
    made = with_values(made, {"compute.device": "multi_gpu", "communication": []})
    size = {"plan.parameters": Quantity(100_000_000, "counted")}
    slow = figures(knowledge, made, {**size, "plan.measured_step_seconds": Quantity(1.0, "measured")})
    assert value(slow, "communication.exposed_seconds") == 0
    assert value(slow, "scaling.speed_up") == 8
    fast = figures(knowledge, made, {**size, "plan.measured_step_seconds": Quantity(0.03, "measured")})
    ring = value(fast, "communication.ring_seconds")
    assert value(fast, "communication.exposed_seconds") == pytest.approx(ring - 0.8 * 0.02)
    assert value(fast, "scaling.efficiency") == pytest.approx(0.03 / (0.03 + ring - 0.016))


def test_the_largest_batch_fills_what_the_states_leave(knowledge: Knowledge) -> None:
    made = plan(knowledge, **{**SERVER, "machine__gpu__count": 1})
    made = with_values(made, {"training.precision": "fp32", "training.optimizer": "adamw", "compute.device": "gpu"})
    given = {
        "plan.parameters": Quantity(1_000_000_000, "asked"),
        "plan.kept_values": Quantity(150_000_000, "counted"),
        "plan.kept_bytes": Quantity(60_000_000, "counted"),
        "plan.largest_values": Quantity(50_000_000, "counted"),
        "plan.unfolded_values": Quantity(25_000_000, "counted"),
        "plan.output_values": Quantity(5_000_000, "counted"),
    }
    found = figures(knowledge, made, given)
    assert value(found, "memory.batch_ceiling") == math.floor((72e9 - 16e9 - 1.8e9) / 1e9)
    assert value(found, "memory.largest_model") == 4_500_000_000


SEVEN_BILLION = {
    "plan.parameters": Quantity(7_000_000_000, "published"),
    "plan.macs": Quantity(7e12, "published"),
    "plan.kept_values": Quantity(1_000_000_000, "published"),
    "plan.kept_bytes": Quantity(0, "published"),
    "plan.more_in_half": Quantity(10_000_000, "published"),
    "plan.recomputed_more_in_half": Quantity(5_000_000, "published"),
    "plan.recomputed_values": Quantity(100_000_000, "published"),
    "plan.largest_values": Quantity(40_000_000, "published"),
    "plan.unfolded_values": Quantity(30_000_000, "published"),
    "plan.output_values": Quantity(1_000_000, "published"),
}


@pytest.mark.parametrize(
    ("adaptation", "weights", "trained", "passes"),
    [
        ("full", 4, 1, 3),  # forward, and two products for each on the way back
        ("none", 4, 1, 3),
        ("lora", 2.04, 0.01, 2),  # no products for frozen weights
        ("qlora", 0.59, 0.01, 2),
        ("last_layer", 4, 0.001, 1),  # and none for what lies below
    ],
)
def test_what_is_frozen_needs_neither_gradients_nor_states(
    knowledge: Knowledge, adaptation: str, weights: float, trained: float, passes: int
) -> None:
    chosen = {"training.adaptation": adaptation, "training.optimizer": "adamw", "training.precision": "fp32"}
    found = figures(knowledge, with_values(plan(knowledge, **SERVER), chosen), SEVEN_BILLION)
    assert value(found, "memory.weights") == pytest.approx(weights * 7e9)
    assert value(found, "memory.gradients") == pytest.approx(4 * trained * 7e9)
    assert value(found, "memory.optimizer_states") == pytest.approx(8 * trained * 7e9)
    assert value(found, "compute.training_flops") == pytest.approx(passes * 2 * 7e12)


@pytest.mark.parametrize(
    ("chosen", "values"),
    [
        ({"training.adaptation": "full", "memory.strategy": "fits"}, 1_010_000_000 + 40_000_000 + 30_000_000),
        ({"training.adaptation": "full", "memory.strategy": "checkpointing"}, 105_000_000 + 40_000_000 + 30_000_000),
        ({"training.adaptation": "lora", "memory.strategy": "fits"}, 1_000_000_000 + 40_000_000 + 30_000_000),
        ({"training.adaptation": "last_layer", "memory.strategy": "fits"}, 40_000_000),
    ],
    ids=str,
)
def test_activations_are_what_the_plan_keeps_and_the_layer_at_work(
    knowledge: Knowledge, chosen: dict[str, str], values: int
) -> None:
    """In 16 bits; answers and their gradients in 32, and what goes through normalisation unless the weights are in 16 bits."""
    made = with_values(plan(knowledge, **SERVER), {**chosen, "training.precision": "bf16"})
    found = figures(knowledge, made, SEVEN_BILLION)
    assert value(found, "memory.activations_per_example") == 2 * values + 8 * 1_000_000


def test_a_processor_spreads_no_input_of_a_convolution_out(knowledge: Knowledge) -> None:
    chosen = {"compute.device": "cpu", "training.precision": "fp32", "training.adaptation": "full"}
    found = figures(knowledge, with_values(plan(knowledge), chosen), SEVEN_BILLION)
    assert value(found, "memory.work_per_example") == 4 * 40_000_000
    needed = 4 * (1_000_000_000 + 40_000_000) + 8 * 1_000_000
    assert value(found, "memory.activations_per_example") == needed


@pytest.mark.parametrize(("network", "batch", "share"), [("cnn", 8, 1.35), ("cnn", 9, 1.05), ("lstm", 9, 1.35)])
def test_results_of_32_mib_leave_few_gaps_in_a_processors_memory(
    knowledge: Knowledge, network: str, batch: int, share: float
) -> None:
    found = figures(
        knowledge,
        on_a_processor(knowledge, batch, network),
        SEVEN_BILLION | {"plan.layer_values": Quantity(2**20 - 1, "counted")},
    )
    assert value(found, "memory.allocator_share") == share
    beside = beside_states(found, batch, share, small=1.0)
    assert value(found, "memory.activations") == pytest.approx(beside)


@pytest.mark.parametrize(
    ("chosen", "results", "share"),
    [
        ({"training.precision": "bf16"}, 2**23, 1.45),
        ({"training.precision": "bf16"}, 2**24, 1.35),
        ({"memory.strategy": "checkpointing"}, 2**22, 1.55),
        ({"memory.strategy": "checkpointing"}, 2**23, 1.05),
        ({"memory.strategy": "checkpointing", "training.precision": "bf16"}, 2**23, 1.55),
    ],
    ids=str,
)
def test_formats_that_differ_and_what_is_computed_again_leave_more_gaps(
    knowledge: Knowledge, chosen: dict[str, str], results: int, share: float
) -> None:
    """And the most examples at a time are told for the most of them, since it is not known yet how large the pieces are."""
    made = with_values(on_a_processor(knowledge, 1), chosen)
    found = figures(knowledge, made, SEVEN_BILLION | {"plan.layer_values": Quantity(results, "counted")})
    assert value(found, "memory.allocator_share") == share
    assert value(found, "memory.largest_gaps") == (1.55 if "memory.strategy" in chosen else 1.45)


@pytest.mark.parametrize("small", [1.0, 0.25, 0.0])
def test_large_layers_leave_no_gaps_and_their_gradients_take_no_place_of_activations(
    knowledge: Knowledge, small: float
) -> None:
    large = {"plan.large_parameters": Quantity(round(7_000_000_000 * (1 - small)), "counted")}
    found = figures(knowledge, on_a_processor(knowledge, 8), SEVEN_BILLION | LITTLE | large)
    assert value(found, "memory.activations") == pytest.approx(beside_states(found, 8, 1.35, small))


def test_a_processor_copies_the_weights_of_large_convolutions_and_their_gradients(knowledge: Knowledge) -> None:
    copied = {"plan.copied_parameters": Quantity(100_000_000, "counted")}
    without, found = (
        figures(knowledge, on_a_processor(knowledge, 8), SEVEN_BILLION | LITTLE | more) for more in ({}, copied)
    )
    assert value(found, "memory.activations") - value(without, "memory.activations") == pytest.approx(800_000_000)
    assert value(found, "memory.batch_ceiling") <= value(without, "memory.batch_ceiling")


def test_gradients_take_the_place_of_activations_on_a_processor(knowledge: Knowledge) -> None:
    """What both take at once is the larger of the two."""
    few, more = (figures(knowledge, on_a_processor(knowledge, batch), SEVEN_BILLION | LITTLE) for batch in (1, 2))
    assert value(few, "memory.activations_per_example") * 2 < value(few, "memory.gradients")
    assert value(few, "memory.activations") == value(more, "memory.activations")


@pytest.mark.parametrize("large", [0, 4_000_000])
def test_the_largest_batch_on_a_processor_fits_and_the_next_does_not(knowledge: Knowledge, large: int) -> None:
    sizes = {name: Quantity(entry.value // 1000, entry.origin) for name, entry in SEVEN_BILLION.items()}
    sizes |= LITTLE | {"plan.large_parameters": Quantity(large, "counted")}
    most = int(value(figures(knowledge, on_a_processor(knowledge, 64), sizes), "memory.batch_ceiling"))
    fits, too_many = (figures(knowledge, on_a_processor(knowledge, batch), sizes) for batch in (most, most + 1))
    assert value(fits, "memory.training") <= value(fits, "memory.usable")
    assert value(too_many, "memory.training") > value(too_many, "memory.usable")


LITTLE = {"plan.layer_values": Quantity(1, "counted")}


def on_a_processor(knowledge: Knowledge, batch: int, network: str = "cnn") -> Plan:
    chosen = {
        "compute.device": "cpu",
        "training.precision": "fp32",
        "training.adaptation": "full",
        "network.type": network,
    }
    made = plan(knowledge, machine__memory_bytes=64_000_000_000)
    return with_values(made, {**chosen, "training.micro_batch": batch, "parallelism.model_ranks": 1})


def beside_states(found: Mapping[str, ComputedFigure], batch: int, share: float, small: float) -> float:
    states, gradients, each = (
        value(found, f"memory.{name}")
        for name in ("states_on_device", "gradients_on_device", "activations_per_example")
    )
    pieces = small * (states - gradients) + max(small * gradients, batch * each)
    return 20_000_000 + share * pieces - small * states


def test_a_network_whose_layers_are_known_together_only_has_what_it_keeps(knowledge: Knowledge) -> None:
    made = with_values(plan(knowledge, **SERVER), {"training.precision": "fp32", "memory.strategy": "fits"})
    known = {
        name: SEVEN_BILLION[name]
        for name in SEVEN_BILLION
        if name not in ("plan.largest_values", "plan.unfolded_values")
    }
    found = figures(knowledge, made, known)
    assert value(found, "memory.activations_per_example") == 4 * 1_000_000_000 + 8 * 1_000_000


@pytest.mark.parametrize(
    ("network", "batch", "mebibytes"),
    [("resnet18", 64, 4525), ("resnet50", 32, 5229), ("vit_base_patch16_224", 64, 10197), ("convnext_base", 32, 10885)],
)
def test_memory_of_published_networks_is_what_a_card_showed(
    knowledge: Knowledge, network: str, batch: int, mebibytes: int
) -> None:
    """Peaks by nvidia-smi: Yousefzadeh-Asl-Miandoab et al. 2026 (arXiv:2602.17817), Adam in 32 bits. See docs/studies/."""
    facts = with_model(knowledge, FactBase.of({"network.model": network, "machine.gpu.count": 1}))
    chosen = {
        "compute.device": "gpu", "training.optimizer": "adam", "training.precision": "fp32",
        "training.adaptation": "full", "memory.strategy": "fits",
    }  # fmt: skip
    found = figures(knowledge, with_values(advise(knowledge, facts, detail=VALUES_ONLY), chosen))
    taken = value(found, "memory.states_on_device") + batch * value(found, "memory.activations_per_example")
    assert taken + value(found, "memory.reserved") == pytest.approx(mebibytes * 2**20, rel=0.1)


NODES = {
    **SERVER,
    "machine__gpu__nvlink": False,
    "machine__link__host_to_device_bytes_per_second": 31.25e9,
    "cluster__nodes": 4,
    "cluster__network_bytes_per_second": 12.5e9,
}
"""Four machines of eight cards: 25 GB/s for each card inside, 10 GB/s for each machine outside, at 80 % of what is written."""
ALIKE = {
    "compute.device": "cluster",
    "communication": [],
    "parallelism.strategy": "data_parallel",
    "training.accumulation": 1,
}


def exchanged(knowledge: Knowledge, chosen: dict[str, Any], **facts: Any) -> dict[str, ComputedFigure]:
    """The figures of seven billion weights on four machines, or others, in a step that takes a second."""
    made = with_values(plan(knowledge, **{**NODES, **facts}), {**ALIKE, **chosen})
    return figures(knowledge, made, {**SEVEN_BILLION, "plan.measured_step_seconds": Quantity(1, "measured")})


def test_gradients_are_added_up_inside_machines_before_one_sum_crosses_the_network(knowledge: Knowledge) -> None:
    """28 GB of gradients: each card sends 2 * 7/8 of them inside, each machine 2 * 3/4 outside (a ring of rings)."""
    found = exchanged(knowledge, {})
    assert value(found, "communication.gradient_bytes") == 28e9
    assert value(found, "communication.inside_bytes") == pytest.approx(8 * 2 * 7 / 8 * 28e9)
    assert value(found, "communication.between_bytes") == pytest.approx(2 * 3 / 4 * 28e9)
    assert value(found, "communication.bytes") == pytest.approx(8 * 2 * 31 / 32 * 28e9)  # as much as in one ring of 32
    assert value(found, "communication.inside_seconds") == pytest.approx(2 * 7 / 8 * 28e9 / 25e9 + 14e-5)
    assert value(found, "communication.between_seconds") == pytest.approx(2 * 3 / 4 * 28e9 / 10e9 + 6e-5)
    both = value(found, "communication.inside_seconds") + value(found, "communication.between_seconds")
    assert value(found, "communication.exposed_seconds") == pytest.approx(both - 0.8 * 2 / 3)
    assert value(found, "scaling.speed_up") == pytest.approx(32 / (1 + both - 0.8 * 2 / 3))


def test_small_gradients_go_through_trees(knowledge: Knowledge) -> None:
    made = with_values(plan(knowledge, **{**NODES, "cluster__nodes": 64}), ALIKE)
    found = figures(knowledge, made, {"plan.parameters": Quantity(1000, "counted")})
    assert value(found, "communication.inside_seconds") == pytest.approx(2 * 4000 / 25e9 + 6e-5)
    assert value(found, "communication.between_seconds") == pytest.approx(2 * 4000 / 10e9 + 12e-5)
    assert value(found, "communication.tree_seconds") == pytest.approx(2 * 4000 / 25e9 + 2 * 4000 / 10e9 + 18e-5)


def test_machines_of_one_card_exchange_over_the_network_alone(knowledge: Knowledge) -> None:
    found = exchanged(knowledge, {}, machine__gpu__count=1)
    assert value(found, "communication.inside_bytes") == value(found, "communication.inside_seconds") == 0
    assert value(found, "communication.between_bytes") == value(found, "communication.bytes") == 2 * 3 / 4 * 28e9
    assert value(found, "communication.ring_seconds") == pytest.approx(2 * 3 / 4 * 28e9 / 10e9 + 6e-5)
    assert "communication.inside_link" not in found


def test_one_machine_sends_nothing_to_others(knowledge: Knowledge) -> None:
    found = exchanged(knowledge, {"compute.device": "multi_gpu"}, cluster__nodes=1)
    assert value(found, "communication.between_bytes") == value(found, "communication.between_seconds") == 0
    assert value(found, "communication.bytes") == value(found, "communication.inside_bytes") == 8 * 2 * 7 / 8 * 28e9


@pytest.mark.parametrize(
    ("adaptation", "weight", "trained", "ranks"),
    [("full", 2, 1, 1), ("lora", 2, 0.01, 1), ("lora", 2, 0.01, 8), ("qlora", 0.55, 0.01, 1)],
)
def test_weights_that_every_machine_has_are_gathered_inside_it(
    knowledge: Knowledge, adaptation: str, weight: float, trained: float, ranks: int
) -> None:
    """Twice in each of three passes, with the gradients of each; the network carries those of a step, of what is trained."""
    shares = {"parallelism.strategy": "hybrid", "parallelism.model_ranks": ranks, "training.precision": "bf16"}
    found = exchanged(knowledge, {**shares, "training.adaptation": adaptation, "training.accumulation": 3})
    assert value(found, "scaling.shard_group") == 8
    gradients = 4 * trained * 7e9
    assert value(found, "communication.gathered_bytes") == pytest.approx(3 * 2 * weight * 7e9)
    each = 7 / 8 * 3 * (2 * weight * 7e9 + gradients)
    assert value(found, "communication.inside_bytes") == pytest.approx(8 * each)
    assert value(found, "communication.inside_seconds") == pytest.approx(each / 25e9 + 14e-5)
    assert value(found, "communication.between_bytes") == pytest.approx(2 * 3 / 4 * gradients)


def test_weights_that_all_machines_share_are_gathered_over_the_network(knowledge: Knowledge) -> None:
    shares = {
        "parallelism.strategy": "sharded_data_parallel",
        "parallelism.model_ranks": 1,
        "training.precision": "bf16",
    }
    found = exchanged(knowledge, {**shares, "training.accumulation": 3})
    assert value(found, "communication.between_bytes") == pytest.approx(3 / 4 * 3 * (2 * 14e9 + 28e9))
    assert value(found, "communication.inside_bytes") == pytest.approx(8 * 7 / 8 * 3 * (2 * 14e9 + 28e9))


def test_results_of_divided_layers_are_added_up_inside_and_nothing_hides_that(knowledge: Knowledge) -> None:
    """Four times what goes from block to block, 500 million values of two bytes an example, in a ring of eight (Megatron)."""
    divided = {
        "parallelism.strategy": "hybrid", "parallelism.model_ranks": 8, "training.adaptation": "full",
        "training.precision": "bf16", "training.micro_batch": 2,
    }  # fmt: skip
    made = with_values(plan(knowledge, **{**NODES, "data__modality": "text"}), {**ALIKE, **divided})
    given = {**SEVEN_BILLION, "plan.recomputed_values": Quantity(500_000_000, "counted")}
    found = figures(knowledge, made, {**given, "plan.measured_step_seconds": Quantity(1, "measured")})
    each = 2 * 7 / 8 * 4 * 2 * 2 * 500e6
    assert value(found, "communication.inside_bytes") == pytest.approx(8 * each)
    assert value(found, "communication.between_bytes") == pytest.approx(3 / 4 * (2 * 14e9 + 28e9))
    inside, between = value(found, "communication.inside_seconds"), value(found, "communication.between_seconds")
    assert inside == pytest.approx(each / 25e9 + 14e-5)
    assert value(found, "communication.exposed_seconds") == pytest.approx(inside + between - 0.8 * 2 / 3)


def test_parts_of_a_network_pass_on_what_goes_from_block_to_block(knowledge: Knowledge) -> None:
    parts = {
        "parallelism.strategy": "model_parallel", "parallelism.model_ranks": 4, "training.precision": "bf16",
        "training.micro_batch": 8, "training.accumulation": 4,
    }  # fmt: skip
    made = with_values(plan(knowledge, **{**NODES, "machine__gpu__count": 1}), {**ALIKE, **parts})
    given = {**SEVEN_BILLION, "plan.passed_values": Quantity(8_000_000, "counted")}
    found = figures(knowledge, made, given)
    assert value(found, "communication.gradient_bytes") == 32 * 2 * 8e6
    unknown = figures(knowledge, made, {"plan.parameters": Quantity(7_000_000_000, "counted")})
    assert unknown["communication.gradient_bytes"].value is None


def test_machines_that_go_on_alone_exchange_once_in_a_hundred_steps_and_their_cards_in_each(
    knowledge: Knowledge,
) -> None:
    found = exchanged(knowledge, {"sync.strategy": "local_sgd"})
    inside, between = value(found, "communication.inside_seconds"), value(found, "communication.between_seconds")
    assert value(found, "communication.between_bytes") == pytest.approx(2 * 3 / 4 * 28e9 / 100)
    assert between == pytest.approx((2 * 3 / 4 * 28e9 / 10e9 + 6e-5) / 100)
    assert inside == pytest.approx(2 * 7 / 8 * 28e9 / 25e9 + 14e-5)
    assert value(found, "communication.exposed_seconds") == pytest.approx(inside - 0.8 * 2 / 3 + between)


def test_where_the_link_inside_is_not_known_copies_wait_for_the_network_at_least(knowledge: Knowledge) -> None:
    unknown = {name: fact for name, fact in NODES.items() if not name.startswith("machine__link")}
    made = with_values(plan(knowledge, **unknown), ALIKE)
    step = {**SEVEN_BILLION, "plan.measured_step_seconds": Quantity(1, "measured")}
    found = figures(knowledge, made, step)
    assert found["communication.inside_seconds"].value is None
    between = value(found, "communication.between_seconds")
    assert value(found, "communication.exposed_seconds") == pytest.approx(between - 0.8 * 2 / 3)
    shared = with_values(made, {"parallelism.strategy": "hybrid", "parallelism.model_ranks": 1})
    lacking = figures(knowledge, shared, step)["communication.exposed_seconds"]
    assert (lacking.value, lacking.missing) == (None, ("machine.link.host_to_device_bytes_per_second",))


OFFLOADED = {
    "compute.device": "gpu", "memory.strategy": "offload", "training.adaptation": "full", "training.accumulation": 4,
    "training.precision": "bf16",
}  # fmt: skip
ONE_CARD = {**SERVER, "machine__gpu__count": 1, "machine__link__host_to_device_bytes_per_second": 31.25e9}


@pytest.mark.parametrize(
    ("adaptation", "precision", "weight", "gradient"),
    [("full", "bf16", 2, 2), ("full", "fp32", 4, 4), ("lora", "bf16", 2, 0.02), ("qlora", "bf16", 0.55, 0.02)],
)
def test_weights_come_in_twice_a_pass_and_gradients_go_out_once_where_they_wait_in_main_memory(
    knowledge: Knowledge, adaptation: str, precision: str, weight: float, gradient: float
) -> None:
    """ZeRO-Infinity, section 4: parameters are loaded for the forward and the backward pass, gradients stored once."""
    chosen = {**OFFLOADED, "training.adaptation": adaptation, "training.precision": precision}
    found = figures(knowledge, with_values(plan(knowledge, **ONE_CARD), chosen), SEVEN_BILLION)
    assert value(found, "offload.bytes") == pytest.approx(4 * (2 * weight + gradient) * 7e9)
    assert value(found, "offload.seconds") == pytest.approx(4 * (2 * weight + gradient) * 7e9 / 25e9)


@pytest.mark.parametrize(("computing", "step"), [(2.5, 10 + 1.75), (0.5, 6.72 + 1.75)])
def test_a_step_takes_as_long_as_moving_the_weights_and_then_the_update(
    knowledge: Knowledge, computing: float, step: float
) -> None:
    """Four passes of 42 GB at 25 GB/s take 6.72 s; the processor updates a billion weights in a quarter of a second."""
    made = with_values(plan(knowledge, **ONE_CARD), OFFLOADED)
    found = figures(knowledge, made, {**SEVEN_BILLION, "plan.measured_step_seconds": Quantity(computing, "measured")})
    assert value(found, "time.computing") == 4 * computing
    assert value(found, "time.step") == pytest.approx(step)


def test_a_link_to_main_memory_that_is_not_known_is_taken_for_a_slow_one(knowledge: Knowledge) -> None:
    made = with_values(plan(knowledge, **{**SERVER, "machine__gpu__count": 1}), OFFLOADED)
    found = figures(knowledge, made, SEVEN_BILLION)
    assert value(found, "offload.seconds") == pytest.approx(4 * 42e9 / (0.8 * 15.75e9))


def test_cards_that_share_the_states_each_move_their_share(knowledge: Knowledge) -> None:
    several = {**OFFLOADED, "compute.device": "multi_gpu", "parallelism.strategy": "sharded_data_parallel"}
    facts = {**ONE_CARD, "machine__gpu__count": 8, "machine__gpu__same_pcie_bus": True}
    made = with_values(plan(knowledge, **facts), {**several, "parallelism.model_ranks": 1})
    found = figures(knowledge, made, {**SEVEN_BILLION, "plan.measured_step_seconds": Quantity(0.5, "measured")})
    assert value(found, "offload.bytes") == 4 * 42e9 / 8
    assert value(found, "offload.seconds") == pytest.approx(4 * 42e9 / 25e9)  # one switch for all of them
    assert value(found, "offload.update_seconds") == pytest.approx(1.75)  # of one processor
    assert value(found, "time.alone") == pytest.approx(8 * 4 * 42e9 / 25e9 + 1.75)
    assert value(found, "scaling.speed_up") < 8


@pytest.mark.parametrize(("precision", "each"), [("bf16", 3), ("fp16", 3), ("fp32", 6), ("tf32", 6)])
def test_a_billion_weights_are_on_the_card_in_the_format_of_the_computation(
    knowledge: Knowledge, precision: str, each: int
) -> None:
    made = with_values(plan(knowledge, **ONE_CARD), {**OFFLOADED, "training.precision": precision})
    assert value(figures(knowledge, made, SEVEN_BILLION), "memory.states_on_device") == each * 1e9
    frozen = with_values(made, {"training.adaptation": "lora"})
    assert value(figures(knowledge, frozen, SEVEN_BILLION), "memory.states_on_device") == 3e9


def test_what_is_not_moved_takes_no_time(knowledge: Knowledge) -> None:
    made = with_values(plan(knowledge, **ONE_CARD), {**OFFLOADED, "memory.strategy": "fits"})
    found = figures(knowledge, made, {**SEVEN_BILLION, "plan.measured_step_seconds": Quantity(0.5, "measured")})
    assert value(found, "time.step") == value(found, "time.computing") == 2
    assert "offload.bytes" not in found


@pytest.mark.parametrize(("cards", "batch"), [(1, 128), (8, 1024), (64, 8192), (1024, 8192)])
def test_the_learning_rate_belongs_to_the_batch_of_all_ranks(knowledge: Knowledge, cards: int, batch: int) -> None:
    """0.1 for 256 examples, up to 8,192 (Goyal et al. 2017)."""
    facts = {**SERVER, "machine__gpu__count": cards, "data__modality": "image", "data__examples": 50_000_000}
    made = plan(knowledge, **facts, task__kind="classify", project__pretrained_allowed=False)
    assert (made.value("training.batch_size"), made.value("parallelism.data_ranks")) == (batch, cards)
    assert made.value("training.optimizer").startswith("sgd")
    assert made.value("training.learning_rate") == pytest.approx(0.1 * batch / 256)


def test_the_read_rate_that_training_needs(knowledge: Knowledge) -> None:
    """2,500 pictures a second of 110 kB each need 0.28 GB/s (knowledge base, DP4)."""
    made = plan(
        knowledge, data__modality="image", data__examples=1_000_000, data__bytes=110_000_000_000, machine__gpu__count=1
    )
    made = with_values(made, {"training.batch_size": 250, "compute.device": "gpu"})
    found = figures(knowledge, made, {"plan.measured_step_seconds": Quantity(0.1, "measured")})
    assert value(found, "data.read_rate") == pytest.approx(0.275e9)


def test_money_is_price_times_hours(knowledge: Knowledge) -> None:
    found = figures(knowledge, plan(knowledge, project__price_per_hour=4.73, project__hours_available=10))
    assert value(found, "cost.money") == pytest.approx(47.3)


def test_a_figure_says_what_it_rests_on_and_what_it_lacks(knowledge: Knowledge) -> None:
    found = figures(knowledge, plan(knowledge, project__price_per_hour=2))
    assert found["cost.money"].value is None
    assert found["cost.money"].missing == ("project.hours_available",)
    guessed = figures(knowledge, plan(knowledge, **TABLE), {"plan.parameters": Quantity(1, Source.ASSUMED)})
    assert guessed["network.size"].assumes == ("plan.parameters",)


def test_what_a_branch_not_taken_reads_is_not_wanting(knowledge: Knowledge) -> None:
    made = with_values(plan(knowledge), {"compute.device": "cpu"})
    assert figures(knowledge, made)["memory.usable"].missing == ("machine.memory_bytes",)
    made = with_values(plan(knowledge), {"compute.device": "gpu"})
    assert figures(knowledge, made)["memory.usable"].missing == ("machine.gpu.memory_bytes",)


def test_a_count_rests_on_what_the_network_was_built_from(knowledge: Knowledge) -> None:
    made = plan(knowledge, data__modality="image", data__inputs=64, task__kind="classify", task__outputs=10)
    assert made.recommendations["network.hidden_units"].status is Status.LEANING
    assert "network.hidden_units" in figures(knowledge, made)["network.size"].assumes


def test_trees_have_no_weights(knowledge: Knowledge) -> None:
    made = plan(knowledge, **TABLE, data__examples=5000, network__parameters=54_000_000)
    assert made.recommendations["network.hidden_units"].status is Status.NOT_APPLICABLE
    assert figures(knowledge, made)["network.size"].value is None


def test_what_means_nothing_here_is_left_out(knowledge: Knowledge) -> None:
    found = figures(knowledge, plan(knowledge, machine__gpu__count=0, cluster__nodes=1))
    assert "scaling.workers" not in found
    assert "transfer.seconds" not in found


def test_the_survey_computes_nothing_from_later_works(knowledge: Knowledge) -> None:
    stated = {"data.modality": "image", "data.inputs": 64, "task.kind": "classify", "task.outputs": 10}
    made = advise(knowledge, FactBase.of(stated), School.SURVEY, VALUES_ONLY)
    found = figures(knowledge, made)
    cited = {citation.split(" ")[0] for figure in found.values() for citation in figure.sources}
    assert {knowledge.sources[key].kind for key in cited} <= {"seed", "own"}
    assert "network.size" in found
    assert "memory.gradients" not in found
    several = advise(knowledge, FactBase.of({**stated, "machine.gpu.count": 2}), School.SURVEY, VALUES_ONLY)
    exchange = [name for name in figures(knowledge, several) if name.startswith("communication.")]
    assert exchange == ["communication.exposed_seconds"]  # of a speed-up that somebody states


def test_a_cluster_of_processors_has_no_card(knowledge: Knowledge) -> None:
    made = plan(knowledge, cluster__nodes=8, machine__gpu__count=0, machine__memory_bytes=64_000_000_000)
    found = figures(knowledge, with_values(made, {"compute.device": "cluster"}), {})
    assert value(found, "memory.usable") == pytest.approx(0.9 * 64e9)
    assert value(found, "memory.reserved") == 300_000_000
    assert "transfer.seconds" not in found
    assert value(found, "scaling.workers") == 8


def test_on_an_apple_chip_nothing_is_kept_for_cuda(knowledge: Knowledge) -> None:
    apple = {"machine__gpu__count": 1, "machine__gpu__backend": "mps", "machine__memory_bytes": 64_000_000_000}
    made = plan(knowledge, **apple, cluster__nodes=1)
    card = figures(knowledge, with_values(made, {"compute.device": "gpu"}), {})
    assert value(card, "memory.reserved") == 300_000_000
    assert value(card, "memory.usable") == pytest.approx(0.65 * 64e9)
    other = plan(knowledge, **{**apple, "machine__gpu__backend": "cuda"}, cluster__nodes=1)
    nvidia = figures(knowledge, with_values(other, {"compute.device": "gpu"}), {})
    assert value(nvidia, "memory.reserved") == 1_800_000_000


def test_of_tables_only_the_rows_that_are_met_get_gradients(knowledge: Knowledge) -> None:
    """A recommender of 24 billion weights: 2.4 million outside of tables, and 26 rows of 128 values an example."""
    clicks = {"task__kind": "classify", "task__outputs": 2, "data__modality": "tabular", "data__sparse_ids": True}
    made = plan(knowledge, **clicks, data__inputs=39, data__examples=10**9, network__parameters=24 * 10**9, **SERVER)
    chosen = {
        "training.precision": "fp32",
        "training.micro_batch": 8192,
        "training.accumulation": 1,
        "training.optimizer": "adagrad",
    }
    found = figures(knowledge, with_values(made, {**chosen, "compute.device": "multi_gpu"}))
    met = 4 * (2.4e6 + 8192 * 26 * 128)
    assert value(found, "memory.gradients") == pytest.approx(met, rel=0.01)
    assert value(found, "communication.gradient_bytes") == pytest.approx(met, rel=0.01)
    assert value(found, "memory.states") == pytest.approx(8 * 24e9, rel=0.01)
    assert value(found, "compute.macs") < 3e6


def test_films_are_looked_at_by_a_network_as_large_as_the_published_one_in_three_dimensions(
    knowledge: Knowledge,
) -> None:
    facts = {
        "task__kind": "classify",
        "task__outputs": 400,
        "data__modality": "video",
        "project__pretrained_allowed": False,
    }
    made = plan(knowledge, **facts, data__inputs=3 * 112**2, data__sequence_length=16)
    assert made.value("network.type") == "cnn"
    found = figures(knowledge, made)
    assert value(found, "network.size") == pytest.approx(33_371_472, rel=0.001)  # R3D-18
    assert value(found, "compute.macs") == pytest.approx(40.7e9, rel=0.02)
