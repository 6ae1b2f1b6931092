"""A network as one value, from which every figure about it follows."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Source(StrEnum):
    BUILT = "built"
    """By the advisor."""
    PUBLISHED = "published"
    """By others, with weights or without."""
    YOURS = "yours"
    """By the user."""


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
    multiply_adds: int = 0
    kept: int = 0
    """Values that wait for the backward pass, in the number format of the computation."""
    kept_bytes: int = 0
    """Masks, positions and figures that wait for it in a format of their own."""
    moved: int = 0
    """Values read and written, but for weights."""


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

    @property
    def parameters(self) -> int:
        return sum(layer.parameters for layer in self.layers)

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
    def moved(self) -> int:
        """Values of one example that are read and written on the way forward."""
        return sum(layer.moved for layer in self.layers)
