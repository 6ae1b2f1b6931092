"""The stages of a pipeline: where a network is cut, and the values that pass from each stage to the next."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from math import prod

from advisor.models.model import WHOLE, Layer, Model

_NUMBERED = re.compile(r"(?:[^.\d][^.]*\.)*\d+(?:\.\d+)*(?=\.[^.\d])")
"""The block of a layer: `stages.0.1` of stages.0.1.look, `2.0` of 2.0.first."""
_BRANCHING = frozenset({
    "unet", "encoder_unet", "diffusion u-net", "diffusion_unet", "encoder_decoder", "speech_writer", "densenet", "deeplab",
    "segformer", "recommender", "gan", "rbm", "vae", "autoencoder", "diffusion",
})  # fmt: skip
"""Families with layers that read more than the result of the layer before."""


def passed_between(model: Model, stages: int) -> tuple[int, ...] | str:
    """Values of one example that each stage passes to the next, or the reason why that is not known.

    Stages have about equal shares of the multiply-adds. Blocks stay whole, and what passes is the result of the last block.
    """
    if stages == 1:
        return ()
    if model.family in _BRANCHING:
        return "layers of this kind of network read more than the result of the layer before"
    layers = [layer for layer in model.layers if layer.name != WHOLE and layer.kind != "weights"]
    if not model.whole or len(layers) < stages:
        return "the sizes of its layers are not known one by one"
    blocks = [list(own) for _, own in groupby(layers, lambda layer: _block_of(layer.name))]
    work = [float(sum(layer.multiply_adds for layer in block)) for block in blocks]
    if (weighty := sum(one > 0 for one in work)) < stages:
        return f"{stages} stages are more than its {weighty} blocks that compute something"
    passed = tuple(_result(blocks[end - 1]) for end in ends(work, stages)[:-1])
    return passed if all(passed) else "the sizes of its layers are not known one by one"


def ends(work: Sequence[float], count: int) -> list[int]:
    """The places at which stages end: as near as can be to equal shares of the work; every stage has some."""
    found, done, total = list[int](), 0.0, sum(work)
    for place, one in enumerate(work):
        left = sum(later > 0 for later in work[place:])
        due = (len(found) + 1) * total / count
        wanted = count - 1 - len(found)
        begun = sum(work[found[-1] if found else 0 : place]) > 0
        if wanted and one > 0 and begun and (done + one / 2 > due or left <= wanted):
            found.append(place)
        done += one
    return [*found, len(work)]


def matrices(model: Model) -> tuple[tuple[int, int], ...]:
    """Rows and columns of all weights, as PowerSGD compresses them: a row for each output of a layer. Vectors have one column;
    none where the layers are not known one by one."""
    found: list[tuple[int, int]] = []
    if not model.whole:
        return ()
    for layer in model.layers:
        rows, columns = _matrix(layer)
        found += [(rows, columns)] if columns else []
        found += [(rest, 1)] if (rest := layer.parameters - rows * columns) > 0 else []
    return tuple(found)


def _matrix(layer: Layer) -> tuple[int, int]:
    """(outputs, inputs) of the layer's matrix, so far as its numbers tell; columns are 0 where it has none."""
    if not layer.parameters or not layer.shape or "norm" in layer.kind.lower():
        return 0, 0
    if "embedding" in layer.kind.lower():
        return layer.parameters // layer.shape[-1], layer.shape[-1]
    planes = len(layer.shape) > 1 and "conv" in layer.kind.lower()
    outputs = layer.shape[0] if planes else layer.shape[-1]
    weights = layer.multiply_adds // max(1, prod(layer.shape) // outputs)
    if not weights:
        return 0, 0
    if weights > layer.parameters or weights % outputs or layer.active < layer.parameters:  # shared, or of many experts
        weights = layer.parameters - layer.parameters % outputs
    return outputs, weights // outputs


def _block_of(name: str) -> str:
    """The numbered part of the network around a layer; the layer itself outside of such parts."""
    found = _NUMBERED.match(name)
    return name if found is None else found[0]


def _result(block: Sequence[Layer]) -> int:
    """Values that a block gives: of the layer that stands for all of it, or else of its last."""
    name = _block_of(block[-1].name)
    return prod(next((layer.shape for layer in block if layer.name == name), block[-1].shape))
