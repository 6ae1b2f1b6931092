"""The declarations of recurrent networks."""

from __future__ import annotations

from itertools import pairwise

from advisor.networks.description import Layout, NetworkSpec, every_token
from advisor.networks.family import IN_STEPS, Candidates, Family, Units, sequences
from advisor.networks.parts.counting import Counts


def _count(spec: NetworkSpec, units: Units) -> Counts:
    found = Counts()
    tokens = sequences(spec) is Layout.TOKENS
    steps = spec.sequence_length or 1
    found.parameters += spec.inputs * units[0] if tokens else 0
    for before, after in pairwise((units[0] if tokens else spec.inputs, *units)):
        found.recurrent(before, after, steps, 4 if spec.network == "lstm" else 1)
    found.dense((units[-1], spec.outputs), steps if every_token(spec) else 1)
    return found


FAMILIES = tuple(
    Family(
        name=name,
        hidden_units=(256, 256),  # units per layer
        layout=sequences,
        count=_count,
        predicts_tokens=True,
        recurrent=True,
        candidates=Candidates(place=place, takes=IN_STEPS, sizes=((64,),), always=name == "lstm"),
    )
    for name, place in (("rnn", 30), ("lstm", 40))
)
