"""Networks that somebody named, as strategies learn by them: built alike by every worker, on examples that they take."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy
import pytest
import torch

from advisor.children.errors import CannotRunError
from advisor.distributed.job import Job
from advisor.distributed.launching.launch import run
from advisor.distributed.learning.lesson import Lesson, lesson
from advisor.distributed.learning.named import Named
from advisor.distributed.task import Task
from advisor.errors import InputError
from advisor.models.code import Argument, Code, Library
from advisor.probes.workload import NamedNetwork
from tests.distributed.digits import digits_task, write_digits

SOURCE = """
import os
import torch
from torch import nn

def rows():
    return nn.Sequential(nn.Linear(12, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 3))

def digits():
    return nn.Sequential(nn.Linear(101, 32), nn.Tanh(), nn.Linear(32, 10))

def pictures():
    return nn.Sequential(nn.Conv2d(3, 8, 3, 2), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 4))

def series():
    return nn.Sequential(nn.Linear(12, 4), nn.Flatten(), nn.Linear(16, 10))

def each_word():
    return nn.Sequential(nn.Embedding(50, 8), nn.Linear(8, 10))

class Both(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.head, self.unused = nn.Embedding(50, 8), nn.Linear(20, 2), nn.Linear(3, 3)

    def forward(self, numbers, words):
        return {"hidden": words, "values": self.head(torch.cat([numbers, self.table(words).mean(1)], 1))}

def other_each_time():
    network = rows()
    nn.init.constant_(network[0].weight, int.from_bytes(os.urandom(4), "big"))
    return network
"""


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Networks this small are slower on several."""
    usual = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(usual)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(SOURCE)
    return path


def task_of(file: Path, factory: str, *arguments: Argument, **changed: object) -> Task:
    code = Code(Library.FILE, factory, arguments, file=str(file))
    task = Task("ffn", "tabular", 1, 1, named=NamedNetwork(f"mine.py:{factory}", 1, "code", code), most_examples=1000)
    return replace(task, **changed)  # type: ignore[arg-type]


def train(taught: Lesson, steps: int = 150, rate: float = 0.05) -> None:
    stream = taught.stream(32, 0)
    for number in range(steps):
        rows = stream.rows(number)
        taught.network.zero_grad()
        taught.loss(taught.network(taught.inputs[rows]), taught.targets[rows]).backward()
        with torch.no_grad():
            for weights in taught.network.parameters():
                if weights.grad is not None:
                    weights -= rate * weights.grad


def test_somebodys_network_learns_from_examples_that_are_made(file: Path) -> None:
    taught = lesson(task_of(file, "rows", Argument((12,))))
    before, _ = taught.held_out(taught.network)
    train(taught)
    after, right = taught.held_out(taught.network)
    assert after < 0.8 * before
    assert taught.metric == "accuracy"
    assert right.mean() > 0.6
    assert taught.how.startswith("1,000 examples for your module mine.py:rows were made from the seed 0")


def test_several_arguments_are_given_as_one_and_the_numbers_of_an_answer_are_found(file: Path) -> None:
    taught = lesson(task_of(file, "Both", Argument((12,)), Argument((5,), tokens=True), loss="mse"))
    assert (taught.inputs.shape[1], taught.targets.shape[1]) == (17, 2)
    before, _ = taught.held_out(taught.network)
    train(taught)
    assert taught.held_out(taught.network)[0] < 0.8 * before


def test_weights_that_no_answer_depends_on_are_not_learned(file: Path) -> None:
    taught = lesson(task_of(file, "Both", Argument((12,)), Argument((5,), tokens=True), loss="mse"))
    still = {name for name, weights in taught.fresh(1).named_parameters() if not weights.requires_grad}
    assert still == {"unused.weight", "unused.bias"}, "workers would wait for their gradients for ever"


def test_workers_begin_alike_and_the_chance_of_others_goes_on(file: Path) -> None:
    taught = lesson(task_of(file, "rows", Argument((12,))))
    before = torch.get_rng_state(), random.getstate(), repr(numpy.random.get_state())
    first, second, other = taught.fresh(1), taught.fresh(1), taught.fresh(2)
    assert torch.equal(next(first.parameters()), next(second.parameters()))
    assert not torch.equal(next(first.parameters()), next(other.parameters()))
    assert torch.equal(torch.get_rng_state(), before[0])
    assert random.getstate() == before[1]
    assert repr(numpy.random.get_state()) == before[2]


def test_pictures_get_the_size_and_the_colours_that_the_network_takes(file: Path) -> None:
    network = Named(task_of(file, "pictures", Argument((3, 16, 16)))).built(0)
    seen: list[tuple[int, ...]] = []
    next(network.children()).register_forward_pre_hook(lambda _, given: seen.append(tuple(given[0].shape)))
    assert network(torch.rand(2, 1, 8, 8)).shape == (2, 4)
    assert seen == [(2, 3, 16, 16)]


def test_somebodys_network_learns_the_data(file: Path, tmp_path: Path) -> None:
    task = task_of(file, "digits", Argument((101,)), most_held_out=100)
    taught = lesson(replace(task, data=str(write_digits(tmp_path)), target="digit"))
    assert (len(taught.inputs), len(taught.held_inputs)) == (800, 100)
    train(taught)
    assert taught.held_out(taught.network)[1].mean() > 0.7


REFUSED = {
    "rows of another length": ("rows", Argument((12,)), "takes 12 numbers for an example, and the data give 101"),
    "pictures": ("pictures", Argument((3, 16, 16)), r"the shape 4, and the plan has 10 outputs"),
    "series": ("series", Argument((4, 12)), "does not learn from these examples"),
    "words": (
        "each_word",
        Argument((101,), tokens=True),
        "one of 10 classes at each of 101 places; the data have one of 10",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_data_that_a_network_does_not_take_are_refused(file: Path, tmp_path: Path, what: str) -> None:
    factory, argument, said = REFUSED[what]
    task = replace(digits_task(write_digits(tmp_path)), named=task_of(file, factory, argument).named)
    with pytest.raises((InputError, CannotRunError), match=said):
        lesson(task)


def test_a_network_that_begins_otherwise_each_time_is_refused(file: Path) -> None:
    with pytest.raises(InputError, match="other weights each time"):
        lesson(task_of(file, "other_each_time", Argument((12,))))


def test_fewer_held_out_examples_are_looked_at_where_time_is_short() -> None:
    task = Task("cnn", "image", 64, 4, (8,), normalization="batch_norm", most_examples=1000)
    assert [len(lesson(replace(task, most_held_out=most)).held_inputs) for most in (None, 50)] == [200, 50]


@pytest.mark.thorough
def test_real_workers_train_somebodys_network_under_each_kind_of_strategy(file: Path) -> None:
    names = ("synchronous", "local_sgd", "asynchronous", "sharded", "pipeline")
    task = task_of(file, "Both", Argument((12,)), Argument((5,), tokens=True), loss="mse", batch=16)
    found = run(Job(task, names, seconds=20.0, examples=3_200, calibrates=False))
    assert found.failed == ""
    assert [one.strategy for one in found.runs] == list(names[:-1])
    for one in found.runs:
        assert one.curve[-1].loss < one.curve[0].loss
    assert found.runs[0].curve[-1].loss == pytest.approx(found.runs[3].curve[-1].loss, rel=1e-3), (
        "sharded is synchronous"
    )
    assert [one.strategy for one in found.undone] == ["pipeline"]
