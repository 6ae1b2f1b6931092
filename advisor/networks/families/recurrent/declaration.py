"""The declarations of recurrent networks."""

from __future__ import annotations

from itertools import pairwise

from advisor.networks.description import Layout, NetworkSpec, every_token
from advisor.networks.family import IN_STEPS, Candidates, Family, Module, Units, sequences
from advisor.networks.parts.counting import Counts


def _count(spec: NetworkSpec, units: Units, counts: Counts) -> None:
    tokens = sequences(spec) is Layout.TOKENS
    steps = spec.sequence_length or 1
    counts.parameters += spec.inputs * units[0] if tokens else 0
    for before, after in pairwise((units[0] if tokens else spec.inputs, *units)):
        counts.recurrent(before, after, steps, 4 if spec.network == "lstm" else 1)
    counts.dense((units[-1], spec.outputs), steps if every_token(spec) else 1)


def _build(spec: NetworkSpec, units: Units) -> Module:
    """Of the activations an rnn knows tanh and relu, and takes tanh for the others."""
    from advisor.networks.families.recurrent.network import Recurrent, lstm, relu_rnn, rnn

    tokens = sequences(spec) is Layout.TOKENS
    layer = lstm if spec.network == "lstm" else relu_rnn if spec.activation == "relu" else rnn
    return Recurrent(
        layer,
        (units[0] if tokens else spec.inputs, *units),
        spec.outputs,
        tokens=spec.inputs if tokens else None,
        every_step=every_token(spec),
    )


FAMILIES = tuple(
    Family(
        name=name,
        hidden_units=(256, 256),  # units per layer
        layout=sequences,
        count=_count,
        build=_build,
        predicts_tokens=True,
        recurrent=True,
        candidates=Candidates(place=place, takes=IN_STEPS, sizes=((64,),), always=name == "lstm"),
    )
    for name, place in (("rnn", 30), ("lstm", 40))
)
