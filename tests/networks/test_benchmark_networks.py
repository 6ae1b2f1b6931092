"""The networks of the benchmark of 2016: as large as it says, and such that they learn."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from advisor.networks.benchmark.six import EIGHT, SIX, BenchmarkNetwork
from advisor.networks.builders import build, loss_function
from advisor.networks.counts import counted
from advisor.networks.description import NetworkSpec, UnbuildableError
from advisor.networks.examples import example_batch
from advisor.survey.bench import workload

SMALL = {network.name: network.narrowed(0.02) for network in SIX}
CONVOLUTIONAL = [network.name for network in SIX if network.type == "cnn"]
BY_NAME = {network.name: network for network in EIGHT}
WEIGHTS = {
    "fcn5": 55_000_000,
    "fcn8": 58_000_000,
    "alexnet": 61_000_000,
    "resnet50": 25_600_000,
    "fcn5-2048": 118_000_000,
    "fcn8-2048": 131_000_000,
}
"""As published: table 2 of the paper and its erratum, and what its later revisions state."""


def parameters(spec: NetworkSpec) -> int:
    with torch.device("meta"):  # counts them without making them
        return sum(parameter.numel() for parameter in build(spec).parameters())


@pytest.mark.parametrize("name", WEIGHTS)
def test_as_many_weights_as_were_published(name: str) -> None:
    assert counted(BY_NAME[name]).parameters == pytest.approx(WEIGHTS[name], rel=0.02)


def test_the_weights_of_the_well_known_ones_are_those_that_everybody_counts() -> None:
    assert counted(BY_NAME["alexnet"]).parameters == 61_100_840
    assert counted(BY_NAME["resnet50"]).parameters == 25_557_032


def test_the_lstm_has_the_weights_of_its_configuration_and_not_the_thirteen_million_of_the_paper() -> None:
    embedding, layers, head = 10_000 * 256, 2 * 4 * (2 * 256 * 256 + 2 * 256), 10_000 * 256 + 10_000
    for name in ("lstm32", "lstm64"):
        assert counted(BY_NAME[name]).parameters == embedding + layers + head == 6_182_672


@pytest.mark.parametrize("network", EIGHT, ids=lambda network: network.name)
def test_counted_as_built(network: BenchmarkNetwork) -> None:
    assert counted(network).parameters == parameters(network)


def test_multiply_adds_of_full_pictures_are_those_that_everybody_counts() -> None:
    assert counted(BY_NAME["alexnet"]).multiply_adds == pytest.approx(0.714e9, rel=0.005)
    assert counted(BY_NAME["resnet50"]).multiply_adds == pytest.approx(4.09e9, rel=0.005)


@pytest.mark.parametrize("name", CONVOLUTIONAL)
@pytest.mark.parametrize("side", [63, 64, 97])
def test_multiply_adds_are_those_that_torch_counts(name: str, side: int) -> None:
    spec = replace(SMALL[name], inputs=3 * side * side)
    network = build(spec)
    inputs, _ = example_batch(spec, 2, torch.Generator().manual_seed(0))
    with FlopCounterMode(display=False) as counter:
        network(inputs)
    assert counted(spec).multiply_adds == counter.get_total_flops() / 2 / 2


@pytest.mark.parametrize("name", SMALL)
def test_it_gives_an_answer_for_each_class_and_a_few_steps_lower_the_loss(name: str) -> None:
    spec = SMALL[name]
    torch.manual_seed(0)
    network = build(spec)
    inputs, targets = example_batch(spec, 4, torch.Generator().manual_seed(0))
    steps = (spec.sequence_length,) if spec.sequence_length else ()
    assert network(inputs).shape == (4, *steps, spec.outputs)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-2)
    losses = []
    for _ in range(20):
        optimizer.zero_grad()
        loss = loss_function(spec)(network(inputs), targets)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.95 * losses[0]


def test_one_example_alone_can_be_trained_on() -> None:
    """As timing begins: batch normalisation needs more than one value for each channel."""
    spec = SMALL["resnet50"]
    inputs, targets = example_batch(spec, 1, torch.Generator().manual_seed(0))
    assert torch.isfinite(loss_function(spec)(build(spec)(inputs), targets))


@pytest.mark.parametrize(("name", "least"), [("alexnet", 63), ("resnet50", 33)])
def test_a_picture_that_is_too_small_is_refused(name: str, least: int) -> None:
    smaller = replace(SMALL[name], inputs=3 * (least - 1) ** 2)
    with pytest.raises(UnbuildableError, match=rf"{name} reads pictures at least {least} pixels wide, not {least - 1}"):
        build(smaller)
    inputs, _ = example_batch(replace(smaller, inputs=3 * least**2), 1, torch.Generator())
    assert build(replace(smaller, inputs=3 * least**2))(inputs).shape == (1, smaller.outputs)


def test_hidden_units_that_do_not_fit_the_plan_are_refused() -> None:
    with pytest.raises(UnbuildableError, match="resnet50 are 4 numbers, not 3"):
        build(replace(SMALL["resnet50"], hidden_units=(4, 8, 16)))


def test_without_hidden_units_the_full_widths_are_built() -> None:
    assert parameters(replace(BY_NAME["resnet50"], hidden_units=())) == 25_557_032


def test_other_data_than_pictures_are_refused() -> None:
    with pytest.raises(UnbuildableError, match="only for pictures"):
        build(replace(SMALL["alexnet"], modality="tabular"))


def test_each_family_has_the_batch_of_the_paper() -> None:
    batches = {network.type: network.batch_size for network in EIGHT}
    assert batches == {"ffn": 64, "cnn": 16, "lstm": 128}


@pytest.mark.parametrize("network", EIGHT, ids=lambda network: network.name)
def test_every_one_can_be_timed_by_the_probes(network: BenchmarkNetwork) -> None:
    assert workload(network).why_not() is None


def test_a_narrowed_network_is_no_longer_that_of_the_table() -> None:
    network = BY_NAME["fcn5"]
    narrow = network.narrowed(0.5)
    assert (narrow.inputs, narrow.outputs, narrow.hidden_units) == (13_376, 13_376, (500, 500, 500))
    assert network.in_table
    assert not narrow.in_table
    assert network.narrowed(1.0) is network
