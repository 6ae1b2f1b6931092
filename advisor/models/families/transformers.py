"""Transformers over tokens: decoders, encoders, and both together."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.errors import input_error
from advisor.models.families.parts import Attention, FeedForward
from advisor.models.families.stack import Norm, Norms, Stack
from advisor.models.tape import Tape, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoder:
    """A language model: predicts each token from those before it."""

    vocabulary: int
    width: int
    layers: int
    attention: Attention
    feed_forward: FeedForward
    norm: Norm = "rms"
    norms: Norms = "before"
    """The place of normalisation: see stack.Norms."""
    positions: int = 0
    """Learned positions, one for each step up to so many; 0 for those that turn queries and keys."""
    head: bool = True
    """False for a network that gives its last states, as where texts are compared."""
    tied: bool = False
    """The last matrix is the embedding."""
    head_bias: bool = False
    labels: int = 0
    """Outputs of a last layer over each token where there is no head: classes, or the two ends of an answer."""
    label_bias: bool = True
    label_dropout: bool = False
    head_capped: bool = False
    """Its scores go through tanh (Gemma 2)."""
    shift: bool = True
    """The layer norms have shifts beside their weights."""
    parallel: bool = False
    """Attention and feed-forward layers read the same values (Wang and Komatsuzaki 2021)."""
    parallel_norms: bool = False
    """Each of the two normalises them for itself (GPT-NeoX)."""
    first_dense: int = 0
    """The number of first layers without experts; their feed-forward layers have the width `first_inner`."""
    first_inner: int = 0
    dropout: bool = False
    """Some results are left out while training."""
    steps: int = 2048
    """Tokens of the usual example."""

    @property
    def input(self) -> tuple[int, ...]:
        return (self.steps,)

    @property
    def hidden_units(self) -> tuple[int, ...]:
        return self.width, self.feed_forward.inner

    def count(self, tape: Tape, input: tuple[int, ...]) -> None:
        (steps,) = input
        stack = Stack(
            layers=self.layers,
            attention=self.attention,
            feed_forward=self.feed_forward,
            norm=self.norm,
            shift=self.shift,
            norms=self.norms,
            parallel=self.parallel,
            parallel_norms=self.parallel_norms,
            dropout=self.dropout,
            first_dense=self.first_dense,
            first_inner=self.first_inner,
        )
        x = tape.embedding("embedding", tape.tokens(steps), self.vocabulary, self.width)
        if self.positions:
            x = placed(tape, x, self.positions)
        x = stack.over(tape, tape.dropout(x, self.dropout))
        x = stack.normed(tape, "norm", x)
        if self.head:
            scores = tape.linear("head", x, self.vocabulary, bias=self.head_bias, tied=self.tied)
            if self.head_capped:
                tape.activation("tanh", scores)
        elif self.labels:
            tape.linear("score", tape.dropout(x, self.label_dropout), self.labels, bias=self.label_bias)


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoder:
    """A network that reads a whole text at once: each token sees all the others."""

    vocabulary: int
    width: int
    layers: int
    attention: Attention
    feed_forward: FeedForward
    norms: Norms = "after"
    """The place of normalisation: see stack.Norms."""
    shift: bool = True
    """The layer norms have shifts beside their weights."""
    positions: int = 512
    """Learned positions, one for each step up to so many; 0 for those that turn queries and keys."""
    token_types: int = 0
    """Kinds of tokens: of the first text, of the second."""
    pooler: bool = False
    """A layer over the first token follows."""
    masked: bool = False
    """A head follows that scores all tokens of the vocabulary, as for masked ones; its last matrix is the embedding."""
    labels: int = 0
    """Outputs of a last layer over what the pooler gives, or over each token where there is none."""
    dropout: bool = True
    """Some results are left out while training."""
    steps: int = 512
    """Tokens of the usual example."""

    @property
    def input(self) -> tuple[int, ...]:
        return (self.steps,)

    @property
    def hidden_units(self) -> tuple[int, ...]:
        return self.width, self.feed_forward.inner

    def count(self, tape: Tape, input: tuple[int, ...]) -> None:
        (steps,) = input
        before = self.norms == "before"
        stack = Stack(
            layers=self.layers,
            attention=self.attention,
            feed_forward=self.feed_forward,
            norms=self.norms,
            shift=self.shift,
            bare_first=before,
            dropout=self.dropout,
        )
        x = tape.embedding("embedding", tape.tokens(steps), self.vocabulary, self.width)
        if self.positions:
            x = placed(tape, x, self.positions)
        if self.token_types:
            kinds = tape.embedding("token_types", tape.weights("kinds", 0), self.token_types, self.width)
            x = tape.add(x, kinds)
        x = stack.normed(tape, "embedding_norm", x)
        x = stack.over(tape, tape.dropout(x, self.dropout))
        if before:
            x = stack.normed(tape, "norm", x)
        tokens = x
        if self.pooler:
            x = tape.activation("tanh", tape.linear("pooler", tape.view(x, 1, self.width), self.width))
        if self.masked:
            changed = tape.activation("gelu", tape.linear("transform", tokens, self.width))
            tape.linear("head", stack.normed(tape, "head_norm", changed), self.vocabulary, tied=True)
            tape.weights("head_bias", self.vocabulary)
        if self.labels:
            tape.linear("classifier", tape.dropout(x, self.dropout), self.labels)


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderDecoder:
    """A network that reads a text and writes another."""

    vocabulary: int
    width: int
    layers: int
    """Of the encoder, and of the decoder too where `decoder_layers` is 0."""
    attention: Attention
    feed_forward: FeedForward
    decoder_layers: int = 0
    norm: Norm = "layer"
    norms: Norms = "before"
    """The place of normalisation: see stack.Norms."""
    embedding_norm: bool = False
    positions: int = 0
    """Rows of the table of positions on each side, learned or not; 0 where there is none."""
    relative: int = 0
    """Buckets of distances, each with a learned score a head (Raffel et al. 2020)."""
    tied: bool = True
    """The last matrix is the embedding."""
    dropout: bool = True
    """Some results are left out while training."""
    steps: int = 512
    """Tokens that the usual example reads."""
    answer: int = 128
    """Tokens that it writes."""

    @property
    def input(self) -> tuple[int, ...]:
        return (self.steps,)

    @property
    def hidden_units(self) -> tuple[int, ...]:
        return self.width, self.feed_forward.inner

    def count(self, tape: Tape, input: tuple[int, ...]) -> None:
        (steps,) = input
        with tape.within("encoder"):
            memory = self._side(tape, steps, self.layers, None)
        with tape.within("decoder"):
            x = self._side(tape, self.answer, self.decoder_layers or self.layers, memory)
        if self.tied and self.norm == "rms":
            x = tape.moved(x, *x.shape, name="scale")
        tape.linear("head", x, self.vocabulary, bias=False, tied=self.tied)

    def _side(self, tape: Tape, steps: int, layers: int, memory: Value | None) -> Value:
        stack = Stack(
            layers=layers,
            attention=self.attention,
            feed_forward=self.feed_forward,
            norm=self.norm,
            norms=self.norms,
            relative=self.relative,
            dropout=self.dropout,
        )
        x = tape.embedding("embedding", tape.tokens(steps), self.vocabulary, self.width, tied=memory is not None)
        if self.positions:
            x = placed(tape, x, self.positions)
        if self.embedding_norm:
            x = stack.normed(tape, "embedding_norm", x)
        x = stack.over(tape, tape.dropout(x, self.dropout), memory)
        if self.norms == "before":
            x = stack.normed(tape, "norm", x)
            if self.norm == "rms":
                x = tape.dropout(x, self.dropout)
        return x


def placed(tape: Tape, x: Value, rows: int) -> Value:
    """Positions out of a table are added; their numbers are the same for every example.

    Raises InputError for more steps than the table has rows.
    """
    if x.shape[0] > rows:
        what = f"it reads {rows:,} tokens at most, not {x.shape[0]:,}"
        remedy = "State shorter examples (data.sequence_length), or take a network that reads longer ones."
        raise input_error("These examples are too long for the network", what, where="network.model", remedy=remedy)
    return tape.add(x, tape.embedding("positions", tape.weights("numbers", 0), rows, x.shape[-1]))
