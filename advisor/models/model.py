"""A network as one value, from which every figure about it follows."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from enum import StrEnum
from math import prod

from advisor.models.code import Code


class Source(StrEnum):
    BUILT = "built"
    """By the advisor."""
    PUBLISHED = "published"
    """By others, with weights or without."""
    YOURS = "yours"
    """By the user."""


WHOLE = "itself"
"""The name, among the layers of a network that was built, of the network around them."""
_LARGE = 2**23
"""Weights. What takes 32 MiB, glibc asks of the system for each alone, and gives back at once."""


@dataclass(frozen=True, slots=True)
class Layer:
    """One operation of the forward pass, for one example."""

    name: str
    """Its place: layers.0.attention.query"""
    kind: str
    """linear, convolution, attention, embedding, norm, activation, ...

    A table is an embedding of which an example meets few rows, its active parameters: gradients are those rows alone.
    """
    shape: tuple[int, ...]
    """Of its result, without the batch."""
    parameters: int = 0
    active: int = 0
    """Those of its parameters that take part in one token's way: all of them, but among experts and in tables."""
    frozen: int = 0
    """Those of its parameters that training leaves as they are."""
    multiply_adds: int = 0
    kept: int = 0
    """Values that wait for the backward pass, in the number format of the computation."""
    kept_bytes: int = 0
    """Masks, positions and figures that wait for it in a format of their own."""
    moved: int = 0
    """Values read and written, but for weights."""
    more_in_half: int = 0
    """Values of 16 bits that are kept beside where the computation is in 16 bits: what stays in 32, and copies of it."""


@dataclass(frozen=True, slots=True)
class Model:
    """A network."""

    name: str
    family: str
    source: Source
    input: tuple[int, ...]
    """The usual shape of an example: (channels, height, width), (tokens,), (samples,), (values,)"""
    layers: tuple[Layer, ...]
    origin: str = ""
    """The source of the figures."""
    date: str = ""
    """The day on which somebody looked them up."""
    licence: str = ""
    loaded: str = ""
    """The place of its weights: timm:NAME, hf:OWNER/NAME, a path; empty where they are drawn."""
    hidden_units: tuple[int, ...] = ()
    """Its widths as plans give them: channels of each stage, or the width and that of the feed-forward layers; empty where
    they are not known."""
    told_normalization: str = ""
    told_activation: str = ""
    """By the names of plans, where its layers are known together only, and do not show them."""
    backward: int | None = None
    """Multiply-adds of the backward pass of an example, where weights are frozen; None where there are two for each of the
    forward pass."""
    uncounted: tuple[str, ...] = ()
    """Operations for which there is no formula: its multiply-adds are not known."""
    remarks: tuple[str, ...] = ()
    """Sentences on what its counts stand for."""
    code: Code | None = None
    """All that is needed to build it again, where it was counted by building it."""

    def answering(self, outputs: int | None) -> Model:
        """The network with a new last layer of so many outputs; as it is where that is no linear layer with shifts, or None."""
        *others, last = self.layers or (Layer("", "", ()),)
        before = last.parameters - last.multiply_adds
        if outputs is None or last.kind not in _HEADS or before < 1 or last.multiply_adds % before:
            return self
        products = last.multiply_adds // before * outputs
        shape = (*last.shape[:-1], outputs) if last.shape else ()
        weights = products + outputs
        moved = max(0, last.moved + outputs - before)
        new = replace(last, shape=shape, parameters=weights, active=weights, multiply_adds=products, moved=moved)
        return replace(self, layers=(*others, new))

    @property
    def fingerprint(self) -> str:
        """The same for the same layers, code and inputs: 16 digits of a hash."""
        code = "" if self.code is None else f"{self.code.digest} {self.code.shapes}"
        return hashlib.sha256(f"{self.input} {code} {self.layers}".encode()).hexdigest()[:16]

    @property
    def parameters(self) -> int:
        return sum(layer.parameters for layer in self.layers)

    @property
    def trained(self) -> int:
        """Those that training changes: all but the frozen ones."""
        return self.parameters - sum(layer.frozen for layer in self.layers)

    @property
    def active(self) -> int:
        """The parameters that one token or example meets; fewer than all in a mixture of experts, and where tables are."""
        return sum(layer.active for layer in self.layers)

    @property
    def multiply_adds(self) -> int:
        """Of one example's forward pass: products of matrices, convolutions and attention."""
        return sum(layer.multiply_adds for layer in self.layers)

    @property
    def kept(self) -> int:
        """Values of one example that wait for the backward pass."""
        return sum(layer.kept for layer in self.layers)

    @property
    def kept_bytes(self) -> int:
        """Bytes of one example that wait for it, whatever the number format."""
        return sum(layer.kept_bytes for layer in self.layers)

    @property
    def more_in_half(self) -> int:
        """Values of 16 bits of one example that wait beside them where the computation is in 16 bits (autocast)."""
        return sum(layer.more_in_half for layer in self.layers)

    @property
    def moved(self) -> int:
        """Values of one example that are read and written on the way forward."""
        return sum(layer.moved for layer in self.layers)

    @property
    def whole(self) -> bool:
        """Every layer is known with its shape, rather than parts of many layers added up."""
        return all(layer.shape for layer in self.layers[-1:])

    @property
    def outputs(self) -> int:
        """Values of one example that the last layer gives: scores of classes, or of all tokens at every step."""
        return prod(self.layers[-1].shape) if self.layers else 0

    @property
    def answer(self) -> tuple[int, ...] | None:
        """The shape of what the whole network gives for one example; None where it was counted without building it."""
        return next((layer.shape for layer in self.layers if layer.name == WHOLE), None)

    @property
    def largest(self) -> int:
        """Values of one example that the layer which moves most of them has at hand at once."""
        return max((layer.moved for layer in self.layers), default=0)

    @property
    def usual(self) -> int:
        """Values of one example that a result which waits for the backward pass has: their mean, weighted by themselves."""
        squares = kept = 0
        for layer in self.layers:
            results = max(1, round(layer.kept / max(1, prod(layer.shape))))
            squares += layer.kept * (layer.kept // results)
            kept += layer.kept
        return squares // max(1, kept)

    @property
    def large(self) -> int:
        """Weights in layers of which the weights, or their gradients, take 32 MiB and more in 32 bits."""
        return sum(layer.parameters for layer in self.layers if layer.parameters >= _LARGE)

    @property
    def copied(self) -> int:
        """Weights of the largest convolution, where they take 32 MiB and more in 32 bits: a processor copies them in another
        order to multiply with them."""
        convolutions = (layer.parameters for layer in self.layers if _SPREADS.search(layer.kind))
        return max((weights for weights in convolutions if weights >= _LARGE), default=0)

    @property
    def unfolded(self) -> int:
        """Values of one example that a convolution spreads its input out to, to compute it as a product of matrices, where
        it does so for most of them: those under its kernel at every place of the result.
        """
        return max(
            (
                layer.multiply_adds // layer.shape[0]
                for layer in self.layers
                if layer.shape and _SPREADS.search(layer.kind)
            ),
            default=0,
        )

    @property
    def recomputed(self) -> int:
        """Values of one example that wait where every block is computed again on the way back (activation checkpointing):
        what goes from block to block, what is outside of blocks, and the values of one block at a time.
        """
        blocks, outside = self._blocks()
        within = max((sum(layer.kept for layer in block) for block in blocks), default=0)
        between = sum(prod(block[-1].shape) for block in blocks)
        return min(self.kept, sum(layer.kept for layer in outside) + between + within)

    @property
    def recomputed_more_in_half(self) -> int:
        """Values of 16 bits that wait beside `recomputed` where the computation is in 16 bits: what goes from block to block is
        in 32 where something in the block is.
        """
        blocks, outside = self._blocks()
        more = [sum(layer.more_in_half for layer in block) for block in blocks]
        between = sum(prod(block[-1].shape) for block, beside in zip(blocks, more, strict=True) if beside)
        return min(self.more_in_half, sum(layer.more_in_half for layer in outside) + between + max(more, default=0))

    @property
    def passed(self) -> int:
        """Values of one example that go from a block to the next: the median; of a network without blocks, those of a usual
        layer."""
        blocks, _ = self._blocks()
        results = sorted(prod(block[-1].shape) for block in blocks)
        return results[len(results) // 2] if results else self.usual

    def _blocks(self) -> tuple[list[list[Layer]], list[Layer]]:
        """The layers of each block, and those outside of blocks."""
        blocks: dict[str, list[Layer]] = {}
        outside: list[Layer] = []
        for layer in self.layers:
            block = _BLOCK.match(layer.name)
            (outside if block is None else blocks.setdefault(block[0], [])).append(layer)
        return list(blocks.values()), outside


_HEADS = ("linear", "Linear", "ClassifierHead")
"""Kinds of last layers: ours, torch's, and timm's with nothing but one after a mean."""
_BLOCK = re.compile(r"[^.\d][^.]*(\.[^.\d][^.]*)*(\.\d+)+(?=\.)")
"""The numbered part of a network that a layer belongs to: `stages.0.1` of stages.0.1.look."""
_SPREADS = re.compile(r"^convolution$|Conv(Transpose)?\dd")
"""Kinds of layers whose results have their channels first: ours, and classes of libraries, such as Conv2dSame."""
