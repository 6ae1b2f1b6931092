"""Texts as dates: days and moments, months and quarters; and the hours and minutes of a day."""

from __future__ import annotations

import re

import numpy
import polars
from numpy.typing import NDArray

_DAYS = (
    "%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%d.%m.%y", "%d/%m/%Y", "%m/%d/%Y", "%d/%m/%y", "%m/%d/%y", "%d-%m-%Y",
    "%m-%d-%Y", "%d-%m-%y", "%m-%d-%y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%b %d %Y", "%B %d %Y",
    "%d-%b-%Y", "%d-%b-%y",
)  # fmt: skip
_TIMES = (" %H:%M:%S", " %H:%M", " %I:%M:%S %p", " %I:%M %p", " %H")
QUARTER = "year and quarter"
_MONTHS = (
    "%Y-%m", "%Y/%m", "%m/%Y", "%YM%m", "%b-%y", "%b %y", "%b-%Y", "%b %Y", "%B-%Y", "%B %Y", "%Y %b", "%Y-%b", QUARTER,
)  # fmt: skip
DIGITS, _DIGITS_OF_MONTHS = "%Y%m%d", "%Y%m"
_QUARTER = r"^((19|20)\d\d[ _/-]?[Qq][1-4]|[Qq][1-4][ _/-]?(19|20)\d\d)$"
_LOOKS_LIKE_A_DATE = re.compile(
    r"(?!\d+[.,]\d+(?:[eE][-+]?\d+)?$)\d{1,4}[-/. ][\dA-Za-z]|[A-Za-z]{3,9}[- ]\d|(19|20)\d{6}$|(19|20)\d\d[MmQq]\d|"
    r"[Qq][1-4][ _/-]?(19|20)\d\d|(19|20)\d\d_[Qq][1-4]$|(19|20)\d{6}T\d{4}"
)
_LOOKS_LIKE_MONTHS_OF_DIGITS = re.compile(r"(19|20)\d\d(0[1-9]|1[0-2])$")
_YEARS = {"%Y": r"\d{4}", "%y": r"\d\d(\D|$)"}
_NO_DATE = (
    r"^(0000[-/.]?00[-/.]?00|00[-/.]00[-/.]0000|9999[-/.]?99[-/.]?99|99[-/.]99[-/.]9999|-\d{4,}-\d\d-\d\d|"
    r"\+?\d{5,}-\d\d-\d\d)([ T].*)?$"
)
"""Texts that stand for no date, or for one before the year 1 or after 9999."""
_SECONDS_A_DAY = 86_400
_FIRST_SECOND, _LAST_SECOND = -62_135_510_400, 253_370_764_799
"""From 2 January of the year 1 to 31 December 9998, UTC: earlier or later moments stand for none."""
_DAYS_TO_1970 = 719_528
"""From the beginning of the year 0 of the Gregorian calendar."""
_TICKS = {"ms": 10**3, "us": 10**6, "ns": 10**9}
_LEAST_NANOSECONDS, _MOST_NANOSECONDS = -9_223_372_037, 106_751
"""The first second and the last day that 64 bits of nanoseconds can hold: programs write them where there is no date."""
EPOCH = "since 1970 in "
"""Begins a style of numbers that count seconds or parts of them."""
TICKS_OF_EPOCHS = {"s": 1, **_TICKS}
_LOOKED_AT = 16
"""Different texts, from all over the column, that rule out most formats."""
FALSE_DATES, IMPOSSIBLE_DATES = 0.02, 0.1
"""Shares of the texts of a column of dates that may be other words, and days or hours that no calendar or clock has."""
_FEWEST_OF_DIGITS = 5
_LAST_YEAR = 2050
"""Years of two digits are read so that they run on without a gap and end before this one."""
_LATEST_BEGINNING = 2035
"""The first of them comes no later: contracts that end from 24 to 44 are of 2024 to 2044, letters of 40 to 48 of 1940 to 1948."""
_LONGEST_SPAN = 90
"""Years of two digits that are spread over more leave no gap to tell which comes first."""
_FROM = " from "
"""Stands in a style between a format with a year of two digits and the first year."""

_OFFSETS = {
    "Z": 0, "UTC": 0, "GMT": 0, "WET": 0, "WEST": 60, "BST": 60, "CET": 60, "CEST": 120, "MEZ": 60, "MESZ": 120, "EET": 120,
    "EEST": 180, "MSK": 180, "EST": -300, "EDT": -240, "CST": -360, "CDT": -300, "MST": -420, "MDT": -360, "PST": -480,
    "PDT": -420, "JST": 540, "KST": 540, "HKT": 480, "SGT": 480, "AEST": 600, "AEDT": 660,
}  # fmt: skip
"""Minutes by which clocks are ahead of UTC."""
_ZONE = (
    r"([T :]\d{2}(?:[.,]\d+)?|[AaPp][Mm])\s*"
    r"([+-](?:0\d|1[0-4])(?::?[0-5]\d)?|(?i:UTC|GMT)\s?[+-](?:0?\d|1[0-4])(?::?[0-5]\d)?|"
    rf"[A-Z][A-Za-z]+/[A-Za-z_/+-]+|(?i:{'|'.join(_OFFSETS)}))(?:\[[\w/+-]+\])?$"
)
"""The end of a time, and behind it an offset from UTC, a place or the letters of a zone; as Java writes it, the place, too."""
_COMPACT = r"^((?:19|20)\d\d)(\d\d)(\d\d)T(\d\d)(\d\d)"
"""The basic form of ISO 8601, without hyphens and colons: 20231029T0200 and 20231029T020000+0100."""
_MIDNIGHT, _LEAP_SECOND = r"([ T])24:00(:00|$|[^:\d])", r"(:\d{2}):60([^:\d]|$)"

_PARTS = {
    "%Y": r"\d{4}", "%y": r"\d\d", "%m": r"\d\d?", "%d": r"\d\d?", "%b": r"[^\W\d]+", "%B": r"[^\W\d]+", "%H": r"\d\d?",
    "%I": r"\d\d?", "%M": r"\d\d", "%S": r"\d\d(?:\.\d+)?", "%p": "[AaPp][Mm]",
}  # fmt: skip
_ANY_OFFSET = r"(?:\s*[+-]\d\d(?::?\d\d)?)?"
_DATED = (
    r"^(?:(?:19|20)\d\d(?:[-/.]\d\d?[-/.]\d\d?(?:\D|$)|-?W[0-5]\d(?:\D|$)|-(?:[0-2]\d[1-9]|[0-2][1-9]0|[123]00|3[0-5]\d|36[0-6])$)|"
    r"\d\d?[-/.]\d\d?[-/.](?:19|20)\d\d(?:\D|$))"
)
"""The beginning of what may be a date of any form: a year, month and day, a week, or the day of a year."""
_MAY_BE_DATES, _FEW = 0.9, 64

_CLOCK_WITH_ZEROS = r"^(([01]\d|2[0-3])[0-5]\d|2400)$"
_CLOCK_WITH_COLONS = r"^([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?$"
_FEWEST_TIMES, _FEWEST_HOURS = 10, 3
_MANY_TIMES, _MANY_HOURS, _SOME_MINUTES, _LATE_MINUTE = 60, 12, 4, 45


def _plain_moments(texts: polars.Series) -> polars.Series:
    """Moments without what tells them apart only in spelling: the T before the time, a decimal comma, zones."""
    plain = texts.str.replace(r"(\d)T(\d)", "${1} ${2}").str.replace(_ZONE, "${1}")
    plain = plain.str.replace(_MIDNIGHT, "${1}00:00${2}").str.replace(_LEAP_SECOND, "${1}:59${2}")
    return plain.str.replace(r"(:\d{2}),(\d+)$", "${1}.${2}")


def _in_utc(moments: polars.Series, texts: polars.Series) -> polars.Series:
    """Moments as their texts say them, as instants: without the offset, a day later at 24:00, a second later at :60."""
    held = polars.lit(moments)
    if texts.str.contains(f"{_MIDNIGHT}|{_LEAP_SECOND}").any():
        later = polars.duration(
            days=polars.lit(texts.str.contains(_MIDNIGHT).cast(polars.Int64)),
            seconds=polars.lit(texts.str.contains(_LEAP_SECOND).cast(polars.Int64)),
        )
        held = held + later
    zones = texts.str.extract(_ZONE, 2)
    if zones.count():
        parts = zones.str.extract_groups(r"^[A-Za-z]*\s?([+-])(\d{1,2}):?(\d{2})?$").struct.unnest()
        minutes = 60 * parts["2"].cast(polars.Int64) + parts["3"].cast(polars.Int64).fill_null(0)
        minutes = minutes.zip_with((parts["1"] == "+").fill_null(value=True), -minutes)
        named = zones.str.to_uppercase().replace_strict(_OFFSETS, default=None, return_dtype=polars.Int64)
        held = held - polars.duration(minutes=polars.lit(minutes.fill_null(named).fill_null(0)))
    found = polars.select(held.alias(moments.name)).to_series()
    for place in zones.filter(zones.str.contains("/", literal=True).fill_null(value=False)).unique().to_list():
        found = found.zip_with((zones != place).fill_null(value=True), _from_place(found, place))
    return found


def _from_place(moments: polars.Series, place: str) -> polars.Series:
    """Moments of the clocks of a place, such as Europe/Berlin, as instants; an hour that comes twice is the first of them."""
    try:
        local = moments.dt.replace_time_zone(place, ambiguous="earliest", non_existent="null")
    except polars.exceptions.ComputeError:  # there is no such place
        return moments.clear(len(moments))
    return local.dt.convert_time_zone("UTC").dt.replace_time_zone(None)


def zones_in(texts: polars.Series) -> dict[str, int]:
    """Count the offsets and zones of cleaned texts with a time, those without one by an empty name; empty where none has one."""
    zones = texts.drop_nulls().str.extract(_ZONE, 2).alias("zone")
    if not zones.count():
        return {}
    return dict(zones.fill_null("").value_counts(sort=True, name="rows").iter_rows())


def is_utc(zone: str) -> bool:
    """True for a zone whose clocks show UTC."""
    return _OFFSETS.get(zone.upper()) == 0 or not re.sub("(?i)^(UTC|GMT)", "", zone).strip(" +-:0")


def zone_of_last(raw: polars.Series, moments: polars.Series) -> str:
    """Find the zone of the latest row: "+02:00" or "Z" of texts, the name of a typed column; empty where none is stated.

    Args:
        raw: the column as it stands in the file.
        moments: the same rows in UTC.
    """
    if raw.dtype != polars.String:
        return getattr(raw.dtype, "time_zone", None) or ""
    zones, last = raw.str.strip_chars().str.extract(_ZONE, 2), moments.arg_max()
    if not zones.count() or last is None:
        return ""
    zone, moment = zones[last], moments[[last]]
    if zone is None:  # among others with a zone, which are read as UTC
        return "Z"
    if "/" in zone:
        wall = moment.dt.replace_time_zone("UTC").dt.convert_time_zone(zone).dt.replace_time_zone(None)
    else:
        wall = moment + (moment - _in_utc(moment, polars.Series([f"00:00{zone}"])))
    minutes = int((wall - moment).dt.total_minutes()[0])
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}" if minutes else "Z"


def date_style(texts: polars.Series, first: str, *, of_months: bool = False) -> tuple[str, bool] | None:
    """Find the format of cleaned texts that are dates, and whether day and month could be the other way round.

    All different texts decide. A few that are no dates, such as 31 April, do not make them something else; the `first`
    of them must look like one. `of_months` lets 202001 be January 2020.
    """
    values = texts.drop_nulls().unique(maintain_order=True)
    if re.match(_NO_DATE, first):
        values = values.filter(~values.str.contains(_NO_DATE))
        first = values[0] if len(values) else ""
    months_of_digits = of_months and _LOOKS_LIKE_MONTHS_OF_DIGITS.match(first) is not None
    if not months_of_digits and not _LOOKS_LIKE_A_DATE.match(first):
        return None
    values = values.filter(~values.str.contains(_NO_DATE))
    if first.isdigit():
        style = _DIGITS_OF_MONTHS if months_of_digits else DIGITS
        none = len(values) - _fitting(values, style)
        real = len(values) >= _FEWEST_OF_DIGITS and none <= IMPOSSIBLE_DATES * len(values)
        real &= not none or int(are_impossible(values, style).sum()) == none
        return (style, False) if real else None
    best, most = _best_styles(values, first)
    if not best or not _are_dates(values, best[0], most):
        return None
    ambiguous = best[0].startswith("%d") and any(style.startswith("%m") for style in best)
    return _with_century(values, best[0]), ambiguous


def _styles(first: str) -> list[str]:
    """The formats that are tried for texts such as the first of them, with a time or without."""
    timed = ":" in first or re.search(r"\dT\d", first) is not None
    times = _TIMES if timed else ("", " %H")
    return [day + time for time in times for day in _DAYS] + ([] if timed else list(_MONTHS))


def _best_styles(values: polars.Series, first: str) -> tuple[list[str], int]:
    """The formats that fit most of the different texts, and how many these are; no format that does not fit half of some."""
    some = values.gather_every(max(len(values) // _LOOKED_AT, 1)).head(_LOOKED_AT)
    likely = {style: _fitting(values, style) for style in _styles(first) if 2 * _fitting(some, style) >= len(some)}
    most = max(likely.values(), default=0)
    return [style for style, fitting in likely.items() if fitting == most], most


def _are_dates(values: polars.Series, style: str, fitting: int) -> bool:
    """True where nearly all different texts are dates of this format, and most others are days or hours that there are not."""
    others = len(values) - fitting
    if others <= FALSE_DATES * len(values):
        return True
    if others > (FALSE_DATES + IMPOSSIBLE_DATES) * len(values):
        return False
    none = values.filter(are_impossible(values, style))
    return others - len(none) <= FALSE_DATES * len(values) and len(none) <= IMPOSSIBLE_DATES * len(values)


def are_impossible(texts: polars.Series, style: str) -> polars.Series:
    """True for cleaned texts in a format that are no dates: 30 February, 24:30, hours from UTC that no place has."""
    exact = style.partition(_FROM)[0]
    if exact.startswith(EPOCH) or exact in (QUARTER, _DIGITS_OF_MONTHS):
        return polars.repeat(False, len(texts), eager=True)
    shape = re.sub("%[A-Za-z]", lambda part: _PARTS[part[0]], re.sub(r"([.+])", r"\\\1", exact))
    timed = "%H" in exact or "%I" in exact
    written = _plain_moments(_spread(texts)) if timed else texts
    fits = written.str.contains(f"^{shape}{_ANY_OFFSET if timed else ''}$") & ~texts.str.contains(_NO_DATE)
    found = (fits & _moments(texts, style).is_null()).fill_null(value=False)
    none = texts.filter(found)
    elsewhere = polars.repeat(False, len(none), eager=True)
    for other in _styles(none[0]) if len(none) else ():
        elsewhere |= _fits(none, other).fill_null(value=False)  # in another order of day and month it may be a date
    return found.scatter(found.arg_true(), ~elsewhere) if elsewhere.any() else found


def unread_dates(texts: polars.Series) -> polars.Series | None:
    """Of cleaned texts that are read as words and look like dates, those that are none of one format; None for other texts."""
    known = texts.drop_nulls()
    some = known.gather_every(max(len(known) // _FEW, 1))
    dated = [text for text in some.to_list() if _LOOKS_LIKE_A_DATE.match(text) or re.match(_DATED, text)]
    if not dated or 2 * len(dated) < len(some):
        return None
    best, _ = _best_styles(known.unique(maintain_order=True), dated[0])
    unread = known.filter(dates_of(known, best[0]).is_null()) if best else known
    if len(unread) <= (1 - _MAY_BE_DATES) * len(known) or known.str.contains(_DATED).mean() >= _MAY_BE_DATES:  # type: ignore[operator]
        return unread
    return None


def _fitting(texts: polars.Series, style: str) -> int:
    """Count the texts that are dates of this format."""
    return int(_fits(texts, style).sum())


def _fits(texts: polars.Series, style: str) -> polars.Series:
    """True for texts that are dates of this format, with as many digits of the year as it says."""
    held = _moments(texts, style).is_not_null()
    year = next((digits for mark, digits in _YEARS.items() if mark in style), None)
    if year is None:
        return held
    before, _, _ = style.partition("%Y" if "%Y" in style else "%y")
    written = re.sub("%[dmbB]", lambda part: r"\d\d?" if part[0] in ("%d", "%m") else "[A-Za-z]+", re.escape(before))
    return held & texts.str.contains(rf"^{written}{year}")


def _with_century(texts: polars.Series, style: str) -> str:
    """The format, with the first year where those of two digits do not fall into 1969 to 2068: 49 before 60 is 1949."""
    if "%y" not in style:
        return style
    years = (dates_of(texts, style).dt.year() % 100).drop_nulls().unique().sort().to_numpy()
    gaps = numpy.diff(years, append=years[0] + 100)
    span = 100 - int(gaps.max())
    first = 2000 + int(years[(gaps.argmax() + 1) % len(years)])
    first -= 100 if first > _LATEST_BEGINNING or first + span >= _LAST_YEAR else 0
    usual = span > _LONGEST_SPAN or (first >= 1969 and first + span <= 2068)
    return style if usual else f"{style}{_FROM}{first}"


def dates_of(texts: polars.Series, style: str) -> polars.Series:
    """Cleaned texts as moments to the microsecond; null where they are none. Months and quarters are their first days."""
    return _real(_moments(texts, style))


def _since_1970(texts: polars.Series, unit: str) -> polars.Series:
    """Numbers in this unit as moments, whole ones exactly."""
    ticks = TICKS_OF_EPOCHS[unit]
    parts = texts.cast(polars.Float64, strict=False)
    parts = parts.set((parts.abs() > _LAST_SECOND * ticks).fill_null(value=True), None)
    whole = texts.set(parts.is_null(), None).cast(polars.Int64, strict=False)
    exact = whole * (10**6 // ticks) if ticks <= 10**6 else whole // (ticks // 10**6)
    moments = exact.fill_null((parts * (10**6 / ticks)).round().cast(polars.Int64))
    return moments.cast(polars.Datetime("us"))


def placeholders(texts: polars.Series, style: str) -> polars.Series:
    """True for cleaned texts that are written as dates and stand for none: 0000-00-00, 9999-12-31, 12020-01-01."""
    moments = _moments(texts, style)
    unreal = moments.is_not_null() & _real(moments).is_null()
    return texts.str.contains(_NO_DATE).fill_null(value=False) | unreal


def moments_of(typed: polars.Series) -> polars.Series:
    """Dates and moments of any unit and time zone as moments of UTC to the microsecond.

    Null where they stand for none: outside the years 1 to 9998, and the first and last moment of 64 bits of nanoseconds.
    """
    ticks, a_second, each = typed.to_physical().cast(polars.Int64), 1, _SECONDS_A_DAY
    if isinstance(typed.dtype, polars.Datetime):
        a_second, each = _TICKS[typed.dtype.time_unit], 1
    seconds, rest = ticks // a_second, (ticks % a_second) * 10**6 // a_second
    within = seconds.is_between(_FIRST_SECOND // each, _LAST_SECOND // each)
    held = polars.when(polars.lit(within)).then(polars.lit(seconds))
    moments = polars.select((held * (10**6 * each) + polars.lit(rest)).cast(polars.Datetime("us")).alias(typed.name))
    return _real(moments.to_series())


def _real(moments: polars.Series) -> polars.Series:
    """The same moments to the microsecond, null where they stand for none."""
    held = polars.lit(moments)
    seconds = held.to_physical() // 10**6
    limit = (seconds == _LEAST_NANOSECONDS) | (seconds // _SECONDS_A_DAY == _MOST_NANOSECONDS)
    real = polars.when(seconds.is_between(_FIRST_SECOND, _LAST_SECOND) & ~limit).then(held)
    return polars.select(real.otherwise(None).alias(moments.name)).to_series()


def year_of(typed: polars.Series) -> int:
    """The year of the first of these dates and moments, which may be one that no calendar has."""
    tick = int(typed.to_physical()[0])
    a_day = _TICKS[typed.dtype.time_unit] * _SECONDS_A_DAY if isinstance(typed.dtype, polars.Datetime) else 1
    return (tick // a_day + _DAYS_TO_1970) * 400 // 146_097


def _moments(texts: polars.Series, style: str) -> polars.Series:
    """Cleaned texts as moments, those that stand for none included."""
    if style.startswith(EPOCH):
        return _since_1970(texts, style.removeprefix(EPOCH))
    if style == QUARTER:
        real = polars.when(polars.lit(texts).str.contains(_QUARTER)).then(polars.lit(texts))
        year = real.str.extract(r"(\d{4})").cast(polars.Int32)
        month = 3 * real.str.extract(r"[Qq](\d)").cast(polars.Int32) - 2
        return polars.select(polars.datetime(year, month, 1, time_unit="us").alias(texts.name)).to_series()
    exact, _, first_year = style.partition(_FROM)
    if "%d" not in exact:
        texts, exact = ("1 " + texts).alias(texts.name), f"%d {exact}"
    if "%H" in exact or "%I" in exact:
        texts = _spread(texts)
        moments, exact = _plain_moments(texts), exact.replace("%S", "%S%.f")
        said = texts
        if exact.endswith("%H"):
            moments, exact = moments + ":00", f"{exact}:%M"  # an hour alone is no time to polars
        held = _in_utc(moments.str.to_datetime(exact, strict=False, time_unit="us"), said)
    else:
        held = texts.str.to_date(exact, strict=False).cast(polars.Datetime("us"))
    return _from_year(held, int(first_year)) if first_year else held


def _spread(texts: polars.Series) -> polars.Series:
    """Moments in the basic form of ISO 8601 with hyphens and colons; others as they are."""
    whole = texts.str.replace(_COMPACT + r"(\d\d)", "${1}-${2}-${3} ${4}:${5}:${6}")
    return whole.str.replace(_COMPACT, "${1}-${2}-${3} ${4}:${5}")


def _from_year(moments: polars.Series, first: int) -> polars.Series:
    """The same moments of the hundred years that begin with this one."""
    held, year = polars.lit(moments), polars.lit(moments.dt.year())
    early, late = held.dt.offset_by("100y"), held.dt.offset_by("-100y")
    moved = polars.when(year < first).then(early).when(year >= first + 100).then(late).otherwise(held)
    return polars.select(moved.alias(moments.name)).to_series()


def are_times_of_day(numbers: NDArray[numpy.float64], *, named: bool) -> bool:
    """True where different whole numbers are hours and minutes: 5 for 0:05, 930 for 9:30, up to 2359 or 2400.

    Where the name of the column does not say so, only many times at many hours show it.
    """
    if len(numbers) < _FEWEST_TIMES or numbers.min() < 0 or numbers.max() > 2400 or (numbers % 100 > 59).any():
        return False
    hours = len(numpy.unique(numbers // 100))
    if named:
        return hours >= _FEWEST_HOURS
    minutes = numpy.unique(numbers % 100)
    spread = len(minutes) >= _SOME_MINUTES and minutes[-1] >= _LATE_MINUTE  # rooms 101 to 120 of each floor are not
    return len(numbers) >= _MANY_TIMES and hours >= _MANY_HOURS and spread


def are_padded_times(texts: polars.Series) -> bool:
    """True where all cleaned texts are hours and minutes in four digits, such as 0005 and 0930."""
    different = texts.drop_nulls().unique()
    return len(different) >= _FEWEST_TIMES and bool(different.str.contains(_CLOCK_WITH_ZEROS).all())


def are_clock_times(texts: polars.Series, first: str) -> bool:
    """True where all cleaned texts are times of a day such as 9:30 or 23:59:59; the `first` of them is tried first."""
    return bool(re.match(_CLOCK_WITH_COLONS, first)) and bool(texts.drop_nulls().str.contains(_CLOCK_WITH_COLONS).all())
