"""Inputs in numbers: the base of every encoding, and that of pictures, sounds and series by what training examples show."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy
from numpy.typing import NDArray

from advisor.datasets.preparing.table_columns import LARGEST

Rows: TypeAlias = NDArray[numpy.int64]
Floats: TypeAlias = NDArray[numpy.float32]


class Encoded(ABC):
    """Inputs in numbers, fitted to some of them."""

    __slots__ = ()

    @property
    @abstractmethod
    def flat_values(self) -> int: ...

    @property
    def inputs(self) -> int:
        return self.flat_values

    @property
    def sequence_length(self) -> int | None:
        return None

    @abstractmethod
    def flat(self, rows: Rows) -> Floats: ...

    def structured(self, rows: Rows) -> NDArray[Any]:
        return self.flat(rows)

    def coded(self, rows: Rows) -> tuple[NDArray[numpy.float64], list[bool]] | None:
        """The columns of a table as they are, with a number for each category; None of everything else."""
        return None


@dataclass(frozen=True, slots=True)
class Scaled(Encoded):
    """Examples with mean 0 and deviation 1 for each colour of pictures (n, colours, side, side), or each value of the
    steps of a series (n, steps, values). What is missing or infinite takes the mean."""

    examples: NDArray[Any]
    mean: NDArray[numpy.float64]
    deviation: NDArray[numpy.float64]

    @classmethod
    def fit(cls, examples: NDArray[Any], rows: Rows) -> Scaled:
        own_axis = 1 if examples.ndim == 4 else examples.ndim - 1
        others = tuple(axis for axis in range(examples.ndim) if axis != own_axis)
        known = examples[rows]
        finite = numpy.isfinite(known)
        count = numpy.maximum(finite.sum(axis=others, keepdims=True), 1)
        mean = known.sum(axis=others, keepdims=True, dtype=numpy.float64, where=finite) / count
        spread = numpy.square(known - mean).sum(axis=others, keepdims=True, where=finite) / count
        return cls(examples, mean, numpy.where(spread > 0, numpy.sqrt(spread), 1.0))

    @property
    def inputs(self) -> int:
        return self.flat_values if self.examples.ndim == 4 else self.examples.shape[-1]

    @property
    def sequence_length(self) -> int | None:
        return self.examples.shape[1] if self.examples.ndim == 3 else None

    @property
    def flat_values(self) -> int:
        return int(numpy.prod(self.examples.shape[1:]))

    def flat(self, rows: Rows) -> Floats:
        return self.structured(rows).reshape(len(rows), -1)

    def structured(self, rows: Rows) -> Floats:
        known = self.examples[rows]
        scaled = numpy.where(numpy.isfinite(known), (known - self.mean) / self.deviation, 0.0)
        return numpy.clip(scaled, -LARGEST, LARGEST).astype(numpy.float32)
