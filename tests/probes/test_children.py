"""Real children with torch: small networks and seconds, so nothing is said of who wins."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from advisor.facts.verdict import Verdict
from advisor.probes.outcome import Outcome
from advisor.probes.probe import Probe, Setting
from advisor.probes.protocol import Duel, Message, Ready, Rehearsed
from advisor.probes.runner import run
from advisor.probes.settings.batch import BATCH
from advisor.probes.settings.cores import THREADS
from advisor.probes.settings.precision import PRECISION
from advisor.probes.workload import Device, Precision, Workload

DIGITS = Workload("cnn", "image", 64, 10, (8, 16), batch_size=16, threads=1)
SECONDS = 60.0
"""Enough on a busy machine; a quiet one decides sooner."""


def check(outcome: Outcome, probe: Probe, before: Setting, tried: set[Setting]) -> None:
    assert outcome.failure is None
    assert outcome.measured or any("The time was enough for" in note for note in outcome.conditions.warnings)
    assert {record.setting for record in outcome.settings} == tried
    assert outcome.applies["network"] == "cnn 64-[8,16]-10"
    assert outcome.applies["machine"] == "fingerprint"
    assert set(outcome.applies) >= {"torch", "python"}
    assert probe.varies.value not in outcome.applies
    assert (outcome.date, outcome.before, outcome.unit) == ("2026-11-21T12:00:00+00:00", before, "speed-up")
    if outcome.verdict in (Verdict.CONFIRMED, Verdict.OVERTURNED):
        assert outcome.low is not None
        assert outcome.low > 1
        assert outcome.facts() == {probe.fact: outcome.after}
    else:
        assert outcome.facts() == {}
    assert Outcome.from_json(json.loads(json.dumps(outcome.to_json()))) == outcome


def measure(
    probe: Probe, workload: Workload, before: Setting, settings: list[Setting]
) -> tuple[Outcome, list[Message]]:
    told: list[Message] = []
    outcome = run(
        probe,
        workload,
        before=before,
        settings=settings,
        budget_seconds=SECONDS,
        date="2026-11-21T12:00:00+00:00",
        machine="fingerprint",
        on_event=told.append,
    )
    return outcome, told


@pytest.mark.slow
def test_threads_are_timed_in_a_child() -> None:
    outcome, told = measure(THREADS, DIGITS, 2, [1, 2])
    check(outcome, THREADS, 2, {1, 2})
    assert any(isinstance(message, Ready) for message in told)
    assert Duel(1) in told
    assert outcome.applies["batch_size"] == "16"


@pytest.mark.slow
def test_batch_sizes_are_timed_in_a_child() -> None:
    outcome, told = measure(BATCH, DIGITS, 16, [4, 16, 64])
    check(outcome, BATCH, 16, {4, 16, 64})
    memory = [message.peak_memory_bytes for message in told if isinstance(message, Rehearsed)]
    assert len(memory) >= 2
    assert min(memory) > 50_000_000
    assert outcome.applies["threads"] == "1"


def test_number_formats_are_timed_in_a_child() -> None:
    outcome, _ = measure(PRECISION, DIGITS, "fp32", ["fp32", "bf16"])
    check(outcome, PRECISION, "fp32", {"fp32", "bf16"})


def test_a_network_that_cannot_be_built_fails_with_its_reason() -> None:
    outcome = run(THREADS, replace(DIGITS, network="hopfield"), before=2, settings=[1, 2], budget_seconds=30)
    assert "hopfield cannot be built yet" in str(outcome.failure)


def test_weights_that_do_not_fit_are_said_before_they_are_made() -> None:
    huge = Workload("ffn", "tabular", 10**6, 10, (10**6,))
    outcome = run(THREADS, huge, before=2, settings=[1, 2], budget_seconds=30)
    assert "weights, their gradients and the optimiser's state need" in str(outcome.failure)


def test_a_setting_that_no_workload_has_fails_with_its_reason() -> None:
    outcome = run(PRECISION, DIGITS, before="fp32", settings=["fp64"], budget_seconds=30)
    assert "precision: one of fp32, tf32, bf16, fp16, fp8 is expected" in str(outcome.failure)


@pytest.mark.gpu
def test_number_formats_are_timed_on_a_card() -> None:
    torch = pytest.importorskip("torch")
    capability = float(".".join(map(str, torch.cuda.get_device_capability())))
    card = {"machine.gpu.compute_capability": capability}
    workload = Workload("transformer", "text", 1000, 2, (256, 1024), 64, device=Device.CUDA, precision=Precision.FP32)
    outcome = run(PRECISION, workload, before="fp32", facts=card, budget_seconds=60)
    assert outcome.failure is None
    assert outcome.applies["device"] == "cuda"
    assert all(record.skipped is None for record in outcome.settings)
    assert outcome.n >= 8
