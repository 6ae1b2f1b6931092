"""Counted on shapes against what torch builds, computes and keeps."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from advisor.models.model import Layer, Source
from advisor.networks.benchmark.six import EIGHT
from advisor.networks.builders import build
from advisor.networks.counts import counted
from advisor.networks.description import ACTIVATIONS, NORMALIZATIONS, NetworkSpec, UnbuildableError
from advisor.networks.families.gnn.network import Graph
from advisor.networks.registry import families, family
from advisor.networks.spec import Description, why_not_timed
from advisor.probes.workload import Workload
from tests.networks.all_examples import SPECS
from tests.networks.computed import bytes_kept, computed, examples_of, kept_by_autograd
from tests.properties import examples

WIDE = {
    name: replace(spec, hidden_units=(128, 512) if spec.network == "transformer" else tuple(8 * u for u in spec.hidden_units))
    for name, spec in SPECS.items()
}  # fmt: skip
"""Those of which a width is more than a few numbers."""
PUBLISHED = {network.name: network.narrowed(0.3) for network in EIGHT if network.modality == "image"}
LSTMS = [name for name, spec in SPECS.items() if spec.network == "lstm"]
NETWORKS = sorted(set(families()) - {"gnn"})
"""All that take examples one by one."""


@st.composite
def descriptions(draw: st.DrawFn, network: str) -> Description:
    """Networks of a type and of many sizes, odd ones too, as far as they can be built."""
    modality = family(network).modality or draw(st.sampled_from(["image", "tabular", "text", "time_series"]))
    side, colors = draw(st.sampled_from([4, 5, 6, 7, 8, 12, 28, 33, 36, 64, 65])), draw(st.sampled_from([1, 3]))
    inputs = colors * side**2 if modality == "image" else draw(st.integers(1, 60))
    widths = {"alexnet": (7, 7), "resnet50": (4, 4)}.get(network, (1, 4))
    spec = Description(
        network,
        modality,
        inputs,
        draw(st.sampled_from([1, 3, inputs, 64])),
        tuple(draw(st.lists(st.sampled_from([4, 8, 12, 32, 64]), min_size=widths[0], max_size=widths[1]))),
        draw(st.sampled_from([None, 1, 2, 7, 16])),
        draw(st.sampled_from(["", "mse", "contrastive_divergence"])),
        draw(st.sampled_from(list(ACTIVATIONS))),
        draw(st.sampled_from(family(network).normalizations)),
        draw(st.sampled_from((0.0, 0.2) if family(network).dropout else (0.0,))),
    )
    assume(why_not_timed(spec) is None)
    return spec


@pytest.mark.parametrize("network", NETWORKS)
@given(data=st.data())
@examples(30)
def test_any_network_is_counted_as_it_is_computed(network: str, data: st.DataObject) -> None:
    spec = data.draw(descriptions(network))
    ours, theirs = counted(spec), computed(spec)
    assert (ours.parameters, ours.multiply_adds) == (theirs.parameters, theirs.multiply_adds)
    if spec.network != "lstm":  # whose kernel keeps what it likes, see below
        assert bytes_kept(ours) == pytest.approx(bytes_kept(theirs), rel=0.001)


@pytest.mark.parametrize("name", SPECS)
def test_as_many_parameters_and_multiply_adds_as_torch_computes_with(name: str) -> None:
    ours, theirs = counted(SPECS[name]), computed(SPECS[name])
    assert ours.parameters == sum(p.numel() for p in build(SPECS[name]).parameters())
    assert ours.multiply_adds == theirs.multiply_adds


@pytest.mark.parametrize("name", [name for name in WIDE if name not in LSTMS])
def test_what_waits_for_the_backward_pass_is_what_autograd_keeps(name: str) -> None:
    assert bytes_kept(counted(WIDE[name])) == pytest.approx(bytes_kept(computed(WIDE[name])), rel=0.001)


@pytest.mark.parametrize("normalization", NORMALIZATIONS)
@pytest.mark.parametrize("name", [name for name in WIDE if name not in LSTMS])
def test_on_a_processor_dropout_keeps_numbers_and_the_scores_of_attention(name: str, normalization: str) -> None:
    known = family(WIDE[name].network)
    spec = replace(WIDE[name], dropout=0.2 if known.dropout else 0.0)
    if normalization in known.normalizations:
        spec = replace(spec, normalization=normalization)
    fewer, more = (_kept_by_autograd(spec, number) for number in (2, 4))
    assert bytes_kept(counted(spec, processor=True)) == pytest.approx((more - fewer) / 2, rel=0.001)


IN_HALF = [
    name
    for name, spec in WIDE.items()
    if spec.network not in ("lstm", "recursive") and not family(spec.network).own_losses
    if spec.normalization != "rms_norm"
    or spec.modality == "text"  # others start from what convolutions give in 16 bits
]


@pytest.mark.parametrize("dropout", [0.0, 0.2])
@pytest.mark.parametrize("name", IN_HALF)
def test_in_sixteen_bits_some_values_stay_in_thirty_two(name: str, dropout: float) -> None:
    """As autocast has it: what goes through normalisation, a copy for each product that reads it, and attention with dropout."""
    spec = replace(WIDE[name], dropout=dropout if family(WIDE[name].network).dropout else 0.0)
    ours = counted(spec, processor=True)
    fewer, more = (_kept_by_autograd(spec, number, bits=16) for number in (2, 4))
    assert 2 * (ours.kept + ours.more_in_half) + ours.kept_bytes == pytest.approx((more - fewer) / 2, rel=0.005)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"normalization": "weight_norm"}, "weight_norm is not known. These are: none, batch_norm"),
        (
            {"network": "lstm", "normalization": "batch_norm"},
            "After layers of the type lstm stands no batch_norm, only none and layer_norm",
        ),
        ({"dropout": 1.0}, "A share of 1.0 cannot be left out"),
        ({"network": "rbm", "dropout": 0.2}, "The type rbm is built without dropout"),
    ],
)
def test_a_network_that_is_built_otherwise_is_not_counted(changes: dict[str, str], message: str) -> None:
    with pytest.raises(UnbuildableError, match=message):
        counted(replace(Description("ffn", "time_series", 5, 2, (8,), 3), **changes))


@pytest.mark.parametrize("name", LSTMS)
@pytest.mark.parametrize("steps", [8, 50])
def test_an_lstm_keeps_about_what_its_kernel_keeps_for_itself(name: str, steps: int) -> None:
    """That is rounded up to whole lines of memory, and depends on the processor."""
    spec = replace(WIDE[name], sequence_length=steps)
    fewer, more = (_kept_by_autograd(spec, number) for number in (16, 48))
    assert bytes_kept(counted(spec)) == pytest.approx((more - fewer) / 32, rel=0.1)


@pytest.mark.parametrize("name", PUBLISHED)
def test_networks_of_the_benchmark_keep_what_autograd_keeps(name: str) -> None:
    spec = PUBLISHED[name]
    ours, theirs = counted(spec), computed(spec)
    assert bytes_kept(ours) == pytest.approx(bytes_kept(theirs), rel=0.001)
    assert (ours.parameters, ours.multiply_adds) == (theirs.parameters, theirs.multiply_adds)


def test_a_network_that_cannot_be_built_is_not_counted() -> None:
    with pytest.raises(UnbuildableError, match="cannot be built yet"):
        counted(Workload("hopfield", "tabular", 5, 2, (8,)))


def test_a_node_of_a_graph_is_counted_for_itself() -> None:
    spec = Workload("gnn", "graph", 50, 3, (80, 60))
    edges = torch.randint(
        2, (2, 20), generator=torch.Generator().manual_seed(0)
    )  # the same, however many nodes there are
    ours, theirs = counted(spec), computed(spec, lambda nodes: (Graph(torch.randn(nodes, 50), edges),))
    assert (ours.parameters, ours.multiply_adds) == (theirs.parameters, theirs.multiply_adds)
    assert bytes_kept(ours) == pytest.approx(bytes_kept(theirs), rel=0.01)  # but for the number of its neighbours


def test_a_model_tells_what_it_is_and_has_every_layer() -> None:
    model = counted(Workload("cnn", "image", 3072, 10, (32, 64)))
    assert (model.name, model.family, model.source, model.input) == ("cnn 32-64", "cnn", Source.BUILT, (3, 32, 32))
    assert Layer(
        "stages.0.convolution", "convolution", (32, 32, 32),
        parameters=27 * 32 + 32, active=27 * 32 + 32, multiply_adds=27 * 32 * 32**2, kept=3072, moved=3072 + 32 * 32**2,
    ) in model.layers  # fmt: skip
    assert len({layer.name for layer in model.layers if layer.parameters}) == 5


def _kept_by_autograd(spec: NetworkSpec, number: int, bits: int = 32) -> int:
    """Bytes, weights left out."""
    inputs = examples_of(spec, number)
    return kept_by_autograd(build(spec), lambda network: network(inputs), bits)
