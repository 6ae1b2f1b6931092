"""The probes that vary how the plan's training step is run: order in memory, compiling, device.

Real children with torch: small networks and seconds, so nothing is said of who wins.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from advisor.children.errors import CannotRunError
from advisor.probes.benches.step import prepare
from advisor.probes.child.break_even import break_even, sentence
from advisor.probes.child.compiled_step import CompiledTrial, empty_caches, steps_of_plan
from advisor.probes.child.compiled_step import sentence as compiling_sentence
from advisor.probes.child.training_step import TrainingStep
from advisor.probes.outcome import Outcome
from advisor.probes.probe import Probe, Setting
from advisor.probes.protocol import Failed, Message, Note, Request
from advisor.probes.runner import run
from advisor.probes.settings.variants import COMPILE, DEVICE, FUSED, LAYOUT
from advisor.probes.workload import BYTES_A_WEIGHT, OPTIMIZERS, Device, Execution, Precision, Update, Workload

torch.set_num_threads(1)
DIGITS = Workload("cnn", "image", 64, 10, (8, 16), batch_size=16, threads=1)
TABLE = Workload("ffn", "tabular", 6, 3, (5,), batch_size=8, threads=1)
ON_CARD = replace(DIGITS, device=Device.CUDA)
CARD = {"machine.gpu.count": 1, "machine.gpu.backend": "cuda", "machine.gpu.compute_capability": 8.0}
ADVISED = {"practice": ["fill_the_card", "read_the_curves"]}


# Which is tried, and when


@pytest.mark.parametrize(
    ("probe", "settings"),
    [
        (LAYOUT, ("contiguous", "channels_last")),
        (FUSED, ("usual", "fused")),
        (COMPILE, ("eager", "compiled")),
        (DEVICE, ("cpu", "gpu")),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_two_settings_are_compared(probe: Probe, settings: tuple[str, str]) -> None:
    assert probe.settings(DIGITS, CARD, settings[0]) == settings
    assert probe.variant(DIGITS, settings[0]) == DIGITS
    assert probe.variant(DIGITS, settings[1]) != DIGITS
    assert probe.varies not in probe.scope(probe.variant(DIGITS, settings[1]))


@pytest.mark.parametrize(
    "workload",
    [
        DIGITS,
        Workload("unet", "image", 64, 2, (4, 8), loss="dice_cross_entropy"),
        Workload("autoencoder", "image", 3072, 1, (4, 8), loss="mse"),
        Workload("vae", "image", 3072, 1, (4, 8), loss="elbo"),
    ],
    ids=lambda workload: workload.network,
)
def test_the_order_in_memory_matters_where_pictures_are_convolved(workload: Workload) -> None:
    assert LAYOUT.why_not(workload, {}) is None


@pytest.mark.parametrize(
    "workload",
    [
        TABLE,
        Workload("cnn", "text", 100, 2, (8,), sequence_length=8),
        Workload("autoencoder", "image", 64, 1, (8, 4), loss="mse"),
        Workload("transformer", "image", 64, 10, (8, 16)),
    ],
    ids=["table", "text", "flat pictures", "patches"],
)
def test_the_order_in_memory_does_not_matter_elsewhere(workload: Workload) -> None:
    assert workload.why_not() is None
    assert "pictures by convolution" in str(LAYOUT.why_not(workload, {}))


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_a_fused_update_is_tried_with_the_optimizers_that_have_one(optimizer: str) -> None:
    step = replace(TABLE, optimizer=optimizer, update=Update.FUSED)
    if optimizer in ("adagrad", "adadelta", "rmsprop", "nadam"):  # that of Adagrad is for CPUs alone
        assert FUSED.why_not(step, {}) == f"torch has no fused update for {optimizer}."
    else:
        assert FUSED.why_not(step, {}) is None
        assert TrainingStep(step, 2**30, 0).run(8, Precision.FP32).isfinite()


def test_a_fused_update_counts_for_its_optimizer_alone() -> None:
    assert FUSED.scope(TABLE)["optimizer"] == "adamw"
    assert "optimizer" in FUSED.bound_by
    assert "optimizer" not in LAYOUT.scope(DIGITS)


@pytest.mark.parametrize(
    ("probe", "usual", "on_cards"), [(LAYOUT, "contiguous", "channels_last"), (COMPILE, "eager", "compiled")]
)
def test_what_is_advised_for_cards_with_tensor_cores_is_what_is_judged(probe: Probe, usual: str, on_cards: str) -> None:
    assert probe.before(ADVISED, ON_CARD, CARD) == on_cards
    assert probe.before(ADVISED, ON_CARD, CARD | {"machine.gpu.compute_capability": 6.1}) == usual
    assert probe.before(ADVISED, ON_CARD, {}) == usual
    assert probe.before(ADVISED, DIGITS, CARD) == usual
    assert probe.before({"practice": None}, ON_CARD, CARD) == usual
    assert probe.before({}, ON_CARD, CARD) == usual


def test_the_order_in_memory_is_advised_for_no_autoencoder() -> None:
    pictures = Workload("autoencoder", "image", 3072, 1, (4, 8), loss="mse", device=Device.CUDA)
    assert LAYOUT.before(ADVISED, pictures, CARD) == "contiguous"


def test_compiling_waits_until_it_is_named_and_needs_a_card_that_torch_compiles_for() -> None:
    assert COMPILE.opt_in
    assert COMPILE.why_not(DIGITS, {}) is None
    assert COMPILE.why_not(ON_CARD, CARD) is None
    assert COMPILE.why_not(DIGITS, {"machine.gpu.compute_capability": 6.1}) is None
    assert "this one has 6.1" in str(COMPILE.why_not(ON_CARD, {"machine.gpu.compute_capability": 6.1}))


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({}, "not known"),
        ({"machine.gpu.count": 0}, "no graphics card"),
        ({"machine.gpu.count": 1, "machine.gpu.backend": "mps"}, "of the kind mps cannot be timed yet"),
        (CARD | {"machine.gpu.usable_by_torch": False}, "advisor doctor"),
    ],
)
def test_devices_are_compared_where_torch_can_use_a_card(facts: dict[str, object], reason: str) -> None:
    assert reason in str(DEVICE.why_not(DIGITS, facts))
    assert DEVICE.why_not(DIGITS, CARD) is None


@pytest.mark.parametrize(
    ("value", "setting"), [("cpu", "cpu"), ("gpu", "gpu"), ("multi_gpu", "gpu"), ("cluster", "gpu"), (None, "cpu")]
)
def test_the_recommended_device_is_one_of_the_two(value: str | None, setting: str) -> None:
    assert DEVICE.before({"compute.device": value}, DIGITS, CARD) == setting


def test_a_processor_takes_a_number_format_that_it_knows() -> None:
    assert DEVICE.variant(replace(ON_CARD, precision=Precision.FP16), "cpu").precision is Precision.FP32
    assert DEVICE.variant(replace(ON_CARD, precision=Precision.BF16), "cpu").precision is Precision.BF16


# What compiling costs


def test_the_time_to_compile_is_spread_over_ten_passes_or_a_thousand_steps() -> None:
    assert steps_of_plan(1000, 100) == 100
    assert steps_of_plan(1001, 100) == 110
    assert steps_of_plan(None, 100) == 1000


def test_each_compiled_step_bears_its_share_of_compiling() -> None:
    told: list[Message] = []
    workload = replace(TABLE, execution=Execution.COMPILED)
    training = TrainingStep(workload, 10**9, seed=0)
    training._forward = lambda inputs: torch.as_tensor(training._network(inputs))  # stands in for the compiled one
    trial = CompiledTrial(training, workload, "compiled", 100, told.append)
    trial.warm_up(60.0)
    assert trial.charged == 0.0
    for _ in range(50):
        trial.step()
    assert trial.charged == pytest.approx(trial.compile_seconds / 2)
    assert [type(message) for message in told] == [Note]


def test_compiling_that_takes_too_long_is_given_up() -> None:
    told: list[Message] = []
    workload = replace(TABLE, execution=Execution.COMPILED)
    training = TrainingStep(workload, 10**9, seed=0)
    given_up: list[bool] = []

    def compile_until_given_up(inputs: torch.Tensor) -> torch.Tensor:
        while not any(isinstance(message, Failed) for message in told):
            pass
        given_up.append(True)
        return torch.as_tensor(training._network(inputs))

    training._forward = compile_until_given_up
    CompiledTrial(training, workload, "compiled", 100, told.append)._compile(0.01)
    assert given_up
    assert isinstance(told[0], Failed)
    assert "Compiling it took longer than" in told[0].reason


def test_it_is_said_from_how_many_steps_on_compiling_pays() -> None:
    said = compiling_sentence(20.0, eager=0.003, compiled=0.002, plan_steps=1500)
    assert "Compiling took 20.0 s. A step took 3 ms before and 2 ms after, so it pays from 20,000 steps on" in said
    assert "taken to have 1,500" in said
    assert "took longer, so it never pays" in compiling_sentence(20.0, eager=0.002, compiled=0.003, plan_steps=1500)
    assert "about as long, so it never" in compiling_sentence(20.0, eager=0.00201, compiled=0.002, plan_steps=1500)


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_compiled_code_is_kept_in_a_folder_that_is_removed(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TORCHINDUCTOR_CACHE_DIR", raising=False)
    monkeypatch.setenv("TRITON_CACHE_DIR", "mine")
    with empty_caches() as folder:
        (folder / "code.so").touch()
        assert os.environ["TORCHINDUCTOR_CACHE_DIR"] == os.environ["TRITON_CACHE_DIR"] == str(folder)
        assert Path(tempfile.gettempdir()) == folder
    assert tempfile.gettempdir() == str(temporary)
    assert list(temporary.iterdir()) == []
    assert "TORCHINDUCTOR_CACHE_DIR" not in os.environ
    assert os.environ["TRITON_CACHE_DIR"] == "mine"


# From which batch size on the card is faster


class Timed:
    """A trial of a known speed, on a clock that only it moves."""

    def __init__(self, clock: SimpleNamespace, seconds: float) -> None:
        self.setting, self.work, self._clock, self._seconds = 0, 1.0, clock, seconds

    def warm_up(self, seconds: float) -> None:
        if self._seconds > seconds:
            raise CannotRunError("too slow")
        self.step()

    def step(self) -> None:
        self._clock.now += self._seconds

    def finish(self) -> None:
        pass

    def peak_memory_bytes(self) -> int:
        return 1


def timed(seconds: float, of_processor: Callable[[int], float], of_card: Callable[[int], float]) -> str:
    clock = SimpleNamespace(now=0.0)
    trials = {size: (Timed(clock, of_processor(size)), Timed(clock, of_card(size))) for size in (64, 1, 8)}
    return break_even(trials, seconds, lambda: clock.now)


def test_the_batch_size_is_found_from_which_on_a_card_is_faster() -> None:
    said = timed(1e6, of_processor=lambda size: 1.0 * size, of_card=lambda size: 5.0)
    assert said == "The graphics card was faster than the processor from a batch of 8 on (tried: 1, 8, 64)."


def test_sizes_for_which_there_is_no_time_are_left_out() -> None:
    assert "at every batch size (tried: 1, 8)" in timed(500.0, lambda size: 1.0 * size, lambda size: 0.5)
    assert "no time" in timed(1.0, lambda size: 1.0, lambda size: 1.0)
    assert "no time" in timed(10.0, lambda size: 1.0, lambda size: 1.0)


@pytest.mark.parametrize(
    ("card_wins", "said"),
    [
        ({1: True, 8: True}, "was faster than the processor at every batch size (tried: 1, 8)"),
        ({1: False, 8: False}, "was slower than the processor at every batch size (tried: 1, 8)"),
        ({1: True, 8: False, 64: True}, "from a batch of 64 on (tried: 1, 8, 64)"),
        ({1: True, 8: False}, "was slower than the processor at the largest batch (tried: 1, 8)"),
        ({}, "There was no time"),
    ],
)
def test_what_was_seen_is_put_into_a_sentence(card_wins: dict[int, bool], said: str) -> None:
    assert said in sentence(card_wins)


# How they are made


def request(probe: Probe, workload: Workload, memory_bytes: int = 10**9) -> Request:
    before = probe.before({}, workload, {})
    assert before is not None
    settings = probe.settings(workload, {}, before)
    return Request(probe.name, workload, before, settings, 10.0, memory_bytes, 0, {}, "")


def test_two_networks_share_the_memory() -> None:
    weights = sum(weights.numel() for weights in TrainingStep(DIGITS, 10**9, 0)._network.parameters())
    for_two = 2 * BYTES_A_WEIGHT * weights
    assert prepare(LAYOUT, request(LAYOUT, DIGITS, for_two), print).trials.keys() == {"contiguous", "channels_last"}
    with pytest.raises(CannotRunError, match=r"more than the .* that a probe may take"):
        prepare(LAYOUT, request(LAYOUT, DIGITS, for_two - 2), print)


def test_compiling_is_counted_by_a_clock_of_its_own() -> None:
    equipment = prepare(COMPILE, request(COMPILE, DIGITS), print)
    compiled = equipment.trials["compiled"]
    assert isinstance(compiled, CompiledTrial)
    assert equipment.meter is not None
    begun = equipment.meter()
    compiled.charged += 1e6
    assert equipment.meter() - begun >= 1e6
    assert prepare(LAYOUT, request(LAYOUT, DIGITS), print).meter is None


# Real children


def measure(probe: Probe, workload: Workload, before: Setting, seconds: float, **facts: object) -> Outcome:
    return run(probe, workload, before=before, budget_seconds=seconds, facts=facts, machine="fingerprint")


def check(outcome: Outcome) -> None:
    assert outcome.failure is None
    assert outcome.measured or any("The time was enough for" in note for note in outcome.conditions.warnings)
    assert all(record.skipped is None for record in outcome.settings)
    assert outcome.applies["machine"] == "fingerprint"


@pytest.mark.slow
def test_both_orders_in_memory_are_timed_in_a_child() -> None:
    outcome = measure(LAYOUT, DIGITS, "contiguous", 12.0)
    check(outcome)
    assert "memory_format" not in outcome.applies
    assert {record.setting for record in outcome.settings} == {"contiguous", "channels_last"}


@pytest.mark.skipif(torch.cuda.is_available(), reason="torch can use a card here")
def test_a_child_in_which_torch_has_no_card_says_so() -> None:
    outcome = run(DEVICE, DIGITS, before="cpu", facts=CARD, budget_seconds=30)
    assert "advisor doctor" in str(outcome.failure)


@pytest.mark.thorough
def test_compiling_is_timed_in_a_child_and_leaves_nothing_behind(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(temporary))
    outcome = measure(COMPILE, TABLE, "eager", 120.0, **{"data.examples": 80_000_000})
    check(outcome)
    assert any("Compiling took" in note for note in outcome.conditions.warnings)
    assert not [path for path in temporary.rglob("*") if path.is_file()]


@pytest.mark.thorough
def test_a_missing_compiler_is_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "/nowhere/g++")
    outcome = measure(COMPILE, TABLE, "eager", 90.0)
    compiled = next(record for record in outcome.settings if record.setting == "compiled")
    assert "It needs a C++ compiler" in str(compiled.skipped)
    assert outcome.facts() == {}


@pytest.mark.slow
def test_what_is_compiled_computes_the_same_loss() -> None:
    compiled = TrainingStep(replace(TABLE, execution=Execution.COMPILED), 10**9, seed=0)
    with empty_caches():
        compiled.compile()
        torch.testing.assert_close(
            compiled.run(16, Precision.FP32), compiled.run(16, Precision.FP32, eager=True), rtol=1e-4, atol=1e-4
        )


CONVOLUTIONS = Workload("cnn", "image", 3 * 32 * 32, 10, (64, 128), batch_size=128, device=Device.CUDA)


@pytest.mark.gpu
@pytest.mark.parametrize("precision", list(Precision)[:4])
def test_both_orders_in_memory_are_timed_on_a_card(precision: Precision) -> None:
    outcome = measure(LAYOUT, replace(CONVOLUTIONS, precision=precision), "contiguous", 60.0)
    check(outcome)
    assert outcome.applies["device"] == "cuda"


@pytest.mark.gpu
def test_compiling_for_a_card_is_timed() -> None:
    outcome = measure(COMPILE, replace(CONVOLUTIONS, precision=Precision.BF16), "eager", 240.0)
    check(outcome)
    assert any("Compiling took" in note for note in outcome.conditions.warnings)


@pytest.mark.gpu
def test_both_devices_are_timed_and_the_break_even_is_told() -> None:
    outcome = measure(DEVICE, CONVOLUTIONS, "gpu", 120.0, **CARD)
    check(outcome)
    assert any("batch" in note and "graphics card was" in note for note in outcome.conditions.warnings)
