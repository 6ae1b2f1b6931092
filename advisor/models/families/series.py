"""Networks that forecast series of numbers."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.models.families.parts import FeedForward
from advisor.models.tape import Tape, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchForecaster:
    """A transformer over patches of each channel of a series, all with the same weights (PatchTST, Nie et al. 2023)."""

    width: int
    layers: int
    heads: int
    inner: int
    patch: int = 16
    stride: int = 8
    channels: int = 7
    steps: int = 336
    """Of the usual example."""
    horizon: int = 96
    """Steps that it forecasts."""
    dropout: bool = True
    """Some results of the feed-forward layers and of the last are left out while training."""

    @property
    def input(self) -> tuple[int, ...]:
        return (self.steps, self.channels)

    @property
    def hidden_units(self) -> tuple[int, ...]:
        return self.width, self.inner

    def count(self, tape: Tape, input: tuple[int, ...]) -> None:
        steps, channels = input
        patches = (steps - self.patch) // self.stride + 1
        cut = tape.moved(tape.given(steps, channels), channels * patches, self.patch, name="cut")
        x = tape.linear("embedding", cut, self.width)
        tape.weights("positions", patches, self.width)
        x = tape.placed(x, *x.shape)
        forward = FeedForward(inner=self.inner, dropout=self.dropout)
        for number in range(self.layers):
            with tape.within("layers", number):
                x = tape.add(x, self._attended(tape, self._normed(tape, "attention_norm", x), channels))
                x = tape.add(x, forward.over(tape, self._normed(tape, "feed_forward_norm", x)))
        flat = tape.view(x, channels, patches * self.width)
        tape.linear("head", flat, self.horizon)

    def _attended(self, tape: Tape, x: Value, channels: int) -> Value:
        """Channels do not look at each other: each is as so many heads more."""
        steps, width = x.shape
        with tape.within("attention"):
            q, k, v = (
                tape.view(tape.linear(name, x, width), steps // channels, channels * width)
                for name in ("query", "key", "value")
            )
            result = tape.attention(q, k, v, self.heads * channels)
            return tape.linear("output", tape.view(result, steps, width), width)

    def _normed(self, tape: Tape, name: str, x: Value) -> Value:
        """Over the batch, channel by channel of the width."""
        steps, width = x.shape
        normed = tape.norm(name, tape.view(x, width, steps), "batch")
        return tape.view(normed, steps, width)
