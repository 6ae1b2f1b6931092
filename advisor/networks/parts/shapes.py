"""The layers that families share, on a tape of shapes, by which networks are counted. No torch here."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from advisor.models.tape import Tape, Value
from advisor.networks.description import NetworkSpec
from advisor.networks.parts.sizes import groups, halvings

Following: TypeAlias = Callable[[Value], Value]
"""A layer's activation, and normalisation and dropout where they are wanted."""


def activated(tape: Tape, activation: str) -> Following:
    """An activation after each layer, and nothing else."""
    return lambda x: tape.activation(activation, x)


def after_layers(tape: Tape, spec: NetworkSpec, places: int = 0, *, dropout: bool = True) -> Following:
    """Normalisation, activation and dropout, those that are wanted, as `layers.after_layers` has them."""

    def follow(x: Value) -> Value:
        x = tape.activation(spec.activation, normalized(tape, spec.normalization, x, places))
        return tape.dropout(x, spec.dropout) if dropout else x

    return follow


def normalized(tape: Tape, normalization: str, x: Value, places: int) -> Value:
    """(channels, places...), or rows of values (..., width), normalised as `layers.normalized` does it."""
    if normalization == "none":
        return x
    if normalization == "layer_norm" and not places:
        return tape.norm("norm", x, "layer")
    width = x.shape[0] if places else x.shape[-1]
    rows = 1 if places else x.size // width
    kind = "batch" if normalization == "batch_norm" else "group"
    by_channel = tape.view(x, width, x.size // width)
    each = groups(width) if normalization == "group_norm" else 1
    return tape.view(tape.norm("norm", by_channel, kind, groups=rows * each), *x.shape)


def dense(tape: Tape, x: Value, widths: tuple[int, ...], following: Following) -> Value:
    """(..., values) -> (..., widths[-1]): linear layers, each but the last with what follows it."""
    for number, width in enumerate(widths):
        with tape.within(number):
            x = tape.linear("linear", x, width)
            if number < len(widths) - 1:
                x = following(x)
    return x


def spreading(tape: Tape, x: Value, channels: tuple[int, ...], side: int, following: Following) -> Value:
    """(values,) -> (channels[-1], side, side), see `layers.spreading`."""
    smallest = side // shrinkage(channels, side)
    x = tape.linear("smallest", x, channels[0] * smallest**2)
    return enlarging(tape, tape.view(x, channels[0], smallest, smallest), channels, side, following)


def shrinkage(channels: tuple[int, ...], side: int) -> int:
    """The side of the picture divided by that of the smallest maps."""
    return int(2 ** sum(halvings(side, len(channels) - 1)))


def enlarging(tape: Tape, x: Value, channels: tuple[int, ...], side: int, following: Following) -> Value:
    """From the smallest maps to a picture so many pixels wide."""
    doubled = halvings(side, len(channels) - 1)[::-1]
    for number, (after, double) in enumerate(zip(channels[1:], doubled, strict=True)):
        kernel, stride = (4, 2) if double else (3, 1)
        with tape.within("enlarging", number):
            x = tape.enlarging("convolution", following(x), after, kernel, stride)
    return x


def unet(tape: Tape, x: Value, channels: tuple[int, ...], outputs: int, stage: Callable[[Value, int], Value]) -> Value:
    """A picture -> (outputs, side, side), through stages of so many channels, with half the pixels each, and back up.

    `stage` gives maps so many channels of the same size.
    """
    opposite = []
    for number, width in enumerate(channels):
        with tape.within("down", number):
            if number:
                opposite.append(x)
                x = tape.pooled(x, 2, 2)
            x = stage(x, width)
    for number, width in enumerate(channels[-2::-1]):
        with tape.within("up", number):
            wider = tape.enlarging("widen", x, width, 2, 2)
            x = stage(tape.joined(opposite.pop(), wider), width)
    return tape.convolution("head", x, outputs, 1)
