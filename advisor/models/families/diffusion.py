"""Networks that take noise out of pictures or of their latents: a U-Net that is told the time, and a transformer."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.models.families.parts import Attention, FeedForward
from advisor.models.tape import Tape, Value

WAVES = 256
"""Sines and cosines of the time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffusionUNet:
    """A U-Net of residual blocks and attention (Ho et al. 2020; with a text, Rombach et al. 2022)."""

    widths: tuple[int, ...]
    """Channels of each stage, which has half the sides of the one before."""
    attention: tuple[int, ...]
    """Layers of attention behind each residual block of a stage; 0 for none."""
    middle: int = 1
    """Layers of attention between the two residual blocks at the bottom."""
    blocks: int = 2
    """Residual blocks of a stage on the way down; on the way up there is one more."""
    heads: int = 1
    """Of attention in every stage, where `head` is 0."""
    head: int = 0
    """Width of a head in every stage; wider stages then have more of them."""
    text: int = 0
    """Width of the words that each layer looks at; 0 for layers that look at the picture alone, without feed-forward parts."""
    words: int = 77
    conditions: int = 0
    """Values that are added to the time through two layers: a summary of the text and sizes of pictures (SDXL)."""
    classes: int = 0
    """Kinds of pictures whose vectors are added to the time; 0 for none."""
    groups: int = 32
    """Of channels that are normalised together."""
    channels: int = 3
    """Of the picture: its colors, or those of its latents."""
    outputs: int = 0
    """Channels of the result; 0 for those of the picture."""
    side: int = 32

    @property
    def input(self) -> tuple[int, ...]:
        return (self.channels, self.side, self.side)

    @property
    def hidden_units(self) -> tuple[int, ...]:
        return self.widths

    def count(self, tape: Tape, input: tuple[int, ...]) -> None:
        time = self._time(tape)
        text = tape.given(self.words, self.text) if self.text else None
        x = tape.convolution("stem", tape.given(*input), self.widths[0], 3)
        skipped = [x]
        for stage, (width, layers) in enumerate(zip(self.widths, self.attention, strict=True)):
            if stage:
                with tape.within("down", stage):
                    x = tape.convolution("halve", x, self.widths[stage - 1], 3, stride=2)
                skipped.append(x)
            for number in range(self.blocks):
                with tape.within("down", stage, number):
                    x = self._attended(tape, self._block(tape, x, time, width), text, layers)
                skipped.append(x)
        with tape.within("middle"):
            x = self._block(tape, x, time, self.widths[-1])
            x = self._attended(tape, x, text, self.middle)
            x = self._block(tape, x, time, self.widths[-1])
        for stage in reversed(range(len(self.widths))):
            width = self.widths[stage]
            for number in range(self.blocks + 1):
                with tape.within("up", stage, number):
                    x = self._block(tape, tape.joined(x, skipped.pop()), time, width)
                    x = self._attended(tape, x, text, self.attention[stage])
            if stage:
                with tape.within("up", stage):
                    larger = tape.moved(x, width, *skipped[-1].shape[1:], name="enlarge")
                    x = tape.convolution("smooth", larger, width, 3)
        tape.convolution("head", self._active(tape, "norm", x), self.outputs or self.channels, 3)

    def _time(self, tape: Tape) -> Value:
        """Waves of the time, conditions and the class as one vector."""
        width = 4 * self.widths[0]
        told = [embedded(tape, "time", self.widths[0], width)]
        if self.conditions:
            told.append(embedded(tape, "conditions", self.conditions, width))
        if self.classes:
            told.append(tape.view(tape.embedding("classes", tape.tokens(1), self.classes, width), width))
        return tape.add(*told) if len(told) > 1 else told[0]

    def _active(self, tape: Tape, name: str, x: Value) -> Value:
        return tape.activation("silu", tape.norm(name, x, "group", groups=self.groups))

    def _block(self, tape: Tape, x: Value, time: Value, width: int) -> Value:
        y = tape.convolution("one", self._active(tape, "one_norm", x), width, 3)
        shift = tape.linear("time", tape.activation("silu", time), width)
        y = tape.add(y, tape.view(shift, width, *(1 for _ in y.shape[1:])))
        y = tape.convolution("two", self._active(tape, "two_norm", y), width, 3)
        if x.shape[0] != width:
            x = tape.convolution("shortcut", x, width, 1)
        return tape.add(y, x)

    def _attended(self, tape: Tape, x: Value, text: Value | None, layers: int) -> Value:
        if not layers:
            return x
        with tape.within("attention"):
            return self._seen(tape, x, layers) if text is None else self._told(tape, x, text, layers)

    def _seen(self, tape: Tape, x: Value, layers: int) -> Value:
        """The picture looks at itself."""
        width = x.shape[0]
        steps = x.size // width
        for number in range(layers):
            with tape.within(number):
                y = tape.norm("norm", x, "group", groups=self.groups)
                q, k, v = (  # places lie last, so that each matrix reads a copy of its own
                    tape.linear(name, tape.moved(y, steps, width), width) for name in ("query", "key", "value")
                )
                y = tape.linear("output", tape.attention(q, k, v, self._heads(width)), width)
                x = tape.add(x, tape.view(y, *x.shape))
        return x

    def _told(self, tape: Tape, x: Value, text: Value, layers: int) -> Value:
        """The picture looks at itself and at the text."""
        width = x.shape[0]
        heads = self._heads(width)
        attention = Attention(heads=heads, head=width // heads, bias=False)
        forward = FeedForward(inner=4 * width, gated=True)
        y = tape.norm("norm", x, "group", groups=self.groups)
        y = tape.linear("enter", tape.view(y, x.size // width, width), width)
        for number in range(layers):
            with tape.within(number):
                y = tape.add(y, attention.over(tape, tape.norm("attention_norm", y, "layer")))
                y = tape.add(y, attention.over(tape, tape.norm("text_norm", y, "layer"), text, name="text"))
                y = tape.add(y, forward.over(tape, tape.norm("feed_forward_norm", y, "layer")))
        y = tape.linear("leave", tape.moved(y, *y.shape), width)
        return tape.add(x, tape.view(y, *x.shape))

    def _heads(self, width: int) -> int:
        return width // self.head if self.head else self.heads


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffusionTransformer:
    """A transformer over patches of latents, whose layers time and class shift, scale and gate (DiT, Peebles and Xie 2023).

    Its layers may look at a text instead of a class (PixArt-alpha, Chen et al. 2024).
    """

    width: int
    layers: int
    heads: int
    patch: int = 2
    channels: int = 4
    """Of the latents."""
    outputs: int = 8
    """Channels of the result: noise, and its variance."""
    classes: int = 1000
    """Kinds of pictures, beside that of none; 0 where a text is told."""
    text: int = 0
    """Width of the words that each layer looks at; 0 for none."""
    words: int = 120
    shared: bool = False
    """All layers share one matrix for shifts, scales and gates, and each adds numbers of its own; else each has a matrix."""
    each_embeds: bool = False
    """Each layer embeds time and class with weights of its own, as diffusers builds DiT."""
    side: int = 32
    """Of the latents."""

    @property
    def input(self) -> tuple[int, ...]:
        return (self.channels, self.side, self.side)

    @property
    def hidden_units(self) -> tuple[int, ...]:
        return self.width, 4 * self.width

    def count(self, tape: Tape, input: tuple[int, ...]) -> None:
        x = patches(tape, input, self.width, self.patch, placed=True)
        condition = self._condition(tape, tied=self.each_embeds)
        shared = modulation(tape, condition, 6) if self.shared else None
        text = self._text(tape) if self.text else None
        for number in range(self.layers):
            with tape.within("layers", number):
                if shared is not None:
                    told = tape.add(shared, tape.weights("modulation", 6 * self.width))
                else:
                    told = modulation(tape, self._condition(tape) if self.each_embeds else condition, 6)
                x = self._layer(tape, x, told, text)
        if shared is not None:
            told = tape.add(tape.weights("modulation", 2 * self.width), condition)
        else:
            told = modulation(tape, condition, 2)
        tape.linear("head", modulated(tape, "norm", x, told), self.patch**2 * self.outputs)

    def _condition(self, tape: Tape, *, tied: bool = False) -> Value:
        """Time and class as one vector; tied, with the weights of a layer."""
        time = embedded(tape, "time", WAVES, self.width, tied=tied)
        if not self.classes:
            return time
        kind = tape.embedding("classes", tape.tokens(1), self.classes + 1, self.width, tied=tied)
        return tape.add(time, tape.view(kind, self.width))

    def _text(self, tape: Tape) -> Value:
        with tape.within("text"):
            words = tape.linear("narrow", tape.given(self.words, self.text), self.width)
            return tape.linear("mix", tape.activation("gelu", words), self.width)

    def _layer(self, tape: Tape, x: Value, told: Value, text: Value | None) -> Value:
        attention = Attention(heads=self.heads, head=self.width // self.heads)
        forward = FeedForward(inner=4 * self.width)
        gate = tape.view(told, 1, self.width)
        y = attention.over(tape, modulated(tape, "attention_norm", x, told))
        x = tape.add(x, tape.multiply(y, gate))
        if text is not None:
            x = tape.add(x, attention.over(tape, x, text, name="text"))
        y = forward.over(tape, modulated(tape, "feed_forward_norm", x, told))
        return tape.add(x, tape.multiply(y, gate))


def patches(tape: Tape, input: tuple[int, ...], width: int, patch: int, *, placed: bool) -> Value:
    """(channels, side, side) -> (patches, width), with fixed positions added where it is `placed`."""
    x = tape.convolution("patches", tape.given(*input), width, patch, stride=patch, padding=0)
    x = tape.view(x, x.size // width, width)
    return tape.placed(x, *x.shape) if placed else x


def embedded(tape: Tape, name: str, inputs: int, width: int, *, tied: bool = False) -> Value:
    """(inputs,) -> (width,) through two layers."""
    with tape.within(name):
        hidden = tape.activation("silu", tape.linear("widen", tape.given(inputs), width, tied=tied))
        return tape.linear("mix", hidden, width, tied=tied)


def modulation(tape: Tape, condition: Value, vectors: int) -> Value:
    """(width,) -> (vectors * width,): shifts, scales and gates."""
    return tape.linear("modulation", tape.activation("silu", condition), vectors * condition.size)


def modulated(tape: Tape, name: str, x: Value, told: Value) -> Value:
    """Normalised, multiplied by one more than the scale, and shifted."""
    return scaled_and_shifted(tape, tape.norm(name, x, "layer", weighted=False), told)


def scaled_and_shifted(tape: Tape, normed: Value, told: Value) -> Value:
    width = normed.shape[-1]
    vector = tape.view(told, 1, width)
    return tape.add(tape.multiply(normed, tape.moved(vector, 1, width, name="one_more")), vector)
