"""Texts as numbers, as people of several countries and accountants write them, with their currency or unit."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

import polars

CODE = r"^0\d+$"
"""Digits that begin with a zero are codes and no numbers."""
LONG_DIGITS = r"^-?\d{16,}$"
"""More digits than a float keeps apart: where they are half of a column, they are codes, too."""
OF_NUMBERS = r"^\D{0,10}\d([\d.,'’‘ʼ´`\s\u00a0\u202f\u2009\u2007eE+−–-]*\d)?[.,]?\D{0,12}$"
"""Texts that may be numbers of any style; others are none."""
LONG = 10**15
"""The least whole number of so many digits."""
_LOOKED_AT, _PROMISING = 200, 0.9
_CURRENCIES = (
    "€", "$", "£", "¥", "￥", "₹", "₽", "₩", "₺", "₪", "₫", "₴", "¢", "฿", "US$", "A$", "C$", "R$", "Rs.", "Rs", "kr.", "kr",
    "zł", "Fr.", "Kč", "Ft", "USD", "EUR", "GBP", "CHF", "JPY", "CNY", "INR", "RUB", "BRL", "SEK", "NOK", "DKK", "PLN",
    "CZK", "HUF", "AUD", "CAD", "NZD", "HKD", "SGD", "KRW", "TRY", "ZAR", "MXN", "ILS", "THB", "IDR", "PHP",
)  # fmt: skip
_UNITS = (
    "%", "‰", "％", "kg", "g", "mg", "µg", "t", "lb", "lbs", "oz", "km", "m", "cm", "mm", "µm", "mi", "ft", "in", "yd",
    "km/h", "kmh", "mph", "m/s", "m2", "m²", "m^2", "km²", "sqft", "sqm", "ha", "acres", "l", "ml", "cl", "gal", "kW", "W",
    "MW", "kWh", "Wh", "MWh", "V", "mV", "mA", "Ah", "mAh", "Hz", "kHz", "MHz", "GHz", "B", "KB", "kB", "MB", "GB", "TB",
    "KiB", "MiB", "GiB", "TiB", "°C", "°F", "°", "h", "hr", "hrs", "hour", "hours", "min", "mins", "minute", "minutes", "s",
    "sec", "secs", "second", "seconds", "ms", "d", "day", "days", "week", "weeks", "month", "months", "year", "years",
    "yrs", "bar", "hPa", "kPa", "MPa", "psi", "cal", "kcal", "kJ", "MJ", "J", "dB", "px", "pt", "pcs", "bpm", "rpm", "cc",
    "hp", "bhp", "kmpl", "ppm", "pp", "x",
)  # fmt: skip
_MARKS = "|".join(re.escape(mark) for mark in sorted([*_CURRENCIES, *_UNITS], key=len, reverse=True))
_PARTS = (
    rf"^(\()?\s*([+-])?\s*({_MARKS})?\s*(\()?\s*([+-])?\s*([\d.,](?:[\d.,' ]*[\d.,])?(?:[eE][+-]?\d+)?)"
    rf"\s*(-)?\s*(\))?\s*({_MARKS})?\s*(-)?\s*(\))?$"
)
_BEFORE, _AFTER = (1, 4), (8, 11)
_SIGNS = (2, 5, 7, 10)
_DIGITS = {chr(first + digit): str(digit) for first in (0xFF10, 0x0660, 0x06F0, 0x0966) for digit in range(10)}
_PLAINLY = {
    **_DIGITS,
    **dict.fromkeys("\u2212\u2012\u2013\u2014\uff0d\ufe63", "-"),
    **dict.fromkeys("\u00a0\u202f\u2009\u2007\u2002\u2003\u3000", " "),
    **dict.fromkeys("\u2019\u2018\u02bc\u00b4`\uff07", "'"),
    "\uff0c": ",", "\uff0e": ".", "\uff0b": "+", "\uff08": "(", "\uff09": ")", "\u066b": ".", "\u066c": ",",
}  # fmt: skip
"""Digits and signs of other scripts, and what stands for a minus, a blank or an apostrophe."""


class Style(StrEnum):
    """The spelling of numbers."""

    PLAIN = "decimal point"
    COMMA = "decimal comma"
    GROUPED = "commas between thousands"


_MARKED = ", in "
"""Stands in a style between its spelling and the currency or unit of all numbers."""
_PATTERNS = {
    Style.COMMA: r"^(\d{1,3}([. ']\d{3})+|\d+)?(,\d+)?([eE][+-]?\d+)?$",
    Style.GROUPED: r"^([1-9]\d{0,2}([, ']\d{3})+|[1-9]\d?(,\d{2})+,\d{3}|\d+)?(\.\d*)?([eE][+-]?\d+)?$",
}
_ONE_GROUP = r"^\D*[1-9]\d{0,2}[.,]\d{3}\D*$"


def finite(numbers: polars.Series) -> polars.Series:
    """Floats, null where they are no number or infinite."""
    held = numbers.cast(polars.Float64)
    return _where(held.is_finite(), held)


def is_of_numbers(style: str) -> bool:
    """True for a style of numbers, and false for one of dates or words."""
    return style.partition(_MARKED)[0] in frozenset(Style)


def mark_of(style: str) -> str:
    """The currency or unit of a style of numbers; empty where there is none."""
    return style.partition(_MARKED)[2]


def numbers_of(texts: polars.Series, style: str) -> polars.Series:
    """Cleaned texts as floats; null where they are none, or are in another currency or unit than the style says."""
    if style == Style.PLAIN:
        return finite(texts.cast(polars.Float64, strict=False))
    spelt = _Spelt.of(texts)
    numbers, mark = spelt.read(Style(style.partition(_MARKED)[0])), mark_of(style)
    return _where((spelt.marks == mark) | (spelt.marks == ""), numbers)


def other_style(
    texts: polars.Series, known: int, *, comma_first: bool, most: float
) -> tuple[str, polars.Series, float] | None:
    """Find a style in which more than this share of the `known` cleaned texts are numbers; none with a decimal point.

    Returns it with the numbers and their share. Numbers in several currencies or units are in no style.
    """
    best = None
    # Patterns take long, and most columns fit none.
    some = _Spelt.of(texts.drop_nulls().gather_every(max(known // _LOOKED_AT, 1)))
    whole: _Spelt | None = None
    for style in [Style.COMMA, Style.GROUPED] if comma_first else [Style.GROUPED, Style.COMMA]:
        if some.read(style).count() < _PROMISING * len(some.numbers):
            continue
        whole = whole or _Spelt.of(texts)
        marks = whole.marks.filter(whole.marks != "").unique()
        if len(marks) > 1:
            return None
        numbers = whole.read(style)
        share = numbers.count() / max(known, 1)
        if share > most:
            best, most = (style + (_MARKED + marks[0] if len(marks) else ""), numbers, share), share
    return best


def marks_in(texts: polars.Series) -> list[str]:
    """The currencies and units of these texts, where nearly all are numbers of one spelling."""
    spelt = _Spelt.of(texts.drop_nulls())
    if max((spelt.read(style).count() for style in _PATTERNS), default=0) < _PROMISING * len(spelt.numbers):
        return []
    return sorted(spelt.marks.filter(spelt.marks != "").unique().to_list())


def may_be_other(texts: polars.Series, style: str, *, comma_first: bool) -> bool:
    """True where all numbers have one mark with three digits behind it: 1,234 is a thousand or little more than one."""
    if style == Style.PLAIN and not comma_first:
        return False
    mark = "." if style == Style.PLAIN else ","
    known = texts.drop_nulls()
    return bool(known.str.contains(mark, literal=True).all() and known.str.contains(_ONE_GROUP).all())


@dataclass(frozen=True, slots=True)
class _Spelt:
    """Texts divided into sign, number, and currency or unit."""

    numbers: polars.Series
    """Without a sign, and null where a text is none."""
    negative: polars.Series
    marks: polars.Series
    """Currency or unit, in lower case and without a plural; empty for none."""

    @classmethod
    def of(cls, texts: polars.Series) -> _Spelt:
        plainly = texts.str.replace_many(list(_PLAINLY), list(_PLAINLY.values())).str.strip_chars()
        parts = plainly.str.extract_groups(_PARTS).struct.unnest()
        field = {number: parts[str(number)].fill_null("") for number in range(1, 12)}
        opened, closed, signs = (_count(field[one] != "" for one in some) for some in (_BEFORE, _AFTER, _SIGNS))
        minus = _count(field[one] == "-" for one in _SIGNS)
        before, after = _usual(field[3]), _usual(field[9])
        fits = (opened == closed) & (opened + signs <= 1) & ((before == "") | (after == "") | (before == after))
        marks = before.zip_with(before != "", after)
        negative = minus + opened > 0
        return cls(_where(fits, parts["6"]).alias(texts.name), negative, marks)

    def read(self, style: Style) -> polars.Series:
        """The texts as floats, null where they are no numbers of this style."""
        fits = self.numbers.str.contains(_PATTERNS[style])
        if style is Style.COMMA:
            plain = self.numbers.str.replace_all(r"[. ']", "").str.replace(",", ".", literal=True)
        else:
            plain = self.numbers.str.replace_all(r"[, ']", "")
        found = finite(_where(fits, plain.cast(polars.Float64, strict=False)))
        return found.zip_with(~self.negative, -found)


def _count(true: Iterable[polars.Series]) -> polars.Series:
    """Of each row, how many of these are true."""
    return polars.DataFrame([one.alias(str(place)) for place, one in enumerate(true)]).sum_horizontal()


def _usual(marks: polars.Series) -> polars.Series:
    """One spelling of a unit: hours and hour, Rs. and Rs are the same."""
    return marks.str.strip_suffix(".").str.replace(r"^(\w{2,})s$", "${1}")


def _where(true: polars.Series, values: polars.Series) -> polars.Series:
    """The values, null where something is not true of them."""
    held = polars.when(polars.lit(true)).then(polars.lit(values)).otherwise(None)
    return polars.select(held.alias(values.name)).to_series()
