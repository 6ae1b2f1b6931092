"""The declaration of the recursive network."""

from __future__ import annotations

from advisor.models.tape import Tape, Value
from advisor.networks.description import Layout, NetworkSpec, UnbuildableError
from advisor.networks.family import Family, Module, Units, activation, after_layers
from advisor.networks.parts import shapes


def _layout(spec: NetworkSpec) -> Layout:
    if spec.modality != "tree":
        raise UnbuildableError(f"A recursive network takes trees, not {spec.modality} data.")
    if spec.sequence_length is None:
        raise UnbuildableError("A recursive network needs the nodes of the largest tree: state data.sequence_length.")
    return Layout.TREE


def _count(spec: NetworkSpec, units: Units, tape: Tape, x: Value) -> None:
    """Of a tree whose every node has two children or none."""
    width, *rest = units
    nodes, _ = x.shape
    merges = (nodes - 1) // 2
    squash = shapes.activated(tape, spec.activation)
    words = tape.embedding("embedding", tape.view(x, nodes), spec.inputs, width)
    states = tape.joined(tape.given(1, width), squash(words))
    children = [tape.gathered(side, states, merges) for side in ("left", "right")]
    with tape.within("merge"):
        merged = shapes.dense(tape, tape.joined(*children, axis=1), (*rest, width), shapes.after_layers(tape, spec))
    merged = squash(tape.add(merged, tape.gathered("words", words, merges, numbers=2)))
    tape.gathered("place", merged, merges)
    tape.linear("head", tape.view(tape.moved(states, *states.shape), width), spec.outputs)


def _build(spec: NetworkSpec, units: Units) -> Module:
    from advisor.networks.families.recursive.network import Recursive

    return Recursive(spec.inputs, units, spec.outputs, after_layers(spec), activation(spec.activation))


FAMILIES = (
    Family(
        name="recursive",
        hidden_units=(128, 256),  # of a node's state, then the hidden layers of the function that merges two children
        layout=_layout,
        count=_count,
        build=_build,
        modality="tree",
        normalizations=("none", "layer_norm", "group_norm"),  # the last merges of a batch may be a single one
    ),
)
