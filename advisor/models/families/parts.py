"""Attention and feed-forward layers that kinds of transformers share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from advisor.models.tape import Tape, Value

Activation = Literal["gelu", "gelu_new", "relu", "silu", "clamped_silu"]
_GATES = 4
"""Columns that are added up to each of the two gates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attention:
    """Sizes of attention."""

    heads: int
    head: int
    """Width of a head."""
    key_heads: int = 0
    """Heads of keys and values, each shared by several of the queries; 0 for as many."""
    bias: bool = True
    """Of queries, keys and values."""
    key_bias: bool = True
    """Of keys, where the others have one."""
    output_bias: bool = True
    head_norm: bool = False
    """Queries and keys are normalised head by head (RMS)."""
    joint_norm: bool = False
    """Queries and keys are normalised, all heads together (RMS; OLMo 2)."""
    rotary: bool = False
    """Positions turn queries and keys."""
    together: bool = False
    """Queries, keys and values come from one matrix."""
    sinks: bool = False
    """A learned score a head stands beside those of the pairs (gpt-oss)."""
    stored_scores: bool = False
    """The scores of all pairs are kept, as where positions are added to them."""
    capped: bool = False
    """The stored scores went through tanh, whose results are kept too (Gemma 2)."""
    dropout: bool = False
    """Some of the scores are left out while training; stored ones are kept before and after."""
    latent: int = 0
    """Width of the values from which keys and values of all heads are made (multi-head latent attention, DeepSeek 2024); 0 for
    keys and values of their own."""
    query_latent: int = 0
    """The same of queries; 0 for queries of their own."""
    turned: int = 0
    """Columns of each head's queries and keys that positions turn, where there is a latent; all heads share those of keys."""
    value_head: int = 0
    """Width of a head's values, where there is a latent."""

    def over(
        self,
        tape: Tape,
        x: Value,
        memory: Value | None = None,
        *,
        name: str = "attention",
        distances: Value | None = None,
    ) -> Value:
        """(steps, width) -> the same, looking at itself or at another sequence.

        Args:
            distances: scores of all pairs by their distance, which gates let in.
        """
        if self.latent:
            return self._from_latent(tape, x, name)
        steps, width = x.shape
        source = x if memory is None else memory
        inner, inner_keys = self.heads * self.head, (self.key_heads or self.heads) * self.head
        with tape.within(name):
            if self.together:
                whole = tape.linear("query_key_value", x, inner + 2 * inner_keys, bias=self.bias)
                q, k, v = (tape.view(whole, steps, size) for size in (inner, inner_keys, inner_keys))
            else:
                q = tape.linear("query", x, inner, bias=self.bias)
                k = tape.linear("key", source, inner_keys, bias=self.bias and self.key_bias)
                v = tape.linear("value", source, inner_keys, bias=self.bias)
            if self.head_norm:
                q, k = (self._normed(tape, name, value) for name, value in (("query_norm", q), ("key_norm", k)))
            if self.joint_norm:
                q = tape.norm("query_norm", q, "rms", copies=1)
                k = tape.norm("key_norm", k, "rms", copies=1)
            if self.sinks:
                tape.weights("sinks", self.heads)
            if distances is not None:
                self._gate(tape, x, distances)
            if self.rotary:
                q, k = (tape.moved(value, *value.shape, name="rotate") for value in (q, k))
            stored = self.stored_scores * (1 + self.dropout) + self.capped
            result = tape.attention(q, k, v, self.heads, stored=stored, dropped=self.dropout)
            return tape.linear("output", result, width, bias=self.output_bias)

    def _from_latent(self, tape: Tape, x: Value, name: str) -> Value:
        steps, width = x.shape
        whole = self.heads * self.head
        with tape.within(name):
            q = x
            if self.query_latent:
                q = tape.linear("query_latent", x, self.query_latent, bias=self.bias)
                q = tape.norm("query_norm", q, "rms", copies=1)
            q = tape.linear("query", q, whole, bias=False)
            both = tape.linear("latent", x, self.latent + self.turned, bias=self.bias)
            latent = tape.norm("latent_norm", tape.view(both, steps, self.latent), "rms", copies=1)
            made = tape.linear(
                "key_value", latent, self.heads * (self.head - self.turned + self.value_head), bias=False
            )
            k = tape.moved(made, steps, whole, name="rotate")
            v = tape.view(made, steps, self.heads * self.value_head)
            result = tape.attention(
                tape.moved(q, steps, whole, name="rotate"), k, v, self.heads, stored=0, dropped=self.dropout
            )
            return tape.linear("output", result, width, bias=self.output_bias)

    def _gate(self, tape: Tape, x: Value, distances: Value) -> None:
        """Let in scores of distances as far as the values say (WavLM)."""
        steps, _ = x.shape
        gates = tape.linear("gate", tape.view(x, steps * self.heads, self.head), 2 * _GATES)
        gates = tape.activation("sigmoid", tape.mean(gates, steps * self.heads, 2))
        tape.weights("gate_scale", self.heads)
        tape.multiply(distances, tape.moved(gates, self.heads, steps, 1))

    def _normed(self, tape: Tape, name: str, value: Value) -> Value:
        steps, width = value.shape
        heads = tape.norm(name, tape.view(value, steps * width // self.head, self.head), "rms", copies=1)
        return tape.view(heads, steps, width)


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedForward:
    """Sizes of the layers after attention."""

    inner: int
    gated: bool = False
    """A second matrix decides how much of the first passes (Shazeer 2020)."""
    activation: Activation = "gelu"
    bias: bool = True
    experts: int = 0
    """Copies of it, of which each token meets `used`; 0 for one that all tokens meet."""
    used: int = 0
    shared_inner: int = 0
    """Width of one beside the experts that all tokens meet."""
    dropout: bool = False
    """Some of the inner values are left out while training."""

    def over(self, tape: Tape, x: Value) -> Value:
        with tape.within("feed_forward"):
            if not self.experts:
                return self._dense(tape, x, self.inner)
            steps, width = x.shape
            shares = tape.activation("softmax", tape.linear("router", x, self.experts, bias=self.bias))
            chosen = tape.gathered("choose", tape.view(shares, steps, 1), steps * self.used)
            met = tape.gathered("route", x, steps * self.used)
            with tape.within("experts"):
                result = self._dense(tape, met, self.inner, self.experts, self.used)
            result = tape.multiply(result, chosen)
            result = tape.moved(tape.gathered("return", result, steps * self.used), steps, width, name="add_up")
            if self.shared_inner:
                with tape.within("shared"):
                    result = tape.add(result, self._dense(tape, x, self.shared_inner))
            return result

    def _dense(self, tape: Tape, x: Value, inner: int, experts: int = 1, used: int = 1) -> Value:
        width = x.shape[-1]

        def linear(name: str, value: Value, outputs: int) -> Value:
            return tape.linear(name, value, outputs, bias=self.bias, copies=experts, used=used)

        if self.gated:
            gate = tape.activation(self.activation, linear("gate", x, inner))
            hidden = tape.multiply(gate, linear("up", x, inner))
        else:
            hidden = tape.activation(self.activation, linear("up", x, inner))
        return linear("down", tape.dropout(hidden, self.dropout), width)
