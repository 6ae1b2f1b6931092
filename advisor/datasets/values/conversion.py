"""Columns of a table as their kinds say: numbers, moments, yes or no, categories, texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy
import polars
from numpy.typing import NDArray

from advisor.datasets.dataset import Kind
from advisor.datasets.values.dates import dates_of, moments_of
from advisor.datasets.values.kept_words import kept_by
from advisor.datasets.values.missing import cleaned
from advisor.datasets.values.numbers import finite, is_of_numbers, numbers_of

YES = frozenset({"true", "yes", "y", "t", "on", "1"})
NO = frozenset({"false", "no", "n", "f", "off", "0"})
_PAIRS = (("true", "false"), ("yes", "no"), ("y", "n"), ("t", "f"), ("on", "off"), ("1", "0"))


def are_yes_and_no(values: Sequence[str]) -> bool:
    """True where these two different texts are a pair such as yes and no."""
    return {value.casefold() for value in values} in map(set, _PAIRS)


def converted(raw: polars.Series, kind: Kind, style: str) -> polars.Series:
    """A column as its kind says: floats, booleans, moments, Categorical for categories, String for everything else.

    `style` is what `columns.judge` found: a number style, a date format, or words that are values though they may stand
    for missing ones; empty where the format of the file typed it.
    """
    if kind is Kind.EMPTY or kind is Kind.NESTED:
        return polars.Series(raw.name, [None] * len(raw), dtype=polars.String)
    raw = plain_texts(raw)
    if kind is Kind.DATE:
        raw = as_texts(raw) if raw.dtype.is_numeric() else raw
        return dates_of(cleaned(raw), style) if raw.dtype == polars.String else moments_of(raw)
    if raw.dtype == polars.Duration:
        raw = microseconds(raw)
    if raw.dtype == polars.String:
        raw = cleaned(raw, kept_by(style))
        raw = numbers_of(raw, style) if is_of_numbers(style) else raw
    if kind in (Kind.NUMBER, Kind.WHOLE):
        return finite(raw.cast(polars.Float64, strict=False))
    texts = known_texts(raw, style)
    if kind is Kind.YES_NO:
        folded = texts.str.to_lowercase()
        truth = polars.when(polars.lit(folded).is_in(sorted(YES))).then(True).when(polars.lit(folded).is_in(sorted(NO)))
        return polars.select(truth.then(False).otherwise(None).alias(raw.name)).to_series()
    return texts.cast(polars.Categorical) if kind is Kind.CATEGORY else texts


def as_texts(values: polars.Series) -> polars.Series:
    """Each value as it is written as a class or a name: 3.0 as 3, yes or no as true and false; null where there is none.

    Texts stay as they are: `cleaned` makes those null that say that there is no value.
    """
    if values.dtype.is_float():
        numbers = finite(values)
        whole = (numbers == numbers.round()) & (numbers.abs() < 1e15)
        values = numbers.cast(polars.Int64) if whole.fill_null(True).all() else numbers
    elif values.dtype in (polars.Date, polars.Datetime):  # polars does not write dates that no calendar has
        moments = moments_of(values)
        values = moments.cast(polars.Date) if values.dtype == polars.Date else moments
    elif values.dtype == polars.Binary:
        return polars.Series(values.name, [None] * len(values), dtype=polars.String)
    return values.cast(polars.String)


def known_texts(raw: polars.Series, style: str = "") -> polars.Series:
    """The values of a file as texts, null where they say that there is none."""
    raw = plain_texts(raw)
    return cleaned(raw, kept_by(style)) if raw.dtype == polars.String else as_texts(raw)


def plain_texts(raw: polars.Series) -> polars.Series:
    """Categories of a typed file as the texts that they are; everything else as it is."""
    return raw.cast(polars.String) if raw.dtype in (polars.Categorical, polars.Enum) else raw


def microseconds(spans: polars.Series) -> polars.Series:
    """Spans of time as floats: as whole numbers of microseconds, long ones do not fit into 64 bits."""
    assert isinstance(spans.dtype, polars.Duration)  # noqa: S101 - of any unit
    return spans.to_physical().cast(polars.Float64) * {"ms": 1e3, "us": 1.0, "ns": 1e-3}[spans.dtype.time_unit]


def class_texts(raw: polars.Series, style: str) -> polars.Series:
    """The values of a file as its classes are written: they keep their own words, so that yes and 1 do not become true."""
    raw = plain_texts(raw)
    if raw.dtype == polars.String:
        texts = cleaned(raw, kept_by(style))
        return as_texts(numbers_of(texts, style) if is_of_numbers(style) else texts)
    if raw.dtype == polars.Duration:
        raw = microseconds(raw)
    fractional = raw.dtype.is_float() or (isinstance(raw.dtype, polars.Decimal) and raw.dtype.scale != 0)
    return as_texts(raw.cast(polars.Float64) if fractional else raw)  # floats do not keep 19 digits apart


def seconds(times: polars.Series) -> NDArray[numpy.float64]:
    """Times as numbers to compare and subtract: seconds of dates, numbers as they are, NaN for none."""
    if times.dtype.is_temporal() and times.dtype != polars.Duration:
        moments = moments_of(times) if times.dtype != polars.Time else times
        times = moments.to_physical().cast(polars.Float64) / 1e6
    result: NDArray[numpy.float64] = times.cast(polars.Float64, strict=False).fill_null(float("nan")).to_numpy()
    return result
