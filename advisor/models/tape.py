"""A forward pass on shapes alone: each operation adds its weights, its multiply-adds, and what the backward pass will need.

What is kept is what PyTorch's autograd saves for these operations, each storage once however many operations read it:
a linear layer or a convolution its input, ReLU its output, GELU and SiLU their input, a product both factors, attention
without stored scores its queries, keys, values, result and one number a query. tests/models/ compares it with what
autograd really saves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod

from advisor.models.model import Layer

_SAVES_RESULT = frozenset({"relu", "sigmoid", "tanh", "softmax", "exp"})
"""Activations whose derivative follows from their result; that of the others needs their input."""
_WRITTEN_OUT = {"gelu_new": 3, "clamped_silu": 3}
"""Activations that libraries write out in several operations, and the values between that are kept too."""
_LSTM_STEP, _LSTM_ENDS = 15.5, 14
"""Values a unit that the kernel of a processor (oneDNN in PyTorch 2.13) keeps: gates, states and copies of every step, and
the states at both ends."""
_SCORES_WITH_DROPOUT = 3
"""Copies of the scores that attention with dropout keeps where it is written out: before it, after it, and the factors."""
_BAG_INDICES = 3
"""Indices that a sum over rows of a table keeps beside the numbers of these rows."""
_SCAN_PRODUCTS = 3
"""Of each value of a state at each step: it decays, takes in, and is read."""
_INDEX_BYTES = 8
_FIGURE_BYTES = 4
"""Of means, deviations and sums, which are kept in 32 bits."""


class _Storage:
    """Memory that several values may share, and that is kept once."""

    __slots__ = ("kept", "kept_wide", "size", "wide")

    def __init__(self, size: int, *, wide: bool = False) -> None:
        """
        Args:
            wide: it stays in 32 bits where the computation is in 16 (autocast).
        """
        self.size = size
        self.kept = False
        self.wide = wide
        self.kept_wide = False


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """The result of an operation, for one example."""

    shape: tuple[int, ...]
    """(channels, places...) of pictures, (steps, width) of sequences, (width,)"""
    storage: _Storage

    @property
    def size(self) -> int:
        return prod(self.shape)


class Tape:
    """The operations of one forward pass, in their order."""

    def __init__(self, *, processor: bool = False) -> None:
        """
        Args:
            processor: dropout keeps what it keeps on a processor: numbers instead of a byte a value, and in attention the
                scores of all pairs, since the kernel that makes them anew knows no dropout there. On a graphics card it knows
                it, and keeps no more than a seed.
        """
        self.layers: list[Layer] = []
        self._processor = processor
        self._place: tuple[str, ...] = ()
        self._tied = False
        self._frozen = False
        self._forgets = False
        self._more = 0
        """Of the next layer, see Layer.more_in_half."""

    @contextmanager
    def within(self, *names: str | int) -> Iterator[None]:
        """Operations in here belong to a part of the network of this name."""
        before, self._place = self._place, (*self._place, *map(str, names))
        try:
            yield
        finally:
            self._place = before

    @contextmanager
    def tied(self) -> Iterator[None]:
        """Operations in here have the weights of others, which count there."""
        before, self._tied = self._tied, True
        try:
            yield
        finally:
            self._tied = before

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Weights in here learn nothing, so that inputs of linear layers need not wait; those of convolutions do all the same."""
        before, self._frozen = self._frozen, True
        try:
            yield
        finally:
            self._frozen = before

    @contextmanager
    def forgetting(self) -> Iterator[None]:
        """No backward pass goes through the operations in here, and nothing is kept for it."""
        before, self._forgets = self._forgets, True
        try:
            yield
        finally:
            self._forgets = before

    # --- beginnings ------------------------------------------------------------------------------------------------

    def given(self, *shape: int) -> Value:
        """The example itself."""
        return _value(shape, wide=True)

    def tokens(self, steps: int) -> Value:
        """(steps,) numbers of tokens."""
        return _value((steps,))

    def weights(self, name: str, *shape: int) -> Value:
        """Weights that are no operation's: a class token, positions."""
        self._add(name, "weights", shape, parameters=prod(shape))
        value = _value(shape, wide=True)
        value.storage.kept = value.storage.kept_wide = True  # with the network, not with the example
        return value

    def embedding(self, name: str, tokens: Value, rows: int, width: int, *, tied: bool = False) -> Value:
        """(steps,) -> (steps, width): a row of a table for each. Tied, the table is that of another layer."""
        result = _value((*tokens.shape, width), wide=True)
        kept = self._keep_for_weights(tokens) * _INDEX_BYTES
        self._add(
            name,
            "embedding",
            result.shape,
            parameters=0 if tied else rows * width,
            kept_bytes=kept,
            moved=2 * result.size,
        )
        return result

    def table(self, name: str, rows: int, width: int, looked: int) -> Value:
        """(width,): the sum of as many rows of a large table as an example looks up."""
        result = _value((width,))
        self._add(
            name,
            "table",
            result.shape,
            parameters=rows * width,
            active=min(looked, rows) * width,
            kept_bytes=(looked + _BAG_INDICES) * _INDEX_BYTES,
            moved=(looked + 1) * width,
        )
        return result

    # --- with weights ----------------------------------------------------------------------------------------------

    def linear(
        self,
        name: str,
        x: Value,
        outputs: int,
        *,
        bias: bool = True,
        tied: bool = False,
        copies: int = 1,
        used: int = 1,
    ) -> Value:
        """(..., inputs) -> (..., outputs).

        Args:
            tied: the weights are those of another layer, such as the embedding.
            copies: how many layers of this size there are, among experts.
            used: how many of them a token meets.
        """
        inputs = x.shape[-1]
        result = _value((*x.shape[:-1], outputs))
        weights = inputs * outputs + outputs * bias
        self._add(
            name,
            "linear",
            result.shape,
            parameters=0 if tied else weights * copies,
            active=0 if tied else weights * used,
            multiply_adds=x.size * outputs,
            kept=0 if self._frozen else self._keep(x, rounded=True),
            moved=x.size + result.size,
        )
        return result

    def convolution(
        self,
        name: str,
        x: Value,
        channels: int,
        kernel: int | Sequence[int],
        *,
        stride: int | Sequence[int] = 1,
        padding: int | Sequence[int] | None = None,
        groups: int = 1,
        bias: bool = True,
        dilation: int = 1,
    ) -> Value:
        """(before, places...) -> (channels, places...), with as many axes of places as the value has.

        Args:
            padding: of each side; half the kernel where none is said, so that a stride of 1 keeps the places.
        """
        before, *places = x.shape
        kernels, strides = _each(kernel, places), _each(stride, places)
        paddings = _each(padding, places) if padding is not None else [dilation * (size // 2) for size in kernels]
        after = [
            (place + 2 * pad - dilation * (size - 1) - 1) // step + 1
            for place, size, step, pad in zip(places, kernels, strides, paddings, strict=True)
        ]
        taps = prod(kernels)
        result = _value((channels, *after))
        self._add(
            name,
            "convolution",
            result.shape,
            parameters=channels * before // groups * taps + channels * bias,
            multiply_adds=result.size * before // groups * taps,
            kept=self._keep(x, rounded=True),
            moved=x.size + result.size,
        )
        return result

    def enlarging(
        self,
        name: str,
        x: Value,
        channels: int,
        kernel: int | Sequence[int],
        stride: int | Sequence[int],
        *,
        bias: bool = True,
    ) -> Value:
        """A transposed convolution, padded so that (before, places...) -> (channels, places * stride...)."""
        before, *places = x.shape
        kernels, strides = _each(kernel, places), _each(stride, places)
        taps = prod(kernels)
        result = _value((channels, *(place * step for place, step in zip(places, strides, strict=True))))
        self._add(
            name,
            "convolution",
            result.shape,
            parameters=channels * before * taps + channels * bias,
            multiply_adds=x.size * channels * taps,
            kept=self._keep(x, rounded=True),
            moved=x.size + result.size,
        )
        return result

    def norm(
        self,
        name: str,
        x: Value,
        kind: str,
        *,
        groups: int = 1,
        weighted: bool = True,
        shift: bool = True,
        copies: int = 0,
    ) -> Value:
        """Normalisation of the same shape.

        Args:
            kind: batch, group and instance (weights and shifts a channel), layer (of the last axis), rms (weights of it).
            shift: False for weights alone.
            copies: values between that are kept too where it is written out in several operations.
        """
        by_channel = kind in ("batch", "group", "instance")
        width = x.shape[0] if by_channel else x.shape[-1]
        rows = x.size // width
        figures = {"batch": 0, "group": 2 * groups, "instance": 3 * width, "rms": rows, "layer": 2 * rows}[kind]
        in_full = kind in ("layer", "rms") or (kind == "group" and not self._processor)  # as autocast has it
        wide = x.storage.wide or (in_full and not self._processor)
        result = _value(x.shape, wide=wide)
        kept = self._keep(x, widened=wide) + copies * x.size
        self._more += copies * x.size * wide
        self._add(
            name,
            f"{kind}_norm",
            x.shape,
            parameters=(2 * width if shift and kind != "rms" else width) * weighted,
            kept=kept,
            kept_bytes=figures * _FIGURE_BYTES,
            moved=2 * x.size,
        )
        return result

    def scaled(self, name: str, x: Value, weights: int) -> Value:
        """Multiplied by so many learned weights."""
        result = _value(x.shape, wide=True)
        self._add(name, "scale", x.shape, parameters=weights, kept=self._keep_for_weights(x), moved=2 * x.size)
        return result

    def lstm(self, name: str, x: Value, units: int) -> Value:
        """(steps, inputs) -> (steps, units), by four gates (Hochreiter and Schmidhuber 1997), with two shifts each.

        What its kernel keeps for itself was measured on a processor; that of a GPU keeps another number of values.
        """
        result = _value((x.shape[0], units))
        own = int((_LSTM_STEP * x.shape[0] + _LSTM_ENDS) * units)
        self._recurrent(name, x, result, 4, self._keep(x) + self._keep(result) + own)
        return result

    def rnn(self, name: str, x: Value, units: int) -> Value:
        """(steps, inputs) -> (steps, units), by one squashed sum a step (Elman 1990), with two shifts.

        PyTorch computes it step by step: a copy of the input is kept, and each step's result beside all of them together.
        """
        result = _value((x.shape[0], units))
        self._recurrent(name, x, result, 1, x.size + result.size + units)
        return result

    def _recurrent(self, name: str, x: Value, result: Value, gates: int, kept: int) -> None:
        inputs, (steps, units) = x.shape[1], result.shape
        weights = gates * (inputs * units + units * units)
        self._add(
            name,
            "recurrent",
            result.shape,
            parameters=weights + gates * 2 * units,
            multiply_adds=weights * steps,
            kept=kept,
            moved=x.size + result.size,
        )

    # --- without weights -------------------------------------------------------------------------------------------

    def activation(self, kind: str, x: Value, *, in_place: bool = False) -> Value:
        """Of the same shape, but for a gated linear unit (glu), which gives half of the channels.

        In place, the derivative follows from the result, since there is nothing else (leaky ReLU).
        """
        result = _value((x.shape[0] // 2, *x.shape[1:]) if kind == "glu" else x.shape, wide=x.storage.wide)
        saved = result if in_place or kind in _SAVES_RESULT else x
        kept = self._keep(saved) + _WRITTEN_OUT.get(kind, 0) * x.size
        self._add(kind, "activation", result.shape, kept=kept, moved=x.size + result.size)
        return result

    def add(self, *values: Value) -> Value:
        """The sum; nothing is kept."""
        result = _value(values[0].shape, wide=any(value.storage.wide for value in values))
        self._add("add", "add", result.shape, moved=(len(values) + 1) * result.size)
        return result

    def multiply(self, one: Value, other: Value) -> Value:
        """The product; both are kept. The second may have axes of 1."""
        result = _value(one.shape, wide=one.storage.wide or other.storage.wide)
        kept = self._keep(one) + self._keep(other)
        self._add("multiply", "multiply", result.shape, kept=kept, moved=one.size + other.size + result.size)
        return result

    def products(self, name: str, one: Value, other: Value, heads: int = 1) -> Value:
        """(rows, width), (others, width) -> (heads, rows, others): the products of all pairs, by head."""
        rows, others = one.shape[0], other.shape[0]
        result = _value((heads, rows, others))
        kept = self._keep(one) + self._keep(other)
        moved = one.size + other.size + result.size
        self._add(name, "products", result.shape, multiply_adds=others * one.size, kept=kept, moved=moved)
        return result

    def attention(self, q: Value, k: Value, v: Value, heads: int, *, stored: int = 0, dropped: bool = False) -> Value:
        """(queries, width), (keys, width of keys), (keys, width of values) -> (queries, heads * width of a head's value).

        Keys and values may have fewer heads than queries. All pairs count as multiply-adds, whether or not a mask leaves
        half of them out.

        Args:
            stored: so many copies of the scores of all pairs are kept; 0 for a kernel that makes them anew.
            dropped: some of the scores are left out; of stored ones it is kept which, of others see `Tape`.
        """
        queries, width = q.shape
        keys = k.shape[0]
        head, value_head = width // heads, v.shape[1] * width // heads // k.shape[1]
        result = _value((queries, heads * value_head))
        pairs, kept_bytes = heads * queries * keys, 0
        if not stored and dropped and self._processor:
            scaled = q.size + k.size  # kept in their own stead
            values = self._keep(v)
            kept = scaled + values + _SCORES_WITH_DROPOUT * pairs
            self._more += scaled + _SCORES_WITH_DROPOUT * pairs + 2 * v.size - values  # of 16 bits all are copied in 32
        elif stored:
            numbers = dropped and self._processor  # that tell which were left out, in place of bytes
            kept = self._keep(q) + self._keep(k) + self._keep(v) + (stored + numbers) * pairs
            kept_bytes = 0 if numbers else pairs * dropped
        else:
            kept = self._keep(q) + self._keep(k) + self._keep(v) + self._keep(result)
            kept_bytes = heads * queries * _FIGURE_BYTES
        self._add(
            "attention",
            "attention",
            result.shape,
            multiply_adds=pairs * (head + value_head),
            kept=kept,
            kept_bytes=kept_bytes,
            moved=q.size + k.size + v.size + result.size,
        )
        return result

    def scan(self, name: str, x: Value, *others: Value, state: int) -> Value:
        """(steps, width) -> the same: for each value a state of so many, which decays, takes in and is read at each step.

        A kernel keeps what goes in, and makes the states anew in the backward pass.
        """
        result = _value(x.shape, wide=x.storage.wide)
        kept = sum(self._keep(value) for value in (x, *others))
        moved = sum(value.size for value in (x, *others)) + result.size
        self._add(name, "scan", result.shape, multiply_adds=_SCAN_PRODUCTS * x.size * state, kept=kept, moved=moved)
        return result

    def pooled(
        self,
        x: Value,
        kernel: int | Sequence[int],
        stride: int | Sequence[int],
        *,
        padding: int = 0,
        largest: bool = True,
    ) -> Value:
        """(channels, places...) -> the same with fewer places: the largest of each window, or the mean."""
        channels, *places = x.shape
        windows = zip(places, _each(kernel, places), _each(stride, places), strict=True)
        shape = (channels, *((place + 2 * padding - size) // step + 1 for place, size, step in windows))
        result = _value(shape, wide=x.storage.wide)
        indices = result.size * _INDEX_BYTES if largest else 0
        self._add("pool", "pool", result.shape, kept=self._keep(x), kept_bytes=indices, moved=x.size + result.size)
        return result

    def mean(self, x: Value, *shape: int) -> Value:
        """The mean over some axes, with this shape left; nothing is kept."""
        result = _value(shape, wide=x.storage.wide)
        self._add("mean", "pool", result.shape, moved=x.size + result.size)
        return result

    def moved(self, x: Value, *shape: int, name: str = "copy") -> Value:
        """The same values (or as many of them as the shape says) in other places; nothing is kept."""
        result = _value(shape, wide=x.storage.wide)
        self._add(name, "copy", result.shape, moved=x.size + result.size)
        return result

    def placed(self, x: Value, *shape: int) -> Value:
        """With learned weights of each place added, of this shape; nothing is kept."""
        result = _value(shape, wide=True)
        self._add("place", "copy", result.shape, moved=x.size + result.size)
        return result

    def gathered(self, name: str, x: Value, rows: int, *, numbers: int = 1) -> Value:
        """(steps, width) -> (rows, width): rows of it by their numbers, one or several each, which are kept."""
        result = _value((rows, *x.shape[1:]), wide=x.storage.wide)
        self._add(name, "copy", result.shape, kept_bytes=rows * numbers * _INDEX_BYTES, moved=2 * result.size)
        return result

    def joined(self, *values: Value, axis: int = 0) -> Value:
        """One after the other along an axis; nothing is kept."""
        shape = list(values[0].shape)
        shape[axis] = sum(value.shape[axis] for value in values)
        result = _value(tuple(shape), wide=any(value.storage.wide for value in values))
        self._add("join", "copy", result.shape, moved=2 * result.size)
        return result

    @staticmethod
    def view(x: Value, *shape: int) -> Value:
        """The same memory in another shape, or a part of it; keeping it keeps all."""
        return Value(shape, x.storage)

    def dropout(self, x: Value, applied: float) -> Value:
        """Leave out a share, if it is applied; a byte a value is kept, which tells the ones left out, or see `Tape`."""
        if not applied:
            return x
        result = _value(x.shape, wide=x.storage.wide)
        kept = {"kept": x.size} if self._processor else {"kept_bytes": x.size}
        self._more += x.size if self._processor and x.storage.wide else 0
        self._add("dropout", "dropout", x.shape, moved=2 * x.size, **kept)
        return result

    # --- the book --------------------------------------------------------------------------------------------------

    def _keep(self, value: Value, *, rounded: bool = False, widened: bool = False) -> int:
        """The number of values that are kept and were not before.

        Args:
            rounded: in 16 bits a copy of values in 32 is kept, one for each operation that reads them.
            widened: in 16 bits a copy in 32 is kept.
        """
        if self._forgets:
            return 0
        storage, size = value.storage, value.storage.size
        new = 0 if storage.kept else size
        storage.kept = True
        if storage.wide and rounded:
            self._more += size - new
        elif (storage.wide or widened) and not storage.kept_wide:
            storage.kept_wide = True
            self._more += 2 * size - new
        return new

    def _keep_for_weights(self, value: Value) -> int:
        """The same, of what only the gradient of weights needs."""
        return 0 if self._frozen else self._keep(value)

    def _add(self, name: str, kind: str, shape: tuple[int, ...], *, active: int | None = None, **counts: int) -> None:
        counts["active"] = counts.get("parameters", 0) if active is None else active
        if self._tied:
            counts["parameters"] = counts["active"] = 0
        if self._forgets:
            counts["kept"] = counts["kept_bytes"] = 0
        else:
            counts["more_in_half"] = self._more
        self._more = 0
        self.layers.append(Layer(".".join((*self._place, name)), kind, shape, **counts))


def _value(shape: tuple[int, ...], *, wide: bool = False) -> Value:
    return Value(shape, _Storage(prod(shape), wide=wide))


def _each(said: int | Sequence[int], places: list[int]) -> list[int]:
    return [said] * len(places) if isinstance(said, int) else list(said)
