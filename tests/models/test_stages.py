"""Where a network is cut into stages, what passes between them, and its weights as matrices."""

from __future__ import annotations

from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.models.model import WHOLE, Layer, Model, Source
from advisor.models.named import named_model
from advisor.models.stages import ends, matrices, passed_between


def made(*layers: Layer, family: str = "ffn") -> Model:
    return Model("made", family, Source.YOURS, (8,), layers)


def dense(name: str, inputs: int, outputs: int) -> Layer:
    weights = inputs * outputs
    return Layer(name, "linear", (outputs,), weights + outputs, weights + outputs, multiply_adds=weights)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=20), st.integers(1, 20))
def test_every_stage_has_work_and_together_they_have_all(work: list[int], count: int) -> None:
    if sum(one > 0 for one in work) < count:
        return
    found = ends([float(one) for one in work], count)
    begins = [0, *found[:-1]]
    assert len(found) == count
    assert found[-1] == len(work)
    assert all(sum(work[begin:end]) > 0 for begin, end in zip(begins, found, strict=True))


def test_a_chain_passes_on_what_the_layer_before_the_cut_gives() -> None:
    chain = made(dense("0", 10, 50), Layer("1", "ReLU", (50,)), dense("2", 50, 10), dense("3", 10, 5))
    assert passed_between(chain, 2) == (50,)
    assert passed_between(chain, 3) == (50, 10)
    assert passed_between(chain, 1) == ()


def test_a_block_stays_whole_and_passes_on_its_own_result() -> None:
    block = [
        Layer("blocks.0", "Block", (4, 4)), dense("blocks.0.wide", 4, 900), dense("blocks.0.narrow", 900, 4),
        Layer("blocks.1", "Block", (4, 4)), dense("blocks.1.wide", 4, 900), dense("blocks.1.narrow", 900, 4),
    ]  # fmt: skip
    assert passed_between(made(Layer(WHOLE, "Net", (4,)), *block), 2) == (16,)
    assert isinstance(passed_between(made(Layer(WHOLE, "Net", (4,)), *block), 3), str)


@pytest.mark.parametrize(
    ("name", "passed"),
    [
        ("resnet50", (28 * 28 * 512, 14 * 14 * 1024, 14 * 14 * 1024)),
        ("resnet18", (56 * 56 * 64, 28 * 28 * 128, 14 * 14 * 256)),
        ("gpt2", (1024 * 768,) * 3),
        ("llama-3.1-8b", (2048 * 4096,) * 3),
        ("vit_base_patch16_224", (197 * 768,) * 3),
    ],
)
def test_published_networks_pass_on_what_their_blocks_give(name: str, passed: tuple[int, ...]) -> None:
    assert passed_between(named_model(name), 4) == passed


@pytest.mark.parametrize("name", ["unet", "t5-small", "whisper-small", "vgg16", "densenet121", "dlrm-criteo"])
def test_what_passes_in_networks_with_connections_across_blocks_is_not_known(name: str) -> None:
    assert isinstance(passed_between(named_model(name), 2), str)


@pytest.mark.parametrize("name", ["resnet18", "resnet50", "gpt2", "bert-base", "llama-3.1-8b", "mixtral-8x7b"])
def test_matrices_have_all_weights(name: str) -> None:
    network = named_model(name)
    assert sum(map(prod, matrices(network))) == network.parameters


def test_powersgd_sends_as_many_times_less_of_resnet18_as_was_published() -> None:
    """Vogels et al. 2019, table 1: 243, 136 and 72 times less with rank 1, 2 and 4."""
    network = named_model("resnet18")
    shapes = matrices(network)
    for rank, times in ((1, 243), (2, 136), (4, 72)):
        sent = sum(min(rank * (rows + columns), rows * columns) for rows, columns in shapes)
        assert network.parameters / sent == pytest.approx(times, rel=0.015)


def test_networks_known_in_parts_have_no_matrices() -> None:
    assert matrices(named_model("vgg16")) == ()
