"""The declaration of the graph neural network."""

from __future__ import annotations

from itertools import pairwise

from advisor.networks.description import Layout, NetworkSpec, UnbuildableError
from advisor.networks.family import Family, Module, Units, activated
from advisor.networks.parts.counting import Counts


def _layout(spec: NetworkSpec) -> Layout:
    if spec.modality != "graph":
        raise UnbuildableError(f"A gnn takes a graph, not {spec.modality} data.")
    return Layout.GRAPH


def _count(spec: NetworkSpec, units: Units, counts: Counts) -> None:
    for before, after in pairwise((spec.inputs, *units)):
        counts.dense((2 * before, after))
    counts.dense((units[-1], spec.outputs))


def _build(spec: NetworkSpec, units: Units) -> Module:
    from advisor.networks.families.gnn.network import MessagePassing

    return MessagePassing((spec.inputs, *units), spec.outputs, activated(spec.activation))


FAMILIES = (
    Family(
        name="gnn",
        hidden_units=(128, 128),  # one round of messages for each
        layout=_layout,
        count=_count,
        build=_build,
        modality="graph",
        untimed="The time of a step of a gnn depends on the edges of its graph, which the plan does not state.",
    ),
)
