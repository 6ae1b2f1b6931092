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
    made = plan(knowledge, **facts, network__parameters=7_000_000_000, data__sequence_length=4096)
    found = figures(knowledge, with_values(made, {"training.precision": "bf16", "memory.strategy": "fits"}))
    attention = 2 * 4096**2 * 4096 * 32
    assert value(found, "compute.training_flops") == pytest.approx(6 * (7e9 * 4096 + attention), rel=0.03)
    real = 17 * 2 * 4096 * 4096 * 32 + 8 * 4096 * 128_256  # bytes: 34 for each step, unit and layer, and the scores
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
        ({"training.adaptation": "full", "memory.strategy": "fits"}, 1_000_000_000 + 40_000_000 + 30_000_000),
        ({"training.adaptation": "full", "memory.strategy": "checkpointing"}, 100_000_000 + 40_000_000 + 30_000_000),
        ({"training.adaptation": "last_layer", "memory.strategy": "fits"}, 40_000_000),
    ],
    ids=str,
)
def test_activations_are_what_the_plan_keeps_and_the_layer_at_work(
    knowledge: Knowledge, chosen: dict[str, str], values: int
) -> None:
    """In 16 bits; answers and their gradients in 32."""
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


@pytest.mark.parametrize("small", [1.0, 0.25, 0.0])
def test_large_layers_leave_no_gaps_and_their_gradients_take_no_place_of_activations(
    knowledge: Knowledge, small: float
) -> None:
    large = {"plan.large_parameters": Quantity(round(7_000_000_000 * (1 - small)), "counted")}
    found = figures(knowledge, on_a_processor(knowledge, 8), SEVEN_BILLION | LITTLE | large)
    assert value(found, "memory.activations") == pytest.approx(beside_states(found, 8, 1.35, small))


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


def test_workers_that_go_on_alone_exchange_once_in_a_hundred_steps(knowledge: Knowledge) -> None:
    link = {"machine__link__host_to_device_bytes_per_second": 31.5e9, "machine__gpu__nvlink": False}
    alone = {"compute.device": "multi_gpu", "sync.strategy": "local_sgd"}
    made = with_values(plan(knowledge, **SERVER, **link), alone)
    found = figures(knowledge, made, {**SEVEN_BILLION, "plan.measured_step_seconds": Quantity(1, "measured")})
    least = min(value(found, "communication.ring_seconds"), value(found, "communication.tree_seconds"))
    assert value(found, "communication.exposed_seconds") == pytest.approx(least / 100)


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


def test_films_are_looked_at_by_the_published_network_in_three_dimensions(knowledge: Knowledge) -> None:
    facts = {
        "task__kind": "classify",
        "task__outputs": 400,
        "data__modality": "video",
        "project__pretrained_allowed": False,
    }
    made = plan(knowledge, **facts, data__inputs=3 * 112**2, data__sequence_length=16)
    assert made.value("network.type") == "cnn"
    found = figures(knowledge, made)
    assert value(found, "network.size") == 33_371_472
    assert value(found, "compute.macs") == pytest.approx(40.7e9, rel=0.02)
