"""The operations of the rule language: on values, where None is unknown, and on regions of values."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from advisor.knowledge.expressions import regions
from advisor.knowledge.expressions.expressions import At, Kind
from advisor.knowledge.expressions.regions import FALSE, LIMIT, TRUE, UNKNOWN, Interval


def both_or_either(f: At, g: At, decisive: bool) -> At:
    """`and` (decisive: False) or `or` (decisive: True) of two."""

    def at(v: list[Any]) -> Any:
        a = f(v)
        if a is decisive:
            return decisive
        b = g(v)
        if b is decisive:
            return decisive
        return None if a is None or b is None else not decisive

    return at


def finite(compute: Callable[..., Any], *operands: Any) -> Any:
    """The result, or None where there is none: division by zero, beyond the range of numbers."""
    try:
        result = compute(*operands)
    except (ZeroDivisionError, OverflowError):
        return None
    return result if abs(result) <= LIMIT else None


def end_of(compute: Callable[[float], float], bound: float) -> float:
    return bound if math.isinf(bound) else compute(bound)


def equal_truths(a: int, b: int) -> int:
    bits = (a | b) & UNKNOWN
    if (a & b) & (TRUE | FALSE):
        bits |= TRUE
    if (a & TRUE and b & FALSE) or (a & FALSE and b & TRUE):
        bits |= FALSE
    return bits


ARITHMETIC_AT: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "//": lambda a, b: math.floor(a / b),
}
ARITHMETIC_OVER: dict[str, Callable[[Interval, Interval], Interval]] = {
    "+": regions.add,
    "-": regions.subtract,
    "*": regions.multiply,
    "/": regions.divide,
    "//": lambda a, b: _floor(regions.divide(a, b)),
}
FUNCTIONS_OF_ONE: dict[str, Callable[[Any], Any]] = {
    "ceil": math.ceil,
    "floor": math.floor,
    "round": round,
    "log2": math.log2,
    "sqrt": math.sqrt,
}
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}
NOTHING: dict[Kind, Any] = {
    Kind.BOOLEAN: UNKNOWN,
    Kind.NUMBER: regions.NO_NUMBER,
    Kind.CHOICE: frozenset({None}),
    Kind.TEXT: frozenset({None}),
    Kind.SET: regions.NO_SET,
    Kind.LIST: (None,),
}


def _floor(region: Interval) -> Interval:
    low, high, undefined = region
    return (end_of(math.floor, low), end_of(math.floor, high), undefined)
