"""Networks that listen: to the wave itself, to its spectrogram as a picture, or to it as a text to write down."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.models.families.parts import Attention, FeedForward
from advisor.models.families.stack import Norms, Stack
from advisor.models.families.transformers import placed
from advisor.models.tape import Tape, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechEncoder:
    """Convolutions over the samples of a wave, then a transformer (wav2vec 2.0, Baevski et al. 2020)."""

    width: int
    layers: int
    heads: int
    inner: int
    norms: Norms = "after"
    """The place of normalisation: see stack.Norms."""
    channels: tuple[int, ...] = (512, 512, 512, 512, 512, 512, 512)
    """Of each convolution."""
    kernels: tuple[int, ...] = (10, 3, 3, 3, 3, 2, 2)
    strides: tuple[int, ...] = (5, 2, 2, 2, 2, 2, 2)
    every_norm: bool = False
    """Every convolution is followed by a layer norm and has shifts; False where channels are normalised after the first."""
    place_kernel: int = 128
    """Of the convolution that tells places."""
    place_groups: int = 16
    relative: int = 0
    """Buckets of distances with a learned score a head, let in by a gate (WavLM, Chen et al. 2022)."""
    dropout: bool = True
    """Some results are left out while training."""
    samples: int = 160_000
    """Of the usual example: ten seconds at 16 kHz."""

    @property
    def input(self) -> tuple[int, ...]:
        return (self.samples,)

    @property
    def hidden_units(self) -> tuple[int, ...]:
        return self.width, self.inner

    def count(self, tape: Tape, input: tuple[int, ...]) -> None:
        (samples,) = input
        x = self._heard(tape, tape.given(1, samples))
        x = tape.linear("projection", tape.norm("projection_norm", x, "layer"), self.width)
        tape.weights("mask", self.width)
        before = self.norms == "before"
        x = tape.add(x, self._places(tape, x))
        if not before:
            x = tape.norm("norm", x, "layer")
        x = self._stack().over(tape, tape.dropout(x, self.dropout))
        if before:
            tape.norm("norm", x, "layer")

    def _heard(self, tape: Tape, x: Value) -> Value:
        """(1, samples) -> (steps, channels)."""
        for number, sizes in enumerate(zip(self.channels, self.kernels, self.strides, strict=True)):
            channels, kernel, stride = sizes
            with tape.within("convolutions", number):
                x = tape.convolution("look", x, channels, kernel, stride=stride, padding=0, bias=self.every_norm)
                if self.every_norm:
                    x = tape.norm("norm", tape.view(x, x.shape[1], channels), "layer")
                    x = tape.view(x, channels, x.shape[0])
                elif not number:
                    x = tape.norm("norm", x, "group", groups=channels)
                x = tape.activation("gelu", x)
        return tape.view(x, x.shape[1], x.shape[0])

    def _places(self, tape: Tape, x: Value) -> Value:
        steps, width = x.shape
        tape.weights("places.lengths", self.place_kernel)
        y = tape.convolution("places", tape.view(x, width, steps), width, self.place_kernel, groups=self.place_groups)
        return tape.view(tape.activation("gelu", y), steps, width)

    def _stack(self) -> Stack:
        attention = Attention(
            heads=self.heads,
            head=self.width // self.heads,
            stored_scores=bool(self.relative),
            dropout=self.dropout,
        )
        return Stack(
            layers=self.layers,
            attention=attention,
            feed_forward=FeedForward(inner=self.inner),
            norms=self.norms,
            relative=self.relative,
            gated=bool(self.relative),
            dropout=self.dropout,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechWriter:
    """An encoder over a spectrogram and a decoder that writes down what was said (Whisper, Radford et al. 2022)."""

    vocabulary: int
    width: int
    layers: int
    heads: int
    decoder_layers: int = 0
    """Layers of the decoder; 0 for as many as the encoder has."""
    inner: int = 0
    """Of the feed-forward layers; 0 for four times the width."""
    bands: int = 80
    """Of the spectrogram."""
    positions: int = 448
    """Of the answer."""
    frames: int = 3000
    """Of the usual example: thirty seconds."""
    answer: int = 128
    """Tokens that it writes."""

    @property
    def input(self) -> tuple[int, ...]:
        return (self.bands, self.frames)

    @property
    def hidden_units(self) -> tuple[int, ...]:
        return self.width, self.inner or 4 * self.width

    def count(self, tape: Tape, input: tuple[int, ...]) -> None:
        decoder_layers = self.decoder_layers or self.layers
        with tape.within("encoder"):
            x = tape.activation("gelu", tape.convolution("look", tape.given(*input), self.width, 3))
            x = tape.activation("gelu", tape.convolution("halve", x, self.width, 3, stride=2))
            x = tape.view(x, x.shape[1], self.width)
            x = placed(tape, x, x.shape[0])
            stack = self._stack(self.layers)
            memory = stack.normed(tape, "norm", stack.over(tape, x))
        with tape.within("decoder"):
            x = tape.embedding("embedding", tape.tokens(self.answer), self.vocabulary, self.width)
            stack = self._stack(decoder_layers)
            x = stack.over(tape, placed(tape, x, self.positions), memory)
            x = stack.normed(tape, "norm", x)
        tape.linear("head", x, self.vocabulary, bias=False, tied=True)

    def _stack(self, layers: int) -> Stack:
        attention = Attention(heads=self.heads, head=self.width // self.heads, key_bias=False)
        return Stack(layers=layers, attention=attention, feed_forward=FeedForward(inner=self.inner or 4 * self.width))


@dataclass(frozen=True, slots=True, kw_only=True)
class SpectrogramTransformer:
    """A transformer over overlapping patches of a spectrogram (AST, Gong et al. 2021)."""

    width: int
    layers: int
    heads: int
    patch: int = 16
    stride: int = 10
    tokens: int = 2
    """Beside the patches: of the class, and of the teacher."""
    classes: int = 527
    bands: int = 128
    frames: int = 1024
    """Of the usual example: ten seconds."""

    @property
    def input(self) -> tuple[int, ...]:
        return (self.frames, self.bands)

    @property
    def hidden_units(self) -> tuple[int, ...]:
        return self.width, 4 * self.width

    def count(self, tape: Tape, input: tuple[int, ...]) -> None:
        frames, bands = input
        patches = tape.convolution(
            "patches", tape.given(1, bands, frames), self.width, self.patch, stride=self.stride, padding=0
        )
        count = patches.size // self.width
        x = tape.joined(tape.weights("tokens", self.tokens, self.width), tape.view(patches, count, self.width))
        tape.weights("positions", count + self.tokens, self.width)
        x = tape.placed(x, *x.shape)
        stack = Stack(
            layers=self.layers,
            attention=Attention(heads=self.heads, head=self.width // self.heads),
            feed_forward=FeedForward(inner=4 * self.width),
        )
        x = stack.normed(tape, "norm", stack.over(tape, x))
        pooled = tape.mean(x, self.width)
        tape.linear("head", tape.norm("head_norm", pooled, "layer"), self.classes)
