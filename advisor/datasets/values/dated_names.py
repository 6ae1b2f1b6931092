"""Names of columns that are dates: a table with a column for each day, month or quarter."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from itertools import pairwise

_QUARTER = re.compile(
    r"(?P<year>(19|20)\d\d)[ _-]?[Qq](?P<number>[1-4])|[Qq](?P<first>[1-4])[ _/-]?(?P<last>(19|20)\d\d)"
)
_MONTH = re.compile(r"(?P<year>(19|20)\d\d)[ _]?[Mm](?P<number>0?[1-9]|1[0-2])")
_MONTHS = ("%Y-%m", "%Y/%m", "%m/%Y", "%b %Y", "%B %Y", "%b-%Y", "%b-%y", "%b %y")
_DAYS = (
    "%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%d.%m.%Y", "%d/%m/%Y",
    "%m/%d/%Y", "%d-%m-%Y", "%m/%d/%y", "%d/%m/%y", "%d %b %Y", "%d-%b-%Y", "%d-%b-%y",
)  # fmt: skip
_MONTH_NAME = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"
_LOOKS_DATED = re.compile(
    rf"(19|20)\d\d[-/ _]?[qm]?\d{{1,2}}|q[1-4][ _/-]?(19|20)\d\d|(\d\d?[ -])?{_MONTH_NAME}[ -](19|20)?\d\d|\d\d?/(19|20)\d\d"
    r"|(19|20)\d\d(?P<a>[-/.])\d\d?(?P=a)\d\d?([T ].+)?|\d\d?(?P<b>[-/.])\d\d?(?P=b)(\d\d){1,2}",
    re.IGNORECASE,
)
_FEWEST = 2


def looks_dated(name: str) -> bool:
    """True where a name is written as a day, a month or a quarter."""
    return _LOOKS_DATED.fullmatch(name.strip()) is not None


def times_of(names: Sequence[str]) -> list[float] | None:
    """The time of each of these names, in days, months or quarters, where they are dates of one spelling in order.

    They may run backwards. None where they are not dates, too few of them, or in no order.
    """
    stated = [name.strip() for name in names]
    if len(stated) < _FEWEST or not all(map(looks_dated, stated)):
        return None
    for read in _READERS:
        with suppress(ValueError):
            times = [read(name) for name in stated]
            if _in_order(times):
                return times
    return None


def _in_order(times: Sequence[float]) -> bool:
    steps = [after - before for before, after in pairwise(times)]
    return all(step > 0 for step in steps) or all(step < 0 for step in steps)


def _numbered(pattern: re.Pattern[str], in_a_year: int, name: str) -> float:
    found = pattern.fullmatch(name)
    if found is None:
        raise ValueError(name)
    return in_a_year * int(found["year"] or found["last"]) + int(found["number"] or found["first"])


def _months(spelling: str, name: str) -> float:
    moment = datetime.strptime(name, spelling)
    return 12 * moment.year + moment.month


def _days(spelling: str, name: str) -> float:
    moment = datetime.strptime(name, spelling)
    return moment.toordinal() + moment.hour / 24 + moment.minute / 1440


_READERS: tuple[Callable[[str], float], ...] = (
    partial(_numbered, _QUARTER, 4),
    partial(_numbered, _MONTH, 12),
    *(partial(_months, spelling) for spelling in _MONTHS),
    *(partial(_days, spelling) for spelling in _DAYS),
)
"""Each turns a name of its spelling into a number, and raises ValueError for others."""
