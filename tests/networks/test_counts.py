"""Counted by formula against what torch builds and computes."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from advisor.networks.builders import build
from advisor.networks.counts import counts
from advisor.networks.description import UnbuildableError
from advisor.networks.examples import example_batch
from advisor.networks.families.gnn.network import Graph
from advisor.networks.registry import family
from advisor.probes.workload import Workload
from tests.networks.all_examples import SPECS

RECURRENT = [name for name, spec in SPECS.items() if family(spec.network).recurrent]


@pytest.mark.parametrize("name", SPECS)
def test_as_many_parameters_as_torch_builds(name: str) -> None:
    spec = SPECS[name]
    assert counts(spec).parameters == sum(p.numel() for p in build(spec).parameters())


@pytest.mark.parametrize("name", [name for name in SPECS if name not in RECURRENT])
def test_as_many_multiply_adds_as_torch_counts(name: str) -> None:
    spec = SPECS[name]
    network = build(spec)
    inputs, _ = example_batch(spec, 2, torch.Generator().manual_seed(0))
    counter = FlopCounterMode(display=False)
    with counter, sdpa_kernel(SDPBackend.MATH):  # the fused attention of a processor counts as nothing in torch 2.13
        network(inputs)
    assert counts(spec).macs == counter.get_total_flops() / 2 / len(inputs)


@pytest.mark.parametrize("name", RECURRENT)
def test_a_recurrent_layer_uses_each_weight_once_a_step(name: str) -> None:
    """Its operators have no formula in torch, so the count rests on this."""
    spec = SPECS[name]
    weights = [p.numel() for n, p in build(spec).named_parameters() if ".weight_" in n]
    head = spec.hidden_units[-1] * spec.outputs * (spec.sequence_length or 1 if spec.outputs == spec.inputs else 1)
    assert counts(spec).macs == sum(weights) * (spec.sequence_length or 1) + head


@pytest.mark.parametrize("name", SPECS)
def test_what_is_kept_for_the_backward_pass_is_about_what_torch_keeps(name: str) -> None:
    """Within a factor of three for networks that are not tiny: an estimate for planning, a probe measures."""
    units = {"transformer": (128, 512)}.get(SPECS[name].network, tuple(8 * u for u in SPECS[name].hidden_units))
    spec = replace(SPECS[name], hidden_units=units)
    network = build(spec)
    inputs, _ = example_batch(spec, 16, torch.Generator().manual_seed(0))
    own = {p.untyped_storage().data_ptr() for p in network.parameters()}
    kept: dict[int, int] = {}

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in own:
            kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        network(inputs)
    measured = sum(kept.values()) / 4 / len(inputs)
    assert 1 / 3 < counts(spec).kept / measured < 3


def test_a_network_that_cannot_be_built_is_not_counted() -> None:
    with pytest.raises(UnbuildableError, match="cannot be built yet"):
        counts(Workload("hopfield", "tabular", 5, 2, (8,)))


def test_a_node_of_a_graph_is_counted_for_itself() -> None:
    spec = Workload("gnn", "graph", 5, 3, (8, 6))
    network, graph = build(spec), Graph(torch.randn(7, 5), torch.randint(7, (2, 20)))
    counter = FlopCounterMode(display=False)
    with counter:
        network(graph)
    assert counts(spec).macs == counter.get_total_flops() / 2 / 7
    assert counts(spec).parameters == sum(p.numel() for p in network.parameters())
