from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from advisor.children.errors import CannotRunError
from advisor.probes.child.training_step import StepTrial, TrainingStep, step_key
from advisor.probes.judging.trial import peak_memory_bytes
from advisor.probes.protocol import Predicted
from advisor.probes.workload import OPTIMIZERS, Activations, Device, Execution, MemoryFormat, Precision, Workload

torch.set_num_threads(1)
SMALL = Workload("ffn", "tabular", 6, 3, (5,), batch_size=8)
PICTURES = Workload("cnn", "image", 3 * 8 * 8, 4, (4, 8), batch_size=8)
LAST = MemoryFormat.CHANNELS_LAST
AGAIN = Activations.RECOMPUTED
ON_CARD = replace(PICTURES, device=Device.CUDA)


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


@pytest.mark.parametrize(
    "variant",
    [
        replace(PICTURES, memory_format=LAST),
        replace(PICTURES, activations=AGAIN),
        replace(PICTURES, memory_format=LAST, activations=AGAIN),
    ],
    ids=["channels_last", "recomputed", "both"],
)
@pytest.mark.parametrize("precision", [Precision.FP32, Precision.BF16])
def test_every_variant_computes_the_same_loss_and_gradients(variant: Workload, precision: Precision) -> None:
    plain, other = step(PICTURES), step(variant)
    torch.testing.assert_close(plain.run(8, precision), other.run(8, precision), rtol=0.01, atol=0.01)
    gradients = [[weights.grad for weights in training._network.parameters()] for training in (plain, other)]
    torch.testing.assert_close(*gradients, rtol=0.1, atol=0.02)


def test_pictures_and_weights_stand_in_the_order_asked_for() -> None:
    training = step(replace(PICTURES, memory_format=LAST))
    assert training._batch(2)[0][0].is_contiguous(memory_format=torch.channels_last)
    kernels = [weights for weights in training._network.parameters() if weights.dim() == 4]
    assert kernels
    assert all(kernel.is_contiguous(memory_format=torch.channels_last) for kernel in kernels)


def test_what_is_restored_stands_in_the_order_of_the_input() -> None:
    inputs, targets = step(
        Workload("autoencoder", "image", 3 * 32 * 32, 1, (4, 8), loss="mse", memory_format=LAST)
    )._batch(2)
    assert targets is inputs[0]


def test_another_network_is_needed_only_where_the_network_itself_differs() -> None:
    same = {step_key(replace(PICTURES, batch_size=2, precision=Precision.BF16, threads=1)), step_key(PICTURES)}
    assert len(same) == 1
    different = [
        ON_CARD,
        replace(PICTURES, memory_format=LAST),
        replace(PICTURES, activations=AGAIN),
        replace(PICTURES, execution=Execution.COMPILED),
    ]
    assert len({step_key(PICTURES), *map(step_key, different)}) == 5


def test_a_compiled_step_is_not_compiled_for_the_sizes_on_the_way() -> None:
    compiled = replace(SMALL, execution=Execution.COMPILED)
    training = step(compiled)
    sizes: list[int] = []

    def forward(inputs: torch.Tensor) -> torch.Tensor:
        sizes.append(len(inputs))
        return torch.as_tensor(training._network(inputs))

    training._forward = forward
    StepTrial(training, compiled, "compiled").warm_up(60.0)
    assert sizes == [8]


def test_what_cannot_be_compiled_is_left_out_with_the_reason() -> None:
    compiled = replace(SMALL, execution=Execution.COMPILED)
    training = step(compiled)

    def fail(_: torch.Tensor) -> torch.Tensor:
        raise RuntimeError("No working C++ compiler found\nsecond line")

    training._forward = fail
    with pytest.raises(CannotRunError, match=r"cannot compile it \(No working C\+\+ compiler found\)"):
        StepTrial(training, compiled, "compiled").warm_up(60.0)


@pytest.mark.skipif(torch.cuda.is_available(), reason="torch can use a card here")
def test_a_card_that_torch_cannot_use_is_said_with_the_remedy() -> None:
    with pytest.raises(CannotRunError, match="advisor doctor"):
        step(ON_CARD)


def test_a_card_that_fails_is_said_with_the_remedy() -> None:
    training = step()

    def fail(_: torch.Tensor) -> torch.Tensor:
        raise RuntimeError("CUDA error: no kernel image is available for execution on the device")

    training._forward = fail
    with pytest.raises(CannotRunError, match=r"no kernel image .*advisor doctor"):
        training.run(8, Precision.FP32)


def test_another_error_is_not_taken_for_want_of_memory() -> None:
    training = step()

    def fail(_: torch.Tensor) -> torch.Tensor:
        raise RuntimeError("shapes do not fit")

    training._forward = fail
    with pytest.raises(RuntimeError, match="shapes do not fit"):
        training.run(8, Precision.FP32)


def test_a_trial_warms_up_to_its_own_batch() -> None:
    trial = StepTrial(step(), SMALL, 8)
    trial.warm_up(60.0)
    trial.step()
    trial.finish()
    assert trial.examples == 8
    assert trial.peak_memory_bytes() > 0


def test_batch_normalisation_is_warmed_up_from_two_examples_and_refuses_one() -> None:
    normalised = replace(SMALL, normalization="batch_norm", dropout=0.1)
    training = step(normalised)
    StepTrial(training, normalised, 8).warm_up(60.0)
    with pytest.raises(CannotRunError, match="a single example cannot be normalised as a batch"):
        training.run(1, Precision.FP32)


def test_a_batch_for_which_there_is_no_time_is_not_begun() -> None:
    with pytest.raises(CannotRunError, match=r"a step of 4 examples would take about .* s, too long"):
        StepTrial(step(), SMALL, 8).warm_up(0.0)


def test_on_the_way_to_its_batch_a_trial_tells_how_long_that_will_take() -> None:
    told: list[Predicted] = []
    trial = StepTrial(step(), replace(SMALL, batch_size=64), 64, tell=told.append)
    trial.warm_up(60.0)
    assert len(told) == 3  # after 1, 4 and 16 examples
    assert not any(said.too_long for said in told)
    late = StepTrial(step(), replace(SMALL, batch_size=64), 64, tell=told.append)
    with pytest.raises(CannotRunError):
        late.warm_up(0.0)
    assert told[-1].too_long


def test_a_batch_that_does_not_fit_the_memory_is_left_out() -> None:
    wide = Workload("ffn", "tabular", 10**5, 1, (1,), batch_size=10**9, loss="mse")
    trial = StepTrial(step(wide), wide, wide.batch_size)
    with pytest.raises(CannotRunError, match="does not fit the memory"):
        trial._once(wide.batch_size)
    assert wide.batch_size not in trial._step._batches


def test_weights_beyond_the_memory_are_refused() -> None:
    with pytest.raises(CannotRunError, match=r"its 53 weights, .* need 0\.0 GB"):
        TrainingStep(SMALL, memory_bytes=847, seed=0)
    TrainingStep(SMALL, memory_bytes=848, seed=0)


def test_the_peak_of_memory_remembers_what_was_given_back() -> None:
    block = bytearray(b"x") * 300_000_000
    del block
    assert peak_memory_bytes() > 300_000_000


@pytest.mark.gpu
@pytest.mark.parametrize("precision", list(Precision)[:4])
def test_a_card_computes_the_same_loss_in_every_format(precision: Precision) -> None:
    on_processor = StepTrial(step(PICTURES), PICTURES, "fp32")
    on_processor.warm_up(60.0)
    expected = on_processor._once(8)
    for memory_format in MemoryFormat:
        on_card = replace(ON_CARD, memory_format=memory_format, precision=precision)
        trial = StepTrial(step(on_card), on_card, precision.value)
        trial.warm_up(60.0)
        torch.testing.assert_close(trial._once(8).float().cpu(), expected, rtol=0.02, atol=0.05)
        assert trial.peak_memory_bytes() > 0


@pytest.mark.gpu
def test_no_step_in_fp16_is_left_out_because_the_scale_overflows() -> None:
    training = step(ON_CARD)
    for _ in range(4):
        training.run(8, Precision.FP16)
    assert training._scaler.get_scale() == 1024.0


@pytest.mark.gpu
def test_a_batch_that_does_not_fit_the_card_is_left_out_and_given_back() -> None:
    training = step(Workload("ffn", "tabular", 1000, 10, (10,), device=Device.CUDA))
    room = torch.cuda.mem_get_info()[1] // 4000
    training._batches[2 * room] = training._batch(8)
    training._forward = lambda inputs: torch.empty(2 * room, 1000, device=inputs.device)
    with pytest.raises(CannotRunError, match="does not fit the memory"):
        training.run(2 * room, Precision.FP32)
    assert 2 * room not in training._batches
    training._forward = training._network
    assert torch.isfinite(training.run(8, Precision.FP32))


@pytest.mark.gpu
def test_weights_beyond_the_card_are_refused() -> None:
    with pytest.raises(CannotRunError, match="is free on the card"):
        step(Workload("ffn", "tabular", 10**6, 10, (10**6,), device=Device.CUDA))
