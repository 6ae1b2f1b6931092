"""The columns of a table as numbers: gaps filled, numbers scaled, categories and words in columns of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy
import polars
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from advisor.datasets.preparing.encoded import LARGEST, Encoded, Floats, Rows
from advisor.datasets.values.conversion import finite
from advisor.datasets.values.words import tokens_of

MOST_CATEGORIES = 50
"""Columns for one column of categories; the rarer ones share one."""
MOST_CODES = 254
"""Of one column of categories; histograms have no more."""
LEAST_FREQUENCY = 3
"""Rows that a category needs to get a column of its own."""
MOST_WORDS = 200
"""Columns for one column of text."""
LARGEST_NUMBER = 1e100
"""Beyond it squares would overflow."""

NUMBER, CATEGORY, WORDS = "number", "category", "words"


@dataclass(frozen=True, slots=True)
class EncodedTable(Encoded):
    """A table by medians, scales, categories and words of some of its rows.

    The types of its columns say what they hold: numbers, yes or no, dates and times; Categorical for categories, String
    for text.
    """

    table: polars.DataFrame
    columns: ColumnTransformer
    codes: ColumnTransformer | None
    """The same for trees that split categories themselves: a number for each; None where there are no categories."""

    @classmethod
    def fitter(cls, frame: polars.DataFrame) -> Callable[[Rows], EncodedTable]:
        """Return a function that fits the encoding to rows of this table; whatever needs no fitting is done once, here."""
        table = plain_columns(frame)
        named = {kind: [name for name in table.columns if name.startswith(kind)] for kind in (NUMBER, CATEGORY, WORDS)}

        def fit(rows: Rows) -> EncodedTable:
            known = table[rows]
            columns = _transformer(known, named).fit(known)
            codes = _coder(known, named).fit(known) if named[CATEGORY] else None
            return cls(table, columns, codes)

        return fit

    @property
    def flat_values(self) -> int:
        return int(self.columns.transform(self.table[:1]).shape[1])

    def flat(self, rows: Rows) -> Floats:
        encoded: NDArray[numpy.float64] = self.columns.transform(self.table[rows])
        return encoded.clip(-LARGEST, LARGEST).astype(numpy.float32)

    def coded(self, rows: Rows) -> tuple[NDArray[numpy.float64], list[bool]] | None:
        if self.codes is None:
            return None
        encoded: NDArray[numpy.float64] = self.codes.transform(self.table[rows])
        of_categories = self.codes.output_indices_["categories"]
        return encoded, [of_categories.start <= place < of_categories.stop for place in range(encoded.shape[1])]


def plain_columns(frame: polars.DataFrame) -> polars.DataFrame:
    """The columns as floats, and texts of categories and words, under names of ours; one column may become several."""
    columns = enumerate(frame.iter_columns())
    return polars.DataFrame([plain for position, column in columns for plain in _plain(column, position)])


def _transformer(known: polars.DataFrame, named: dict[str, list[str]]) -> ColumnTransformer:
    numbers = make_pipeline(
        SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True), StandardScaler()
    )
    categories = OneHotEncoder(
        handle_unknown="infrequent_if_exist",
        min_frequency=LEAST_FREQUENCY,
        max_categories=MOST_CATEGORIES,
        sparse_output=False,
    )
    return _of_parts(known, named, numbers, categories)


def _coder(known: polars.DataFrame, named: dict[str, list[str]]) -> ColumnTransformer:
    """Numbers as they are, those that are missing too; the rarest of many categories share a code.

    Columns without any number are left out: trees cannot divide them.
    """
    there = [name for name in named[NUMBER] if known[name].is_not_nan().any()]
    categories = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=numpy.nan, max_categories=MOST_CODES)
    return _of_parts(known, {**named, NUMBER: there}, "passthrough", categories)


def _of_parts(
    known: polars.DataFrame, named: dict[str, list[str]], numbers: Any, categories: BaseEstimator
) -> ColumnTransformer:
    parts: list[tuple[str, Any, str | list[str]]] = [
        ("numbers", numbers, named[NUMBER]),
        ("categories", categories, named[CATEGORY]),
    ]
    for name in named[WORDS]:
        if any(map(tokens_of, known[name])):  # texts without words have nothing to learn from
            parts.append((name, TfidfVectorizer(analyzer=tokens_of, max_features=MOST_WORDS), name))
    return ColumnTransformer([part for part in parts if part[2]], sparse_threshold=0)


def _plain(column: polars.Series, position: int) -> Iterator[polars.Series]:
    """The column as floats with NaN, as text of its categories, or as words; a date as several numbers.

    Names are made of kind and position, so that no name of the user's can be in the way.
    """
    kind = column.dtype
    if kind in (polars.Date, polars.Datetime):
        for number, part in enumerate(_parts_of_date(column)):
            yield _number(part, f"{NUMBER} {position} {number}")
    elif kind.is_numeric() or kind == polars.Boolean:
        yield _number(column, f"{NUMBER} {position}")
    elif kind.is_temporal():
        yield _number(column.cast(polars.Int64), f"{NUMBER} {position}")
    else:
        is_text = kind == polars.String
        name = f"{WORDS if is_text else CATEGORY} {position}"
        yield column.cast(polars.String).fill_null("").alias(name)


def _parts_of_date(column: polars.Series) -> Iterator[polars.Series]:
    """Day of all days, year, month, day of the week; the hour where there are hours."""
    yield column.cast(polars.Datetime("us")).cast(polars.Int64) / 86_400e6
    yield column.dt.year()
    yield column.dt.month()
    yield column.dt.weekday()
    if column.dtype == polars.Datetime:
        yield column.dt.hour()


def _number(column: polars.Series, name: str) -> polars.Series:
    held = finite(column.cast(polars.Float64)).clip(-LARGEST_NUMBER, LARGEST_NUMBER)
    return held.fill_null(float("nan")).alias(name)
