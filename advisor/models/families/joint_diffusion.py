"""Transformers that take noise out of latents, in which patches and words look at each other."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.models.families.diffusion import (
    WAVES,
    embedded,
    modulated,
    modulation,
    patches,
    scaled_and_shifted,
)
from advisor.models.families.parts import FeedForward
from advisor.models.tape import Tape, Value

_Heads = tuple[Value, Value, Value]
"""Queries, keys and values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JointDiffusionTransformer:
    """Patches of latents and words of a text in one attention, each with weights of its own (Esser et al. 2024).

    As Stable Diffusion 3 has it, and FLUX.1, where layers follow in which they share their weights.
    """

    width: int
    layers: int
    heads: int
    shared_layers: int = 0
    """Layers behind them with the same weights for words and patches, and attention beside the feed-forward part."""
    twice: int = 0
    """First layers in which patches look at themselves alone once more (Stable Diffusion 3.5 medium)."""
    head_norm: bool = False
    """Queries and keys are normalised head by head (RMS)."""
    rotary: bool = False
    """Positions turn queries and keys; else they are added to patches."""
    text: int = 4096
    """Width of the words."""
    words: int = 333
    summary: int = 2048
    """Width of what is told of the whole text."""
    guided: bool = False
    """The strength of guidance is told beside the time."""
    patch: int = 2
    channels: int = 16
    """Of the latents."""
    side: int = 128
    """Of the latents."""

    @property
    def input(self) -> tuple[int, ...]:
        return (self.channels, self.side, self.side)

    @property
    def hidden_units(self) -> tuple[int, ...]:
        return self.width, 4 * self.width

    def count(self, tape: Tape, input: tuple[int, ...]) -> None:
        x = patches(tape, input, self.width, self.patch, placed=not self.rotary)
        condition = self._condition(tape)
        words = tape.linear("words", tape.given(self.words, self.text), self.width)
        for number in range(self.layers):
            last = number == self.layers - 1 and not self.shared_layers
            with tape.within("layers", number):
                x, words = self._layer(tape, x, words, condition, twice=number < self.twice, last=last)
        for number in range(self.shared_layers):
            with tape.within("shared_layers", number):
                both = self._shared_layer(tape, tape.joined(words, x), condition)
                words, x = tape.view(both, *words.shape), tape.view(both, *x.shape)
        told = modulation(tape, condition, 2)
        tape.linear("head", modulated(tape, "norm", x, told), self.patch**2 * self.channels)

    def _condition(self, tape: Tape) -> Value:
        """Time, guidance and the summary of the text as one vector."""
        told = [embedded(tape, "time", WAVES, self.width), embedded(tape, "summary", self.summary, self.width)]
        if self.guided:
            told.append(embedded(tape, "guidance", WAVES, self.width))
        return tape.add(*told)

    def _layer(
        self, tape: Tape, x: Value, words: Value, condition: Value, *, twice: bool, last: bool
    ) -> tuple[Value, Value]:
        """The words of the last layer are looked at, and not needed again."""
        with tape.within("patches"):
            told = modulation(tape, condition, 9 if twice else 6)
            normed = tape.norm("attention_norm", x, "layer", weighted=False)
            mine = self._heads(tape, scaled_and_shifted(tape, normed, told))
        with tape.within("words"):
            told_words = modulation(tape, condition, 2 if last else 6)
            theirs = self._heads(tape, modulated(tape, "attention_norm", words, told_words))
        looked = self._attended(tape, *(tape.joined(one, other) for one, other in zip(mine, theirs, strict=True)))
        with tape.within("patches"):
            x = tape.add(x, self._gated(tape, self._out(tape, looked, x), told))
            if twice:
                with tape.within("again"):
                    again = self._attended(tape, *self._heads(tape, scaled_and_shifted(tape, normed, told)))
                    x = tape.add(x, self._gated(tape, tape.linear("output", again, self.width), told))
            x = self._fed(tape, x, told)
        if not last:
            with tape.within("words"):
                words = tape.add(words, self._gated(tape, self._out(tape, looked, words), told_words))
                words = self._fed(tape, words, told_words)
        return x, words

    def _shared_layer(self, tape: Tape, x: Value, condition: Value) -> Value:
        told = modulation(tape, condition, 3)
        normed = modulated(tape, "norm", x, told)
        inner = tape.activation("gelu", tape.linear("up", normed, 4 * self.width))
        looked = self._attended(tape, *self._heads(tape, normed))
        result = tape.linear("down", tape.joined(looked, inner, axis=1), self.width)
        return tape.add(x, self._gated(tape, result, told))

    def _heads(self, tape: Tape, x: Value) -> _Heads:
        q, k, v = (tape.linear(name, x, self.width) for name in ("query", "key", "value"))
        return (
            (self._normed(tape, "query_norm", q), self._normed(tape, "key_norm", k), v) if self.head_norm else (q, k, v)
        )

    def _normed(self, tape: Tape, name: str, x: Value) -> Value:
        heads = tape.view(x, x.shape[0] * self.heads, self.width // self.heads)
        return tape.view(tape.norm(name, heads, "rms", copies=1), *x.shape)

    def _attended(self, tape: Tape, q: Value, k: Value, v: Value) -> Value:
        if self.rotary:
            q, k = (tape.moved(value, *value.shape, name="rotate") for value in (q, k))
        return tape.attention(q, k, v, self.heads)

    def _out(self, tape: Tape, looked: Value, like: Value) -> Value:
        """Of the results of attention those of patches, or of words."""
        return tape.linear("output", tape.moved(looked, *like.shape), self.width)

    def _gated(self, tape: Tape, x: Value, told: Value) -> Value:
        return tape.multiply(x, tape.view(told, 1, self.width))

    def _fed(self, tape: Tape, x: Value, told: Value) -> Value:
        fed = FeedForward(inner=4 * self.width).over(tape, modulated(tape, "feed_forward_norm", x, told))
        return tape.add(x, self._gated(tape, fed, told))
