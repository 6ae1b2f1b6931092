"""The declaration of the feed-forward network."""

from __future__ import annotations

from advisor.models.tape import Tape, Value
from advisor.networks.description import NetworkSpec, flat_values
from advisor.networks.family import Candidates, Family, Module, Units, after_layers, flat
from advisor.networks.parts import shapes


def _count(spec: NetworkSpec, units: Units, tape: Tape, x: Value) -> None:
    shapes.dense(tape, x, (*units, spec.outputs), shapes.after_layers(tape, spec))


def _build(spec: NetworkSpec, units: Units) -> Module:
    from advisor.networks.families.ffn.network import FeedForward

    return FeedForward((flat_values(spec), *units, spec.outputs), after_layers(spec))


FAMILIES = (
    Family(
        name="ffn",
        hidden_units=(256, 256, 256),  # units per layer
        layout=flat,
        count=_count,
        build=_build,
        candidates=Candidates(place=10, takes=None, sizes=((100,), (128, 128)), always=True),
    ),
)
