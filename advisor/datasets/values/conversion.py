"""Texts of a table as numbers, yes or no, and the many spellings of a missing value; columns as their kinds say."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import numpy
import polars
from numpy.typing import NDArray

from advisor.datasets.dataset import Kind
from advisor.datasets.values.dates import dates_of, moments_of

MISSING = [
    "", "NA", "N/A", "n/a", "na", "#N/A", "NaN", "nan", "NAN", "null", "NULL", "Null", "None", "none", "NONE", "nil", "?",
    "-", "--", ".", "<NA>",
]  # fmt: skip
YES = frozenset({"true", "yes", "y", "t", "on", "1"})
NO = frozenset({"false", "no", "n", "f", "off", "0"})
_PAIRS = (("true", "false"), ("yes", "no"), ("y", "n"), ("t", "f"), ("on", "off"), ("1", "0"))
CODE = r"^(0\d+|\d{16,})$"
"""Digits that begin with a zero, or more than a float keeps apart, are codes and no numbers."""
_LOOKED_AT, _PROMISING = 200, 0.9
_SYMBOLS = r"^[€$£]\s*|\s*[€$£%]$"

OF_NUMBERS = r"^[€$£]?\s*[-+\d., eE]*\s*[€$£%]?$"
"""Texts that may be numbers of any style; others are none."""


class Style(StrEnum):
    """The spelling of numbers."""

    PLAIN = "decimal point"
    COMMA = "decimal comma"
    GROUPED = "commas between thousands"


_PATTERNS = {
    Style.COMMA: r"^[+-]?(\d{1,3}([. ]\d{3})+|\d+)?(,\d+)?([eE][+-]?\d+)?$",
    Style.GROUPED: r"^[+-]?(\d{1,3}(,\d{3})+|\d+)?(\.\d*)?([eE][+-]?\d+)?$",
}


def cleaned(texts: polars.Series) -> polars.Series:
    """The texts without blanks around them; null where they say that there is no value."""
    bare = texts.str.strip_chars()
    return _where(~bare.is_in(MISSING), bare)


def finite(numbers: polars.Series) -> polars.Series:
    """Floats, null where they are no number or infinite."""
    held = numbers.cast(polars.Float64)
    return _where(held.is_finite(), held)


def _where(true: polars.Series, values: polars.Series) -> polars.Series:
    """The values, null where something is not true of them."""
    held = polars.when(polars.lit(true)).then(polars.lit(values)).otherwise(None)
    return polars.select(held.alias(values.name)).to_series()


def numbers_of(texts: polars.Series, style: Style) -> polars.Series:
    """Cleaned texts as floats; null where they are none."""
    if style is Style.PLAIN:
        return finite(texts.cast(polars.Float64, strict=False))
    bare = texts.str.replace_all(_SYMBOLS, "")
    fits = bare.str.contains(_PATTERNS[style])
    if style is Style.COMMA:
        plain = bare.str.replace_all(r"[. ]", "").str.replace(",", ".", literal=True)
    else:
        plain = bare.str.replace_all(",", "", literal=True)
    return finite(_where(fits, plain.cast(polars.Float64, strict=False)))


def other_style(
    texts: polars.Series, known: int, *, comma_first: bool, most: float
) -> tuple[Style, polars.Series, float] | None:
    """Find a style in which more than this share of the `known` cleaned texts are numbers; none with a decimal point.

    Returns it with the numbers and their share.
    """
    best = None
    for style in [Style.COMMA, Style.GROUPED] if comma_first else [Style.GROUPED, Style.COMMA]:
        # Patterns take long, and most columns fit none.
        some = texts.drop_nulls().gather_every(max(known // _LOOKED_AT, 1))
        if numbers_of(some, style).count() < _PROMISING * len(some):
            continue
        numbers = numbers_of(texts, style)
        share = numbers.count() / max(known, 1)
        if share > most:
            best, most = (style, numbers, share), share
    return best


def are_yes_and_no(values: Sequence[str]) -> bool:
    """True where these two different texts are a pair such as yes and no."""
    return {value.casefold() for value in values} in map(set, _PAIRS)


def converted(raw: polars.Series, kind: Kind, style: str) -> polars.Series:
    """A column as its kind says: floats, booleans, moments, Categorical for categories, String for everything else.

    `style` is what `columns.judge` found: a number style or a date format, empty where the format of the file typed it.
    """
    if kind is Kind.EMPTY or kind is Kind.NESTED:
        return polars.Series(raw.name, [None] * len(raw), dtype=polars.String)
    if kind is Kind.DATE:
        return dates_of(cleaned(raw), style) if raw.dtype == polars.String else moments_of(raw)
    if raw.dtype == polars.Duration:
        raw = microseconds(raw)
    if raw.dtype == polars.String and style:
        raw = numbers_of(cleaned(raw), Style(style))
    if kind in (Kind.NUMBER, Kind.WHOLE):
        return finite(raw.cast(polars.Float64, strict=False))
    texts = as_texts(raw)
    if kind is Kind.YES_NO:
        folded = texts.str.to_lowercase()
        truth = polars.when(polars.lit(folded).is_in(sorted(YES))).then(True).when(polars.lit(folded).is_in(sorted(NO)))
        return polars.select(truth.then(False).otherwise(None).alias(raw.name)).to_series()
    return texts.cast(polars.Categorical) if kind is Kind.CATEGORY else texts


def as_texts(values: polars.Series) -> polars.Series:
    """Each value as it is written as a class or a name: 3.0 as 3, yes or no as true and false; null where there is none."""
    if values.dtype.is_float():
        numbers = finite(values)
        whole = (numbers == numbers.round()) & (numbers.abs() < 1e15)
        values = numbers.cast(polars.Int64) if whole.fill_null(True).all() else numbers
    elif values.dtype in (polars.Date, polars.Datetime):  # polars does not write dates that no calendar has
        moments = moments_of(values)
        values = moments.cast(polars.Date) if values.dtype == polars.Date else moments
    elif values.dtype == polars.Binary:
        return polars.Series(values.name, [None] * len(values), dtype=polars.String)
    texts = values.cast(polars.String)
    return cleaned(texts) if values.dtype in (polars.String, polars.Categorical, polars.Enum) else texts


def microseconds(spans: polars.Series) -> polars.Series:
    """Spans of time as floats: as whole numbers of microseconds, long ones do not fit into 64 bits."""
    assert isinstance(spans.dtype, polars.Duration)  # noqa: S101 - of any unit
    return spans.to_physical().cast(polars.Float64) * {"ms": 1e3, "us": 1.0, "ns": 1e-3}[spans.dtype.time_unit]


def class_texts(raw: polars.Series, style: str) -> polars.Series:
    """The values of a file as its classes are written: they keep their own words, so that yes and 1 do not become true."""
    if raw.dtype == polars.String:
        texts = cleaned(raw)
        return as_texts(numbers_of(texts, Style(style)) if style else texts)
    if raw.dtype == polars.Duration:
        raw = microseconds(raw)
    return as_texts(raw.cast(polars.Float64) if raw.dtype.is_numeric() else raw)


def seconds(times: polars.Series) -> NDArray[numpy.float64]:
    """Times as numbers to compare and subtract: seconds of dates, numbers as they are, NaN for none."""
    if times.dtype.is_temporal() and times.dtype != polars.Duration:
        moments = moments_of(times) if times.dtype != polars.Time else times
        times = moments.to_physical().cast(polars.Float64) / 1e6
    result: NDArray[numpy.float64] = times.cast(polars.Float64, strict=False).fill_null(float("nan")).to_numpy()
    return result
