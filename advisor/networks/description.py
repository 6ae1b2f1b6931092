"""The description of a network, and the shapes of examples that follow from it alone. No torch here."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

ACTIVATIONS = {
    "relu": "ReLU",
    "leaky_relu": "LeakyReLU",
    "gelu": "GELU",
    "swish": "SiLU",
    "tanh": "Tanh",
    "sigmoid": "Sigmoid",
}
"""The class of torch.nn for each."""


AFTER_LAYERS = ("none", "batch_norm", "layer_norm", "group_norm")
"""Normalisations that can follow any layer."""
NORMALIZATIONS = (*AFTER_LAYERS, "rms_norm")


class UnbuildableError(ValueError):
    """This network cannot be built from its description; the message says why and what would help."""


class NetworkSpec(Protocol):
    """A network as the plan describes it."""

    @property
    def network(self) -> str:
        """A name such as cnn."""

    @property
    def modality(self) -> str:
        """tabular, image, audio, video, text, time_series, graph, tree"""

    @property
    def inputs(self) -> int:
        """Values per example; per step of a sequence; per node of a graph; of texts and trees the number of different tokens."""

    @property
    def outputs(self) -> int:
        """Classes, targets, or classes per pixel; of a deconvolutional network the values of its picture.

        A text model with as many outputs as tokens predicts every token. Generators and autoencoders ignore it, as do an rbm
        and a dbn that are trained by contrastive divergence.
        """

    @property
    def hidden_units(self) -> tuple[int, ...]:
        """See Family.hidden_units; empty for the default."""

    @property
    def sequence_length(self) -> int | None:
        """Steps of an example; of trees the nodes of the largest."""

    @property
    def loss(self) -> str: ...

    @property
    def activation(self) -> str: ...

    @property
    def normalization(self) -> str:
        """One of NORMALIZATIONS, after each layer."""

    @property
    def dropout(self) -> float:
        """The share of values that are left out while training."""


_LEAST_FRAME = 12_288
"""Values of a step, 64 x 64 pixels in colors, from which a step of so many pixels is a frame of a film."""


class Layout(StrEnum):
    """The shape of a batch of examples."""

    FLAT = "flat"  # (batch, values)
    PICTURE = "picture"  # (batch, colors, side, side)
    STEPS = "steps"  # (batch, steps, values)
    TOKENS = "tokens"  # (batch, steps) of token numbers
    TREE = "tree"  # (batch, nodes, 3): token, left and right child of each node, see families.recursive.network
    GRAPH = "graph"  # one graph, see families.gnn.network.Graph


@dataclass(frozen=True, slots=True)
class Picture:
    """A square picture."""

    colors: int
    side: int

    @property
    def size(self) -> tuple[int, int]:
        """Height and width."""
        return self.side, self.side

    @property
    def values(self) -> int:
        return self.colors * self.side**2


def picture(values: int) -> Picture | None:
    """The square picture of so many values: grey for a square number (784 is 1x28x28), else three colors (3x32x32)."""
    for colors in (1, 3):
        side = math.isqrt(values // colors)
        if colors * side * side == values:
            return Picture(colors, side)
    return None


def nearest_picture(values: int) -> Picture:
    """The square picture that one of so many values becomes before a network reads it: in colors where it is no square."""
    return picture(values) or Picture(3, max(1, math.isqrt(values // 3)))


def film_frame(values: int, steps: int | None) -> Picture | None:
    """The frame of a film whose steps have so many values each; None for steps that are no pictures large enough to look at."""
    return picture(values) if values >= _LEAST_FRAME and (steps or 1) > 1 else None


def square_picture(values: int, purpose: str) -> Picture:
    """The picture of so many values. Raises UnbuildableError for the purpose where they are no square."""
    shape = picture(values)
    if shape is None:
        raise UnbuildableError(
            f"{values} values are no square picture in grey or three colors (784 is 1x28x28, 3072 is 3x32x32), "
            f"so {purpose} them."
        )
    return shape


def input_picture(spec: NetworkSpec) -> Picture:
    """The picture that an example is. Raises UnbuildableError where its values are no square."""
    return square_picture(spec.inputs, f"a {spec.network} cannot be built from")


def output_picture(spec: NetworkSpec) -> Picture:
    """The picture that the network gives. Raises UnbuildableError where the outputs are no square."""
    return square_picture(spec.outputs, f"a {spec.network} cannot be built for")


def flat_values(spec: NetworkSpec) -> int:
    """Values of an example in one row: all steps of a series one after the other, a count per token for a text."""
    in_steps = spec.modality in ("time_series", "audio", "video")
    return spec.inputs * (spec.sequence_length or 1) if in_steps else spec.inputs


def every_token(spec: NetworkSpec) -> bool:
    """True for a text model with as many outputs at each step as there are tokens, of which it predicts one."""
    return spec.modality == "text" and spec.outputs == spec.inputs
