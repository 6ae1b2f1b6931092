"""Networks that give every place of a picture or of a volume its class."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from advisor.models.families.pictures import ResNet, convolved
from advisor.models.tape import Tape, Value

_COLORS = 3
_HALVED = 2**5


@dataclass(frozen=True, slots=True, kw_only=True)
class UNet:
    """Stages down and up again, with the values of each stage down joined to those up (Ronneberger et al. 2015).

    Stages of residual blocks, instance normalisation, deep supervision and kernels along each axis are those of nnU-Net
    (Isensee et al. 2021 and 2024).
    """

    widths: tuple[int, ...]
    """Channels of each stage."""
    blocks: tuple[int, ...]
    """Convolutions of each stage on the way down, or residual blocks of two."""
    residual: bool = False
    up_blocks: int = 2
    """Convolutions of each stage on the way up."""
    normalisation: Literal["batch", "instance", "none"] = "batch"
    activation: Literal["relu", "leaky_relu"] = "relu"
    """Works in place."""
    bias: bool = True
    """Of convolutions."""
    pooled: bool = False
    """Between stages, the largest of each window goes on; else the first convolution of a stage has strides."""
    supervised: bool = False
    """Every stage on the way up tells classes while training."""
    kernels: tuple[tuple[int, ...], ...] = ()
    """Of each stage along each axis; empty for 3."""
    strides: tuple[tuple[int, ...], ...] = ()
    """With which each stage is entered, along each axis; empty for 1, then 2."""
    channels: int = 1
    classes: int = 2
    sides: tuple[int, ...] = (128, 128, 128)
    """Of the usual picture (height, width) or volume (depth, height, width)."""

    @property
    def input(self) -> tuple[int, ...]:
        return (self.channels, *self.sides)

    @property
    def hidden_units(self) -> tuple[int, ...]:
        return self.widths

    def count(self, tape: Tape, input: tuple[int, ...]) -> None:
        axes = len(input) - 1
        last = len(self.widths) - 1
        kernels = self.kernels or ((3,) * axes,) * (last + 1)
        strides = self.strides or ((1,) * axes, *((2,) * axes,) * last)
        x = tape.given(*input)
        if self.residual:
            x = self._convolved(tape, "stem", x, self.widths[0], kernels[0])
        skipped = []
        for stage, width in enumerate(self.widths):
            with tape.within("down", stage):
                x = self._down(tape, x, width, self.blocks[stage], kernels[stage], strides[stage])
            skipped.append(x)
        for stage in reversed(range(last)):
            with tape.within("up", stage):
                x = tape.enlarging(
                    "enlarge", x, self.widths[stage], strides[stage + 1], strides[stage + 1], bias=self.bias
                )
                x = tape.joined(x, skipped[stage])
                for number in range(self.up_blocks):
                    x = self._convolved(tape, f"look_{number}", x, self.widths[stage], kernels[stage])
                if self.supervised or not stage:
                    tape.convolution("head", x, self.classes, 1)

    def _down(
        self, tape: Tape, x: Value, width: int, blocks: int, kernel: Sequence[int], stride: Sequence[int]
    ) -> Value:
        if self.pooled:
            x = _pooled(tape, x, stride, largest=True)
            stride = (1,) * len(stride)
        for number in range(blocks):
            step = (1,) * len(stride) if number else stride
            with tape.within(number):
                if self.residual:
                    x = self._block(tape, x, width, kernel, step)
                else:
                    x = self._convolved(tape, "look", x, width, kernel, step)
        return x

    def _block(self, tape: Tape, x: Value, width: int, kernel: Sequence[int], stride: Sequence[int]) -> Value:
        y = self._convolved(tape, "look", x, width, kernel, stride)
        y = self._normed(tape, "look_again", tape.convolution("look_again", y, width, kernel, bias=self.bias))
        before = x.shape[0]
        x = _pooled(tape, x, stride, largest=False)
        if before != width:
            x = self._normed(tape, "shortcut", tape.convolution("shortcut", x, width, 1, bias=False))
        return tape.activation(self.activation, tape.add(y, x), in_place=True)

    def _convolved(
        self, tape: Tape, name: str, x: Value, width: int, kernel: Sequence[int], stride: int | Sequence[int] = 1
    ) -> Value:
        x = tape.convolution(name, x, width, kernel, stride=stride, bias=self.bias)
        return tape.activation(self.activation, self._normed(tape, name, x), in_place=True)

    def _normed(self, tape: Tape, name: str, x: Value) -> Value:
        return x if self.normalisation == "none" else tape.norm(f"{name}_norm", x, self.normalisation)


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderUNet:
    """A residual network for pictures on the way down, whose results of every stage are joined to those of the way up, as
    segmentation_models_pytorch builds it (github.com/qubvel-org/segmentation_models.pytorch, decoders/unet)."""

    blocks: tuple[int, ...]
    """Of each stage on the way down, see ResNet."""
    bottleneck: bool
    up: tuple[int, ...] = (256, 128, 64, 32, 16)
    """Channels of each stage on the way up."""
    classes: int = 1
    side: int = 512

    @property
    def input(self) -> tuple[int, ...]:
        return (_COLORS, self.side, self.side)

    @property
    def hidden_units(self) -> tuple[int, ...]:
        """Channels of the stem and of each stage on the way down."""
        down = self._down.hidden_units
        return (down[0], *(width * (4 if self.bottleneck else 1) for width in down))

    @property
    def _down(self) -> ResNet:
        return ResNet(blocks=self.blocks, bottleneck=self.bottleneck)

    def count(self, tape: Tape, input: tuple[int, ...]) -> None:
        channels, *sides = input
        *skipped, x = self._down.features(tape, tape.given(channels, *map(filled_up, sides)))
        for stage, width in enumerate(self.up):
            with tape.within("up", stage):
                x = tape.moved(x, x.shape[0], *(2 * side for side in x.shape[1:]), name="enlarge")
                if skipped:
                    x = tape.joined(x, skipped.pop())
                x = convolved(tape, "look", x, width, 3)
                x = convolved(tape, "look_again", x, width, 3)
        tape.convolution("head", x, self.classes, 3)


def filled_up(side: int) -> int:
    """Pixels of a side that can be halved five times, to which a smaller one is filled up."""
    return math.ceil(side / _HALVED) * _HALVED


def _pooled(tape: Tape, x: Value, stride: Sequence[int], *, largest: bool) -> Value:
    return x if set(stride) == {1} else tape.pooled(x, stride, stride, largest=largest)
