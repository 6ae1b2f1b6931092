"""Examples turned into numbers that models take, with scales, categories and words fitted to the training rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy
import polars
from numpy.typing import NDArray

from advisor.datasets.dataset import Examples, Task
from advisor.datasets.preparing.encoded import Encoded, Floats, Rows, Scaled
from advisor.datasets.preparing.encoded_table import EncodedTable
from advisor.datasets.preparing.tokens import EncodedTexts
from advisor.datasets.values.words import tokens_of


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes that a network is built for."""

    inputs: int
    """Of a table the columns after encoding, of a picture colours * side * side, of a series the values of one step, of
    texts the number of tokens."""
    sequence_length: int | None
    """Steps of a series, sound or text."""
    outputs: int
    """Classes, or numbers to predict; as many as inputs where there are no targets and examples are to be produced."""
    flat_values: int
    """Width of `Preparation.flat`: the inputs of a network that takes no structure."""


@dataclass(frozen=True, slots=True)
class TargetScale:
    """Mean and standard deviation of each number to predict, of the training rows; float64 (outputs,)."""

    mean: NDArray[numpy.float64]
    deviation: NDArray[numpy.float64]


@dataclass(frozen=True, slots=True)
class Preparation:
    """Examples and the way they become numbers, which `fit` finds; this is all that differs between two splits.

    The fit depends on its rows and on nothing else, so that no test row leaks into training.
    """

    examples: Examples
    encode: Callable[[Rows], Encoded]
    encoded: Encoded | None = None
    scale: TargetScale | None = None

    def fit(self, rows: Rows) -> Preparation:
        """Fit the preparation to these rows: medians, scales, categories, words, and the scale of the targets."""
        numeric = self.examples.task is not Task.CLASSIFY
        return replace(
            self, encoded=self.encode(rows), scale=_target_scale(self.examples.targets[rows]) if numeric else None
        )

    def flat(self, rows: Rows) -> Floats:
        """(n, values): every example in one row, scaled; texts as weighted counts of words (TF-IDF)."""
        return self._fitted.flat(rows)

    def structured(self, rows: Rows) -> NDArray[Any]:
        """Examples as a network takes them.

        Tables as `flat`; pictures float32 (n, colours, side, side); series and sounds float32 (n, steps, values); texts
        int64 (n, steps) of token numbers, 0 for padding, which comes first, and 1 for an unknown word.
        """
        return self._fitted.structured(rows)

    def coded(self, rows: Rows) -> tuple[NDArray[numpy.float64], list[bool]] | None:
        """(n, values) for trees that split categories themselves, and which columns are categories; numbers as they are, NaN
        where one is missing. None of what is no table."""
        return self._fitted.coded(rows)

    def targets(self, rows: Rows) -> NDArray[Any]:
        """Numbers of classes, int64 (n,), or numbers of mean 0 and deviation 1 over the training, float32 (n, outputs)."""
        targets = self.examples.targets[rows]
        if self.scale is None:
            return targets
        # A glitch among the test may be more deviations from the training than fit.
        most = numpy.finfo(numpy.float32).max
        return numpy.clip((targets - self.scale.mean) / self.scale.deviation, -most, most).astype(numpy.float32)

    def restore(self, predictions: NDArray[Any]) -> NDArray[Any]:
        """Predicted numbers, (n, outputs) or (n,) of one output, in the units of the data, float64. Classes as they are."""
        if self.scale is None:
            return predictions
        return predictions.astype(numpy.float64) * self.scale.deviation + self.scale.mean

    @property
    def outputs(self) -> int:
        """As of its shape, which takes longer to find out."""
        if self.examples.task is Task.CLASSIFY:
            return len(self.examples.classes)
        return self.examples.targets.shape[1] or self._fitted.inputs

    @property
    def shape(self) -> Shape:
        encoded = self._fitted
        return Shape(encoded.inputs, encoded.sequence_length, self.outputs, encoded.flat_values)

    @property
    def _fitted(self) -> Encoded:
        if self.encoded is None:
            raise RuntimeError("a preparation is fitted to training rows before it is used")
        return self.encoded


def preparation(examples: Examples) -> Preparation:
    """The preparation that suits these examples, not fitted yet."""
    inputs = examples.inputs
    if isinstance(inputs, polars.DataFrame):
        return Preparation(examples, EncodedTable.fitter(examples, inputs))
    if isinstance(inputs, list):
        words = [tokens_of(text) for text in inputs]
        return Preparation(examples, lambda rows: EncodedTexts.fit(words, rows))
    return Preparation(examples, lambda rows: Scaled.fit(inputs, rows))


def _target_scale(targets: NDArray[Any]) -> TargetScale:
    """A target that never changes is only shifted."""
    deviation = targets.std(axis=0, dtype=numpy.float64)
    return TargetScale(targets.mean(axis=0, dtype=numpy.float64), numpy.where(deviation > 0, deviation, 1.0))
