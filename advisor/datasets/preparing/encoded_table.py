"""The examples of a table in numbers: how their columns are prepared, by which rows, and the codes of those rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy
import polars
from numpy.typing import NDArray

from advisor.datasets.dataset import Examples, Task
from advisor.datasets.preparing.encoded import Encoded, Floats, Rows
from advisor.datasets.preparing.table_columns import TableColumns, plain_columns
from advisor.datasets.preparing.target_coding import outputs_of


@dataclass(frozen=True, slots=True)
class EncodedTable(Encoded):
    """A table by medians, scales, categories and words of some of its rows.

    The types of its columns say what they hold: numbers, yes or no, dates and times; Categorical for categories, String
    for text.
    """

    table: polars.DataFrame
    columns: TableColumns
    place: Rows | None = None
    """Of each row its place among those that were learned from, -1 for all others; None where none was."""
    codes: NDArray[numpy.float64] | None = None
    """Of rows that were learned from: their codes by the target of others."""

    @classmethod
    def fitter(cls, examples: Examples, frame: polars.DataFrame) -> Callable[[Rows], EncodedTable]:
        """Return a function that fits the encoding to rows of this table; whatever needs no fitting is done once, here.

        Args:
            frame: the inputs of the examples.
        """
        table = plain_columns(frame)

        def fit(rows: Rows) -> EncodedTable:
            targets, groups = examples.targets[rows], None if examples.groups is None else examples.groups[rows]
            classes = examples.task is Task.CLASSIFY
            truth = outputs_of(targets, len(examples.classes)) if classes else targets.astype(numpy.float64)
            columns, codes = TableColumns.fit(table[rows], truth, groups)
            place = numpy.full(len(table), -1)
            place[rows] = numpy.arange(len(rows))
            return cls(table, columns, place, codes)

        return fit

    @property
    def flat_values(self) -> int:
        return int(self.flat(numpy.arange(1)).shape[1])

    def flat(self, rows: Rows) -> Floats:
        return self.columns.flat(self.table[rows], self._codes(rows))

    def coded(self, rows: Rows) -> tuple[NDArray[numpy.float64], list[bool]] | None:
        return None if self.columns.codes is None else self.columns.for_trees(self.table[rows], self._codes(rows))

    def _codes(self, rows: Rows) -> NDArray[numpy.float64] | None:
        if self.columns.coding is None or self.place is None or self.codes is None:
            return None
        place = self.place[rows]
        codes = self.columns.coding.codes(self.table[rows])
        codes[place >= 0] = self.codes[place[place >= 0]]
        return codes
