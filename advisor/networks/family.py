"""The declaration of a type of network: everything about it that is known without building one. No torch here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from advisor.models.tape import Tape, Value
from advisor.networks.description import (
    ACTIVATIONS,
    AFTER_LAYERS,
    Layout,
    NetworkSpec,
    UnbuildableError,
    input_picture,
)

if TYPE_CHECKING:
    from torch import nn

    from advisor.networks.parts.layers import Following

Layouts: TypeAlias = Callable[[NetworkSpec], Layout]
Units: TypeAlias = tuple[int, ...]
Module: TypeAlias = "nn.Module"

LARGEST_FLAT_PICTURE = 1024
"""Values; autoencoders treat the pixels of larger pictures by convolution."""
IN_STEPS = ("audio", "time_series", "text")
"""Modalities whose examples have steps, or words."""
_WITHOUT_STEPS = ("image", "tabular", "graph", "tree")


class Answer(StrEnum):
    """The shape of a network's answer for one example."""

    VALUES = "values"  # (outputs,), or (steps, outputs) where every token is predicted
    PIXELS = "pixels"  # (outputs, side, side)
    PICTURE = "picture"  # (colors, side, side), as many values as there are outputs


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """The small networks of a type that `advisor try` may try, besides the one that is planned."""

    place: int
    """Among the types, from shallow to deep."""
    takes: tuple[str, ...] | None
    """The modalities of the data for which the type can be built; None for all, whatever they are."""
    sizes: tuple[Units, ...]
    """Hidden units of each; where they differ in depth, a planned network of several layers is tried with its first alone too."""
    always: bool = False
    """True where they are tried on all these data, else only where the plan has the type, or has it second."""


def _never(spec: NetworkSpec) -> bool:
    return False


def _always_fits(spec: NetworkSpec, units: Units) -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """A type of network."""

    name: str
    hidden_units: Units
    """Units per layer, or channels per stage, where the plan states none; a comment in each declaration says which."""
    layout: Layouts
    """Raises UnbuildableError for examples that it cannot take."""
    count: Callable[[NetworkSpec, Units, Tape, Value], None]
    """Runs an example over the tape, operation by operation as the built network does; all that it computes to learn."""
    build: Callable[[NetworkSpec, Units], Module]
    """It alone imports the network, and torch with it."""
    check: Callable[[NetworkSpec, Units], None] = _always_fits
    """Raises UnbuildableError for hidden units, or a loss, that do not fit."""
    loss: str = "cross_entropy"
    """Of a network whose loss is not stated."""
    fixed_loss: bool = False
    """True where it has no other."""
    own_losses: tuple[str, ...] = ()
    """Functions of these names in its module of torch; no other network has them, but for those that declare them too."""
    restores: bool = False
    """True where its outputs are its inputs, whatever is stated."""
    restores_pictures: Callable[[NetworkSpec], bool] = _never
    """True for descriptions whose outputs are their inputs."""
    answer: Answer = Answer.VALUES
    predicts_tokens: bool = False
    """True where it can answer at every step of a text."""
    untimed: str | None = None
    """The reason why its training step cannot be timed on made-up examples."""
    advised: bool = True
    """True where a plan may advise it."""
    candidates: Candidates | None = None
    """None where `advisor try` has no use for it, since it gives no class or number for an example."""
    modality: str | None = None
    """The only kind of data that it is for, if there is one."""
    recurrent: bool = False
    """True where it reads an example step by step."""
    layerwise: bool = False
    """True where its layers are trained one by one before they are trained together."""
    init_deviation: float = 0.1
    """Of initial weights that are normal and small."""
    normalizations: tuple[str, ...] = AFTER_LAYERS
    """Those that may follow its layers."""
    own_normalization: str = "none"
    """The one that it has within its layers, whatever is advised."""
    dropout: float = 0.2
    """The share of values that are left out, where that is advised; 0 for a type that leaves none out."""

    @property
    def takes_rows(self) -> bool:
        """True where every example is one row of values to it."""
        return self.layout is flat


def flat(spec: NetworkSpec) -> Layout:
    return Layout.FLAT


def pictures(spec: NetworkSpec) -> Layout:
    """Pictures only."""
    if spec.modality != "image":
        raise UnbuildableError(f"A {spec.network} for {spec.modality} data cannot be built yet, only for pictures.")
    input_picture(spec)
    return Layout.PICTURE


def large_pictures(spec: NetworkSpec) -> Layout:
    """Large pictures as they are, everything else as values in a row."""
    if spec.inputs <= LARGEST_FLAT_PICTURE or spec.modality not in ("image", "video"):
        return Layout.FLAT
    return pictures(spec)


def sequences(spec: NetworkSpec) -> Layout:
    """Steps or tokens."""
    if spec.sequence_length is None:
        raise UnbuildableError(f"A {spec.network} needs the number of steps of an example: state data.sequence_length.")
    return Layout.TOKENS if spec.modality == "text" else Layout.STEPS


def pictures_or_sequences(spec: NetworkSpec) -> Layout:
    """Pictures, and the steps of data that have any."""
    return pictures(spec) if spec.modality in _WITHOUT_STEPS else sequences(spec)


def activation(name: str) -> Module:
    """The activation of this name; `spec.check` has seen that there is one."""
    from torch import nn

    made: Module = getattr(nn, ACTIVATIONS[name])()
    return made


def after_layers(spec: NetworkSpec, places: int = 0, *, dropout: bool = True) -> Following:
    """The normalisation, activation and dropout of the description, see `layers.after_layers`.

    Args:
        dropout: False for a network that leaves values out elsewhere.
    """
    from advisor.networks.parts import layers

    share = spec.dropout if dropout else 0.0
    return layers.after_layers(lambda: activation(spec.activation), spec.normalization, share, places=places)


def check_gives_values(spec: NetworkSpec, what: str) -> None:
    """Raise UnbuildableError for a loss that compares classes; `what` begins the sentence."""
    if "cross_entropy" in (spec.loss, spec.loss.removeprefix("dice_")):
        raise UnbuildableError(f"{what} values, for which the loss {spec.loss} has no meaning.")


def check_halvings(spec: NetworkSpec, units: Units, halvings: int) -> None:
    """Raise UnbuildableError where a picture cannot be halved so many times."""
    side = input_picture(spec).side
    if side % 2**halvings:
        raise UnbuildableError(
            f"A picture {side} pixels wide cannot be halved {halvings} times without remainder, "
            f"as the stages {list(units)} of this {spec.network} ask for. Name fewer stages."
        )


def check_design(spec: NetworkSpec, units: Units, design: Units, least_side: int, why: str) -> None:
    """Raise UnbuildableError where units do not fit the fixed design of a network, or a picture is too small for it."""
    if len(units) != len(design):
        raise UnbuildableError(f"The hidden units of {spec.network} are {len(design)} numbers, not {len(units)}.")
    side = input_picture(spec).side
    if side < least_side:
        raise UnbuildableError(f"{spec.network} reads pictures at least {least_side} pixels wide, not {side}: {why}")
