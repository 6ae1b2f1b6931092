"""The declaration of the transformer."""

from __future__ import annotations

import math

from advisor.networks.description import Layout, NetworkSpec, UnbuildableError, every_token, input_picture
from advisor.networks.family import IN_STEPS, Candidates, Family, Module, Units, activation, pictures, sequences
from advisor.networks.parts.counting import Counts

PATCHES_A_SIDE = 16
"""Pictures are cut into at most 16 x 16 patches."""
_WIDTH_OF_A_HEAD = 64
_LAYERS = ((4096, 32), (1024, 24), (768, 12), (512, 6), (0, 4))


def layers_for(width: int) -> int:
    """The number of layers that goes with a width, as in well-known models.

    512 and 6: Vaswani et al. 2017; 768 and 12, 1024 and 24: Devlin et al. 2019 (arXiv:1810.04805), table in section 3;
    4096 and 32: Brown et al. 2020 (arXiv:2005.14165), table 2.1. Four below that is our choice.
    """
    return next(layers for least, layers in _LAYERS if width >= least)


def heads(width: int) -> int:
    """One attention head for every 64 units, or the largest number that divides an odd width."""
    return math.gcd(width, max(1, width // _WIDTH_OF_A_HEAD))


def patch_size(side: int) -> int:
    """Pixels along a patch of a picture so many pixels wide."""
    least = math.ceil(side / PATCHES_A_SIDE)
    return next(size for size in range(least, side + 1) if side % size == 0)


def wider(units: Units) -> int:
    """Units between the two linear layers of each encoder layer."""
    return units[1] if len(units) > 1 else 4 * units[0]


def _layout(spec: NetworkSpec) -> Layout:
    return pictures(spec) if spec.modality == "image" else sequences(spec)


def _check(spec: NetworkSpec, units: Units) -> None:
    if len(units) > 2:
        raise UnbuildableError("The hidden units of a transformer are its width and that of its feed-forward layers.")


def _count(spec: NetworkSpec, units: Units, counts: Counts) -> None:
    width = units[0]
    steps = spec.sequence_length or 1
    layout = _layout(spec)
    if layout is Layout.PICTURE:
        shape = input_picture(spec)
        size = patch_size(shape.side)
        steps = (shape.side // size) ** 2
        counts.convolution(shape.colours, width, size * size, steps)
    elif layout is Layout.TOKENS:
        counts.parameters += spec.inputs * width
    else:
        counts.dense((spec.inputs, width), steps)
    counts.parameters += steps * width + 2 * width  # positions and the last norm
    for _ in range(layers_for(width)):
        _count_layer(counts, width, wider(units), steps)
    counts.dense((width, spec.outputs), steps if every_token(spec) else 1)


def _count_layer(counts: Counts, width: int, wider: int, steps: int) -> None:
    """Four projections, two products over all pairs of steps, two linear layers, two norms."""
    counts.parameters += 4 * (width * width + width) + 2 * width * wider + wider + width + 4 * width
    counts.macs += steps * (4 * width * width + 2 * width * wider) + 2 * steps * steps * width
    counts.kept += 17 * width * steps


def _build(spec: NetworkSpec, units: Units) -> Module:
    from torch import nn

    from advisor.networks.families.transformer.network import Patches, Transformer

    width, steps = units[0], spec.sequence_length or 1
    match _layout(spec):
        case Layout.PICTURE:
            shape = input_picture(spec)
            size = patch_size(shape.side)
            steps = (shape.side // size) ** 2
            reader: Module = Patches(shape.colours, width, size)
        case Layout.TOKENS:
            reader = nn.Embedding(spec.inputs, width)
        case _:
            reader = nn.Linear(spec.inputs, width)
    return Transformer(
        reader,
        steps,
        width,
        wider(units),
        heads(width),
        layers_for(width),
        spec.outputs,
        activation("gelu" if spec.activation == "gelu" else "relu"),
        every_step=every_token(spec),
        causal=every_token(spec),
    )


FAMILIES = (
    Family(
        name="transformer",
        hidden_units=(256, 1024),  # the width of a step, and that of the feed-forward layers
        layout=_layout,
        count=_count,
        build=_build,
        check=_check,
        predicts_tokens=True,
        candidates=Candidates(place=50, takes=("image", *IN_STEPS), sizes=((64, 128),)),
        init_deviation=0.02,
        dropout=0.1,
    ),
)
