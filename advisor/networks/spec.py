"""What a network is built from, how its examples are laid out, and whether it can be built at all. No torch here."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from advisor.networks.benchmark.designs import DESIGNS
from advisor.networks.names import (
    ACTIVATIONS,
    DEFAULT_HIDDEN_UNITS,
    LOSS_OF,
    LOSSES,
    RESTORERS,
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
        """Values per example; per step of a sequence; per node of a graph; of texts and trees the number of different tokens."""

    @property
    def outputs(self) -> int:
        """Classes, targets, or classes per dot; of a deconvolutional network the values of its picture.

        A text model with as many outputs as tokens foretells every token. Generators and autoencoders don't look at it, nor
        do an rbm and a dbn that are trained by contrastive divergence.
        """

    @property
    def hidden_units(self) -> tuple[int, ...]:
        """See DEFAULT_HIDDEN_UNITS; empty for the default."""

    @property
    def sequence_length(self) -> int | None:
        """Steps of an example; of trees the nodes of the largest."""

    @property
    def loss(self) -> str: ...

    @property
    def activation(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Description:
    """A network described by nothing but itself; the fields are those of NetworkSpec."""

    network: str
    modality: str
    inputs: int
    outputs: int
    hidden_units: tuple[int, ...] = ()
    sequence_length: int | None = None
    loss: str = ""
    """Empty for the one that the network has of itself: of most the cross entropy of classes, of those that restore their
    inputs the squared error."""
    activation: str = "relu"

    def __post_init__(self) -> None:
        if not self.loss:
            restores = self.network in (*RESTORERS, "deconvolutional")
            usual = "contrastive_divergence" if self.network == "rbm" else "mse" if restores else "cross_entropy"
            object.__setattr__(self, "loss", LOSS_OF.get(self.network, usual))


class Layout(StrEnum):
    """The shape of a batch of examples."""

    FLAT = "flat"  # (batch, values)
    PICTURE = "picture"  # (batch, colours, side, side)
    STEPS = "steps"  # (batch, steps, values)
    TOKENS = "tokens"  # (batch, steps) of token numbers
    TREE = "tree"  # (batch, nodes, 3): token, left and right child of each node, see advisor.networks.recursive
    GRAPH = "graph"  # one graph, see advisor.networks.gnn.Graph


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
    """The picture that an example is, or that a deconvolutional network gives.

    Raises UnbuildableError where its values are no square.
    """
    gives_one = spec.network == "deconvolutional"
    values = spec.outputs if gives_one else spec.inputs
    shape = picture(values)
    if shape is None:
        raise UnbuildableError(
            f"{values} values are no square picture in grey or three colours "
            f"(784 is 1x28x28, 3072 is 3x32x32), "
            f"so a {spec.network} cannot be built {'for' if gives_one else 'from'} them."
        )
    return shape


def hidden_units(spec: NetworkSpec) -> tuple[int, ...]:
    """The stated hidden units, or the default. Raises UnknownNetworkError."""
    if spec.network in DESIGNS:
        return spec.hidden_units or DESIGNS[spec.network].hidden_units
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
    """Whether the network learns from its inputs alone, which are its targets as well."""
    if spec.network == "deconvolutional":
        return spec.modality == "image" and spec.inputs == spec.outputs
    return spec.network in RESTORERS or spec.loss == "contrastive_divergence"


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
        case "ffn" | "rbm" | "dbn":
            return Layout.FLAT
        case "deconvolutional":
            picture_of(spec)
            return Layout.PICTURE if reconstructs(spec) else Layout.FLAT
        case "recursive":
            return _tree_layout(spec)
        case "gnn":
            if spec.modality != "graph":
                raise UnbuildableError(f"A gnn takes a graph, not {spec.modality} data.")
            return Layout.GRAPH
        case "diffusion":
            return _picture_layout(spec) if spec.modality in ("image", "video") else Layout.FLAT
        case "autoencoder" | "vae" | "gan":
            small = spec.inputs <= LARGEST_FLAT_PICTURE
            return Layout.FLAT if small or spec.modality not in ("image", "video") else _picture_layout(spec)
        case "unet" | "alexnet" | "resnet50":
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


def _tree_layout(spec: NetworkSpec) -> Layout:
    if spec.modality != "tree":
        raise UnbuildableError(f"A recursive network takes trees, not {spec.modality} data.")
    if spec.sequence_length is None:
        raise UnbuildableError("A recursive network needs the nodes of the largest tree: state data.sequence_length.")
    return Layout.TREE


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


def why_not_timed(spec: NetworkSpec) -> str | None:
    """Why its training step cannot be timed on made-up examples, or None where it can."""
    reason = why_not(spec)
    if reason is None and layout(spec) is Layout.GRAPH:
        return "How long a step of a gnn takes depends on the edges of its graph, of which the plan says nothing."
    return reason


def check(spec: NetworkSpec) -> None:
    """Raises UnbuildableError where the network, its shape, its activation or its loss cannot be built."""
    arrangement = layout(spec)
    units = hidden_units(spec)
    counts = {"inputs": spec.inputs, "hidden units": min(units, default=1)}
    if not reconstructs(spec):
        counts["outputs"] = spec.outputs
    for what, count in counts.items():
        if count < 1:
            raise UnbuildableError(f"A {spec.network} cannot have {count} {what}: name 1 or more.")
    if spec.activation not in ACTIVATIONS:
        raise UnbuildableError(f"The activation {spec.activation} is not known. These are: {', '.join(ACTIVATIONS)}.")
    _check_loss(spec)
    if spec.network in DESIGNS:
        refusal = DESIGNS[spec.network].refusal(spec.network, len(units), picture_of(spec).side)
        if refusal is not None:
            raise UnbuildableError(refusal)
    if spec.network == "transformer" and len(units) > 2:
        raise UnbuildableError("The hidden units of a transformer are its width and that of its feed-forward layers.")
    if spec.network == "rbm" and len(units) > 1:
        raise UnbuildableError("An rbm has a single layer of hidden units; several on top of one another are a dbn.")
    if arrangement is Layout.PICTURE and spec.network in ("unet", "diffusion", "autoencoder", "vae"):
        _check_stages(spec, units)


def _check_loss(spec: NetworkSpec) -> None:
    if spec.loss not in LOSSES:
        raise UnbuildableError(f"The loss {spec.loss} cannot be computed yet. These can: {', '.join(LOSSES)}.")
    unfitting = f"The loss {spec.loss} does not fit a {spec.network}:"
    for network, own in LOSS_OF.items():
        if (spec.loss == own) != (spec.network == network):
            raise UnbuildableError(f"{unfitting} {own} belongs to the {network} alone.")
    if spec.loss == "contrastive_divergence" and spec.network not in ("rbm", "dbn"):
        raise UnbuildableError(f"{unfitting} it belongs to the rbm and the dbn alone.")
    if spec.network in ("autoencoder", "deconvolutional") and "cross_entropy" in (
        spec.loss,
        spec.loss.removeprefix("dice_"),
    ):
        what = "An autoencoder restores" if spec.network == "autoencoder" else "A deconvolutional network gives"
        raise UnbuildableError(f"{what} values, for which the loss {spec.loss} has no meaning.")
    if foretells_tokens(spec) and spec.loss != "cross_entropy":
        raise UnbuildableError(f"Tokens are foretold with the loss cross_entropy, not {spec.loss}.")


def _check_stages(spec: NetworkSpec, stages: tuple[int, ...]) -> None:
    """Pictures are halved between the stages of a unet and a diffusion network, after every stage of an autoencoder."""
    side = picture_of(spec).side
    halvings = len(stages) - 1 if spec.network in ("unet", "diffusion") else len(stages)
    if side % 2**halvings:
        raise UnbuildableError(
            f"A picture {side} dots wide cannot be halved {halvings} times without remainder, "
            f"as the stages {list(stages)} of this {spec.network} ask for. Name fewer stages."
        )
