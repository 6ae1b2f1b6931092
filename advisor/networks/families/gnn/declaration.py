"""The declaration of the graph neural network."""

from __future__ import annotations

from itertools import pairwise

from advisor.networks.description import Layout, NetworkSpec, UnbuildableError
from advisor.networks.family import Family, Units
from advisor.networks.parts.counting import Counts


def _layout(spec: NetworkSpec) -> Layout:
    if spec.modality != "graph":
        raise UnbuildableError(f"A gnn takes a graph, not {spec.modality} data.")
    return Layout.GRAPH


def _count(spec: NetworkSpec, units: Units) -> Counts:
    found = Counts()
    for before, after in pairwise((spec.inputs, *units)):
        found.dense((2 * before, after))
    found.dense((units[-1], spec.outputs))
    return found


FAMILIES = (
    Family(
        name="gnn",
        hidden_units=(128, 128),  # one round of messages for each
        layout=_layout,
        count=_count,
        modality="graph",
        untimed="The time of a step of a gnn depends on the edges of its graph, which the plan does not state.",
    ),
)
