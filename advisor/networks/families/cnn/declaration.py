"""The declaration of the convolutional network."""

from __future__ import annotations

from itertools import pairwise

from advisor.networks.description import Layout, NetworkSpec, input_picture
from advisor.networks.family import IN_STEPS, Candidates, Family, Module, Units, activated, pictures_or_sequences
from advisor.networks.parts.counting import Counts
from advisor.networks.parts.sizes import EMBEDDING_WIDTH


def _count(spec: NetworkSpec, units: Units, counts: Counts) -> None:
    layout = pictures_or_sequences(spec)
    if layout is Layout.PICTURE:
        shape = input_picture(spec)
        side = shape.side
        for before, after in pairwise((shape.colours, *units)):
            counts.convolution(before, after, 9, side * side)
            counts.convolution(after, after, 9, side * side)
            side = max(1, side // 2)
    else:
        tokens = layout is Layout.TOKENS
        steps = spec.sequence_length or 1
        counts.parameters += spec.inputs * EMBEDDING_WIDTH if tokens else 0
        for before, after in pairwise((EMBEDDING_WIDTH if tokens else spec.inputs, *units)):
            counts.convolution(before, after, 3, steps)
            steps = max(1, steps // 2)
    counts.dense((units[-1], spec.outputs))


def _build(spec: NetworkSpec, units: Units) -> Module:
    from advisor.networks.families.cnn.network import PictureCnn, SequenceCnn

    following = activated(spec.activation)
    layout = pictures_or_sequences(spec)
    if layout is Layout.PICTURE:
        shape = input_picture(spec)
        return PictureCnn((shape.colours, *units), shape.size, spec.outputs, following)
    tokens = layout is Layout.TOKENS
    channels = (EMBEDDING_WIDTH if tokens else spec.inputs, *units)
    steps = spec.sequence_length or 1
    return SequenceCnn(channels, steps, spec.outputs, following, tokens=spec.inputs if tokens else None)


FAMILIES = (
    Family(
        name="cnn",
        hidden_units=(64, 128, 256),  # channels per stage
        layout=pictures_or_sequences,
        count=_count,
        build=_build,
        candidates=Candidates(place=20, takes=("image", *IN_STEPS), sizes=((32, 64),), always=True),
    ),
)
