"""The lesson: the same for the same seed, learnable whether data are named or made, and refused where nothing can be compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import optim

from advisor.distributed.learning.lesson import Lesson, Stream, lesson
from advisor.distributed.task import Task
from advisor.errors import InputError
from tests.distributed.digits import digits_task, write_digits

MADE = {
    "rows, classes": Task("ffn", "tabular", 20, 5, (32,)),
    "rows, numbers": Task("ffn", "tabular", 20, 2, (32,), loss="mse", rate=0.02),
    "rows, labels": Task("ffn", "tabular", 20, 4, (32,), loss="binary_cross_entropy"),
    "pictures": Task("cnn", "image", 64, 4, (8, 16), normalization="batch_norm"),
    "steps": Task("lstm", "time_series", 3, 4, (32,), 12, rate=0.2),
    "tokens": Task("transformer", "text", 30, 3, (16, 32), 8, rate=0.1),
    "every token": Task("transformer", "text", 20, 20, (16, 32), 8, rate=0.1),
    "every pixel": Task("unet", "image", 64, 3, (4, 8)),
}


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Networks this small are slower on several."""
    usual = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(usual)


def train(made: Lesson, rate: float, steps: int) -> None:
    optimizer, stream = optim.SGD(made.network.parameters(), lr=rate), made.stream(32, 0)
    for number in range(steps):
        rows = stream.rows(number)
        optimizer.zero_grad()
        made.loss(made.network(made.inputs[rows]), made.targets[rows]).backward()
        optimizer.step()


@pytest.mark.parametrize("name", MADE)
def test_made_examples_can_be_learned(name: str) -> None:
    made = lesson(replace(MADE[name], most_examples=2000))
    before, _ = made.held_out(made.network)
    train(made, MADE[name].rate, 150)
    after, scores = made.held_out(made.network)
    assert after < 0.9 * before
    assert scores.shape == (len(made.held_inputs),)


def test_digits_are_read_and_learned(tmp_path: Path) -> None:
    read = lesson(digits_task(write_digits(tmp_path)))
    assert (read.description.inputs, read.description.outputs) == (read.inputs.shape[1], 10)
    assert len(read.held_inputs) == 359  # a fifth of 1,797
    assert len(read.inputs) == 1438
    train(read, 0.05, 300)
    assert read.metric == "accuracy"
    assert read.held_out(read.network)[1].mean() > 0.85


def test_the_same_seed_gives_the_same_lesson(tmp_path: Path) -> None:
    task = digits_task(write_digits(tmp_path), seed=3)
    first, second = lesson(task), lesson(task)
    assert torch.equal(first.inputs, second.inputs)
    assert torch.equal(first.held_targets, second.held_targets)
    for one, other in zip(first.network.parameters(), second.network.parameters(), strict=True):
        assert torch.equal(one, other)
    other_seed = lesson(digits_task(write_digits(tmp_path), seed=4))
    assert not torch.equal(first.held_inputs, other_seed.held_inputs)


def test_made_examples_follow_from_the_seed() -> None:
    task = Task("ffn", "tabular", 20, 5, (32,))
    assert torch.equal(lesson(task).inputs, lesson(task).inputs)
    assert torch.equal(lesson(task).targets, lesson(task).targets)


def test_a_fresh_network_starts_as_its_seed_says() -> None:
    made = lesson(Task("ffn", "tabular", 20, 5, (32,), seed=5), torch.float64)
    train(made, 0.1, 3)
    again, other = made.fresh(5), made.fresh(6)
    start = lesson(Task("ffn", "tabular", 20, 5, (32,), seed=5), torch.float64).network
    assert torch.equal(next(again.parameters()), next(start.parameters()))
    assert not torch.equal(next(other.parameters()), next(start.parameters()))
    assert next(again.parameters()).dtype is torch.float64


def test_the_global_generator_is_left_alone() -> None:
    torch.manual_seed(1)
    expected = torch.rand(1)
    torch.manual_seed(1)
    lesson(Task("cnn", "image", 64, 4, (8,)))
    assert torch.equal(torch.rand(1), expected)


def test_batches_cover_every_epoch_once() -> None:
    stream = Stream(100, 8, seed=0)
    epoch = torch.cat([stream.rows(number) for number in range(12)])
    assert len(epoch.unique()) == 96  # 12 whole batches; four are left out
    assert not torch.equal(epoch[:8], stream.rows(12))


def test_batches_are_the_same_in_any_order() -> None:
    forwards, backwards = Stream(50, 7, seed=1), Stream(50, 7, seed=1)
    first = [forwards.rows(number).tolist() for number in range(40)]
    second = [backwards.rows(number).tolist() for number in reversed(range(40))]
    assert first == second[::-1]


def test_a_batch_is_never_larger_than_the_examples() -> None:
    assert Stream(5, 32, seed=0).batch == 5


def test_averages_of_batch_normalisation_belong_to_the_weights_that_are_judged() -> None:
    made = lesson(Task("cnn", "image", 64, 4, (8,), normalization="batch_norm"))
    train(made, 0.05, 30)
    moved, fresh = made.network, made.fresh(0)
    for one, other in zip(fresh.parameters(), moved.parameters(), strict=True):
        one.data.copy_(other.data)  # weights alone, as strategies exchange them
    assert made.held_out(fresh)[0] == pytest.approx(made.held_out(moved)[0], rel=1e-6)


@pytest.mark.parametrize(
    ("task", "said"),
    [
        (Task("vae", "image", 64, 64, loss="elbo"), "no class and no number"),
        (Task("gnn", "graph", 8, 3), "no class and no number"),
        (Task("cnn", "image", 65, 3), "no square picture"),
        (Task("ffn", "tabular", 4, 2, loss="nonsense"), "nonsense"),
    ],
)
def test_what_cannot_be_compared_is_refused_with_a_sentence(task: Task, said: str) -> None:
    with pytest.raises(InputError, match=said):
        lesson(task)
