"""Rows of a table that are copies of others: they count as one group, so that no copy of a training row is in the test.

Generated projects take this module as it stands.
"""

from __future__ import annotations

import math

import numpy
import polars
from numpy.typing import NDArray

MANY_THE_SAME = 0.01
"""Share of rows that are copies of others from which on copies are kept together."""
MANY_COMBINATIONS = 10
"""Combinations of the values of all columns, for each row, from which on chance alone makes next to no copies."""


def groups_of_copies(inputs: polars.DataFrame) -> NDArray[numpy.int64] | None:
    """A number for rows that are the same, (rows,).

    None where next to no row is repeated, or where there are not many times as many combinations as rows: those are
    repeated by chance.
    """
    combinations = math.prod(column.n_unique() for column in inputs)  # exact: there may be thousands of columns
    if combinations < MANY_COMBINATIONS * len(inputs):
        return None
    rows = inputs.with_columns(polars.col(polars.Categorical).cast(polars.String)).hash_rows()
    different = rows.n_unique()
    if different > (1 - MANY_THE_SAME) * len(rows):
        return None
    numbers: NDArray[numpy.int64] = rows.rank("dense").cast(polars.Int64).to_numpy()
    return numbers
