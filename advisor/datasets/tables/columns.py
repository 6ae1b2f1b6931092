"""The kinds of the columns of a table, judged by the rows of a sample."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy
import polars

from advisor.datasets.dataset import Column, Kind, Remark, Weight
from advisor.datasets.tables import spellings
from advisor.datasets.tables.looks import INFINITE as INFINITE_WORD
from advisor.datasets.tables.looks import Look, look_at, words_a_text
from advisor.datasets.values import dates, epochs
from advisor.datasets.values import numbers as spelling
from advisor.datasets.values.conversion import are_yes_and_no, as_texts, microseconds
from advisor.datasets.values.legends import legend
from advisor.datasets.values.missing import are_unknown
from advisor.wording import join_first, join_names, shorten

_STRAY_SHARE, _STRAY_VALUES, _STRAY_ROWS = 0.02, 3, 50
"""A column of numbers may hold so many other words, as spellings of a missing value nobody thought of."""
_BEGINS_AS_VALUE, _VALUES_BESIDE_UNKNOWN = r"^[-+(€$£]?\d", 0.4
"""The beginning of numbers and dates, and the share of them from which on words such as unknown count as missing."""
_NEARLY_UNIQUE = 0.95
_FEWEST_FOR_IDENTIFIER = 10
MANY_CATEGORIES = 1000
_EXAMPLES, _EXAMPLES_AMONG = 3, 200
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
BINS = 8
"""Most bars of a histogram."""
INFINITE = "Infinite values count as missing."
_MONTHLY = frozenset({"month", "months", "yyyymm", "yearmonth", "ym", "period", "date"})
_CLOCK = frozenset(
    {"time", "clock", "hhmm", "hour", "hours", "arrival", "departure", "arr", "dep", "opening", "closing"}
)
CLOCK = "Its numbers are times of a day: 930 is 9:30, and 2359 comes just before 0."
CLOCK_IN_WORDS = "Its texts are times of a day."
_UUID = r"^[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}$"


@dataclass(frozen=True, slots=True)
class Judged:
    """A column with its values as they are used: floats, moments or texts, null where there is none."""

    column: Column
    values: polars.Series
    style: str = ""
    """The way in which the texts of the file become these values; see `values.converted`."""

    doubts: tuple[Remark, ...] = ()
    """Readings of its values that somebody should check."""

    @property
    def kind(self) -> Kind:
        return self.column.kind

    @property
    def quoted(self) -> str:
        """The name of the column for messages."""
        return repr(shorten(self.column.name, 40))


@lru_cache(maxsize=2**17)  # asked for several times of each column
def words_of_name(name: str) -> frozenset[str]:
    """The words of a column's name: `customerID` and `customer_id` are customer and id."""
    return frozenset(_parts_of_name(name))


def _parts_of_name(name: str) -> tuple[str, ...]:
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return tuple(word for word in re.split(r"[\W_]+", parted.casefold()) if word)


def identifies(name: str) -> bool:
    """True where a name says that the values tell persons, goods or rows apart."""
    return bool(words_of_name(name) & _IDENTIFYING)


def names_persons(name: str) -> bool:
    """True where a name only says who or what a row is about: `subject` and `user name`, but not `store type`."""
    words = words_of_name(name)
    return bool(words & _PERSONS) and words <= _PERSONS | _NUMBERING | {"name"}


def judge(
    raw: polars.Series,
    *,
    named: bool = True,
    nested: bool = False,
    comma_first: bool = False,
    kept: Collection[str] = (),
) -> Judged:
    """The kind of a column and its values.

    `named` is false where the file does not name it, `nested` where it holds lists or objects, and `comma_first` makes
    `1,234` a little more than one. Words that are `kept` are values, though they may stand for missing ones.
    """
    unnamed, of_lists = (frozenset() if named else {raw.name}), ({raw.name} if nested else frozenset())
    return judge_all([raw], unnamed=unnamed, nested=of_lists, comma_first=comma_first, kept=kept)[0]


def judge_all(
    columns: Sequence[polars.Series],
    *,
    unnamed: Collection[str] = (),
    nested: Collection[str] = (),
    comma_first: bool = False,
    kept: Collection[str] = (),
) -> list[Judged]:
    """The kinds of columns of one length and their values, in their order; see `judge`."""
    texts = [raw for raw in columns if raw.dtype == polars.String and raw.name not in nested]
    held = _judged_texts(look_at(texts, kept), comma_first)
    found = []
    for raw in columns:
        if raw.name in nested:
            column = Column(raw.name, Kind.NESTED, remark="It holds lists or objects.")
            found.append(Judged(column, polars.Series(raw.name, [None] * len(raw), dtype=polars.String)))
            continue
        judged = held[raw.name] if raw.name in held else _judged_typed(raw, kept)
        judged = _maybe_times(raw, _with_name(judged, raw.name not in unnamed))
        found.append(replace(judged, column=_described(judged)))
    return found


def _epoch_style(name: str, numbers: polars.Series) -> str | None:
    """The unit in which a column counts from 1970, where its name says that it holds times."""
    return epochs.epoch_style(numbers) if epochs.names_a_time(_parts_of_name(name)) else None


def _maybe_times(raw: polars.Series, judged: Judged) -> Judged:
    """With the doubt whether numbers that rise evenly are times, where the name of the column does not tell."""
    if judged.kind not in (Kind.WHOLE, Kind.IDENTIFIER) or epochs.names_something_else(_parts_of_name(raw.name)):
        return judged
    numbers = judged.values.cast(polars.Float64, strict=False)
    style = epochs.epoch_style(numbers)
    if style is None or style == f"{dates.EPOCH}s" or not epochs.rise_evenly(numbers):
        return judged
    what = f"The numbers of {judged.quoted} rise evenly, as times {style} do, but its name does not say that they are times."
    remedy = "If they are times, call the column timestamp."
    return replace(judged, doubts=(*judged.doubts, Remark(what, remedy=remedy, columns=(raw.name,))))


def _judged_typed(raw: polars.Series, kept: Collection[str]) -> Judged:
    """A column that the format of the file typed: Parquet, JSON lines."""
    if raw.null_count() == len(raw):
        return _judged(raw.name, Kind.EMPTY, polars.Series(raw.name, [None] * len(raw), dtype=polars.String))
    if raw.dtype == polars.Boolean:
        return _judged(raw.name, Kind.YES_NO, as_texts(raw))
    if raw.dtype.is_numeric():
        numbers = raw.cast(polars.Float64)
        style = _epoch_style(raw.name, numbers)
        if style is not None and (times := _dates(as_texts(raw), style, ambiguous=False, known=raw.count())):
            return times
        if (raw.dtype.is_integer() or raw.dtype.is_decimal()) and _are_long(raw, numbers):
            return _judged_texts(look_at([raw.cast(polars.String)]), comma_first=False)[raw.name]
        held = numbers.to_numpy()  # what is missing is NaN
        if numpy.isfinite(held).all():
            return _numbers(raw.name, numbers)
        return _numbers(raw.name, spelling.finite(numbers), infinite=bool(numpy.isinf(held).any()))
    if raw.dtype in (polars.Date, polars.Datetime):
        moments = dates.moments_of(raw)
        unreal = raw.filter(moments.is_null() & raw.is_not_null())
        judged = _judged(raw.name, Kind.DATE, moments)
        if not moments.count():
            none = polars.Series(raw.name, [None] * len(raw), dtype=polars.String)
            judged = _judged(raw.name, Kind.EMPTY, none, remark="None of its dates lies in the years 1 to 9998.")
        zone = getattr(raw.dtype, "time_zone", None)
        judged = replace(judged, doubts=tuple(_in_utc(raw.name, raw.count(), {zone: raw.count()} if zone else {})))
        if not len(unreal):
            return judged
        return replace(
            judged,
            doubts=(
                *judged.doubts,
                _not_dates(raw.name, len(unreal), raw.count(), f"of the year {dates.year_of(unreal)}"),
            ),
        )
    if raw.dtype == polars.Duration:
        return _numbers(raw.name, microseconds(raw))
    return _judged_texts(look_at([as_texts(raw)], kept), comma_first=False)[raw.name]


def _are_long(raw: polars.Series, numbers: polars.Series) -> bool:
    """True for whole numbers of so many digits that a float does not keep them apart: names, as in a text file."""
    whole = raw.dtype.is_integer() or (isinstance(raw.dtype, polars.Decimal) and raw.dtype.scale == 0)
    return whole and 2 * int((numbers.abs() >= spelling.LONG).sum()) >= numbers.count()


def _judged_texts(looks: Sequence[Look], comma_first: bool) -> dict[str, Judged]:
    """Columns of texts by their names."""
    found: dict[str, Judged] = {}
    words: list[Look] = []
    for look in looks:
        judged = _judged_values(look, comma_first) or _with_unknown(look, comma_first)
        if judged is None:
            words.append(look)
        else:
            found[look.texts.name] = judged
    for look, mean in zip(words, words_a_text(words), strict=True):
        doubts = spellings.doubts_on_unread_dates(look.texts)
        if not doubts and look.spelt and 2 * (look.plain + look.spelt) > look.known:
            doubts = spellings.doubts_on_words(look.texts)
        found[look.texts.name] = replace(_words(look, mean), doubts=doubts)
    return found


def _judged_values(look: Look, comma_first: bool) -> Judged | None:
    """A column of numbers, dates, yes or no, or of nothing; None where it holds other words."""
    texts, known = look.texts, look.known
    if known == 0:
        return _judged(texts.name, Kind.EMPTY, texts, distinct=0)
    date = dates.date_style(texts, look.first, of_months=bool(words_of_name(texts.name) & _MONTHLY))
    if date is not None and look.first.isdigit() and (days := _dates(texts, *date, known)):  # 20200131 is a number, too
        return days
    if look.plain == known and not look.first.startswith("0"):
        style = _epoch_style(texts.name, look.numbers)
        if style is not None and (times := _dates(texts, style, ambiguous=False, known=known)):
            return times
    if look.coded and look.plain == known and dates.are_padded_times(texts):
        return _judged(texts.name, Kind.WHOLE, look.numbers, style=spelling.Style.PLAIN.value, remark=CLOCK)
    spelt = _number_style(look, comma_first)
    if spelt is not None:
        style, numbers = spelt
        others = _other_words(texts, numbers) if numbers.count() + look.infinite < known else []
        if len(others) <= _STRAY_VALUES:
            judged = _numbers(texts.name, numbers, style, others, infinite=look.infinite > 0)
            if style != spelling.Style.PLAIN and (notes := spellings.notes_on(texts)):
                remark = " ".join(filter(None, (judged.column.remark, notes)))
                judged = replace(judged, column=replace(judged.column, remark=remark))
            return replace(judged, doubts=tuple(spellings.doubts_on(texts, numbers, style, comma_first=comma_first)))
    if _different(look) == 2 and are_yes_and_no(texts.drop_nulls().unique().to_list()):
        return _judged(texts.name, Kind.YES_NO, texts, distinct=2)
    return None if date is None else _dates(texts, *date, known)


def _with_unknown(look: Look, comma_first: bool) -> Judged | None:
    """A column of numbers or dates beside words such as unknown in many rows; None where it holds other words."""
    some = look.texts.drop_nulls().head(_EXAMPLES_AMONG)
    if not len(some) or float(some.str.contains(_BEGINS_AS_VALUE).mean() or 0) < _VALUES_BESIDE_UNKNOWN:  # type: ignore[arg-type]
        return None
    unknown = are_unknown(look.texts)
    if not unknown.any():
        return None
    (others,) = look_at([look.texts.set(unknown, None)])
    judged = _judged_values(others, comma_first)
    if judged is None or judged.kind not in (Kind.NUMBER, Kind.WHOLE, Kind.DATE):
        return None
    words = look.texts.filter(unknown).alias("word").value_counts(sort=True, name="rows")
    shown = join_names([f"{word!r} ({rows:,} {'row' if rows == 1 else 'rows'})" for word, rows in words.iter_rows()])
    held = "dates" if judged.kind is Kind.DATE else "numbers"
    what = f"Among the {held} of {judged.quoted} {shown} {'counts' if len(words) == 1 else 'count'} as missing."
    return replace(judged, doubts=(*judged.doubts, Remark(what, Weight.WARNING, columns=(judged.column.name,))))


def _number_style(look: Look, comma_first: bool) -> tuple[str, polars.Series] | None:
    """The style in which most texts are numbers, infinite ones left aside, and the numbers; None where too few are."""
    sought = look.known - look.infinite
    if not sought or look.coded:
        return None
    least = 1.0 if look.known < _STRAY_ROWS else 1 - _STRAY_SHARE
    style, numbers, share = spelling.Style.PLAIN.value, look.numbers, look.plain / sought
    if look.spelt and (look.plain + look.spelt) / sought >= least:
        texts = look.texts
        if look.infinite:
            texts = texts.set(texts.str.contains(f"(?i)^({INFINITE_WORD.pattern})$"), None)
        found = spelling.other_style(texts, sought, comma_first=comma_first, most=share)
        style, numbers, share = found or (style, numbers, share)
    return (style, numbers) if share >= least else None


def _other_words(texts: polars.Series, numbers: polars.Series) -> list[str]:
    """The different words of a column that are neither numbers nor infinite."""
    stray = texts.filter(numbers.is_null() & texts.is_not_null()).unique(maintain_order=True).to_list()
    return [word for word in stray if not INFINITE_WORD.fullmatch(word)]


def _different(look: Look) -> int:
    return look.texts.n_unique() - (look.known < len(look.texts))


def _numbers(
    name: str, numbers: polars.Series, style: str = "", others: Sequence[str] = (), *, infinite: bool = False
) -> Judged:
    """A column of numbers, among which other words and infinite values count as missing."""
    held = numbers.to_numpy()
    known = held[~numpy.isnan(held)]
    if not len(known):
        return _judged(name, Kind.EMPTY, as_texts(numbers), distinct=0)
    different = numpy.unique(known)
    distinct = len(different)
    whole = bool(((known == numpy.rint(known)) & (numpy.abs(known) < 2**53)).all())
    kind = Kind.WHOLE if whole else Kind.NUMBER
    if whole and distinct == 2 and (known.min(), known.max()) == (0.0, 1.0):
        kind = Kind.YES_NO
        numbers = numbers.cast(polars.Int8).cast(polars.String)
    remarks = []
    if others:
        shown = join_names([f"{shorten(value, 20)!r}" for value in others])
        remarks.append(f"{shown} among its numbers {'counts' if len(others) == 1 else 'count'} as missing.")
    if infinite:
        remarks.append(INFINITE)
    if kind is Kind.WHOLE and dates.are_times_of_day(different, named=bool(words_of_name(name) & _CLOCK)):
        remarks.append(CLOCK)
    return _judged(name, kind, numbers, style=style, distinct=distinct, remark=" ".join(remarks))


def _dates(texts: polars.Series, style: str, ambiguous: bool, known: int) -> Judged | None:
    """A column of dates; None where too few of its texts are."""
    moments = dates.dates_of(texts, style)
    unreal = texts.filter(dates.placeholders(texts, style)) if moments.count() < known else texts[:0]
    if not moments.count():
        return None
    others = known - moments.count() - len(unreal)
    if others > dates.FALSE_DATES * (known - len(unreal)):
        impossible = int(dates.are_impossible(texts, style).sum())
        if (
            others - impossible > dates.FALSE_DATES * (known - len(unreal))
            or impossible > dates.IMPOSSIBLE_DATES * known
        ):
            return None
    doubts = (_not_dates(texts.name, len(unreal), known, f"{unreal[0]!r}"),) if len(unreal) else ()
    if others:
        lost = texts.filter(moments.is_null() & texts.is_not_null() & ~dates.placeholders(texts, style))
        doubts = (*doubts, spellings.doubt_on_dates(lost, known))
    zones = dates.zones_in(texts.filter(moments.is_not_null()) if moments.count() < known else texts)
    doubts = (*doubts, *_in_utc(texts.name, known, zones))
    remark = f"Its numbers are times {style}." if style.startswith(dates.EPOCH) else ""
    if ambiguous:
        remark = "No day is above 12, so day and month could be the other way round; it was read as day first."
    return replace(_judged(texts.name, Kind.DATE, moments, style=style, remark=remark), doubts=doubts)


def _in_utc(name: str, known: int, zones: Mapping[str, int]) -> Iterator[Remark]:
    """Report times that are converted to UTC, and those without an offset among others."""
    column = shorten(name, 40)
    if zoneless := zones.get("", 0):
        what = f"{zoneless:,} of {known:,} times of {column!r} have no offset from UTC, as others have."
        yield Remark(what, Weight.WARNING, "They are read as UTC.", (name,))
    if moved := {zone: rows for zone, rows in zones.items() if not dates.is_utc(zone)}:
        shown = join_first([f"{zone} ({rows:,} {'row' if rows == 1 else 'rows'})" for zone, rows in moved.items()])
        what = f"{sum(moved.values()):,} of {known:,} times of {column!r} are converted to UTC, from {shown}."
        yield Remark(what, columns=(name,))


def _not_dates(name: str, count: int, known: int, example: str) -> Remark:
    what = f"{count:,} of {known:,} dates of {shorten(name, 40)!r} count as missing, such as one {example}"
    remedy = "They stand for no date, or were written in a wrong unit (seconds, milliseconds, microseconds)."
    return Remark(f"{what}: dates are read from 2 January 0001 to the end of 9998.", Weight.WARNING, remedy, (name,))


def _words(look: Look, words: float) -> Judged:
    """Texts that are no numbers and no dates: categories, names for rows, or free text; with their mean number of words."""
    texts, known, distinct = look.texts, look.known, _different(look)
    unique = distinct / known
    nearly = known >= 50 and unique > _NEARLY_UNIQUE
    if known >= _FEWEST_FOR_IDENTIFIER and unique > 0.5 and _are_uuids(look):
        kind = Kind.IDENTIFIER
    elif words >= 8 or (words >= 3 and unique > 0.2 and distinct > 20):
        kind = Kind.TEXT
    elif words < 1.5 and (nearly or (known >= _FEWEST_FOR_IDENTIFIER and unique == 1)):
        kind = Kind.IDENTIFIER
    else:
        kind = Kind.TEXT if nearly else Kind.CATEGORY
    remark = CLOCK_IN_WORDS if dates.are_clock_times(texts, look.first) else ""
    return _judged(texts.name, kind, texts, distinct=distinct, remark=remark)


def _are_uuids(look: Look) -> bool:
    return bool(re.match(_UUID, look.first)) and bool(look.texts.drop_nulls().head(20_000).str.contains(_UUID).all())


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
    if kind is Kind.WHOLE and (said := legend(column.name)) and column.distinct <= len(said):
        texts = as_texts(judged.values)
        if set(texts.drop_nulls().unique()) <= said.keys():
            remark = f"Its name says that {join_names([f'{number} is {word}' for number, word in said.items()])}."
            return Judged(replace(column, kind=Kind.CATEGORY, remark=remark), texts, judged.style)
    if kind is Kind.WHOLE:
        unique = column.distinct == known >= _FEWEST_FOR_IDENTIFIER
        if unique and (words & _NUMBERING or (not named and _counts_rows(judged.values))):
            return replace(judged, column=replace(column, kind=Kind.IDENTIFIER))
        if (words & _IDENTIFYING and column.distinct > 20 and not unique) or words & _CODES:
            texts = as_texts(judged.values)
            remark = "Its numbers are names, not quantities; sometimes they do better as numbers: try both."
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
    values: dict[object, None] = {}
    for value in judged.values.head(_EXAMPLES_AMONG).to_list():
        if value is not None:
            values[value] = None
            if len(values) == _EXAMPLES:
                break
    if not values and known:
        values = dict.fromkeys(judged.values.drop_nulls().head(_EXAMPLES).to_list())
    shown = [_shown(value) for value in values]
    remark = column.remark or _remark(column, len(judged.values), known)
    named = tuple(shorten(value, 24) for value in shown)
    return replace(column, examples=named, remark=remark, counts=_counts(judged))


def _counts(judged: Judged) -> tuple[int, ...]:
    """The histogram of a column; none where its values are hardly ever the same, and none of one value."""
    values = judged.values
    if judged.kind in (Kind.NUMBER, Kind.WHOLE, Kind.DATE):
        numbers = values.cast(polars.Float64).to_numpy()
        numbers = numbers[~numpy.isnan(numbers)]
        if not len(numbers):
            return ()
        low = numbers.min()
        with numpy.errstate(all="ignore"):  # from the least to the greatest float is more than a float
            span = numbers.max() - low
            if not numpy.isfinite(span):
                return ()
            places = ((numbers - low) / (span or 1.0) * BINS).astype(numpy.int64)
        return tuple(numpy.bincount(numpy.minimum(places, BINS - 1), minlength=BINS).tolist())
    if judged.kind in (Kind.YES_NO, Kind.CATEGORY):
        known = values.drop_nulls() if values.null_count() else values
        counted = known.alias("value").value_counts(name="rows", sort=True)["rows"]
        return tuple(counted.head(BINS).to_list())
    return ()


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
