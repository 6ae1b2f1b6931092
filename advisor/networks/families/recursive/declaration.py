"""The declaration of the recursive network."""

from __future__ import annotations

from advisor.networks.description import Layout, NetworkSpec, UnbuildableError
from advisor.networks.family import Family, Module, Units, activated, activation
from advisor.networks.parts.counting import Counts


def _layout(spec: NetworkSpec) -> Layout:
    if spec.modality != "tree":
        raise UnbuildableError(f"A recursive network takes trees, not {spec.modality} data.")
    if spec.sequence_length is None:
        raise UnbuildableError("A recursive network needs the nodes of the largest tree: state data.sequence_length.")
    return Layout.TREE


def _count(spec: NetworkSpec, units: Units, counts: Counts) -> None:
    width, *rest = units
    nodes = spec.sequence_length or 1
    counts.parameters += spec.inputs * width
    counts.kept += 2 * nodes * width
    counts.dense((2 * width, *rest, width), (nodes - 1) // 2)
    counts.dense((width, spec.outputs))


def _build(spec: NetworkSpec, units: Units) -> Module:
    from advisor.networks.families.recursive.network import Recursive

    following, squash = activated(spec.activation), activation(spec.activation)
    return Recursive(spec.inputs, units, spec.outputs, following, squash)


FAMILIES = (
    Family(
        name="recursive",
        hidden_units=(128, 256),  # of a node's state, then the hidden layers of the function that merges two children
        layout=_layout,
        count=_count,
        build=_build,
        modality="tree",
    ),
)
