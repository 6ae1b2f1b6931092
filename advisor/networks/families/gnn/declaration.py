"""The declaration of the graph neural network."""

from __future__ import annotations

from advisor.models.tape import Tape, Value
from advisor.networks.description import Layout, NetworkSpec, UnbuildableError
from advisor.networks.family import Family, Module, Units, after_layers
from advisor.networks.parts import shapes


def _layout(spec: NetworkSpec) -> Layout:
    if spec.modality != "graph":
        raise UnbuildableError(f"A gnn takes a graph, not {spec.modality} data.")
    return Layout.GRAPH


def _count(spec: NetworkSpec, units: Units, tape: Tape, x: Value) -> None:
    """Of one node. The numbers of its edges are kept too, but the plan does not state them."""
    following = shapes.after_layers(tape, spec)
    for number, after in enumerate(units):
        with tape.within("rounds", number):
            x = tape.joined(x, tape.moved(x, *x.shape, name="hear"))
            x = following(tape.linear("mix", x, after))
    tape.linear("head", x, spec.outputs)


def _build(spec: NetworkSpec, units: Units) -> Module:
    from advisor.networks.families.gnn.network import MessagePassing

    return MessagePassing((spec.inputs, *units), spec.outputs, after_layers(spec))


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
