"""The questions to ask of a description: the layout of its examples, and whether the network can be built. No torch here."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.networks.description import (
    ACTIVATIONS,
    NORMALIZATIONS,
    Layout,
    NetworkSpec,
    Picture,
    UnbuildableError,
    every_token,
    flat_values,
    input_picture,
    output_picture,
)
from advisor.networks.family import Answer
from advisor.networks.registry import SUPERVISED_LOSSES, family, find, losses, owners
from advisor.wording import join_names


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
    """Empty for that of the family."""
    activation: str = "relu"
    normalization: str = "none"
    dropout: float = 0.0

    def __post_init__(self) -> None:
        if not self.loss:
            known = find(self.network)
            object.__setattr__(self, "loss", "cross_entropy" if known is None else known.loss)


def picture_of(spec: NetworkSpec) -> Picture:
    """The picture that an example is, or that the network gives. Raises UnbuildableError where its values are no square."""
    return (output_picture if family(spec.network).answer is Answer.PICTURE else input_picture)(spec)


def hidden_units(spec: NetworkSpec) -> tuple[int, ...]:
    """The stated hidden units, or the default. Raises UnknownNetworkError."""
    return spec.hidden_units or family(spec.network).hidden_units


def reconstructs(spec: NetworkSpec) -> bool:
    """True for a network that learns from its inputs alone, which are its targets as well."""
    known = family(spec.network)
    return known.restores or known.restores_pictures(spec) or spec.loss in known.own_losses


def predicts_tokens(spec: NetworkSpec) -> bool:
    """True for a network that gives a token at every step: a text model with as many outputs as there are tokens."""
    return family(spec.network).predicts_tokens and every_token(spec)


def layout(spec: NetworkSpec) -> Layout:
    """The shape in which the network takes its examples.

    Raises:
        UnknownNetworkError: the type cannot be built yet.
        UnbuildableError: it can, but not for these examples.
    """
    return family(spec.network).layout(spec)


def example_shape(spec: NetworkSpec) -> tuple[int, ...]:
    """The shape of one example, see Layout; of a graph that of a node. Raises as `layout` does."""
    steps = spec.sequence_length or 1
    match layout(spec):
        case Layout.PICTURE:
            shape = picture_of(spec)
            return shape.colors, shape.side, shape.side
        case Layout.STEPS:
            return steps, spec.inputs
        case Layout.TOKENS:
            return (steps,)
        case Layout.TREE:
            return steps, 3
        case Layout.GRAPH:
            return (spec.inputs,)
        case Layout.FLAT:
            return (flat_values(spec),)


def why_not(spec: NetworkSpec) -> str | None:
    """The reason why this network cannot be built, or None where it can."""
    try:
        check(spec)
    except UnbuildableError as error:
        return str(error)
    return None


def why_not_timed(spec: NetworkSpec) -> str | None:
    """The reason why its training step cannot be timed on made-up examples, or None where it can."""
    return why_not(spec) or family(spec.network).untimed


def check(spec: NetworkSpec) -> None:
    """Raise UnbuildableError where the network, its shape, what follows its layers or its loss cannot be built."""
    layout(spec)
    units = hidden_units(spec)
    counts = {"inputs": spec.inputs, "hidden units": min(units, default=1)}
    if not reconstructs(spec):
        counts["outputs"] = spec.outputs
    for what, count in counts.items():
        if count < 1:
            raise UnbuildableError(f"A {spec.network} cannot have {count} {what}: name 1 or more.")
    if spec.activation not in ACTIVATIONS:
        raise UnbuildableError(f"The activation {spec.activation} is not known. These are: {', '.join(ACTIVATIONS)}.")
    _check_after_layers(spec)
    _check_loss(spec)
    family(spec.network).check(spec, units)


def _check_after_layers(spec: NetworkSpec) -> None:
    known = family(spec.network)
    if spec.normalization not in NORMALIZATIONS:
        raise UnbuildableError(
            f"The normalisation {spec.normalization} is not known. These are: {', '.join(NORMALIZATIONS)}."
        )
    if spec.normalization not in known.normalizations:
        raise UnbuildableError(
            f"After layers of the type {spec.network} stands no {spec.normalization}, only {join_names(known.normalizations)}."
        )
    if not 0 <= spec.dropout < 1:
        raise UnbuildableError(f"A share of {spec.dropout} cannot be left out: name one from 0 to below 1.")
    if spec.dropout and not known.dropout:
        raise UnbuildableError(f"The type {spec.network} is built without dropout: leave it out.")


def _check_loss(spec: NetworkSpec) -> None:
    known = family(spec.network)
    if spec.loss not in known.own_losses:
        if spec.loss not in SUPERVISED_LOSSES and spec.loss not in losses():
            raise UnbuildableError(f"The loss {spec.loss} cannot be computed yet. These can: {', '.join(losses())}.")
        if known.fixed_loss or spec.loss not in SUPERVISED_LOSSES:
            own = known.loss if known.fixed_loss else spec.loss
            alone = f"{own} belongs to the {' and the '.join(owners(own))} alone."
            raise UnbuildableError(f"The loss {spec.loss} does not fit a {spec.network}: {alone}")
    if predicts_tokens(spec) and spec.loss != "cross_entropy":
        raise UnbuildableError(f"Tokens are predicted with the loss cross_entropy, not {spec.loss}.")
