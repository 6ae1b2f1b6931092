"""Networks that draw lots, or look at their numbers, are counted with all parts at work, and the same at every count."""

from __future__ import annotations

import random
import secrets

import numpy as np
import pytest
import torch
from torch import nn

from advisor.models.tracing.chance import Count, count_module

WIDTH, LAYERS = 16, 6
ONE = WIDTH * WIDTH


class Rows(nn.Module):
    """Equal layers, of which each may be left out."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(WIDTH, WIDTH) for _ in range(LAYERS)])
        self.numpy, self.python, self.torch = np.random.default_rng(), random.Random(), torch.Generator()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            if not self.left_out():
                x = x + layer(x)
        return x

    def left_out(self) -> bool:
        return False


class OfTorch(Rows):
    def left_out(self) -> bool:
        return self.training and bool(torch.rand(()) < 0.5)


class OfPython(Rows):
    def left_out(self) -> bool:
        return self.training and random.random() < 0.3


class OfNumpy(Rows):
    def left_out(self) -> bool:
        return self.training and np.random.rand() < 0.5


class OfOwn(Rows):
    """In training and after."""

    def left_out(self) -> bool:
        return self.numpy.random() < 0.3 or self.python.random() < 0.3


class OfOwnTorch(Rows):
    def left_out(self) -> bool:
        return bool(torch.rand((), generator=self.torch) < 0.5)


class OfSystem(Rows):
    """Nobody can draw the same again."""

    def left_out(self) -> bool:
        return self.training and secrets.randbelow(2) == 0


class Expert(Rows):
    """One of them, whichever."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = random.choice(list(self.layers))(x)
        return result


class Branch(Rows):
    """Some of them for numbers above zero, others below."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers[:2] if x.mean() > 0 else self.layers[2:]:
            x = layer(x)
        return x


class Narrow(Rows):
    """A part of the width, drawn anew."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        width = random.choice([4, 8, WIDTH])
        first, second = self.layers[0].weight, self.layers[1].weight
        return nn.functional.linear(nn.functional.linear(x, first[:width]), second[:, :width])


def of(network: type[nn.Module], *shape: int) -> Count:
    for contents in (False, True):
        try:
            return count_module(network, lambda batch: (torch.zeros(batch, *shape),), contents=contents)
        except Exception:
            if contents:
                raise
    raise AssertionError


@pytest.mark.parametrize(
    "network", [OfTorch, OfPython, OfNumpy, OfOwn, OfOwnTorch, OfSystem, Expert, Branch], ids=lambda kind: kind.__name__
)
def test_all_parts_are_at_work_whatever_is_drawn(network: type[nn.Module]) -> None:
    count = of(network, WIDTH)

    assert sum(layer.parameters for layer in count.layers) == LAYERS * (ONE + WIDTH)
    assert sum(layer.multiply_adds for layer in count.layers) == LAYERS * ONE
    assert len(count.remarks) == 1
    assert "every part at work" in count.remarks[0]


@pytest.mark.parametrize("network", [OfTorch, OfOwn, Expert, Narrow], ids=lambda kind: kind.__name__)
def test_a_count_is_the_same_again(network: type[nn.Module]) -> None:
    assert of(network, WIDTH) == of(network, WIDTH)


def test_the_widest_is_counted_of_a_width_that_is_drawn() -> None:
    assert sum(layer.multiply_adds for layer in of(Narrow, WIDTH).layers) == 2 * ONE


class Dropping(nn.Module):
    """Dropout, normalisation, and a part that helps in training alone."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.help = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.norm, self.drop = nn.BatchNorm1d(WIDTH), nn.Dropout(0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.drop(self.norm(self.layer(x)))
        return x + self.help(x) if self.training else x


class Shuffled(Rows):
    """All of them, in an order that is drawn."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        order = list(self.layers)
        random.shuffle(order)
        for layer in order:
            x = layer(x)
        return x


@pytest.mark.parametrize(("network", "layers"), [(Dropping, 2), (Shuffled, LAYERS)])
def test_nothing_is_said_of_lots_that_leave_nothing_out(network: type[nn.Module], layers: int) -> None:
    count = of(network, WIDTH)

    assert sum(layer.multiply_adds for layer in count.layers) == layers * ONE
    assert count.remarks == ()


def test_tokens_that_are_dropped_at_random_are_told() -> None:
    class Fewer(Rows):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            kept = x[:, torch.rand(x.shape[1]) < 0.7] if self.training else x
            result: torch.Tensor = self.layers[0](kept).mean(1)
            return result

    count = of(Fewer, 40, WIDTH)

    assert sum(layer.multiply_adds for layer in count.layers) == 40 * ONE
    assert "multiply-adds each" in count.remarks[0]
