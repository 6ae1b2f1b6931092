"""Networks that look at pictures: residual networks, ConvNeXt, vision transformers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from advisor.models.families.parts import Attention, FeedForward
from advisor.models.tape import Tape, Value

_COLORS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ResNet:
    """Residual convolutional network (He et al. 2016), of basic or bottleneck blocks."""

    blocks: tuple[int, ...]
    """Of each stage."""
    bottleneck: bool
    width: int = 64
    """Channels of the first stage; each stage after it has twice as many."""
    group_width: int = 0
    """Channels within a bottleneck of the first stage that see each other (ResNeXt, wide ResNet); 0 for all of `width`."""
    groups: int = 1
    classes: int = 1000
    frames: int = 0
    """Of a film: kernels and strides go along time as well, and nothing is pooled after the stem (R3D, Tran et al. 2018); 0 for
    pictures."""
    side: int = 224

    @property
    def input(self) -> tuple[int, ...]:
        return (_COLORS, *((self.frames,) if self.frames else ()), self.side, self.side)

    @property
    def hidden_units(self) -> tuple[int, ...]:
        return tuple(self.width * 2**stage for stage in range(len(self.blocks)))

    def count(self, tape: Tape, input: tuple[int, ...]) -> None:
        x = self.features(tape, tape.given(*input))[-1]
        tape.linear("head", tape.mean(x, x.shape[0]), self.classes)

    def features(self, tape: Tape, x: Value) -> list[Value]:
        """(channels, places...) -> the results of the stem and of each stage, without the last layer."""
        if self.frames:
            x = convolved(tape, "stem", x, self.width, (3, 7, 7), stride=(1, 2, 2))
            found = [x]
        else:
            x = convolved(tape, "stem", x, self.width, 7, stride=2)
            found = [x]
            x = tape.pooled(x, 3, 2, padding=1)
        for stage, blocks in enumerate(self.blocks):
            for number in range(blocks):
                with tape.within("stages", stage, number):
                    x = self._block(tape, x, self.width * 2**stage, 2 if stage and not number else 1, first=not number)
            found.append(x)
        return found

    def _block(self, tape: Tape, x: Value, width: int, stride: int, *, first: bool) -> Value:
        if self.bottleneck:
            inner = width * (self.group_width or self.width) // self.width * self.groups
            y = convolved(tape, "reduce", x, inner, 1)
            y = convolved(tape, "look", y, inner, 3, stride=stride, groups=self.groups)
            y = convolved(tape, "widen", y, width * 4, 1, active=False)
        else:
            y = convolved(tape, "look", x, width, 3, stride=stride)
            y = convolved(tape, "look_again", y, width, 3, active=False)
        if first and x.shape != y.shape:
            x = convolved(tape, "shortcut", x, y.shape[0], 1, stride=stride, active=False)
        return tape.activation("relu", tape.add(y, x))


def convolved(
    tape: Tape,
    name: str,
    x: Value,
    channels: int,
    kernel: int | Sequence[int],
    *,
    stride: int | Sequence[int] = 1,
    groups: int = 1,
    active: bool = True,
) -> Value:
    """Convolution without shifts, batch normalisation, and ReLU in its place."""
    x = tape.convolution(name, x, channels, kernel, stride=stride, groups=groups, bias=False)
    x = tape.norm(f"{name}_norm", x, "batch")
    return tape.activation("relu", x) if active else x


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvNeXt:
    """Convolutions in the shape of a transformer's blocks (Liu et al. 2022)."""

    blocks: tuple[int, ...]
    widths: tuple[int, ...]
    response_norm: bool = False
    """Channels are normalised by their response instead of scaled (ConvNeXt V2, Woo et al. 2023)."""
    classes: int = 1000
    side: int = 224

    @property
    def input(self) -> tuple[int, ...]:
        return (_COLORS, self.side, self.side)

    @property
    def hidden_units(self) -> tuple[int, ...]:
        return self.widths

    def count(self, tape: Tape, input: tuple[int, ...]) -> None:
        x = tape.convolution("stem", tape.given(*input), self.widths[0], 4, stride=4, padding=0)
        x = _channel_norm(tape, "stem_norm", x)
        for stage, (blocks, width) in enumerate(zip(self.blocks, self.widths, strict=True)):
            if stage:
                with tape.within("stages", stage):
                    x = _channel_norm(tape, "norm", x)
                    x = tape.convolution("halve", x, width, 2, stride=2, padding=0)
            for number in range(blocks):
                with tape.within("stages", stage, number):
                    x = self._block(tape, x, width)
        pooled = tape.mean(x, self.widths[-1])
        tape.linear("head", tape.norm("norm", pooled, "layer"), self.classes)

    def _block(self, tape: Tape, x: Value, width: int) -> Value:
        _, *places = x.shape
        count = x.size // width
        y = tape.convolution("look", x, width, 7, groups=width)
        y = tape.norm("norm", tape.view(y, count, width), "layer")
        y = tape.activation("gelu", tape.linear("widen", y, 4 * width))
        if self.response_norm:
            with tape.within("response"):
                y = tape.scaled("norm", tape.multiply(y, tape.mean(y, 1, 4 * width)), 8 * width)
        y = tape.linear("narrow", y, width)
        y = tape.view(y, width, *places)
        if not self.response_norm:
            y = tape.scaled("scale", y, width)
        return tape.add(x, y)


def _channel_norm(tape: Tape, name: str, x: Value) -> Value:
    channels = x.shape[0]
    normed = tape.norm(name, tape.view(x, x.size // channels, channels), "layer")
    return tape.view(normed, *x.shape)


@dataclass(frozen=True, slots=True, kw_only=True)
class VisionTransformer:
    """A transformer over square patches of a picture (Dosovitskiy et al. 2021)."""

    width: int
    layers: int
    heads: int
    patch: int
    inner: int = 0
    """Of the feed-forward layers; 0 for four times the width."""
    gated: bool = False
    tokens: int = 1
    """Beside the patches: of the class, and registers."""
    positions: bool = True
    """Learned positions; False for those that turn queries and keys."""
    placed_tokens: bool = True
    """The tokens beside the patches have positions too."""
    scale: bool = False
    """Results are scaled channel by channel before they are added (LayerScale)."""
    key_bias: bool = True
    bias: bool = True
    """Of queries, keys and values."""
    first_norm: bool = False
    patch_bias: bool = True
    pooling_head: bool = False
    """A learned query looks at all patches at the end, and a feed-forward part follows (SigLIP)."""
    classes: int = 1000
    """0 for a network that gives the class token or the mean of the patches, without a head."""
    side: int = 224

    @property
    def input(self) -> tuple[int, ...]:
        return (_COLORS, self.side, self.side)

    @property
    def hidden_units(self) -> tuple[int, ...]:
        return self.width, self.inner or 4 * self.width

    def count(self, tape: Tape, input: tuple[int, ...]) -> None:
        x = self.features(tape, tape.given(*input))
        if self.classes:
            tape.linear("head", tape.view(x, self.width), self.classes)

    def features(self, tape: Tape, x: Value) -> Value:
        """(colors, height, width) -> (steps, width): the class token and registers, then the patches."""
        x = tape.convolution("patches", x, self.width, self.patch, stride=self.patch, padding=0, bias=self.patch_bias)
        patches = x.size // self.width
        steps = patches + self.tokens
        x = tape.view(x, patches, self.width)
        if self.tokens:
            x = tape.joined(tape.weights("tokens", self.tokens, self.width), x)
        if self.positions:
            places = steps if self.placed_tokens else patches
            tape.weights("positions", places, self.width)
            x = tape.placed(x, steps, self.width)
        if self.first_norm:
            x = tape.norm("first_norm", x, "layer")
        attention = Attention(
            heads=self.heads,
            head=self.width // self.heads,
            bias=self.bias,
            key_bias=self.key_bias,
            together=self.key_bias,
            rotary=not self.positions,
        )
        forward = FeedForward(
            inner=self.inner or 4 * self.width, gated=self.gated, activation="silu" if self.gated else "gelu"
        )
        for number in range(self.layers):
            with tape.within("layers", number):
                for part, over in (("attention", attention.over), ("feed_forward", forward.over)):
                    y = over(tape, tape.norm(f"{part}_norm", x, "layer"))
                    if self.scale:
                        y = tape.scaled(f"{part}_scale", y, self.width)
                    x = tape.add(x, y)
        x = tape.norm("norm", x, "layer")
        if self.pooling_head:
            with tape.within("pool"):
                pool = Attention(heads=self.heads, head=self.width // self.heads)
                asked = pool.over(tape, tape.weights("probe", 1, self.width), x)
                tape.add(asked, forward.over(tape, tape.norm("norm", asked, "layer")))
        return x
