"""Transformers over tokens: decoders, encoders, and both together."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.models.families.parts import Attention, FeedForward
from advisor.models.tape import Tape, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoder:
    """A language model: predicts each token from those before it."""

    vocabulary: int
    width: int
    layers: int
    attention: Attention
    feed_forward: FeedForward
    norm: str = "rms"
    positions: int = 0
    """Learned positions, one for each step up to so many; 0 for those that turn queries and keys."""
    tied: bool = False
    """The last matrix is the embedding."""
    after_norms: bool = False
    """Results of attention and of the feed-forward layers are normalised too (Gemma)."""
    parallel: bool = False
    """Attention and feed-forward layers read the same values (Wang and Komatsuzaki 2021)."""
    first_dense: int = 0
    """So many of the first layers have no experts but a feed-forward layer of this width: `first_inner`."""
    first_inner: int = 0
    head_bias: bool = False
    steps: int = 2048
    """Tokens of the usual example."""

    @property
    def input(self) -> tuple[int, ...]:
        return (self.steps,)

    def count(self, tape: Tape, input: tuple[int, ...]) -> None:
        (steps,) = input
        x = tape.embedding("embedding", tape.tokens(steps), self.vocabulary, self.width)
        if self.positions:
            x = tape.add(x, tape.embedding("positions", tape.weights("numbers", 0), self.positions, self.width))
        for number in range(self.layers):
            with tape.within("layers", number):
                x = self._layer(tape, x, number)
        x = _normed(tape, "norm", x, self.norm)
        tape.linear("head", x, self.vocabulary, bias=self.head_bias, tied=self.tied)

    def _layer(self, tape: Tape, x: Value, number: int) -> Value:
        forward = self.feed_forward
        if number < self.first_dense:
            forward = FeedForward(
                inner=self.first_inner, gated=forward.gated, activation=forward.activation, bias=forward.bias
            )
        seen = _normed(tape, "attention_norm", x, self.norm)
        attended = self.attention.over(tape, seen)
        if self.after_norms:
            attended = _normed(tape, "attention_after_norm", attended, self.norm)
        if self.parallel:
            return tape.add(x, attended, forward.over(tape, seen))
        x = tape.add(x, attended)
        result = forward.over(tape, _normed(tape, "feed_forward_norm", x, self.norm))
        if self.after_norms:
            result = _normed(tape, "feed_forward_after_norm", result, self.norm)
        return tape.add(x, result)


def _normed(tape: Tape, name: str, x: Value, kind: str) -> Value:
    """RMS normalisation is written out in libraries of models: the value before its weights is kept as well."""
    return tape.norm(name, x, kind, copies=1 if kind == "rms" else 0)
