"""The declaration of the feed-forward network."""

from __future__ import annotations

from advisor.networks.description import NetworkSpec, flat_values
from advisor.networks.family import EVERYTHING, Candidates, Family, Units, flat
from advisor.networks.parts.counting import Counts


def _count(spec: NetworkSpec, units: Units) -> Counts:
    found = Counts()
    found.dense((flat_values(spec), *units, spec.outputs))
    return found


FAMILIES = (
    Family(
        name="ffn",
        hidden_units=(256, 256, 256),  # units per layer
        layout=flat,
        count=_count,
        candidates=Candidates(place=10, takes=EVERYTHING, sizes=((100,), (128, 128)), always=True),
    ),
)
