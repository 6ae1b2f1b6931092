from __future__ import annotations

from dataclasses import replace

import pytest

from advisor.facts.experiments import SIMULATE, SYNC, is_of_strategies
from advisor.facts.verdict import Verdict
from advisor.knowledge.loader import load
from advisor.probes.catalogue import PROBES, probe_named
from advisor.probes.probe import Costs, best_other
from advisor.probes.settings.batch import BATCH, knee
from advisor.probes.settings.cores import THREADS
from advisor.probes.settings.precision import PRECISION
from advisor.probes.settings.variants import DEVICE, LAYOUT
from advisor.probes.verdict import Margins, compare
from advisor.probes.workload import Device, Precision, Workload
from advisor.resources import rules_folder

DIGITS = Workload("cnn", "image", 64, 10, (32, 64), batch_size=64)
CORES = {
    "machine.cpu.physical_cores": 6,
    "machine.cpu.logical_cores": 12,
    "machine.cpu.usable_cores": 12,
    "machine.cpu.features": {"avx2", "avx512_bf16"},
}


def rehearsals(**costs: float) -> Costs:
    return {int(size.removeprefix("size")): cost for size, cost in costs.items()}


def test_every_probe_names_what_it_answers() -> None:
    names = [probe.name for probe in PROBES]
    assert len(set(names)) == len(names)
    for probe in PROBES:
        assert probe.question.endswith("?")
        assert probe.fact in ("", f"probe.{probe.name}.best")
        assert probe.fact or probe.gauges, "it finds out nothing"
        assert probe.cost_seconds > 0
        assert probe_named(probe.name) is probe
        assert {"machine", "torch"} & set(probe.bound_by)


def test_every_fact_of_a_probe_is_declared() -> None:
    vocabulary = load(rules_folder()).vocabulary.facts
    assert {fact for probe in PROBES for fact in (probe.fact, *probe.gauges) if fact} <= set(vocabulary)


def test_every_topic_of_a_probe_is_declared() -> None:
    topics = load(rules_folder()).topics
    assert {probe.topic for probe in PROBES} - {""} <= set(topics)
    decided = {topic.probe for topic in topics.values()} - {""}
    tried = {topic.probe for topic in topics.values() if topic.probe.startswith("trial.")}
    run = {name for name in decided if is_of_strategies(name)}
    assert decided - tried - run <= {probe.name for probe in PROBES}
    assert tried, "what `advisor try` decides is no probe"
    assert run == {SYNC}, "nor is what real workers decide"
    assert {topic.simulation for topic in topics.values()} == {"", SIMULATE}


def test_everything_that_a_probe_measures_has_a_title() -> None:
    deciding = {topic.probe for topic in load(rules_folder()).topics.values()}
    assert [probe.name for probe in PROBES if not probe.title and probe.name not in deciding] == []
    assert [fact for probe in PROBES for fact in probe.gauges if not probe.labels.get(fact)] == []


def test_an_unknown_probe_is_answered_with_the_nearest() -> None:
    with pytest.raises(ValueError, match="Did you mean threads"):
        probe_named("thread")


def test_threads_are_tried_at_powers_of_two_and_at_the_numbers_of_cores() -> None:
    assert THREADS.settings(DIGITS, CORES, 5) == (1, 2, 4, 5, 6, 8, 12)


def test_threads_beyond_the_usable_cores_are_tried_only_where_the_plan_recommends_them() -> None:
    few = CORES | {"machine.cpu.usable_cores": 2}
    assert THREADS.settings(DIGITS, few, 2) == (1, 2)
    assert set(THREADS.settings(DIGITS, few, 6)) == {1, 2, 6}


@pytest.mark.parametrize(
    ("cores", "reason"), [(1, "Only one core can be used"), (None, "It is not known how many cores")]
)
def test_threads_do_not_apply_without_a_choice(cores: int | None, reason: str) -> None:
    assert reason in str(THREADS.why_not(DIGITS, CORES | {"machine.cpu.usable_cores": cores}))


def test_threads_do_not_apply_to_a_graphics_card() -> None:
    assert "graphics card" in str(THREADS.why_not(replace(DIGITS, device=Device.CUDA), CORES))


def test_batches_are_tried_at_powers_of_two_around_the_recommended_one() -> None:
    assert BATCH.settings(DIGITS, CORES, 64) == (8, 16, 32, 64, 128, 256, 512)
    assert BATCH.settings(DIGITS, CORES, 100) == (8, 16, 32, 64, 100, 256, 512)
    assert BATCH.settings(DIGITS, CORES, 4) == (2, 4, 8, 16, 32)
    assert BATCH.settings(DIGITS, CORES, 1) == (1, 2, 4, 8)


@pytest.mark.parametrize(("examples", "largest"), [(1797, 128), (5_119, 256), (5_120, 512), (600, 64)])
def test_no_batch_is_tried_with_which_a_pass_over_the_data_has_fewer_than_ten_steps(
    examples: int, largest: int
) -> None:
    assert max(BATCH.settings(DIGITS, {**CORES, "data.examples": examples}, 64)) == largest


def test_precision_needs_a_processor_with_bf16_instructions() -> None:
    assert PRECISION.why_not(DIGITS, CORES) is None
    assert PRECISION.settings(DIGITS, CORES, "fp32") == ("fp32", "bf16")
    plain = CORES | {"machine.cpu.features": {"avx2"}}
    assert "no instructions for bf16" in str(PRECISION.why_not(DIGITS, plain))
    assert "not known" in str(PRECISION.why_not(DIGITS, {}))


@pytest.mark.parametrize(("capability", "formats"), [(7.5, {"fp32", "fp16"}), (8.0, {"fp32", "fp16", "tf32", "bf16"})])
def test_precision_of_a_card_follows_its_compute_capability(capability: float, formats: set[str]) -> None:
    card = {"machine.gpu.compute_capability": capability}
    on_card = replace(DIGITS, device=Device.CUDA)
    assert PRECISION.why_not(on_card, card) is None
    assert set(PRECISION.settings(on_card, card, "fp32")) == formats


def test_an_old_card_has_no_other_formats() -> None:
    card = {"machine.gpu.compute_capability": 6.1}
    assert "6.1 has no units" in str(PRECISION.why_not(replace(DIGITS, device=Device.CUDA), card))


@pytest.mark.parametrize("probe", [p for p in PROBES if p.needs_network], ids=lambda probe: probe.name)
def test_what_cannot_be_built_cannot_be_probed(probe: object) -> None:
    assert "hopfield cannot be built yet" in str(probe.why_not(replace(DIGITS, network="hopfield"), CORES))  # type: ignore[attr-defined]


def test_an_optimizer_that_cannot_be_timed_is_said_beforehand() -> None:
    assert "lbfgs cannot be timed yet" in str(THREADS.why_not(replace(DIGITS, optimizer="lbfgs"), CORES))


def test_a_processor_has_no_tf32() -> None:
    assert "tf32 cannot be timed" in str(THREADS.why_not(replace(DIGITS, precision=Precision.TF32), CORES))


def test_the_scope_leaves_out_what_is_tried() -> None:
    everything = {
        "network": "cnn 64-[32,64]-10", "batch_size": "64", "precision": "fp32", "device": "cpu", "memory_format": "contiguous",
    }  # fmt: skip
    assert THREADS.scope(DIGITS) == everything
    of_the_batch = {**everything, "sizes": "cnn 64-[32,64]-10"}
    del of_the_batch["batch_size"]
    assert BATCH.scope(DIGITS) == of_the_batch
    for probe, tried in (
        (PRECISION, "precision"),
        (LAYOUT, "memory_format"),
        (DEVICE, "device"),
    ):
        assert probe.scope(DIGITS) == {name: value for name, value in everything.items() if name != tried}


def test_a_variant_differs_in_the_setting_only() -> None:
    assert PRECISION.variant(DIGITS, "bf16") == replace(DIGITS, precision=Precision.BF16)
    with pytest.raises(ValueError, match="threads: 0 is no whole number"):
        THREADS.variant(DIGITS, 0)


def test_the_rival_is_the_best_of_the_others() -> None:
    assert best_other({1: 3.0, 2: 1.0, 4: 2.0}, before=2) == 4


def test_the_knee_is_the_size_beyond_which_doubling_hardly_adds() -> None:
    assert knee({8: 10.0, 16: 6.0, 32: 4.0, 64: 3.8, 128: 3.7}) == 32
    assert knee({8: 10.0, 16: 6.0, 32: 4.0}) == 32
    assert knee({8: 1.0, 16: 2.0}) == 8


def test_the_knee_counts_growth_per_doubling() -> None:
    assert knee({64: 1.0, 256: 1 / 1.15}) == 64
    assert knee({64: 1.0, 256: 1 / 1.25}) == 256


@pytest.mark.parametrize(("before", "rival"), [(8, 32), (128, 32), (32, 16)])
def test_a_batch_is_compared_with_the_knee_or_the_size_below_it(before: int, rival: int) -> None:
    costs = {8: 10.0, 16: 6.0, 32: 4.0, 64: 3.8, 128: 3.7}
    assert BATCH.rival(costs, before) == rival


def test_the_smallest_size_is_compared_with_the_next_larger() -> None:
    assert BATCH.rival({8: 1.0, 16: 1.0}, 8) == 16


def test_a_larger_batch_must_earn_ten_percent_per_doubling() -> None:
    assert BATCH.margins(32, 128) == Margins(before=1.03, rival=pytest.approx(1.21))
    assert BATCH.margins(128, 32) == Margins(before=pytest.approx(1.21), rival=1.10)
    slightly_faster_when_larger = [(1.0, 1 / 1.15)] * 8
    assert compare(slightly_faster_when_larger, BATCH.margins(32, 128)).verdict is Verdict.NO_DIFFERENCE
    assert compare([(1.0, 1 / 1.5)] * 8, BATCH.margins(32, 128)).verdict is Verdict.OVERTURNED


def test_batches_grow_until_doubling_hardly_adds_but_beyond_the_recommended_one() -> None:
    assert BATCH.enough(rehearsals(size32=2.0, size64=1.9), 64) is None
    assert "from 64 to 128" in str(BATCH.enough(rehearsals(size64=2.0, size128=1.9), 64))
    assert BATCH.enough(rehearsals(size64=2.0, size128=1.5), 64) is None
