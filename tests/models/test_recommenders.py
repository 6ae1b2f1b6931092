"""Recommenders are counted from their sizes as torch builds them; of their tables, an example meets few rows."""

from __future__ import annotations

from itertools import pairwise

import pytest
import torch
from torch import Tensor, nn

from advisor.models.families.recommenders import Recommender
from advisor.models.model import Layer
from advisor.models.published import published_models
from advisor.models.tape import Tape
from advisor.models.tracing.trace import traced
from tests.cli.program import advisor

PAIRS = Recommender(tables=(1000, 3, 50), width=16, bottom=(32, 24), top=(64, 8))
CROSSES = Recommender(
    tables=(1000, 3, 50), width=16, bottom=(32,), top=(64, 8), looked=(5, 1, 7), crosses=3, rank=10, numbers=4
)


@pytest.mark.parametrize("sizes", [PAIRS, CROSSES], ids=["products of pairs", "crosses"])
def test_it_is_counted_as_torch_computes_it(sizes: Recommender) -> None:
    looked = sizes.looked or (1,) * len(sizes.tables)

    def inputs(batch: int) -> tuple[Tensor, ...]:
        rows = (torch.zeros(batch, rows, dtype=torch.long) for rows in looked)
        return torch.zeros(batch, *sizes.input), *rows

    found = traced(lambda: Network(sizes), inputs)

    layers = counted(sizes)

    for what in ("parameters", "multiply_adds", "kept", "kept_bytes"):
        assert total(layers, what) == total(found, what)


def test_an_example_meets_the_rows_that_it_looks_up_and_gives_gradients_to_them_alone() -> None:
    network = Network(CROSSES)
    numbers = torch.arange(7) * 2

    rows = [torch.arange(5)[None], torch.zeros(1, 1, dtype=torch.long), numbers[None]]
    network(torch.zeros(1, 4), *rows).sum().backward()

    tables = [layer for layer in counted(CROSSES) if layer.kind == "table"]
    assert [layer.active for layer in tables] == [table.weight.grad._values().numel() for table in network.tables]


def test_a_table_smaller_than_what_is_looked_up_is_met_whole() -> None:
    network = Recommender(tables=(3,), width=4, bottom=(), top=(), looked=(10,))

    assert [layer.active for layer in counted(network) if layer.kind == "table"] == [3 * 4]


@pytest.mark.parametrize(("name", "gigabytes", "rows"), [("dlrm-criteo", 90, 26), ("dlrm-dcnv2-criteo", 97.31, 214)])
def test_the_benchmarks_are_as_large_as_their_published_weights(name: str, gigabytes: float, rows: int) -> None:
    """github.com/mlcommons/inference, recommendation/dlrm/pytorch and recommendation/dlrm_v2/pytorch, their READMEs."""
    model = published_models()[name].model()

    assert model.parameters * 4 / 2**30 == pytest.approx(gigabytes, rel=0.01)
    tables = [layer for layer in model.layers if layer.kind == "table"]
    assert sum(layer.active for layer in tables) == rows * 128
    assert not any(layer.multiply_adds for layer in tables)


def test_what_an_example_meets_is_shown() -> None:
    shown = " ".join(advisor("models", "show", "dlrm-criteo").out.split())

    assert "Parameters: 24 billion, of which an example meets 2.3" in shown


class Network(nn.Module):
    """A recommender of these sizes, written in torch."""

    def __init__(self, sizes: Recommender) -> None:
        super().__init__()
        vectors = len(sizes.tables) + 1
        joined = vectors * sizes.width
        self.bottom = layers(sizes.numbers, *sizes.bottom, sizes.width)
        self.tables = nn.ModuleList(
            nn.EmbeddingBag(rows, sizes.width, mode="sum", sparse=True) for rows in sizes.tables
        )
        self.narrow = nn.ModuleList(nn.Linear(joined, sizes.rank, bias=False) for _ in range(sizes.crosses))
        self.widen = nn.ModuleList(nn.Linear(sizes.rank, joined) for _ in range(sizes.crosses))
        met = joined if sizes.crosses else sizes.width + vectors * (vectors - 1) // 2
        self.top = nn.Sequential(layers(met, *sizes.top), nn.Linear(sizes.top[-1], 1))

    def forward(self, numbers: Tensor, *rows: Tensor) -> Tensor:
        first = self.bottom(numbers)
        looked = (table(met) for table, met in zip(self.tables, rows, strict=True))
        vectors = torch.stack([first, *looked], dim=1)
        if self.narrow:
            x = whole = vectors.flatten(1)
            for narrow, widen in zip(self.narrow, self.widen, strict=True):
                x = whole * widen(narrow(x)) + x
        else:
            products = vectors @ vectors.transpose(1, 2)
            one, other = torch.tril_indices(*products.shape[1:], -1, device="cpu")
            x = torch.cat([first, products[:, one, other]], dim=1)
        score: Tensor = self.top(x)
        return score


def layers(*widths: int) -> nn.Sequential:
    return nn.Sequential(*(part for one, other in pairwise(widths) for part in (nn.Linear(one, other), nn.ReLU())))


def total(counts: list[Layer], what: str) -> int:
    return sum(getattr(layer, what) for layer in counts)


def counted(network: Recommender) -> list[Layer]:
    tape = Tape()
    network.count(tape, network.input)
    return tape.layers
