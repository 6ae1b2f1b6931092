"""The declaration of the transformer."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import Literal

from advisor.models.families.parts import Attention, FeedForward
from advisor.models.families.stack import Stack
from advisor.models.tape import Tape, Value
from advisor.networks.description import Layout, NetworkSpec, UnbuildableError, every_token, film_frame, input_picture
from advisor.networks.family import IN_STEPS, Candidates, Family, Module, Units, activation, pictures, sequences

PATCHES_A_SIDE = 16
"""Pictures are cut into at most 16 x 16 patches."""
PIXELS_A_TUBE = 16
"""Along a side, where they divide it (Tong et al. 2022)."""
_LEAST_WAVE = 3200
"""Samples, ten steps at least."""
WAVE_CHANNELS = 512
WAVE_KERNELS = (10, 3, 3, 3, 3, 2, 2)
WAVE_STRIDES = (5, 2, 2, 2, 2, 2, 2)
"""Of the convolutions of wav2vec 2.0 (Baevski et al. 2020, section 4.2)."""
_WIDTH_OF_A_HEAD = 64
_WIDE_HEADS, _WIDTH_OF_A_WIDE_HEAD = 3072, 128
_KEY_HEADS = 8
"""Of keys and values in gated layers, as in Llama 3 of any size (Grattafiori et al. 2024, table 3)."""
_LEAST_UNTIED = 4096
"""Units from which the last matrix is one of its own, as in Llama 3 (3.2 with fewer units ties it)."""
_DEEPER: dict[Units, int] = {(5120, 25600): 64}
"""Widths of which the second tells a network with more layers from another: Qwen3 32B from Qwen2.5 14B."""
_LAYERS = (
    (16384, 126),
    (12288, 96),
    (8192, 80),
    (5120, 48),
    (4096, 32),
    (3072, 28),
    (2048, 16),
    (1024, 24),
    (768, 12),
    (512, 6),
    (0, 4),
)


class Reading(StrEnum):
    """The way in which steps of values become those that attend to each other."""

    STEPS = "steps"
    """Each for itself."""
    TUBES = "tubes"
    WAVE = "wave"
    SPECTROGRAM = "spectrogram"


def reading(values: int, steps: int, *, sound: bool) -> Reading:
    """The way that suits so many values a step, and so many steps."""
    if sound and values > 2:
        return Reading.SPECTROGRAM
    if sound and steps >= _LEAST_WAVE:
        return Reading.WAVE
    return Reading.STEPS if sound or film_frame(values, steps) is None else Reading.TUBES


def tube_size(side: int) -> int:
    """Pixels along a side of a tube in frames so many pixels wide."""
    return PIXELS_A_TUBE if side % PIXELS_A_TUBE == 0 else patch_size(side)


def layers_for(units: Units) -> int:
    """The number of layers that goes with the widths, as in well-known models.

    512 and 6: Vaswani et al. 2017; 768 and 12, 1024 and 24: Devlin et al. 2019 (arXiv:1810.04805), table in section 3;
    4096 and 32, 12288 and 96: Brown et al. 2020 (arXiv:2005.14165), table 2.1; 2048 and 16, 3072 and 28: Llama 3.2; 5120 and
    48: Qwen2.5 14B; 8192 and 80, 16384 and 126: Grattafiori et al. 2024 (arXiv:2407.21783), table 3. Four below that is our
    choice.
    """
    return _DEEPER.get(units[:2]) or next(layers for least, layers in _LAYERS if units[0] >= least)


def heads(width: int) -> int:
    """One attention head for every 64 units, of wide networks for every 128 (the same models), or the largest number that
    divides an odd width."""
    return math.gcd(width, max(1, width // (_WIDTH_OF_A_HEAD if width < _WIDE_HEADS else _WIDTH_OF_A_WIDE_HEAD)))


def key_heads(width: int, normalization: str) -> int | None:
    """Heads of keys and values, which others share, in layers as large language models have them: those with RMSNorm."""
    return math.gcd(heads(width), _KEY_HEADS) if normalization == "rms_norm" else None


def patch_size(side: int) -> int:
    """Pixels along a patch of a picture so many pixels wide."""
    least = math.ceil(side / PATCHES_A_SIDE)
    return next(size for size in range(least, side + 1) if side % size == 0)


def wider(units: Units) -> int:
    """Units between the two linear layers of each encoder layer."""
    return units[1] if len(units) > 1 else 4 * units[0]


def _layout(spec: NetworkSpec) -> Layout:
    return pictures(spec) if spec.modality == "image" else sequences(spec)


def _check(spec: NetworkSpec, units: Units) -> None:
    if len(units) > 2:
        raise UnbuildableError("The hidden units of a transformer are its width and that of its feed-forward layers.")


def _count(spec: NetworkSpec, units: Units, tape: Tape, x: Value) -> None:
    width = units[0]
    match _layout(spec):
        case Layout.PICTURE:
            size = patch_size(x.shape[1])
            x = tape.convolution("patches", x, width, size, stride=size, padding=0)
            x = tape.view(x, x.size // width, width)
        case Layout.TOKENS:
            x = tape.embedding("embedding", x, spec.inputs, width)
        case _:
            x = _read(tape, x, width, spec)
    shared = key_heads(width, spec.normalization)
    if shared is None:
        tape.weights("positions", *x.shape)
        x = tape.placed(x, *x.shape)
        stack = _usual(spec, units)
    else:
        stack = _gated(spec, units, shared)
    x = stack.normed(tape, "norm", stack.over(tape, x))
    same = tied(width, writes=every_token(spec))
    answering = x if every_token(spec) else tape.mean(x, width)
    tape.linear("head", answering, spec.outputs, bias=shared is None and not same, tied=same)


def tied(width: int, *, writes: bool) -> bool:
    """True where the embedding is the last matrix as well, as in GPT-2 and its kind: tokens are answered with tokens."""
    return writes and width < _LEAST_UNTIED


def _usual(spec: NetworkSpec, units: Units) -> Stack:
    width, dropout = units[0], spec.dropout > 0
    return Stack(
        layers=layers_for(units),
        attention=Attention(heads=heads(width), head=width // heads(width), together=True, dropout=dropout),
        feed_forward=FeedForward(inner=wider(units), activation=_activation(spec), dropout=dropout),
        dropout=dropout,
    )


def _gated(spec: NetworkSpec, units: Units, shared: int) -> Stack:
    width, dropout = units[0], spec.dropout > 0
    return Stack(
        layers=layers_for(units),
        attention=Attention(
            heads=heads(width),
            head=width // heads(width),
            key_heads=shared,
            bias=False,
            output_bias=False,
            rotary=True,
            dropout=dropout,
        ),
        feed_forward=FeedForward(
            inner=wider(units), gated=True, activation=_activation(spec), bias=False, dropout=dropout
        ),
        norm="rms",
        dropout=dropout,
    )


def _read(tape: Tape, x: Value, width: int, spec: NetworkSpec) -> Value:
    """(steps, values) -> (steps, width), with fewer steps of films and sounds."""
    steps, values = x.shape
    match reading(values, steps, sound=spec.modality == "audio"):
        case Reading.TUBES:
            frame = input_picture(spec)
            size = (2, *[tube_size(frame.side)] * 2)
            film = tape.moved(x, frame.colors, steps, *frame.size, name="turn")
            x = tape.convolution("tubes", film, width, size, stride=size, padding=0)
        case Reading.WAVE:
            x = tape.view(x, values, steps)
            for number, (kernel, stride) in enumerate(zip(WAVE_KERNELS, WAVE_STRIDES, strict=True)):
                with tape.within("reader", number):
                    x = tape.convolution("look", x, WAVE_CHANNELS, kernel, stride=stride, padding=0, bias=False)
                    if not number:
                        x = tape.norm("norm", x, "group", groups=WAVE_CHANNELS)
                    x = tape.activation("gelu", x)
            x = tape.norm("reader_norm", tape.view(x, x.shape[1], WAVE_CHANNELS), "layer")
            return tape.linear("reader", x, width)
        case Reading.SPECTROGRAM:
            x = tape.activation("gelu", tape.convolution("look", tape.view(x, values, steps), width, 3))
            x = tape.activation("gelu", tape.convolution("halve", x, width, 3, stride=2))
        case _:
            return tape.linear("reader", x, width)
    return tape.view(x, x.size // width, width)


def _activation(spec: NetworkSpec) -> Literal["gelu", "silu", "relu"]:
    if spec.activation == "swish":
        return "silu"
    return "gelu" if spec.activation == "gelu" else "relu"


def _build(spec: NetworkSpec, units: Units) -> Module:
    from torch import nn

    from advisor.networks.families.transformer.network import Patches, Spectrogram, Transformer, Tubes, Wave

    width, steps = units[0], spec.sequence_length or 1
    match _layout(spec):
        case Layout.PICTURE:
            shape = input_picture(spec)
            size = patch_size(shape.side)
            steps = (shape.side // size) ** 2
            reader: Module = Patches(shape.colors, width, size)
        case Layout.TOKENS:
            reader = nn.Embedding(spec.inputs, width)
        case _:
            match reading(spec.inputs, steps, sound=spec.modality == "audio"):
                case Reading.TUBES:
                    frame = input_picture(spec)
                    reader = tubes = Tubes(frame.colors, frame.side, width, tube_size(frame.side))
                    steps = tubes.places(steps)
                case Reading.WAVE:
                    reader = wave = Wave(spec.inputs, width, WAVE_CHANNELS, WAVE_KERNELS, WAVE_STRIDES)
                    steps = wave.places(steps)
                case Reading.SPECTROGRAM:
                    reader = spectrogram = Spectrogram(spec.inputs, width)
                    steps = spectrogram.places(steps)
                case _:
                    reader = nn.Linear(spec.inputs, width)
    return Transformer(
        reader,
        steps,
        width,
        wider(units),
        heads(width),
        layers_for(units),
        spec.outputs,
        activation({"silu": "swish"}.get(used := _activation(spec), used)),
        every_step=every_token(spec),
        causal=every_token(spec),
        dropout=spec.dropout,
        tied=tied(width, writes=every_token(spec)),
        key_heads=key_heads(width, spec.normalization),
    )


FAMILIES = (
    Family(
        name="transformer",
        hidden_units=(256, 1024),  # the width of a step, and that of the feed-forward layers
        layout=_layout,
        count=_count,
        build=_build,
        check=_check,
        predicts_tokens=True,
        candidates=Candidates(place=50, takes=("image", *IN_STEPS), sizes=((64, 128),)),
        init_deviation=0.02,
        normalizations=("none", "rms_norm"),
        own_normalization="layer_norm",
        dropout=0.1,
    ),
)
