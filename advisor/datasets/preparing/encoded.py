"""Inputs in numbers: the base of every encoding."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, TypeAlias

import numpy
from numpy.typing import NDArray

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
        """The inputs with a number for each category, if there are categories."""
        return None
