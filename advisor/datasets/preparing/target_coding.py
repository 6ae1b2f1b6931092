"""Categories as the mean of the target where they stand: for columns of so many that few rows have the same.

Of a row that is learned from, the mean is that of other rows, so that it does not tell the answer of its own (Micci-Barreca
2001; Prokhorenkova et al. 2018, section 3.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy
import polars
from numpy.typing import NDArray
from sklearn.model_selection import GroupKFold, KFold
from sklearn.preprocessing import OrdinalEncoder, StandardScaler, TargetEncoder

Floats: TypeAlias = NDArray[numpy.float64]

FOLDS = 5
FEWEST_ROWS = 100
"""To learn from, below which means of a category say little."""
MOST_CODED = 40
"""Columns that target coding may add."""


@dataclass(frozen=True)
class TargetCoding:
    """Columns of categories by the target of the rows that it was fitted to."""

    names: list[str]
    numbering: OrdinalEncoder
    """A number for each category; -1 for those that were not there."""
    encoders: list[TargetEncoder]
    """One for each output: each class (one of two), or each number to predict."""
    scaler: StandardScaler

    @classmethod
    def fit(
        cls, known: polars.DataFrame, names: Sequence[str], truth: Floats, groups: NDArray[Any] | None
    ) -> tuple[TargetCoding, Floats] | None:
        """Return the coding, and the codes of these rows, each by rows of other folds.

        None where there is nothing to code: no columns, few rows, or very many classes.

        Args:
            names: columns of the table, the most worthy first; not all may be taken.
            truth: the target as numbers (n, outputs), see `outputs_of`.
            groups: rows of a group (n,) depend on each other, and stay in one fold.
        """
        outputs = truth.shape[1]
        taken = list(names[: MOST_CODED // max(1, outputs)])
        if not taken or not outputs or len(known) < FEWEST_ROWS:
            return None
        texts = _texts(known, taken)
        numbering = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1).fit(texts)
        numbers = numbering.transform(texts)
        codes = numpy.empty((len(known), len(taken) * outputs))
        apart = groups is not None and len(numpy.unique(groups)) >= FOLDS
        folds = GroupKFold(FOLDS) if apart else KFold(FOLDS, shuffle=True, random_state=0)
        for some, others in folds.split(numbers, groups=groups):
            codes[others] = _codes(_encoders(numbers[some], truth[some]), numbers[others])
        return cls(taken, numbering, _encoders(numbers, truth), StandardScaler().fit(codes)), codes

    def codes(self, table: polars.DataFrame) -> Floats:
        """(n, columns * outputs), in the units of the target: all columns of an output stand together."""
        return _codes(self.encoders, self.numbering.transform(_texts(table, self.names)))


def outputs_of(classes: NDArray[Any], number: int) -> Floats:
    """The numbers of classes (n,) as 1 for the rows of each class (n, classes); one of two classes says all."""
    columns = numpy.arange(number)[1:] if number == 2 else numpy.arange(number)
    truth: Floats = numpy.equal.outer(classes, columns).astype(numpy.float64)
    return truth


def _texts(table: polars.DataFrame, names: list[str]) -> polars.DataFrame:
    return table.select(polars.col(names).cast(polars.String))


def _encoders(numbers: Floats, truth: Floats) -> list[TargetEncoder]:
    return [TargetEncoder(target_type="continuous").fit(numbers, column) for column in truth.T]


def _codes(encoders: list[TargetEncoder], numbers: Floats) -> Floats:
    codes: Floats = numpy.concatenate([encoder.transform(numbers) for encoder in encoders], axis=1)
    return codes
