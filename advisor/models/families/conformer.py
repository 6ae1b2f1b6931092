"""Networks that write down speech with attention and convolution in each layer."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.models.families.parts import FeedForward
from advisor.models.tape import Tape, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Conformer:
    """Layers of attention and convolution between halves of feed-forward parts (Gulati et al. 2020).

    Convolutions over a spectrogram make it shorter before (Rekesh et al. 2023, FastConformer); scores of tokens follow for each
    step that is left (CTC).
    """

    width: int
    layers: int
    heads: int
    inner: int
    """Of the feed-forward parts."""
    kernel: int = 9
    """Of the convolution in each layer, over time."""
    bias: bool = True
    """Of attention, feed-forward parts and convolutions in the layers."""
    shortening: int = 3
    """Convolutions before the layers, each of which halves time and bands."""
    channels: int = 256
    """Of these convolutions."""
    vocabulary: int = 1025
    """Tokens with the one that says nothing; 0 for a network that gives its last states."""
    dropout: bool = True
    """Some inputs and inner values of the feed-forward parts are left out while training."""
    bands: int = 80
    """Of the spectrogram."""
    frames: int = 3000
    """Of the usual example: thirty seconds."""

    @property
    def input(self) -> tuple[int, ...]:
        return (self.frames, self.bands)

    @property
    def hidden_units(self) -> tuple[int, ...]:
        return self.width, self.inner

    def count(self, tape: Tape, input: tuple[int, ...]) -> None:
        x = tape.dropout(self._shortened(tape, tape.given(1, *input)), self.dropout)
        steps = x.shape[0]
        distances = tape.given(2 * steps - 1, self.width)
        for number in range(self.layers):
            with tape.within("layers", number):
                x = self._layer(tape, x, distances)
        if self.vocabulary:
            tape.linear("head", x, self.vocabulary)

    def _shortened(self, tape: Tape, x: Value) -> Value:
        """(1, frames, bands) -> (steps, width)."""
        with tape.within("shortening"):
            for number in range(self.shortening):
                with tape.within(number):
                    groups = self.channels if number else 1
                    x = tape.convolution("halve", x, self.channels, 3, stride=2, groups=groups)
                    if number:
                        x = tape.convolution("mix", x, self.channels, 1)
                    x = tape.activation("relu", x)
            channels, steps, bands = x.shape
            return tape.linear("enter", tape.moved(x, steps, channels * bands), self.width)

    def _layer(self, tape: Tape, x: Value, distances: Value) -> Value:
        forward = FeedForward(inner=self.inner, activation="silu", bias=self.bias, dropout=self.dropout)
        with tape.within("first"):
            x = tape.add(x, forward.over(tape, tape.norm("norm", x, "layer")))
        x = tape.add(x, self._attended(tape, tape.norm("attention_norm", x, "layer"), distances))
        x = tape.add(x, self._convolved(tape, tape.norm("convolution_norm", x, "layer")))
        with tape.within("second"):
            x = tape.add(x, forward.over(tape, tape.norm("norm", x, "layer")))
        return tape.norm("norm", x, "layer")

    def _attended(self, tape: Tape, x: Value, distances: Value) -> Value:
        """Scores follow from content and from distance, each with a shift of its own (Dai et al. 2019)."""
        with tape.within("attention"):
            q, k, v = (tape.linear(name, x, self.width, bias=self.bias) for name in ("query", "key", "value"))
            tape.weights("shifts", 2, self.width)
            far = tape.linear("distance", distances, self.width, bias=False)
            tape.products("far", tape.add(q), far, self.heads)
            result = tape.attention(tape.add(q), k, v, self.heads, stored=1)
            return tape.linear("output", result, self.width, bias=self.bias)

    def _convolved(self, tape: Tape, x: Value) -> Value:
        steps, width = x.shape
        with tape.within("convolution"):
            y = tape.convolution("widen", tape.view(x, width, steps), 2 * width, 1, bias=self.bias)
            y = tape.convolution("look", tape.activation("glu", y), width, self.kernel, groups=width, bias=self.bias)
            y = tape.activation("silu", tape.norm("norm", y, "batch"))
            return tape.view(tape.convolution("narrow", y, width, 1, bias=self.bias), steps, width)
