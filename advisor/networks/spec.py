"""What a network is built from, how its examples are laid out, and whether it can be built at all. No torch here."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from advisor.networks.names import (
    ACTIVATIONS,
    DEFAULT_HIDDEN_UNITS,
    LOSSES,
    UnbuildableError,
    UnknownNetworkError,
)

LARGEST_FLAT_PICTURE = 1024
"""Values; autoencoders treat the dots of larger pictures by convolution."""


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
        """Values per example; per step of a sequence; of text the number of different tokens."""

    @property
    def outputs(self) -> int:
        """Classes, targets, or classes per dot. A text model with as many outputs as tokens foretells every token."""

    @property
    def hidden_units(self) -> tuple[int, ...]:
        """See DEFAULT_HIDDEN_UNITS; empty for the default."""

    @property
    def sequence_length(self) -> int | None:
        """Steps of an example."""

    @property
    def loss(self) -> str: ...

    @property
    def activation(self) -> str: ...


class Layout(StrEnum):
    """The shape of a batch of examples."""

    FLAT = "flat"  # (batch, values)
    PICTURE = "picture"  # (batch, colours, side, side)
    STEPS = "steps"  # (batch, steps, values)
    TOKENS = "tokens"  # (batch, steps) of token numbers


@dataclass(frozen=True, slots=True)
class Picture:
    """A square picture."""

    colours: int
    side: int


def picture(inputs: int) -> Picture | None:
    """The square picture of so many values: grey for a square number (784 is 1x28x28), else three colours (3x32x32)."""
    for colours in (1, 3):
        side = math.isqrt(inputs // colours)
        if colours * side * side == inputs:
            return Picture(colours, side)
    return None


def picture_of(spec: NetworkSpec) -> Picture:
    """The picture that an example is. Raises UnbuildableError where its values are no square."""
    shape = picture(spec.inputs)
    if shape is None:
        raise UnbuildableError(
            f"{spec.inputs} values are no square picture in grey or three colours "
            f"(784 is 1x28x28, 3072 is 3x32x32), so a {spec.network} cannot be built from them."
        )
    return shape


def hidden_units(spec: NetworkSpec) -> tuple[int, ...]:
    """The stated hidden units, or the default. Raises UnknownNetworkError."""
    if spec.network not in DEFAULT_HIDDEN_UNITS:
        raise UnknownNetworkError(spec.network)
    return spec.hidden_units or DEFAULT_HIDDEN_UNITS[spec.network]


def encoder_widths(units: tuple[int, ...]) -> tuple[int, ...]:
    """The encoder of an autoencoder, down to its code: (256, 64, 256) is written out whole, (256, 64) is mirrored."""
    written_out = len(units) % 2 == 1 and units == units[::-1]
    return units[: len(units) // 2 + 1] if written_out else units


def flat_values(spec: NetworkSpec) -> int:
    """Values of an example in one row: all steps of a series one after the other, a count per token for a text."""
    in_steps = spec.modality in ("time_series", "audio", "video")
    return spec.inputs * (spec.sequence_length or 1) if in_steps else spec.inputs


def reconstructs(spec: NetworkSpec) -> bool:
    """Whether the network's target is its input."""
    return spec.network in ("autoencoder", "vae")


def foretells_tokens(spec: NetworkSpec) -> bool:
    """Whether the network gives a token at every step: a text model with as many outputs as there are tokens."""
    sequential = spec.network in ("rnn", "lstm", "transformer")
    return sequential and spec.modality == "text" and spec.outputs == spec.inputs


def layout(spec: NetworkSpec) -> Layout:
    """How the network takes its examples.

    Raises:
        UnknownNetworkError: the type cannot be built yet.
        UnbuildableError: it can, but not for these examples.
    """
    match spec.network:
        case "ffn":
            return Layout.FLAT
        case "autoencoder" | "vae":
            small = spec.inputs <= LARGEST_FLAT_PICTURE
            return Layout.FLAT if small or spec.modality not in ("image", "video") else _picture_layout(spec)
        case "unet":
            return _picture_layout(spec)
        case "cnn":
            return _picture_layout(spec) if spec.modality in _WITHOUT_STEPS else _sequence_layout(spec)
        case "transformer" if spec.modality == "image":
            return _picture_layout(spec)
        case "rnn" | "lstm" | "transformer":
            return _sequence_layout(spec)
        case unknown:
            raise UnknownNetworkError(unknown)


_WITHOUT_STEPS = ("image", "video", "tabular", "graph", "tree")


def _picture_layout(spec: NetworkSpec) -> Layout:
    if spec.modality != "image":
        raise UnbuildableError(f"A {spec.network} for {spec.modality} data cannot be built yet, only for pictures.")
    picture_of(spec)
    return Layout.PICTURE


def _sequence_layout(spec: NetworkSpec) -> Layout:
    if spec.sequence_length is None:
        raise UnbuildableError(f"A {spec.network} needs the number of steps of an example: state data.sequence_length.")
    return Layout.TOKENS if spec.modality == "text" else Layout.STEPS


def why_not(spec: NetworkSpec) -> str | None:
    """Why this network cannot be built, or None where it can."""
    try:
        check(spec)
    except UnbuildableError as error:
        return str(error)
    return None


def check(spec: NetworkSpec) -> None:
    """Raises UnbuildableError where the network, its shape, its activation or its loss cannot be built."""
    arrangement = layout(spec)
    units = hidden_units(spec)
    if spec.activation not in ACTIVATIONS:
        raise UnbuildableError(f"The activation {spec.activation} is not known. These are: {', '.join(ACTIVATIONS)}.")
    if spec.loss not in LOSSES:
        raise UnbuildableError(f"The loss {spec.loss} cannot be computed yet. These can: {', '.join(LOSSES)}.")
    if (spec.loss == "elbo") != (spec.network == "vae"):
        raise UnbuildableError(f"The loss {spec.loss} does not fit a {spec.network}: elbo belongs to the vae alone.")
    if spec.network == "autoencoder" and "cross_entropy" in (spec.loss, spec.loss.removeprefix("dice_")):
        raise UnbuildableError(f"An autoencoder restores values, for which the loss {spec.loss} has no meaning.")
    if foretells_tokens(spec) and spec.loss != "cross_entropy":
        raise UnbuildableError(f"Tokens are foretold with the loss cross_entropy, not {spec.loss}.")
    if spec.network == "transformer" and len(units) > 2:
        raise UnbuildableError("The hidden units of a transformer are its width and that of its feed-forward layers.")
    if arrangement is Layout.PICTURE and spec.network != "transformer":
        _check_stages(spec, units)


def _check_stages(spec: NetworkSpec, stages: tuple[int, ...]) -> None:
    """Pictures are halved between the stages of a unet, after every stage of an autoencoder; a cnn stops at one dot."""
    side = picture_of(spec).side
    halvings = {"unet": len(stages) - 1, "cnn": 0}.get(spec.network, len(stages))
    if side % 2**halvings:
        raise UnbuildableError(
            f"A picture {side} dots wide cannot be halved {halvings} times without remainder, "
            f"as the stages {list(stages)} of this {spec.network} ask for. Name fewer stages."
        )
