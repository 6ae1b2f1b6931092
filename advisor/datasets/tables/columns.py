"""The kinds of the columns of a table, judged by the rows of a sample."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars

from advisor.datasets.dataset import Column, Kind
from advisor.datasets.values import conversion as reading
from advisor.datasets.values.conversion import as_texts, cleaned
from advisor.wording import join_names, shorten

_STRAY_SHARE, _STRAY_VALUES, _STRAY_ROWS = 0.02, 3, 50
"""A column of numbers may hold so many other words, as spellings of a missing value nobody thought of."""
_NEARLY_UNIQUE = 0.95
_FEWEST_FOR_IDENTIFIER = 10
MANY_CATEGORIES = 1000
_IDENTIFYING = frozenset({"id", "ids", "uuid", "guid", "identifier", "pk", "index", "idx", "rowid", "unnamed"})
_NUMBERING = _IDENTIFYING | {"key", "no", "nr", "number", "code", "row", "hash"}
_PERSONS = frozenset(
    {
        "account", "client", "customer", "device", "donor", "driver", "employee", "household", "machine", "member",
        "participant", "patient", "person", "player", "respondent", "sensor", "session", "speaker",
        "student", "subject", "user", "volunteer",
    }
)  # fmt: skip
"""Persons and things of which there may be several rows. No places: a shop has its future predicted, and tells much."""
_CODES = frozenset({"zip", "zipcode", "postcode", "postal", "plz", "fips", "isbn", "ean", "phone"})
INFINITE = "Infinite values count as missing."
_INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)
_UUID = r"^[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}$"


@dataclass(frozen=True, slots=True)
class Judged:
    """A column with its values as they are used: floats, moments or texts, null where there is none."""

    column: Column
    values: polars.Series
    style: str = ""
    """The way in which the texts of the file become these values; see `values.converted`."""

    @property
    def kind(self) -> Kind:
        return self.column.kind

    @property
    def quoted(self) -> str:
        """The name of the column for messages."""
        return repr(shorten(self.column.name, 40))


def words_of_name(name: str) -> frozenset[str]:
    """The words of a column's name: `customerID` and `customer_id` are customer and id."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return frozenset(word for word in re.split(r"[\W_]+", parted.casefold()) if word)


def identifies(name: str) -> bool:
    """True where a name says that the values tell persons, goods or rows apart."""
    return bool(words_of_name(name) & _IDENTIFYING)


def names_persons(name: str) -> bool:
    """True where a name only says who or what a row is about: `subject` and `user name`, but not `store type`."""
    words = words_of_name(name)
    return bool(words & _PERSONS) and words <= _PERSONS | _NUMBERING | {"name"}


def judge(raw: polars.Series, *, named: bool = True, nested: bool = False, comma_first: bool = False) -> Judged:
    """The kind of a column and its values.

    `named` is false where the file does not name it, `nested` where it holds lists or objects, and `comma_first` makes
    `1,234` a little more than one.
    """
    if nested:
        column = Column(raw.name, Kind.NESTED, remark="It holds lists or objects.")
        return Judged(column, polars.Series(raw.name, [None] * len(raw), dtype=polars.String))
    judged = _judged_texts(raw, comma_first) if raw.dtype == polars.String else _judged_typed(raw)
    judged = _with_name(judged, named)
    return replace(judged, column=_described(judged))


def _judged_typed(raw: polars.Series) -> Judged:
    """A column that the format of the file typed: Parquet, JSON lines."""
    if raw.null_count() == len(raw):
        return _judged(raw.name, Kind.EMPTY, polars.Series(raw.name, [None] * len(raw), dtype=polars.String))
    if raw.dtype == polars.Boolean:
        return _judged(raw.name, Kind.YES_NO, as_texts(raw))
    if raw.dtype.is_numeric():
        infinite = raw.dtype.is_float() and bool(raw.is_infinite().any())
        return _numbers(raw.name, reading.finite(raw.cast(polars.Float64)), infinite=infinite)
    if raw.dtype in (polars.Date, polars.Datetime):
        return _judged(raw.name, Kind.DATE, raw.cast(polars.Datetime("us")))
    if raw.dtype == polars.Duration:
        return _numbers(raw.name, raw.dt.total_microseconds().cast(polars.Float64))
    return _judged_texts(as_texts(raw), comma_first=False)


def _judged_texts(raw: polars.Series, comma_first: bool) -> Judged:
    texts = cleaned(raw)
    known = texts.count()
    if known == 0:
        return _judged(raw.name, Kind.EMPTY, texts)
    if (date := reading.date_style(texts)) == (reading.DIGITS, False):  # 20200131 is a number, too
        return _dates(texts, *date, known)
    least = 1.0 if known < _STRAY_ROWS else 1 - _STRAY_SHARE
    some = texts.set(texts.str.contains(f"(?i)^({_INFINITE.pattern})$"), None)  # however many: they are read as numbers
    style = reading.number_style(some, comma_first=comma_first, least=least) if some.null_count() < len(some) else None
    if style is not None:
        numbers = style[1]
        stray = texts.filter(numbers.is_null() & texts.is_not_null()).unique(maintain_order=True).to_list()
        others = [word for word in stray if not _INFINITE.fullmatch(word)]
        if len(others) <= _STRAY_VALUES:
            return _numbers(raw.name, numbers, style[0].value, others, infinite=len(others) < len(stray))
    distinct = texts.drop_nulls().unique(maintain_order=True)
    if len(distinct) == 2 and reading.are_yes_and_no(list(distinct)):
        return _judged(raw.name, Kind.YES_NO, texts, style="", distinct=2)
    if date is not None:
        return _dates(texts, *date, known)
    return _words(texts, len(distinct), known)


def _numbers(
    name: str, numbers: polars.Series, style: str = "", others: Sequence[str] = (), *, infinite: bool = False
) -> Judged:
    """A column of numbers, among which other words and infinite values count as missing."""
    known = numbers.drop_nulls()
    distinct = known.n_unique() if len(known) else 0
    if not distinct:
        return _judged(name, Kind.EMPTY, as_texts(numbers))
    whole = bool(((known == known.round()) & (known.abs() < 2**53)).all())
    kind = Kind.WHOLE if whole else Kind.NUMBER
    if whole and distinct == 2 and set(known.unique().to_list()) == {0.0, 1.0}:
        kind = Kind.YES_NO
        numbers = as_texts(numbers)
    remarks = []
    if others:
        shown = join_names([f"{shorten(value, 20)!r}" for value in others])
        remarks.append(f"{shown} among its numbers {'counts' if len(others) == 1 else 'count'} as missing.")
    if infinite:
        remarks.append(INFINITE)
    return _judged(name, kind, numbers, style=style, distinct=distinct, remark=" ".join(remarks))


def _dates(texts: polars.Series, style: str, ambiguous: bool, known: int) -> Judged:
    moments = reading.dates_of(texts, style)
    if moments.count() < (1 - _STRAY_SHARE) * known:
        return _words(texts, texts.drop_nulls().n_unique(), known)
    remark = "Day and month could be the other way round; it was read as day first." if ambiguous else ""
    return _judged(texts.name, Kind.DATE, moments, style=style, remark=remark)


def _words(texts: polars.Series, distinct: int, known: int) -> Judged:
    """Texts that are no numbers and no dates: categories, names for rows, or free text."""
    held = texts.drop_nulls().head(20_000)
    counted = (held.str.count_matches(r"\s+") + 1).mean()
    words = counted if isinstance(counted, float) else 1.0
    unique = distinct / known
    nearly = known >= 50 and unique > _NEARLY_UNIQUE
    if known >= _FEWEST_FOR_IDENTIFIER and held.str.contains(_UUID).all() and unique > 0.5:
        kind = Kind.IDENTIFIER
    elif words >= 8 or (words >= 3 and unique > 0.2 and distinct > 20):
        kind = Kind.TEXT
    elif words < 1.5 and (nearly or (known >= _FEWEST_FOR_IDENTIFIER and unique == 1)):
        kind = Kind.IDENTIFIER
    else:
        kind = Kind.TEXT if nearly else Kind.CATEGORY
    return _judged(texts.name, kind, texts, distinct=distinct)


def _judged(
    name: str, kind: Kind, held: polars.Series, *, style: str = "", distinct: int | None = None, remark: str = ""
) -> Judged:
    count = held.drop_nulls().n_unique() if distinct is None else distinct
    column = Column(name, kind, held.null_count() / max(len(held), 1), count, remark=remark)
    return Judged(column, held.alias(name), style)


def _with_name(judged: Judged, named: bool) -> Judged:
    """Take the name of a column into account: numbers that only tell rows or persons apart are no quantities."""
    column, kind = judged.column, judged.kind
    known = judged.values.count()
    if column.distinct == 1 and known == len(judged.values) > 1:
        style = "" if kind is Kind.DATE else judged.style  # its values are read as words
        return replace(judged, column=replace(column, kind=Kind.CONSTANT), style=style)
    words = words_of_name(column.name)
    if kind is Kind.WHOLE:
        unique = column.distinct == known >= _FEWEST_FOR_IDENTIFIER
        if unique and (words & _NUMBERING or (not named and _counts_rows(judged.values))):
            return replace(judged, column=replace(column, kind=Kind.IDENTIFIER))
        if (words & _IDENTIFYING and column.distinct > 20 and not unique) or words & _CODES:
            texts = as_texts(judged.values)
            remark = "Its numbers are names, not quantities."
            return Judged(replace(column, kind=Kind.CATEGORY, remark=remark), texts, judged.style)
    return judged


def _counts_rows(numbers: polars.Series) -> bool:
    steps = numbers.diff().drop_nulls()
    first = numbers[0]
    return first in (0.0, 1.0) and len(steps) > 0 and (steps == 1).sum() > 0.99 * len(steps)


def _described(judged: Judged) -> Column:
    """With examples of its values, and a remark where it is left out or odd."""
    column = judged.column
    known = judged.values.count()
    values = list(dict.fromkeys(value for value in judged.values.head(200).to_list() if value is not None))
    if not values and known:
        values = judged.values.drop_nulls().head(3).to_list()
    shown = [_shown(value) for value in values[:3]]
    remark = column.remark or _remark(column, len(judged.values), known)
    return replace(column, examples=tuple(shorten(value, 24) for value in shown), remark=remark)


def _shown(value: object) -> str:
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.10g}"
    return str(value).removesuffix(" 00:00:00")


def _remark(column: Column, rows: int, known: int) -> str:
    match column.kind:
        case Kind.IDENTIFIER:
            return "It names rows: there is nothing to learn from."
        case Kind.CONSTANT:
            return "It has the same value in every row that was read."
        case Kind.EMPTY:
            return "All its values are missing."
        case Kind.CATEGORY if column.distinct > MANY_CATEGORIES:
            return f"It has {column.distinct:,} values in {rows:,} rows: rare ones cannot be told apart."
    if column.missing > 0.5:
        return f"Only {known:,} of {rows:,} rows have a value."
    return ""
