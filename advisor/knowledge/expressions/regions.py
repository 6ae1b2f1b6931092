"""Sets of values that an expression can take while some facts are unknown: intervals, choices, truth values.

A region always contains every value that some completion of the unknown facts gives (it may contain more); that is what
makes a decision over a region a proof. Truth is a set of Kleene's three values, written as a sum of TRUE, FALSE, UNKNOWN.

    truth   int            numbers  (low, high, may be unknown); low > high when certainly unknown
    choice  frozenset      of names, with None for unknown
    set     (must, may, may be unknown); must not within may when certainly unknown
    list    tuple of alternatives, each a tuple of numbers; None among them for unknown
"""

from __future__ import annotations

import math
from typing import TypeAlias

TRUE, FALSE, UNKNOWN = 1, 2, 4
ANY_TRUTH = TRUE | FALSE

Interval: TypeAlias = tuple[float, float, bool]
Choices: TypeAlias = frozenset[str | None]
SetRegion: TypeAlias = tuple[frozenset[str], frozenset[str], bool]
Lists: TypeAlias = tuple[tuple[Interval, ...] | None, ...]
Region: TypeAlias = int | Interval | Choices | SetRegion | Lists

NO_NUMBER: Interval = (math.inf, -math.inf, True)
NO_SET: SetRegion = (frozenset({""}), frozenset(), True)
LIMIT = 1e300


def _truth_table(combine: str) -> list[list[int]]:
    order = {FALSE: 0, UNKNOWN: 1, TRUE: 2}
    back = {rank: value for value, rank in order.items()}
    pick = min if combine == "and" else max
    return [
        [sum({back[pick(order[x], order[y])] for x in order for y in order if a & x and b & y}) for b in range(8)]
        for a in range(8)
    ]


AND = _truth_table("and")
OR = _truth_table("or")
NOT = [(bits & UNKNOWN) | (FALSE if bits & TRUE else 0) | (TRUE if bits & FALSE else 0) for bits in range(8)]


def point(value: object) -> Region:
    """The region of one known value (None: unknown)."""
    if isinstance(value, bool):
        return TRUE if value else FALSE
    if isinstance(value, int | float):
        return (value, value, False)
    if isinstance(value, frozenset):
        return (value, value, False)
    if isinstance(value, tuple | list):
        return (tuple((v, v, False) for v in value),)
    return frozenset({value})  # type: ignore[arg-type]


def union(a: Region, b: Region) -> Region:
    """A region that contains both. They have the same type."""
    if isinstance(a, int):
        return a | b  # type: ignore[operator]
    if isinstance(a, frozenset):
        return a | b  # type: ignore[operator]
    if is_lists(a) or is_lists(b):
        return tuple(dict.fromkeys([*a, *b]))  # type: ignore[misc]
    if isinstance(a[0], frozenset):
        if NO_SET in (a, b):
            known = b if a == NO_SET else a
            return (known[0], known[1], True)  # type: ignore[index,return-value]
        return (a[0] & b[0], a[1] | b[1], a[2] or b[2])  # type: ignore[index,operator,return-value]
    return (min(a[0], b[0]), max(a[1], b[1]), a[2] or b[2])  # type: ignore[index,type-var,return-value]


def is_lists(region: Region) -> bool:
    return isinstance(region, tuple) and (not region or region[0] is None or isinstance(region[0], tuple))


def is_single(region: Region) -> bool:
    """Return whether the region holds one value only (unknown counts as one)."""
    if isinstance(region, int):
        return region in (TRUE, FALSE, UNKNOWN)
    if isinstance(region, frozenset):
        return len(region) == 1
    if is_lists(region):
        return len(region) == 1 and all(low == high for low, high, _ in region[0] or ())
    return region[0] == region[1] and not region[2]


def compare(op: str, a: Interval, b: Interval) -> int:
    """The truth values that `x op y` can have for x in a and y in b."""
    bits = UNKNOWN if a[2] or b[2] else 0
    alo, ahi, blo, bhi = a[0], a[1], b[0], b[1]
    if alo > ahi or blo > bhi:
        return bits
    if op == "<":
        return bits | (TRUE if alo < bhi else 0) | (FALSE if ahi >= blo else 0)
    if op == "<=":
        return bits | (TRUE if alo <= bhi else 0) | (FALSE if ahi > blo else 0)
    if op == ">":
        return bits | (TRUE if ahi > blo else 0) | (FALSE if alo <= bhi else 0)
    if op == ">=":
        return bits | (TRUE if ahi >= blo else 0) | (FALSE if alo < bhi else 0)
    can_equal = alo <= bhi and blo <= ahi
    can_differ = not (alo == ahi == blo == bhi)
    if op == "==":
        return bits | (TRUE if can_equal else 0) | (FALSE if can_differ else 0)
    return bits | (TRUE if can_differ else 0) | (FALSE if can_equal else 0)


def equal_choices(a: Choices, b: Choices) -> int:
    bits = UNKNOWN if None in a or None in b else 0
    known_a, known_b = a - {None}, b - {None}
    if not known_a or not known_b:
        return bits
    if known_a & known_b:
        bits |= TRUE
    if len(known_a) > 1 or len(known_b) > 1 or known_a != known_b:
        bits |= FALSE
    return bits


def contains(member: Choices, container: SetRegion) -> int:
    must, may, undefined = container
    bits = UNKNOWN if undefined or None in member else 0
    if undefined and container == NO_SET:
        return bits
    for name in member:
        if name in may:
            bits |= TRUE
        if name is not None and name not in must:
            bits |= FALSE
    return bits


def add(a: Interval, b: Interval) -> Interval:
    return _bounded(a[0] + b[0], a[1] + b[1], a[2] or b[2], a, b)


def subtract(a: Interval, b: Interval) -> Interval:
    return _bounded(a[0] - b[1], a[1] - b[0], a[2] or b[2], a, b)


def multiply(a: Interval, b: Interval) -> Interval:
    products = [_times(x, y) for x in a[:2] for y in b[:2]]
    return _bounded(min(products), max(products), a[2] or b[2], a, b)


def divide(a: Interval, b: Interval) -> Interval:
    if b[0] == b[1] == 0 or b[0] > b[1] or a[0] > a[1]:
        return NO_NUMBER
    undefined = a[2] or b[2] or b[0] <= 0 <= b[1]
    if b[0] < 0 < b[1]:
        return (-math.inf, math.inf, True)
    if b[0] == b[1]:
        low, high = sorted((a[0] / b[0], a[1] / b[0]))
        return _bounded(low, high, undefined, a, a)
    inverse = (1 / b[1] if b[1] else -math.inf, 1 / b[0] if b[0] else math.inf)
    quotients = [_times(x, y) for x in a[:2] for y in inverse]
    # A hair wider than the rounded reciprocal, so that x * (1 / y) cannot lie outside x / y's own interval.
    return _bounded(_moved(min(quotients), -1e-12), _moved(max(quotients), 1e-12), undefined, a, b)


def _moved(x: float, share: float) -> float:
    return x + abs(x) * share if math.isfinite(x) else x


def _times(x: float, y: float) -> float:
    return 0.0 if x == 0 or y == 0 else x * y


def _bounded(low: float, high: float, undefined: bool, a: Interval, b: Interval) -> Interval:
    """An interval computed from two others, cut where numbers end: what lies beyond is unknown."""
    if a[0] > a[1] or b[0] > b[1] or low > LIMIT or high < -LIMIT:
        return NO_NUMBER
    if low < -LIMIT:
        low, undefined = -math.inf, True
    if high > LIMIT:
        high, undefined = math.inf, True
    return (low, high, undefined)
