"""Layers of a transformer, one on the other, as decoders, encoders and both together have them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from advisor.models.families.parts import Attention, FeedForward
from advisor.models.tape import Tape, Value

Norm = Literal["rms", "layer"]
Norms = Literal["before", "after", "result", "both"]
"""The place of normalisation: before a part, after its result was added, its result alone, or before it and its result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """Sizes of so many layers of attention and feed-forward parts."""

    layers: int
    attention: Attention
    feed_forward: FeedForward
    norm: Norm = "layer"
    shift: bool = True
    """The layer norms have shifts beside their weights."""
    norms: Norms = "before"
    bare_first: bool = False
    """The first attention reads values that were normalised just before."""
    parallel: bool = False
    """Attention and feed-forward parts read the same values."""
    parallel_norms: bool = False
    """Each of the two normalises them for itself."""
    relative: int = 0
    """Buckets of distances, each with a learned score a head, which all layers share."""
    gated: bool = False
    """Gates let these scores in."""
    dropout: bool = False
    """Some results are left out while training."""
    first_dense: int = 0
    """The number of first layers without experts; their feed-forward parts have the width `first_inner`."""
    first_inner: int = 0

    def over(self, tape: Tape, x: Value, memory: Value | None = None) -> Value:
        """(steps, width) -> the same. With a memory, each layer looks at that too."""
        distances = None
        if self.relative:
            scores = tape.weights("distances", self.relative, self.attention.heads)
            if self.gated:
                steps = x.shape[0]
                distances = tape.moved(scores, self.attention.heads, steps, steps, name="spread")
        for number in range(self.layers):
            with tape.within("layers", number):
                x = self._layer(tape, x, memory, number, distances)
        return x

    def normed(self, tape: Tape, name: str, x: Value) -> Value:
        """RMS normalisation is written out in libraries of models: the value before its weights is kept as well."""
        return tape.norm(name, x, self.norm, shift=self.shift, copies=1 if self.norm == "rms" else 0)

    def _layer(self, tape: Tape, x: Value, memory: Value | None, number: int, distances: Value | None) -> Value:
        forward = self.feed_forward
        if number < self.first_dense:
            forward = replace(forward, inner=self.first_inner, experts=0, used=0, shared_inner=0)

        def attend(seen: Value) -> Value:
            return self.attention.over(tape, seen, distances=distances)

        def remember(seen: Value) -> Value:
            return self.attention.over(tape, seen, memory, name="memory")

        def feed(seen: Value) -> Value:
            return forward.over(tape, seen)

        if self.parallel:
            return self._together(tape, x, attend, feed)
        x = self._added(tape, x, "attention", attend, bare=self.bare_first and not number)
        if memory is not None:
            x = self._added(tape, x, "memory", remember)
        return self._added(tape, x, "feed_forward", feed)

    def _together(
        self, tape: Tape, x: Value, attend: Callable[[Value], Value], feed: Callable[[Value], Value]
    ) -> Value:
        seen = self.normed(tape, "attention_norm", x)
        again = self.normed(tape, "feed_forward_norm", x) if self.parallel_norms else seen
        return tape.add(x, tape.dropout(attend(seen), self.dropout), tape.dropout(feed(again), self.dropout))

    def _added(self, tape: Tape, x: Value, name: str, over: Callable[[Value], Value], *, bare: bool = False) -> Value:
        before = self.norms in ("before", "both") and not bare
        result = over(self.normed(tape, f"{name}_norm", x) if before else x)
        if self.norms in ("result", "both"):
            result = self.normed(tape, f"{name}_result_norm", result)
        x = tape.add(x, tape.dropout(result, self.dropout))
        return self.normed(tape, f"{name}_norm", x) if self.norms == "after" else x
