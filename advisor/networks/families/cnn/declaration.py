"""The declaration of the convolutional network."""

from __future__ import annotations

from advisor.models.tape import Tape, Value
from advisor.networks.description import Layout, NetworkSpec, Picture, film_frame, input_picture
from advisor.networks.family import IN_STEPS, Candidates, Family, Module, Units, after_layers, pictures_or_sequences
from advisor.networks.parts import shapes
from advisor.networks.parts.sizes import EMBEDDING_WIDTH, FILM_STEM, LARGE_SIDE


def _count(spec: NetworkSpec, units: Units, tape: Tape, x: Value) -> None:
    layout, frame = pictures_or_sequences(spec), _frame(spec)
    following = shapes.after_layers(tape, spec, _places(layout, frame), dropout=False)
    if layout is Layout.TOKENS:
        x = tape.embedding("embedding", x, spec.inputs, EMBEDDING_WIDTH)
    large = (layout is Layout.PICTURE and min(input_picture(spec).size) >= LARGE_SIDE) or frame is not None
    if frame is not None:
        x = tape.view(x, frame.colors, x.shape[0], *frame.size)
        x = tape.convolution("stem", x, units[0], FILM_STEM, stride=(1, 2, 2))
    elif layout is not Layout.PICTURE:
        x = tape.view(x, *x.shape[::-1])  # channels, then steps
    elif large:
        x = tape.pooled(tape.convolution("stem", x, units[0], 7, stride=2), 3, 2, padding=1)
    for number, after in enumerate(units):
        with tape.within("stages", number):
            if large:
                x = _residual(tape, x, after, 2 if number else 1, following)
                x = _residual(tape, x, after, 1, following)
            else:
                x = following(tape.convolution("convolution", x, after, 3))
                if layout is Layout.PICTURE:
                    x = following(tape.convolution("again", x, after, 3))
                if x.shape[1] > 1:
                    x = tape.pooled(x, 2, 2)
            x = tape.dropout(x, spec.dropout)
    if large:
        x = following(x)
    tape.linear("head", tape.mean(x, units[-1]), spec.outputs)


def _frame(spec: NetworkSpec) -> Picture | None:
    """Of a film, whose pictures are looked at as such, and along time as well."""
    seen = pictures_or_sequences(spec) is Layout.STEPS and spec.modality != "audio"
    return film_frame(spec.inputs, spec.sequence_length) if seen else None


def _places(layout: Layout, frame: Picture | None) -> int:
    """Axes beside that of the channels."""
    return 3 if frame is not None else 2 if layout is Layout.PICTURE else 1


def _residual(tape: Tape, x: Value, after: int, stride: int, following: shapes.Following) -> Value:
    y = tape.convolution("look", following(x), after, 3, stride=stride)
    y = tape.convolution("look_again", following(y), after, 3)
    if y.shape != x.shape:
        x = tape.convolution("shortcut", x, after, 1, stride=stride)
    return tape.add(x, y)


def _build(spec: NetworkSpec, units: Units) -> Module:
    from advisor.networks.families.cnn.network import FilmCnn, PictureCnn, SequenceCnn

    layout, frame = pictures_or_sequences(spec), _frame(spec)
    following = after_layers(spec, _places(layout, frame), dropout=False)
    if frame is not None:
        return FilmCnn(frame.colors, frame.side, units, spec.outputs, following, spec.dropout)
    if layout is Layout.PICTURE:
        shape = input_picture(spec)
        return PictureCnn((shape.colors, *units), shape.size, spec.outputs, following, spec.dropout)
    tokens = layout is Layout.TOKENS
    channels = (EMBEDDING_WIDTH if tokens else spec.inputs, *units)
    steps = spec.sequence_length or 1
    return SequenceCnn(channels, steps, spec.outputs, following, spec.dropout, tokens=spec.inputs if tokens else None)


FAMILIES = (
    Family(
        name="cnn",
        hidden_units=(64, 128, 256),  # channels per stage
        layout=pictures_or_sequences,
        count=_count,
        build=_build,
        candidates=Candidates(place=20, takes=("image", *IN_STEPS), sizes=((32, 64),), always=True),
    ),
)
