"""What the machine can do: matrices and memory in real children, and the parts that they are made of."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
import torch

from advisor.children.errors import CannotRunError
from advisor.machine.parts import Cache, CacheKind
from advisor.probes.benches import matmul, memory
from advisor.probes.conditions import Conditions
from advisor.probes.outcome import Outcome
from advisor.probes.probe import Probe
from advisor.probes.protocol import Message, Note, Request
from advisor.probes.rates import ALL_THREADS, MATMUL, MEMORY, ONE_THREAD
from advisor.probes.runner import run
from advisor.probes.surroundings import Surroundings

CORES = {
    "machine.cpu.usable_cores": 2,
    "machine.cpu.physical_cores": 2,
    "machine.cpu.features": {"avx2", "avx512_bf16"},
}
PLAIN = {**CORES, "machine.cpu.features": {"avx2"}}
CARD = {"machine.gpu.count": 1, "machine.gpu.backend": "cuda", "machine.gpu.compute_capability": 9.0}
SECONDS = 25.0
"""Enough on a busy machine; a quiet one decides sooner."""


def measure(probe: Probe, facts: dict[str, object]) -> Outcome:
    before = probe.before({}, None, facts)
    assert before is not None
    outcome = run(probe, None, before=before, facts=facts, budget_seconds=SECONDS)
    assert outcome.failure is None
    assert outcome.fact not in outcome.facts()
    assert Outcome.from_json(json.loads(json.dumps(outcome.to_json()))) == outcome
    return outcome


def skipped(outcome: Outcome) -> dict[object, str]:
    return {record.setting: record.skipped for record in outcome.settings if record.skipped}


# --- matrices ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_matrices_are_multiplied_in_a_child_and_give_a_rate_for_each_format() -> None:
    outcome = measure(MATMUL, PLAIN)
    assert "no instructions for bf16" in skipped(outcome)["bf16"]
    assert "probe.matmul.bf16" not in outcome.facts()
    rate = outcome.rate("fp32")
    assert rate is not None
    at_rest = replace(outcome, conditions=Conditions())
    assert (rate.unit, at_rest.facts()["probe.matmul.fp32"]) == ("FLOP/s", rate.median)
    assert any("multiplied on the processor, with 2 threads" in note for note in outcome.conditions.warnings)
    assert any("fp32 was measured with matrices of" in note for note in outcome.conditions.warnings)


def test_a_card_is_asked_for_the_formats_that_it_has_units_for() -> None:
    assert MATMUL.settings(None, CORES, "fp32") == ("fp32", "bf16", "fp64")
    assert MATMUL.settings(None, CARD, "fp32") == ("fp32", "tf32", "bf16", "fp16")
    old = {**CARD, "machine.gpu.compute_capability": 7.5}
    assert MATMUL.settings(None, old, "fp32") == ("fp32", "fp16")


@pytest.mark.parametrize(
    ("setting", "facts", "reason"),
    [
        ("bf16", PLAIN, "no instructions for bf16"),
        ("tf32", CORES, "has no units for tf32"),
        ("fp8", CORES, "fp8 is none of fp64, fp32"),
        ("bf16", CORES, None),
        ("bf16", {}, None),
        ("fp32", PLAIN, None),
    ],
)
def test_a_format_without_units_is_refused_with_its_reason(
    setting: str, facts: dict[str, object], reason: str | None
) -> None:
    found = matmul.refusal(setting, torch.device("cpu"), Surroundings.of(facts))
    assert found is None if reason is None else reason in str(found)


def trial(told: list[Message], memory_bytes: int = 10**9) -> matmul.MatmulTrial:
    return matmul.MatmulTrial("fp32", torch.device("cpu"), memory_bytes, told.append, refusal=None)


def test_matrices_grow_no_further_than_the_time_allows() -> None:
    told: list[Message] = []
    hurried = trial(told)
    hurried.warm_up(0.0)
    assert hurried.size == matmul.SMALLEST
    assert hurried.work == 2 * matmul.SMALLEST**3
    assert told == [Note("fp32 was measured with matrices of 64 rows and columns.")]


def test_matrices_grow_no_further_than_the_memory_allows() -> None:
    small = trial([], memory_bytes=3 * 4 * 128**2)
    small.warm_up(5.0)
    assert small.size <= 128


def test_a_format_whose_multiplication_is_awfully_slow_ends_with_small_matrices(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slow = trial([])
    monkeypatch.setattr(slow, "_look", lambda until: 1e-9 * slow.work)  # as if 1 GFLOP/s
    slow.warm_up(5.0)
    assert slow.work / 1e9 <= matmul.LONGEST_STEP


def test_the_largest_matrices_of_about_the_best_rate_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    rates = {64: 1.0, 128: 4.0, 256: 5.0, 512: 4.9, 1024: 3.0}
    flat = trial([], memory_bytes=3 * 4 * 1024**2)
    monkeypatch.setattr(flat, "_look", lambda until: flat.work / (rates[flat.size] * 1e12))
    flat.warm_up(5.0)
    assert flat.size == 512


def test_a_step_multiplies_into_the_same_matrix() -> None:
    told: list[Message] = []
    small = trial(told, memory_bytes=1)
    small.warm_up(5.0)
    product = small._product
    product.zero_()
    small.step()
    assert small._product is product
    assert torch.allclose(product, small._left @ small._right, rtol=1e-3, atol=1e-3)


# --- memory -----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_memory_is_measured_in_a_child_and_one_thread_is_the_rival_of_all() -> None:
    outcome = measure(MEMORY, CORES)
    assert outcome.rival == ONE_THREAD
    at_rest = replace(outcome, conditions=Conditions())
    assert {"probe.memory.bytes_per_second", "probe.memory.one_thread_bytes_per_second"} <= at_rest.facts().keys()
    rate = outcome.rate(ALL_THREADS)
    assert rate is not None
    assert rate.unit == "bytes/s"
    caches = {"l1", "l2", "l3"}
    assert all("does not tell of a cache" in skipped(outcome).get(name, "does not tell of a cache") for name in caches)
    assert any("All threads are 2 here" in note and "as STREAM does" in note for note in outcome.conditions.warnings)


def test_one_thread_is_left_out_where_there_is_no_other() -> None:
    assert MEMORY.settings(None, {"machine.cpu.usable_cores": 1}, ALL_THREADS) == (ALL_THREADS, "l3", "l2", "l1")
    assert MEMORY.rival({ALL_THREADS: 3.0, "l3": 2.0, "l2": 1.0}, ALL_THREADS) == "l2"
    assert MEMORY.rival({ALL_THREADS: 3.0, ONE_THREAD: 9.0, "l2": 1.0}, ALL_THREADS) == ONE_THREAD


def test_the_triad_allocates_nothing() -> None:
    result, one, other = (torch.full((100,), value, dtype=torch.float64) for value in (0.0, 1.0, 2.0))
    place = result.data_ptr()
    memory.triad([result, one, other])
    assert result.data_ptr() == place
    assert result.tolist() == [7.0] * 100


def test_each_array_is_four_times_the_last_caches_within_a_tenth_of_the_free_memory() -> None:
    caches = [
        Cache(1, CacheKind.DATA, 32 * 2**10, 2, 8),
        Cache(1, CacheKind.INSTRUCTION, 16 * 2**10, 2, 8),
        Cache(2, CacheKind.UNIFIED, 2**20, 2, 4),
        Cache(2, CacheKind.UNIFIED, 2**21, 4, 1),
        Cache(3, CacheKind.UNIFIED, 16 * 2**20, 8, 2),
    ]
    one_of_level, last_level = memory.sizes_of(caches)
    assert dict(one_of_level) == {1: 32 * 2**10, 2: 2**20, 3: 16 * 2**20}
    assert last_level == 32 * 2**20
    assert memory.array_length(last_level, 10**12) == 4 * 32 * 2**20 // 8
    assert memory.array_length(last_level, 240 * 10**6) == 10**6


def test_what_the_caches_may_hold_is_said() -> None:
    whole, partly = (memory.about(arrays * 10**6, 100 * 10**6, 2) for arrays in (400, 133))
    assert whole.endswith("a processor that reads a before it writes it moves 32).")
    assert partly.startswith("All threads are 2 here.")
    assert memory.about(10**6, None, 1).startswith("There is one thread here. Main memory")
    assert "three arrays of 133 MB" in partly
    assert partly.endswith("would take more memory than this probe may: the caches may hold a part of them.")
    assert "does not tell how large the caches are" in memory.about(10**6, None, 2)


def test_unknown_caches_are_taken_for_smaller_than_256_megabytes() -> None:
    assert memory.sizes_of(None) == ({}, None)
    assert memory.array_length(None, 10**12) * 24 == pytest.approx(256 * 2**20, rel=1e-6)


@pytest.mark.parametrize("length", [600, 20_000, 10**6, 10**7])
def test_a_folded_view_stays_within_its_numbers_and_moves_enough_in_one_call(length: int) -> None:
    view = memory.folded(length)
    assert view.untyped_storage().nbytes() <= 8 * length
    assert 3 * 8 * view.numel() >= memory.CALL_BYTES / 2
    assert view.stride(-1) == 1


def test_the_triad_runs_over_folded_views() -> None:
    arrays = [memory.folded(600) for _ in range(3)]
    memory.triad(arrays)
    assert bool((arrays[0] == 4.0).all())


def test_a_cache_that_is_not_known_is_left_out_with_a_reason() -> None:
    with pytest.raises(CannotRunError, match="does not tell of a cache called l3"):
        memory.CacheTrial("l3", None).warm_up(1.0)


def test_main_memory_that_is_too_slow_is_left_out_with_a_reason() -> None:
    arrays = memory.Arrays(10**6, threads=1)
    with pytest.raises(CannotRunError, match="filling the arrays would take"):
        memory.MainMemoryTrial(ALL_THREADS, arrays, 1).warm_up(0.0)


@pytest.mark.parametrize(
    ("usable", "physical", "threads"), [(8, 4, 4), (2, 8, 2), (4, None, 4)], ids=["smt", "quota", "unknown cores"]
)
def test_there_is_a_thread_for_each_core_that_may_be_used(usable: int, physical: int | None, threads: int) -> None:
    assert Surroundings(usable_cores=usable, physical_cores=physical).compute_threads == threads


def test_the_users_variables_do_not_limit_the_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert Surroundings(usable_cores=4).compute_threads == 4


# --- a card -----------------------------------------------------------------------------------------------------------


def test_a_card_that_torch_cannot_use_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    told: list[Message] = []
    request = Request("matmul", None, "fp32", ("fp32", "tf32"), 5.0, 10**9, 0, {**CARD, **PLAIN}, ".")
    threads = torch.get_num_threads()
    trials = matmul.prepare(MATMUL, request, told.append).trials
    torch.set_num_threads(threads)
    assert told == [Note("torch cannot use the graphics card here, so the matrices were multiplied on the processor.")]
    with pytest.raises(CannotRunError, match="no units for tf32"):
        trials["tf32"].warm_up(1.0)


@pytest.mark.gpu
def test_a_card_multiplies_matrices_in_every_format() -> None:
    capability = float(".".join(map(str, torch.cuda.get_device_capability())))
    outcome = measure(MATMUL, {**CORES, **CARD, "machine.gpu.compute_capability": capability})
    assert not skipped(outcome)
    assert any("on the graphics card" in note for note in outcome.conditions.warnings)
    assert set(outcome.facts()) == {f"probe.matmul.{record.setting}" for record in outcome.settings}
