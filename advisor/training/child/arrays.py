"""Rows in numbers, as the rows that are learned from have taught; kept for the next model as long as there is room."""

from __future__ import annotations

from collections import OrderedDict
from typing import TypeAlias

import numpy
from numpy.typing import NDArray

from advisor.datasets.dataset import Examples
from advisor.datasets.preparing.preparation import Preparation, preparation
from advisor.training.child.fitted import Numbers

Rows: TypeAlias = NDArray[numpy.int64]

CACHED_BYTES = 400_000_000
CACHED_PREPARATIONS = 64


class Arrays:
    """Preparations of examples and what they make of rows."""

    def __init__(self, examples: Examples) -> None:
        self._unfitted = preparation(examples)
        self._prepared: OrderedDict[bytes, Preparation] = OrderedDict()
        self._arrays: OrderedDict[tuple[bytes, bytes, bool], Numbers] = OrderedDict()

    def preparation(self, training: Rows) -> Preparation:
        """Fitted to these rows (n,)."""
        key = training.tobytes()
        if key not in self._prepared:
            self._prepared[key] = self._unfitted.fit(training)
            while len(self._prepared) > CACHED_PREPARATIONS:
                self._prepared.popitem(last=False)
        return self._prepared[key]

    def inputs(self, training: Rows, rows: Rows, *, flat: bool) -> Numbers:
        """Rows as numbers by the preparation of the training: (n, values) if flat, else as a network of their kind takes them."""
        key = (training.tobytes(), rows.tobytes(), flat)
        if key not in self._arrays:
            prepared = self.preparation(training)
            self._arrays[key] = prepared.flat(rows) if flat else prepared.structured(rows)
            while len(self._arrays) > 3 and sum(array.nbytes for array in self._arrays.values()) > CACHED_BYTES:
                self._arrays.popitem(last=False)
        return self._arrays[key]
