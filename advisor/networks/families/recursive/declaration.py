"""The declaration of the recursive network."""

from __future__ import annotations

from advisor.networks.description import Layout, NetworkSpec, UnbuildableError
from advisor.networks.family import Family, Units
from advisor.networks.parts.counting import Counts


def _layout(spec: NetworkSpec) -> Layout:
    if spec.modality != "tree":
        raise UnbuildableError(f"A recursive network takes trees, not {spec.modality} data.")
    if spec.sequence_length is None:
        raise UnbuildableError("A recursive network needs the nodes of the largest tree: state data.sequence_length.")
    return Layout.TREE


def _count(spec: NetworkSpec, units: Units) -> Counts:
    found = Counts()
    width, *rest = units
    nodes = spec.sequence_length or 1
    found.parameters += spec.inputs * width
    found.kept += 2 * nodes * width
    found.dense((2 * width, *rest, width), (nodes - 1) // 2)
    found.dense((width, spec.outputs))
    return found


FAMILIES = (
    Family(
        name="recursive",
        hidden_units=(128, 256),  # of a node's state, then the hidden layers of the function that merges two children
        layout=_layout,
        count=_count,
        modality="tree",
    ),
)
