"""Numbers that count from the beginning of 1970: the names of their columns decide, since long ids look alike."""

from __future__ import annotations

from collections.abc import Sequence

import numpy
import polars

from advisor.datasets.values.dates import EPOCH, TICKS_OF_EPOCHS

_FROM, _UNTIL = 631_152_000, 4_102_444_800
"""The seconds of the beginning of 1990 and of 2100: numbers outside are no such times."""
_FEWEST, _EVENLY, _NEAR = 20, 0.9, 0.15
"""Numbers, share of steps that are about the middle one, and the share by which those differ from it."""
_TIMES = frozenset({
    "time", "times", "timestamp", "timestamps", "ts", "date", "datetime", "epoch", "unix", "posix", "created", "updated",
    "when", "unixtime", "timestampms", "epochms", "createdat", "updatedat", "eventtime", "starttime", "endtime", "modified",
    "deleted", "expires", "published", "seen", "moment", "stamp", "datum", "zeit", "zeitstempel", "t", "ds",
})  # fmt: skip
_UNITS = frozenset({
    "s", "sec", "secs", "second", "seconds", "ms", "msec", "milli", "millis", "milliseconds", "us", "usec", "micro", "micros",
    "microseconds", "ns", "nsec", "nano", "nanos", "nanoseconds", "utc", "gmt", "unix", "epoch", "int", "raw",
})  # fmt: skip
"""Words behind the name of a time: `created_at_ms`."""
_NO_TIMES = frozenset({
    "id", "ids", "uuid", "guid", "identifier", "pk", "fk", "index", "idx", "rowid", "by", "no", "nr", "key", "keys", "number",
    "numbers", "num", "code", "codes", "hash", "ref", "reference", "serial", "sku", "phone", "barcode", "ean", "isbn", "count",
    "counts", "total", "sum", "amount", "price", "cost", "bytes", "size", "duration", "elapsed", "spent",
})  # fmt: skip
"""Words of ids and quantities: `created_by`, `time_key`, `total_time`."""
_PERSONS = frozenset({
    "user", "users", "account", "author", "owner", "customer", "client", "member", "person", "device", "session", "order",
    "tweet", "message", "transaction",
})  # fmt: skip
"""Words of what has ids, unless a time is said of it: `user_created_at`, but `updated_user`."""


def names_a_time(words: Sequence[str]) -> bool:
    """True where the words of a column's name, in their order, say that its values are times, and nothing else."""
    bare = [word.rstrip("0123456789") for word in words]
    while len(bare) > 1 and bare[-1] in _UNITS:
        bare.pop()
    if not bare or _NO_TIMES & set(bare):
        return False
    ends_as_time = bare[-1] in _TIMES or bare[-1] == "at"
    return ends_as_time or (bool(_TIMES & set(bare)) and not _PERSONS & set(bare))


def names_something_else(words: Sequence[str]) -> bool:
    """True where they say that the values are ids or quantities."""
    return bool((_NO_TIMES | _PERSONS) & set(words))


def epoch_style(numbers: polars.Series) -> str | None:
    """Find the unit in which numbers count from the beginning of 1970, all between 1990 and 2100; None where they do not."""
    known = numbers.drop_nulls()
    low, high = known.min(), known.max()
    if not isinstance(low, float) or not isinstance(high, float):
        return None
    units = (unit for unit, ticks in TICKS_OF_EPOCHS.items() if _FROM * ticks <= low and high <= _UNTIL * ticks)
    return next((EPOCH + unit for unit in units), None)


def rise_evenly(numbers: polars.Series) -> bool:
    """True where numbers grow by about the same from row to row, and by more than a counter does, as moments of a clock do."""
    steps = numpy.diff(numbers.drop_nulls().to_numpy())
    if len(steps) < _FEWEST or (steps <= 0).any():
        return False
    middle = numpy.median(steps)
    return bool(middle > 1 and (numpy.abs(steps / middle - 1) < _NEAR).mean() >= _EVENLY)
