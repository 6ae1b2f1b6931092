"""Networks that exist as code, counted on fake tensors."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from advisor.models.tracing.trace import traced


def test_tied_weights_count_once() -> None:
    layers = traced(Tied, lambda batch: (torch.zeros(batch, 5, dtype=torch.long),))

    assert {layer.name: layer.parameters for layer in layers if layer.parameters} == {"table": 100 * 8}
    assert sum(layer.multiply_adds for layer in layers) == 5 * 8 * 100


def test_a_part_with_two_names_counts_once() -> None:
    layers = traced(Named, lambda batch: (torch.zeros(batch, 8),))

    assert sum(layer.parameters for layer in layers) == 8 * 8 + 8
    assert sum(layer.multiply_adds for layer in layers) == 8 * 8


def test_attention_may_name_what_it_is_given() -> None:
    layers = traced(Attending, lambda batch: (torch.zeros(batch, 2, 5, 8),))

    assert sum(layer.multiply_adds for layer in layers) == 2 * 5 * 5 * (8 + 8)


def test_weights_that_are_lent_do_not_stand_in_the_place_of_the_answer() -> None:
    layers = traced(Lending, lambda batch: (torch.zeros(batch, 8),))

    assert {layer.name: layer.parameters for layer in layers if layer.parameters} == {
        "lent": 4 * 8 + 4,
        "head": 4 * 3 + 3,
    }
    assert (layers[-1].name, layers[-1].shape) == ("head", (3,))


@pytest.mark.parametrize("contents", [False, True])
@pytest.mark.parametrize(
    ("build", "shape", "parameters"),
    [
        (lambda: nn.Sequential(nn.LazyLinear(16), nn.ReLU(), nn.LazyLinear(4)), (8,), 8 * 16 + 16 + 16 * 4 + 4),
        (lambda: nn.Sequential(nn.LazyConv2d(4, 3), nn.LazyBatchNorm2d()), (3, 8, 8), 3 * 4 * 9 + 4 + 2 * 4),
        (lambda: nn.Sequential(nn.LazyConvTranspose1d(4, 3)), (3, 8), 3 * 4 * 3 + 4),
        (
            lambda: nn.Sequential(nn.Conv2d(3, 4, 3), nn.Flatten(), nn.LazyLinear(2)),
            (3, 8, 8),
            3 * 4 * 9 + 4 + 4 * 36 * 2 + 2,
        ),
        (lambda: nn.Sequential(nn.LazyInstanceNorm1d(affine=True), nn.LazyConv1d(2, 1)), (3, 8), 6 + 3 * 2 + 2),
    ],
)
def test_lazy_parts_get_their_sizes_by_a_pass(
    build: Any, shape: tuple[int, ...], parameters: int, contents: bool
) -> None:
    layers = traced(build, lambda batch: (torch.zeros(batch, *shape),), contents=contents)

    assert sum(layer.parameters for layer in layers) == parameters
    assert sum(layer.multiply_adds for layer in layers) > 0


class Lending(nn.Module):
    """Computes with the weights of a part that it never calls."""

    def __init__(self) -> None:
        super().__init__()
        self.lent = nn.Linear(8, 4)
        self.head = nn.Linear(4, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = self.head(nn.functional.linear(x, self.lent.weight, self.lent.bias))
        return result


class Attending(nn.Module):
    """Values that look at each other."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.scaled_dot_product_attention(query=x, key=x, value=x, dropout_p=0.1)


class Named(nn.Module):
    """A layer, and a row of layers that has it too."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(8, 8)
        self.row = nn.Sequential(self.layer, nn.ReLU())

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = self.row(values)
        return result


class Tied(nn.Module):
    """Scores of all words from a table that gives each word its vector."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(100, 8)
        self.head = nn.Linear(8, 100, bias=False)
        self.head.weight = self.table.weight

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        scores: torch.Tensor = self.head(self.table(words))
        return scores
