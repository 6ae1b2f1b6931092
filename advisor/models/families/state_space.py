"""Networks that carry a state from token to token in place of attention: Mamba and Mamba 2."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.models.tape import Tape, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class StateSpace:
    """Selective state spaces (Gu and Dao 2023), or with a state for each head (Dao and Gu 2024)."""

    vocabulary: int
    width: int
    layers: int
    inner: int
    state: int
    """Values that are carried on for each inner one."""
    kernel: int = 4
    """Tokens that the convolution before the state sees."""
    heads: int = 0
    """Each with a decay of its own (Mamba 2); 0 for a decay of each inner value and place of the state (Mamba)."""
    groups: int = 1
    """Of heads, which share what they write into the state and read from it."""
    rank: int = 0
    """Width from which the steps of time are made, where there are no heads."""
    bias: bool = False
    conv_bias: bool = True
    head: bool = True
    """False for a network that gives its last states."""
    tied: bool = False
    """The last matrix is the embedding."""
    steps: int = 2048
    """Tokens of the usual example."""

    @property
    def input(self) -> tuple[int, ...]:
        return (self.steps,)

    @property
    def hidden_units(self) -> tuple[int, ...]:
        return self.width, self.inner

    def count(self, tape: Tape, input: tuple[int, ...]) -> None:
        (steps,) = input
        x = tape.embedding("embedding", tape.tokens(steps), self.vocabulary, self.width)
        for number in range(self.layers):
            with tape.within("layers", number):
                seen = tape.norm("norm", x, "rms", copies=1)
                x = tape.add(x, self._with_heads(tape, seen) if self.heads else self._mixed(tape, seen))
        x = tape.norm("norm", x, "rms", copies=1)
        if self.head:
            tape.linear("head", x, self.vocabulary, bias=False, tied=self.tied)

    def _mixed(self, tape: Tape, x: Value) -> Value:
        steps, width = x.shape
        both = tape.linear("in", x, 2 * self.inner, bias=self.bias)
        gate = tape.view(both, steps, self.inner)
        seen = self._convolved(tape, tape.view(both, steps, self.inner))
        made = tape.linear("select", seen, self.rank + 2 * self.state, bias=False)
        delays = tape.activation("softplus", tape.linear("delays", tape.view(made, steps, self.rank), self.inner))
        decays = tape.weights("decays", self.inner, self.state)
        result = self._scanned(tape, seen, delays, decays, made)
        result = tape.multiply(result, tape.activation("silu", gate))
        return tape.linear("out", result, width, bias=self.bias)

    def _with_heads(self, tape: Tape, x: Value) -> Value:
        steps, width = x.shape
        shared = 2 * self.groups * self.state
        made = tape.linear("in", x, 2 * self.inner + shared + self.heads, bias=self.bias)
        gate = tape.view(made, steps, self.inner)
        seen = self._convolved(tape, tape.view(made, steps, self.inner + shared))
        tape.weights("delay_bias", self.heads)
        delays = tape.activation("softplus", tape.view(made, steps, self.heads))
        decays = tape.weights("decays", self.heads)
        result = self._scanned(tape, tape.view(seen, steps, self.inner), delays, decays, seen)
        result = tape.multiply(result, tape.activation("silu", gate))
        return tape.linear("out", tape.norm("gate_norm", result, "rms", copies=1), width, bias=self.bias)

    def _convolved(self, tape: Tape, x: Value) -> Value:
        """(steps, channels) -> the same, each channel from its last few tokens."""
        steps, channels = x.shape
        seen = tape.convolution(
            "look_back",
            tape.view(x, channels, steps + self.kernel - 1),
            channels,
            self.kernel,
            padding=0,
            groups=channels,
            bias=self.conv_bias,
        )
        return tape.view(tape.activation("silu", seen), steps, channels)

    def _scanned(self, tape: Tape, x: Value, delays: Value, decays: Value, shared: Value) -> Value:
        """Read the state after each token, with the input let through beside it."""
        result = tape.scan("scan", x, delays, decays, shared, state=self.state)
        tape.weights("skip", self.heads or self.inner)
        return result
