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
LONG = 10**15
"""The least whole number of so many digits."""
_LOOKED_AT, _PROMISING = 200, 0.9
_CURRENCIES = (
    "€", "$", "£", "¥", "￥", "₹", "₽", "₩", "₺", "₪", "₫", "₴", "¢", "฿", "US$", "A$", "C$", "R$", "Rs.", "Rs", "kr.", "kr",
    "zł", "Fr.", "Kč", "Ft", "USD", "EUR", "GBP", "CHF", "JPY", "CNY", "INR", "RUB", "BRL", "SEK", "NOK", "DKK", "PLN",
    "CZK", "HUF", "AUD", "CAD", "NZD", "HKD", "SGD", "KRW", "TRY", "ZAR", "MXN", "ILS", "THB", "IDR", "PHP",
)  # fmt: skip
_UNITS = (
    "%", "‰", "kg", "g", "mg", "µg", "t", "lb", "lbs", "oz", "km", "m", "cm", "mm", "µm", "mi", "ft", "in", "yd",
    "km/h", "kmh", "mph", "m/s", "m2", "m²", "m^2", "km²", "sqft", "sqm", "ha", "acres", "l", "ml", "cl", "gal", "kW", "W",
    "MW", "kWh", "Wh", "MWh", "V", "mV", "mA", "Ah", "mAh", "Hz", "kHz", "MHz", "GHz", "B", "KB", "kB", "MB", "GB", "TB",
    "KiB", "MiB", "GiB", "TiB", "°C", "°F", "°", "h", "hr", "hrs", "hour", "hours", "min", "mins", "minute", "minutes", "s",
    "sec", "secs", "second", "seconds", "ms", "d", "day", "days", "week", "weeks", "month", "months", "year", "years",
    "yrs", "bar", "hPa", "kPa", "MPa", "psi", "cal", "kcal", "kJ", "MJ", "J", "dB", "px", "pt", "pcs", "bpm", "rpm", "cc",
    "hp", "bhp", "kmpl", "ppm", "pp", "x",
)  # fmt: skip
_RATIOS = ("%", "‰")
"""Units beside which a bare number may be of another size: 29.2% and 0.26."""


def _either(marks: Iterable[str]) -> str:
    return "|".join(re.escape(mark) for mark in sorted(marks, key=len, reverse=True))


_LEADING = _either([*_CURRENCIES, *_RATIOS])
"""Marks in front of a number; a unit there makes it a name, such as m12 or V8."""
_MARKS = _either([*_CURRENCIES, *_UNITS])
_PARTS = (
    rf"^(\()?\s*([+-])?\s*({_LEADING})?\s*(\()?\s*([+-])?\s*([\d.,](?:[\d.,'_ ]*[\d.,])?(?:[eE][+-]?\d+)?)"
    rf"\s*([+-])?\s*(\))?\s*({_MARKS})?\s*([+-])?\s*(\))?$"
)
_SIDE = (
    r"(?i)^(?:(CR|DR|DB)\.?\s*(\d.*[.,]\d\d)|(.*\d)\s+(CR|DR|DB|CREDIT|DEBIT)\.?"
    r"|(.*[.,]\d\d)(CR|DR|DB)|(.*[.,]\d\d)\s*(?-i:([HSCD])))$"
)
"""Numbers with a side of an account before or behind them; H and S are Haben and Soll, the German words."""
_SIDES = {"CR": "DR", "CREDIT": "DEBIT", "H": "S", "C": "D"}
"""Credit, by the word for debit that stands beside it."""
_ALONE = ("CR", "DR", "CREDIT", "DEBIT")
"""Sides that may stand beside numbers without one."""
_RUPEES = ("₹", "Rs", "INR")
_BEFORE, _AFTER = (1, 4), (8, 11)
_SIGNS = (2, 5, 7, 10)
_DIGITS = {chr(first + digit): str(digit) for first in (0xFF10, 0x0660, 0x06F0, 0x0966) for digit in range(10)}
_PLAINLY = {
    **_DIGITS,
    **dict.fromkeys("\u2212\u2012\u2013\u2014\uff0d\ufe63", "-"),
    **dict.fromkeys("\u00a0\u202f\u2009\u2007\u2002\u2003\u3000", " "),
    **dict.fromkeys("\u2019\u2018\u02bc\u00b4`\uff07", "'"),
    "\uff0c": ",", "\uff0e": ".", "\uff0b": "+", "\uff08": "(", "\uff09": ")", "\u066b": ".", "\u066c": ",",
    "\uff05": "%",
}  # fmt: skip
"""Digits and signs of other scripts, and what stands for a minus, a blank or an apostrophe."""
_WITHIN = "".join(sign for sign in _PLAINLY if not sign.isdigit())
OF_NUMBERS = rf"^\D{{0,10}}\d([\d.,_'\seE+{_WITHIN}-]*\d)?[.,\u066b\uff0e\uff0c]?\D{{0,12}}$"
"""Texts that may be numbers of any style; others are none."""


class Style(StrEnum):
    """The spelling of numbers."""

    PLAIN = "decimal point"
    COMMA = "decimal comma"
    GROUPED = "commas between thousands"


_MARKED = ", in "
"""Stands in a style between its spelling and the currency or unit of all numbers."""
_PATTERNS = {
    Style.COMMA: r"^(\d{1,3}([. '_]\d{3})+|\d+)?(,\d+)?([eE][+-]?\d+)?$",
    Style.GROUPED: r"^([1-9]\d{0,2}([, '_]\d{3})+|[1-9]\d?(,\d{2})+,\d{3}|\d+)?(\.\d*)?([eE][+-]?\d+)?$",
}
_WITH_WORD = rf"^[-+(]?\s*(?:{_LEADING})?\s*[-+(]?\s*(\d[\d.,'_ ]*)\)?\s*(\pL{{1,12}})?\.?\s*(?:{_LEADING})?\)?$"
_SCALED = r"\d[.,]\d|\d \pL|\d(?i:k|m|mn|mio|mln|bn|mrd|cr|crore|lac|lakh)\b"
"""Shows in one of the numbers that a word behind them is no part of a name, as in 12A."""
_ONE_GROUP = r"^\D*[1-9]\d{0,2}[.,_]\d{3}\D*$"


_NEGATIVE = ", negative with "
"""Stands in a style before the side of an account whose numbers are negative."""
_NOT = " and not "
"""Stands before the other side, where each number is of one of the two."""


def finite(numbers: polars.Series) -> polars.Series:
    """Floats, null where they are no number or infinite."""
    held = numbers.cast(polars.Float64)
    return _where(held.is_finite(), held)


def is_of_numbers(style: str) -> bool:
    """True for a style of numbers, and false for one of dates or words."""
    return style.partition(_NEGATIVE)[0].partition(_MARKED)[0] in frozenset(Style)


def mark_of(style: str) -> str:
    """The currency or unit of a style of numbers; empty where there is none."""
    return style.partition(_NEGATIVE)[0].partition(_MARKED)[2]


def sides_of(style: str) -> tuple[str, str]:
    """The words for the sides of an account in a style: of negative and of positive numbers; empty where there is none."""
    negative, _, positive = style.partition(_NEGATIVE)[2].partition(_NOT)
    return negative, positive


def numbers_of(texts: polars.Series, style: str) -> polars.Series:
    """Cleaned texts as floats; null where they are none, or are in another currency or unit than the style says."""
    if style == Style.PLAIN:
        return finite(texts.cast(polars.Float64, strict=False))
    spelt = _Spelt.of(texts)
    base = style.partition(_NEGATIVE)[0].partition(_MARKED)[0]
    return _in_unit(spelt.marks, mark_of(style), spelt.read(Style(base), *sides_of(style)))


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
        if some.spelt_as(style).count() < _PROMISING * len(some.numbers):
            continue
        whole = whole or _Spelt.of(texts)
        sides = whole.two_sides(style)
        if sides is None:
            return None
        marks = whole.marks.filter(whole.marks != "").unique()
        if len(marks) > 1:
            return None
        if whole.plus_is_unsure(style):
            return None
        numbers = _in_unit(whole.marks, marks[0] if len(marks) else "", whole.read(style, *sides))
        share = numbers.count() / max(known, 1)
        if share > most:
            name = style + (_MARKED + marks[0] if len(marks) else "")
            name += _NEGATIVE + _NOT.join(filter(None, sides)) if any(sides) else ""
            best, most = (name, numbers, share), share
    return best


def _in_unit(marks: polars.Series, mark: str, numbers: polars.Series) -> polars.Series:
    """The numbers that have this mark; those without one, too, but not beside percentages: 0.26 may be 26 %."""
    bare = (marks == "") & ((numbers == 0) if mark in _RATIOS else (marks == ""))
    return _where(((marks == mark) | bare).fill_null(value=True), numbers)


def may_share_a_unit(first: str, second: str) -> bool:
    """True where numbers in these styles can be of one size: dollars are no euros, and 0.26 may be 26 %."""
    marks = {mark_of(first), mark_of(second)}
    return len(marks - {""}) < 2 and not (len(marks) == 2 and marks & {*_RATIOS})


def without_mark(texts: polars.Series) -> tuple[str, polars.Series, polars.Series]:
    """The one mark of numbers, the texts that have it, and the numbers other than 0 without any; the mark is empty for none."""
    known = texts.drop_nulls()
    spelt = _Spelt.of(known)
    marks = spelt.marks.filter(spelt.marks != "").unique()
    if len(marks) != 1:
        return "", known[:0], known[:0]
    bare = (
        spelt.numbers.is_not_null() & (spelt.marks == "") & spelt.numbers.str.contains("[1-9]").fill_null(value=False)
    )
    return marks[0], known.filter(spelt.marks == marks[0]), known.filter(bare)


def is_ratio(mark: str) -> bool:
    """True for percent and per mille, without which a number has another size."""
    return mark in _RATIOS


def is_currency(mark: str) -> bool:
    """True for a symbol, an abbreviation or a code of money."""
    return mark in {currency.removesuffix(".") for currency in _CURRENCIES}


def unsure_plus(texts: polars.Series) -> polars.Series:
    """The numbers with a plus behind them that may mean `or more`, since bare numbers stand beside them and no minus."""
    known = texts.drop_nulls()
    spelt = _Spelt.of(known)
    unsure = any(spelt.plus_is_unsure(style) for style in _PATTERNS)
    return known.filter(spelt.ends == "+") if unsure else known[:0]


def marks_in(texts: polars.Series) -> list[str]:
    """The currencies and units of these texts, where nearly all are numbers of one spelling."""
    spelt = _Spelt.of(texts.drop_nulls())
    if max((spelt.spelt_as(style).count() for style in _PATTERNS), default=0) < _PROMISING * len(spelt.numbers):
        return []
    return sorted(spelt.marks.filter(spelt.marks != "").unique().to_list())


def may_be_other(texts: polars.Series, style: str, *, comma_first: bool) -> bool:
    """True where all numbers have one mark with three digits behind it.

    1,234 is a thousand or little more than one; 101_001 may be a name.
    """
    if style == Style.PLAIN and not comma_first:
        return False
    known = texts.drop_nulls()
    marks = "." if style == Style.PLAIN else ",_"
    return any(known.str.contains(mark, literal=True).all() for mark in marks) and bool(
        known.str.contains(_ONE_GROUP).all()
    )


def count_sides(texts: polars.Series) -> dict[str, tuple[int, str]]:
    """Count the numbers of each side of an account, and name the first text of each."""
    known = texts.drop_nulls()
    sides = _Spelt.of(known).sides
    return {
        side: (int((sides == side).sum()), known.filter(sides == side)[0])
        for side in sides.unique(maintain_order=True).to_list()
        if side
    }


def unknown_words(texts: polars.Series) -> dict[str, int]:
    """Words behind decimal numbers that are no unit known here, with their rows; none where that is not what texts are."""
    known = texts.drop_nulls()
    parts = known.str.extract_groups(_WITH_WORD).struct.unnest()
    if parts["1"].count() < _PROMISING * len(known) or not known.str.contains(_SCALED).any():
        return {}
    words = parts["2"].drop_nulls().alias("word")
    return dict(words.filter(words != "").value_counts(sort=True, name="rows").iter_rows())


@dataclass(frozen=True, slots=True)
class _Spelt:
    """Texts divided into sign, number, and currency or unit."""

    numbers: polars.Series
    """Without a sign, and null where a text is none."""
    negative: polars.Series
    marks: polars.Series
    """Currency or unit, in lower case and without a plural; empty for none."""
    sides: polars.Series
    """Side of an account in capitals, as CR; empty for none."""
    ends: polars.Series
    """Sign behind the number; empty for none."""
    crore: bool
    """True where `Cr` may be ten million: in small letters, or beside rupees."""

    @classmethod
    def of(cls, texts: polars.Series) -> _Spelt:
        plainly = texts.str.replace_many(list(_PLAINLY), list(_PLAINLY.values())).str.strip_chars()
        plainly, words = _without_sides(plainly)
        sides = words.str.to_uppercase().replace("DB", "DR")
        parts = plainly.str.extract_groups(_PARTS).struct.unnest()
        field = {number: parts[str(number)].fill_null("") for number in range(1, 12)}
        opened, closed, signs = (_count(field[one] != "" for one in some) for some in (_BEFORE, _AFTER, _SIGNS))
        minus = _count(field[one] == "-" for one in _SIGNS)
        before, after = _usual(field[3]), _usual(field[9])
        fits = (opened == closed) & (opened + signs <= 1) & ((before == "") | (after == "") | (before == after))
        marks = before.zip_with(before != "", after)
        negative = minus + opened > 0
        fits &= (sides == "") | ~negative
        ends = _where(fits, polars.select(polars.max_horizontal(field[7], field[10])).to_series()).fill_null("")
        crore = bool((words.is_in(["Cr", "cr"]) | ((sides == "CR") & marks.is_in(_RUPEES))).any())
        return cls(_where(fits, parts["6"]).alias(texts.name), negative, marks, sides, ends, crore)

    def plus_is_unsure(self, style: Style) -> bool:
        """True where 4+ may mean 4 or more: other numbers have no sign behind them, and none has a minus."""
        ends = self.ends.filter(self.spelt_as(style).is_not_null())
        return set(ends.unique().to_list()) == {"", "+"}

    def two_sides(self, style: Style) -> tuple[str, str] | None:
        """The words for the negative and the positive side of an account; None where it is not clear which is which.

        Debit is negative, as on statements of a bank. Beside numbers without a word, those with one are, as COBOL and
        statements of a card print them.
        """
        there = {side for side in self.sides.unique().to_list() if side}
        if not there:
            return "", ""
        bare = self.spelt_as(style).filter(self.sides == "").drop_nulls()
        for credit, debit in _SIDES.items():
            if there == {credit, debit} and not (bare != 0).any():
                return debit, credit
        if len(there) > 1 or (only := min(there)) not in _ALONE or (only == "CR" and self.crore):
            return None
        if len(bare):
            return only, ""
        return next((debit, credit) for credit, debit in _SIDES.items() if only in (credit, debit))

    def read(self, style: Style, negative: str = "", positive: str = "") -> polars.Series:
        """The texts as floats with the signs that these sides of an account give, null where they are of another."""
        numbers = self.spelt_as(style)
        known = self.sides.is_in(["", negative, positive]) & ((self.sides != "") | (numbers == 0) | (positive == ""))
        below = (self.sides == negative) & (negative != "")
        return _where(known.fill_null(value=True), numbers.zip_with(~below, -numbers))

    def spelt_as(self, style: Style) -> polars.Series:
        """The texts as floats, null where they are no numbers of this style."""
        fits = self.numbers.str.contains(_PATTERNS[style])
        if style is Style.COMMA:
            plain = self.numbers.str.replace_all(r"[. '_]", "").str.replace(",", ".", literal=True)
        else:
            plain = self.numbers.str.replace_all(r"[, '_]", "")
        found = finite(_where(fits, plain.cast(polars.Float64, strict=False)))
        return found.zip_with(~self.negative, -found)


def _without_sides(texts: polars.Series) -> tuple[polars.Series, polars.Series]:
    """The texts without a side of an account, and these sides as they are written; empty for none."""
    parts = texts.str.extract_groups(_SIDE).struct.unnest()
    sides = polars.select(polars.coalesce(*(polars.lit(parts[place]) for place in "1468"))).to_series()
    rest = polars.select(
        polars.coalesce(*(polars.lit(parts[place]) for place in "2357"), polars.lit(texts))
    ).to_series()
    return rest, sides.fill_null("")


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
