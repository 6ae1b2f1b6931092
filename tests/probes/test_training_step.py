from __future__ import annotations

import pytest
import torch

from advisor.probes.contest import CannotRunError
from advisor.probes.memory import peak_memory_bytes
from advisor.probes.training_step import StepTrial, TrainingStep
from advisor.probes.workload import OPTIMIZERS, Precision, Workload

torch.set_num_threads(1)
SMALL = Workload("ffn", "tabular", 6, 3, (5,), batch_size=8)


def step(workload: Workload = SMALL) -> TrainingStep:
    return TrainingStep(workload, memory_bytes=10**9, seed=0)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_every_optimizer_makes_steps_that_leave_the_weights(optimizer: str) -> None:
    training = step(Workload("ffn", "tabular", 6, 3, (5,), optimizer=optimizer))
    losses = {training.run(8, Precision.FP32).item() for _ in range(4)}
    assert len(losses) == 1


def test_bf16_computes_the_same_loss_within_its_digits() -> None:
    training = step()
    exact, rounded = training.run(8, Precision.FP32), training.run(8, Precision.BF16)
    torch.testing.assert_close(exact, rounded.float(), rtol=0.02, atol=0.02)


def test_a_trial_warms_up_to_its_own_batch() -> None:
    trial = StepTrial(step(), SMALL, 8)
    trial.warm_up(60.0)
    trial.step()
    trial.finish()
    assert trial.examples == 8
    assert trial.peak_memory_bytes() > 0


def test_a_batch_for_which_there_is_no_time_is_not_begun() -> None:
    with pytest.raises(CannotRunError, match=r"a step of 4 examples would take about .* s, too long"):
        StepTrial(step(), SMALL, 8).warm_up(0.0)


def test_a_batch_that_does_not_fit_the_memory_is_left_out() -> None:
    wide = Workload("ffn", "tabular", 10**5, 1, (1,), batch_size=10**9, loss="mse")
    trial = StepTrial(step(wide), wide, wide.batch_size)
    with pytest.raises(CannotRunError, match="does not fit the memory"):
        trial._once(wide.batch_size)


def test_weights_beyond_the_memory_are_refused() -> None:
    with pytest.raises(CannotRunError, match=r"its 53 weights, .* need 0\.0 GB"):
        TrainingStep(SMALL, memory_bytes=847, seed=0)
    TrainingStep(SMALL, memory_bytes=848, seed=0)


def test_the_peak_of_memory_remembers_what_was_given_back() -> None:
    block = bytearray(b"x") * 300_000_000
    del block
    assert peak_memory_bytes() > 300_000_000
