"""Categories as the mean of the target where they stand: for columns of so many that few rows have the same.

Of a row that is learned from, the mean is that of other rows, so that it does not tell the answer of its own (Micci-Barreca
2001; Prokhorenkova et al. 2018, section 3.1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy
import polars
from numpy.typing import NDArray
from sklearn.model_selection import GroupKFold, KFold
from sklearn.preprocessing import OrdinalEncoder, StandardScaler, TargetEncoder

from advisor.datasets.dataset import Examples, Task
from advisor.datasets.preparing.encoded import Rows

Floats: TypeAlias = NDArray[numpy.float64]

FOLDS = 5
FEWEST_ROWS = 100
"""To learn from, below which means of a category say little."""
MOST_CODED = 40
"""Columns that target coding may add."""


@dataclass(frozen=True, slots=True)
class TargetCoding:
    """Columns of categories by the target of the rows that it was fitted to."""

    names: tuple[str, ...]
    numbering: OrdinalEncoder
    """A number for each category; -1 for those that were not there."""
    encoders: list[TargetEncoder]
    """One for each output: each class (one of two), or each number to predict."""
    scaler: StandardScaler
    place: Rows | None = None
    """Of each row of the table its place among those that were learned from, -1 for all others."""
    of_learned: Floats | None = None
    """The columns of rows that were learned from (n, values), each by rows of other folds."""

    @classmethod
    def fit(
        cls, table: polars.DataFrame, names: tuple[str, ...], examples: Examples, rows: Rows
    ) -> TargetCoding | None:
        """None where there is nothing to code: no columns, few rows, or very many classes.

        Args:
            names: columns of the table, the most worthy first; not all may be taken.
        """
        truth = _outputs(examples, rows)
        names = names[: MOST_CODED // max(1, truth.shape[1])]
        if not names or len(rows) < FEWEST_ROWS or not truth.shape[1]:
            return None
        texts = _texts(table[rows], names)
        numbering = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1).fit(texts)
        numbers = numbering.transform(texts)
        coded = numpy.empty((len(rows), len(names) * truth.shape[1]))
        groups = None if examples.groups is None else examples.groups[rows]
        apart = groups is not None and len(numpy.unique(groups)) >= FOLDS
        folds = GroupKFold(FOLDS) if apart else KFold(FOLDS, shuffle=True, random_state=0)
        for known, other in folds.split(numbers, groups=groups):
            coded[other] = _coded(_encoders(numbers[known], truth[known]), numbers[other])
        place = numpy.full(len(table), -1)
        place[rows] = numpy.arange(len(rows))
        return cls(names, numbering, _encoders(numbers, truth), StandardScaler().fit(coded), place, coded)

    def values(self, table: polars.DataFrame, rows: Rows) -> Floats:
        """(n, columns), in the units of the target: all columns of an output stand together."""
        coded = _coded(self.encoders, self.numbering.transform(_texts(table[rows], self.names)))
        if self.place is not None and self.of_learned is not None:
            place = self.place[rows]
            coded[place >= 0] = self.of_learned[place[place >= 0]]
        return coded

    def scaled(self, table: polars.DataFrame, rows: Rows) -> Floats:
        scaled: Floats = self.scaler.transform(self.values(table, rows))
        return scaled


def _texts(table: polars.DataFrame, names: tuple[str, ...]) -> polars.DataFrame:
    return table.select(polars.col(names).cast(polars.String))


def _outputs(examples: Examples, rows: Rows) -> Floats:
    """The target as numbers (n, outputs): 1 for the rows of a class; one of two classes says all."""
    truth: Floats = examples.targets[rows].astype(numpy.float64)
    if examples.task is not Task.CLASSIFY:
        return truth
    classes = numpy.arange(len(examples.classes))
    return numpy.equal.outer(truth, classes[1:] if len(classes) == 2 else classes).astype(numpy.float64)


def _encoders(numbers: Floats, truth: Floats) -> list[TargetEncoder]:
    return [TargetEncoder(target_type="continuous").fit(numbers, column) for column in truth.T]


def _coded(encoders: list[TargetEncoder], numbers: Floats) -> Floats:
    coded: Floats = numpy.concatenate([encoder.transform(numbers) for encoder in encoders], axis=1)
    return coded
