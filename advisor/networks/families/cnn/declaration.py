"""The declaration of the convolutional network."""

from __future__ import annotations

from itertools import pairwise

from advisor.networks.description import Layout, NetworkSpec, input_picture
from advisor.networks.family import IN_STEPS, Candidates, Family, Units, pictures_or_sequences
from advisor.networks.parts.counting import Counts
from advisor.networks.parts.sizes import EMBEDDING_WIDTH


def _count(spec: NetworkSpec, units: Units) -> Counts:
    found = Counts()
    layout = pictures_or_sequences(spec)
    if layout is Layout.PICTURE:
        shape = input_picture(spec)
        side = shape.side
        for before, after in pairwise((shape.colours, *units)):
            found.convolution(before, after, 9, side * side)
            found.convolution(after, after, 9, side * side)
            side = max(1, side // 2)
    else:
        tokens = layout is Layout.TOKENS
        steps = spec.sequence_length or 1
        found.parameters += spec.inputs * EMBEDDING_WIDTH if tokens else 0
        for before, after in pairwise((EMBEDDING_WIDTH if tokens else spec.inputs, *units)):
            found.convolution(before, after, 3, steps)
            steps = max(1, steps // 2)
    found.dense((units[-1], spec.outputs))
    return found


FAMILIES = (
    Family(
        name="cnn",
        hidden_units=(64, 128, 256),  # channels per stage
        layout=pictures_or_sequences,
        count=_count,
        candidates=Candidates(place=20, takes=("image", *IN_STEPS), sizes=((32, 64),), always=True),
    ),
)
