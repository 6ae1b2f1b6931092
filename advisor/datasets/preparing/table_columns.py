"""The columns of a table as numbers: gaps filled, numbers scaled, dates in parts, categories in columns of their own.

Everything is fitted to the rows that are learned from, and kept, so that other rows become numbers in the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy
import polars
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from advisor.datasets.preparing.target_coding import Floats, TargetCoding
from advisor.datasets.values.words import tokens_of

LARGEST = 30.0
"""Deviations from the mean beyond which a value is taken for this one: a glitch must not drown all others."""
MOST_CATEGORIES = 50
"""Columns for one column of categories; the rarer ones share one."""
MOST_CODES = 254
"""Of one column of categories; histograms have no more."""
LEAST_FREQUENCY = 3
"""Rows that a category needs to get a column of its own."""
MOST_WORDS, MOST_THEMES = 5_000, 50
"""Words of one column of text, and the columns that they are brought to (latent semantic analysis, Deerwester et al. 1990)."""
LARGEST_NUMBER = 1e100
"""Beyond it squares would overflow."""
FEWEST_CODES, ROWS_A_CODE = 3, 5
"""Different whole numbers, and rows of each on average, from which on they may be names as well as quantities."""
MANY = 20
"""Categories or codes from which on what the target is for each helps trees, too."""
MOST_WHOLE = 100
"""Columns of whole numbers; where there are more, they are measurements rather than codes."""
DAYS, WEEK, HOURS = 365.25, 7, 24
"""Lengths of the year, the week and the day, which come round."""

NUMBER, CATEGORY, WORDS = "number", "category", "words"
DIGITS = "digits"
"""Categories as numbers, where all of them are some."""
DATE, CYCLE = "date", "cycle"
"""Parts of a date, and the place of each on its circle."""
Named: TypeAlias = Mapping[str, list[str]]
"""Columns by what they hold."""


@dataclass(frozen=True)
class TableColumns:
    """The way from the columns of a table to numbers, by medians, scales, categories and words of some rows.

    Tables are given as `plain_columns` makes them.
    """

    columns: ColumnTransformer
    codes: ColumnTransformer | None
    """The same for trees that split categories themselves and can do with gaps; None where no column holds anything."""
    coding: TargetCoding | None
    many: int
    """Of the columns that are coded by the target, the first ones: they have so many values that trees take them as well."""

    @classmethod
    def fit(
        cls, known: polars.DataFrame, truth: Floats, groups: NDArray[Any] | None = None
    ) -> tuple[TableColumns, Floats | None]:
        """Return the way, and for these rows what `flat` and `for_trees` take as `codes`; see `TargetCoding.fit`."""
        named = _named(known)
        different = _codes(known, named)
        names = sorted(different, key=lambda name: -different[name])
        coding, codes = TargetCoding.fit(known, names, truth, groups) or (None, None)
        many = sum(different[name] > MANY for name in coding.names) if coding is not None else 0
        coder = _coder(known, named)
        columns = _transformer(known, named).fit(known)
        return cls(columns, None if coder is None else coder.fit(known), coding, many), codes

    def flat(self, table: polars.DataFrame, codes: Floats | None = None) -> NDArray[numpy.float32]:
        """(n, values) for models that take scaled numbers without gaps.

        Args:
            codes: of the columns that are coded by the target; those of rows that were learned from are none of their own.
        """
        encoded: NDArray[numpy.float64] = self.columns.transform(table)
        if self.coding is not None:
            scaled = self.coding.scaler.transform(self.coding.codes(table) if codes is None else codes)
            encoded = numpy.concatenate([encoded, scaled], axis=1)
        return encoded.clip(-LARGEST, LARGEST).astype(numpy.float32)

    def for_trees(self, table: polars.DataFrame, codes: Floats | None = None) -> tuple[Floats, list[bool]]:
        """(n, values) with a number for each category and NaN for a gap, and which columns are categories."""
        if self.codes is None:
            raise ValueError("no column holds anything")
        encoded: Floats = self.codes.transform(table)
        of_categories = self.codes.output_indices_.get("categories", slice(0, 0))
        if self.coding is not None and self.many:
            coded = self.coding.codes(table) if codes is None else codes
            by_output = coded.reshape(len(table), -1, len(self.coding.names))
            encoded = numpy.concatenate([encoded, by_output[:, :, : self.many].reshape(len(table), -1)], axis=1)
        return encoded, [of_categories.start <= place < of_categories.stop for place in range(encoded.shape[1])]

    def unknown(self, table: polars.DataFrame) -> dict[int, Counter[str]]:
        """Categories that were not there to be learned, with their rows, by the place of their column in the data."""
        names = [name for name in table.columns if name.startswith(CATEGORY)]
        categories = self.columns.named_transformers_["categories"].categories_ if names else []
        found: dict[int, Counter[str]] = {}
        for name, known in zip(names, categories, strict=True):
            seen = {"", *map(str, known)}
            others = Counter(value for value in table[name].to_list() if value not in seen)
            if others:
                found[int(name.split()[1])] = others
        return found

    def parts(self) -> dict[str, Any]:
        """Everything that was fitted, for a file of skops."""
        coding = self.coding and [self.coding.names, self.coding.numbering, self.coding.encoders, self.coding.scaler]
        return {"columns": self.columns, "codes": self.codes, "coding": coding, "many": self.many}


def columns_of(parts: Mapping[str, Any]) -> TableColumns:
    """The way of which these are the parts. Raises LookupError and TypeError where one is missing."""
    coding = None if parts["coding"] is None else TargetCoding(*parts["coding"])
    return TableColumns(parts["columns"], parts["codes"], coding, parts["many"])


def plain_columns(frame: polars.DataFrame) -> polars.DataFrame:
    """The columns as floats, and texts of categories and words, under names of ours; one column may become several."""
    columns = enumerate(frame.iter_columns())
    return polars.DataFrame([plain for position, column in columns for plain in _plain(column, position)])


def _named(known: polars.DataFrame) -> Named:
    """Columns of these rows by what they hold; parts of dates that never change are left out, and numbers that are none."""
    named: dict[str, list[str]] = {kind: [] for kind in (NUMBER, CATEGORY, WORDS, DIGITS, DATE, CYCLE)}
    for name in known.columns:
        kind, position = name.split()[:2]
        column = known[name]
        if kind == DIGITS:
            words = (known[f"{CATEGORY} {position}"] != "").sum()
            keep = 0 < words == column.is_not_nan().sum()
        else:
            keep = kind not in (DATE, CYCLE) or _varies(column)
        if keep:
            named[kind].append(name)
    return named


def _varies(column: polars.Series) -> bool:
    values = column.drop_nans()
    return len(values) > 0 and values.min() != values.max()


def _codes(known: polars.DataFrame, named: Named) -> dict[str, int]:
    """Columns whose values may be names of which there are many, each with how many there are."""
    numbers = known.select(named[NUMBER]).to_numpy()
    places = numpy.flatnonzero(((numbers == numpy.rint(numbers)) | numpy.isnan(numbers)).all(axis=0))
    whole = [named[NUMBER][place] for place in places] if len(places) <= MOST_WHOLE else []
    found = {name: known[name].n_unique() for name in whole}
    found = {name: many for name, many in found.items() if FEWEST_CODES <= many <= len(known) / ROWS_A_CODE}
    return found | {name: many for name in named[CATEGORY] if (many := known[name].n_unique()) > MANY}


def _transformer(known: polars.DataFrame, named: Named) -> ColumnTransformer:
    numbers = make_pipeline(
        SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True), StandardScaler()
    )
    categories = OneHotEncoder(
        handle_unknown="infrequent_if_exist",
        min_frequency=LEAST_FREQUENCY,
        max_categories=MOST_CATEGORIES,
        sparse_output=False,
    )
    names = [name for kind in (NUMBER, DIGITS, DATE, CYCLE) for name in named[kind]]
    return _of_parts(known, named, names, numbers, categories)


def _coder(known: polars.DataFrame, named: Named) -> ColumnTransformer | None:
    """Numbers as they are, those that are missing too; the rarest of many categories share a code.

    Columns without any number are left out: trees cannot divide them.
    """
    names = [name for kind in (NUMBER, DIGITS, DATE) for name in named[kind] if known[name].is_not_nan().any()]
    categories = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=numpy.nan, max_categories=MOST_CODES)
    made = _of_parts(known, named, names, "passthrough", categories)
    return made if made.transformers else None


def _of_parts(
    known: polars.DataFrame, named: Named, names: list[str], numbers: Any, categories: BaseEstimator
) -> ColumnTransformer:
    place = {name: number for number, name in enumerate(known.columns)}
    """By names scikit-learn finds very many columns slowly."""
    parts: list[tuple[str, Any, list[int] | int]] = [
        ("numbers", numbers, [place[name] for name in names]),
        ("categories", categories, [place[name] for name in named[CATEGORY]]),
    ]
    for name in named[WORDS]:
        words = _different_words(known[name])
        counts = TfidfVectorizer(analyzer=tokens_of, max_features=MOST_WORDS, sublinear_tf=True)
        if words > MOST_THEMES:
            parts.append((name, make_pipeline(counts, TruncatedSVD(MOST_THEMES, random_state=0)), place[name]))
        elif words:  # texts without words have nothing to learn from
            parts.append((name, counts, place[name]))
    return ColumnTransformer([part for part in parts if part[2] != []], sparse_threshold=0)


def _different_words(texts: polars.Series) -> int:
    """As many as there are, or more than are brought to fewer columns."""
    words: set[str] = set()
    for text in texts:
        words.update(tokens_of(text))
        if len(words) > MOST_THEMES:
            break
    return len(words)


def _plain(column: polars.Series, position: int) -> Iterator[polars.Series]:
    """The column as floats with NaN, as text of its categories, or as words; a date as several numbers.

    Names are made of kind and position, so that no name of the user's can be in the way.
    """
    kind = column.dtype
    if kind in (polars.Date, polars.Datetime):
        yield from _parts_of_date(column, position)
    elif kind.is_numeric() or kind == polars.Boolean:
        yield _number(column, f"{NUMBER} {position}")
    elif kind.is_temporal():
        yield _number(column.cast(polars.Int64), f"{NUMBER} {position}")
    else:
        texts = column.cast(polars.String)
        if kind == polars.String:
            yield texts.fill_null("").alias(f"{WORDS} {position}")
        else:
            yield texts.fill_null("").alias(f"{CATEGORY} {position}")
            yield _number(texts.cast(polars.Float64, strict=False), f"{DIGITS} {position}")


def _parts_of_date(column: polars.Series, position: int) -> Iterator[polars.Series]:
    """Day of all days, year, month, day of the year and of the week, hour; then what comes round as a place on a circle."""
    moments = column.cast(polars.Datetime("us"))
    yearly, weekly = moments.dt.ordinal_day(), moments.dt.weekday()
    hourly = moments.dt.hour() + moments.dt.minute() / 60
    parts = (moments.cast(polars.Int64) / 86_400e6, moments.dt.year(), moments.dt.month(), yearly, weekly, hourly)
    for number, part in enumerate(parts):
        yield _number(part, f"{DATE} {position} {number}")
    for number, (part, length) in enumerate(((yearly, DAYS), (weekly, WEEK), (hourly, HOURS))):
        angle = part.cast(polars.Float64) * (2 * numpy.pi / length)
        yield _number(angle.sin(), f"{CYCLE} {position} {number} sine")
        yield _number(angle.cos(), f"{CYCLE} {position} {number} cosine")


def _number(column: polars.Series, name: str) -> polars.Series:
    numbers = polars.lit(column.cast(polars.Float64))
    held = polars.when(numbers.is_finite()).then(numbers.clip(-LARGEST_NUMBER, LARGEST_NUMBER)).otherwise(float("nan"))
    return polars.select(held.alias(name)).to_series()
