"""The operations of the rule language, each as two closures: on values, where None is unknown, and on regions of values."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from advisor.knowledge.expressions import regions
from advisor.knowledge.expressions.expressions import BOOLEAN, LIST, NUMBER, At, Kind, Over, Type
from advisor.knowledge.expressions.regions import AND, FALSE, LIMIT, NOT, OR, TRUE, UNKNOWN, Interval

NOTHING: dict[Kind, Any] = {
    Kind.BOOLEAN: UNKNOWN,
    Kind.NUMBER: regions.NO_NUMBER,
    Kind.CHOICE: frozenset({None}),
    Kind.TEXT: frozenset({None}),
    Kind.SET: regions.NO_SET,
    Kind.LIST: (None,),
}
"""The region of what is certainly unknown."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """A part of an expression: its type and its closures. One that is a name or constant alone says so."""

    type: Type
    at: At
    over: Over
    name: str = ""
    slot: int | None = None
    constant: Any = None


def strictly(compute: Callable[..., Any], f: At, g: At | None = None) -> At:
    """A computation with one value or two, which is unknown where one of them is."""
    if g is None:

        def at_one(v: list[Any]) -> Any:
            x = f(v)
            return None if x is None else compute(x)

        return at_one

    def at(v: list[Any]) -> Any:
        x, y = f(v), g(v)
        return None if x is None or y is None else compute(x, y)

    return at


def named(name: str, slot: int, type_: Type) -> Compiled:
    return Compiled(type_, lambda v: v[slot], lambda r: r[slot], name=name, slot=slot)


def constant(value: bool | float | str) -> Compiled:
    region = regions.point(value)
    type_ = BOOLEAN if isinstance(value, bool) else NUMBER
    if isinstance(value, str):
        type_ = Type(Kind.CHOICE, frozenset({value}))
    return Compiled(type_, lambda v: value, lambda r: region, constant=value)


def listed(parts: Sequence[Compiled]) -> Compiled:
    ats, overs = [part.at for part in parts], [part.over for part in parts]

    def at(v: list[Any]) -> Any:
        values = tuple(f(v) for f in ats)
        return None if None in values else values

    def over(r: list[Any]) -> Any:
        values = tuple(f(r) for f in overs)
        undefined = any(value[2] for value in values)
        certain = tuple((low, high, False) for low, high, _ in values)
        possible = all(low <= high for low, high, _ in values)
        return ((certain,) if possible else ()) + ((None,) if undefined else ())

    return Compiled(LIST, at, over)


# --- truth ------------------------------------------------------------------------------------------------------------


def opposite(part: Compiled) -> Compiled:
    f, over = part.at, part.over

    def at(v: list[Any]) -> Any:
        x = f(v)
        return None if x is None else not x

    return Compiled(BOOLEAN, at, lambda r: NOT[over(r)])


def joined(word: str, parts: Sequence[Compiled]) -> Compiled:
    """Join conditions by `and` or `or`: one that is decisive (false for `and`, true for `or`) decides alone."""
    ats, overs = [part.at for part in parts], [part.over for part in parts]
    decisive = word == "or"
    table, neutral_bits, decisive_bits = (OR, FALSE, TRUE) if decisive else (AND, TRUE, FALSE)

    def at(v: list[Any]) -> Any:
        result: bool | None = not decisive
        for f in ats:
            value = f(v)
            if value is decisive:
                return decisive
            if value is None:
                result = None
        return result

    def over(r: list[Any]) -> int:
        bits = neutral_bits
        for f in overs:
            bits = table[bits][f(r)]
            if bits == decisive_bits:
                return bits
        return bits

    return Compiled(BOOLEAN, _of_two(ats[0], ats[1], decisive) if len(ats) == 2 else at, over)


def _of_two(f: At, g: At, decisive: bool) -> At:
    """The same without a loop, for the most frequent case."""

    def at(v: list[Any]) -> Any:
        a = f(v)
        if a is decisive:
            return decisive
        b = g(v)
        if b is decisive:
            return decisive
        return None if a is None or b is None else not decisive

    return at


def equal(a: Compiled, symbol: str, b: Compiled) -> Compiled:
    """Compare two choices or two truths by == or !=."""
    if a.slot is not None and isinstance(b.constant, str):
        return _is_name(a.slot, b.constant, symbol == "==")
    p, q = a.over, b.over
    both = _equal_truths if a.type.kind is Kind.BOOLEAN else regions.equal_choices
    found = Compiled(BOOLEAN, strictly(operator.eq, a.at, b.at), lambda r: both(p(r), q(r)))
    return found if symbol == "==" else opposite(found)


def _equal_truths(a: int, b: int) -> int:
    bits = (a | b) & UNKNOWN
    if (a & b) & (TRUE | FALSE):
        bits |= TRUE
    if (a & TRUE and b & FALSE) or (a & FALSE and b & TRUE):
        bits |= FALSE
    return bits


def _is_name(slot: int, literal: str, wanted: bool) -> Compiled:
    """`name == "literal"`, the most frequent condition of all, without calls."""
    same, other = (TRUE, FALSE) if wanted else (FALSE, TRUE)

    def at(v: list[Any]) -> Any:
        x = v[slot]
        return None if x is None else (x == literal) is wanted

    def over(r: list[Any]) -> int:
        names = r[slot]
        bits = same if literal in names else 0
        if None in names:
            bits |= UNKNOWN
        return bits | other if len(names) > bits.bit_count() else bits

    return Compiled(BOOLEAN, at, over)


def one_of(member: Compiled, wanted: frozenset[str]) -> Compiled:
    over_member, slot = member.over, member.slot

    def at_name(v: list[Any]) -> Any:
        x = v[slot]  # type: ignore[index]
        return None if x is None else x in wanted

    def over(r: list[Any]) -> int:
        bits = 0
        for name in over_member(r):
            bits |= UNKNOWN if name is None else TRUE if name in wanted else FALSE
        return bits

    return Compiled(BOOLEAN, strictly(wanted.__contains__, member.at) if slot is None else at_name, over)


def contained(member: Compiled, container: Compiled) -> Compiled:
    p, q = member.over, container.over
    at = strictly(operator.contains, container.at, member.at)
    return Compiled(BOOLEAN, at, lambda r: regions.contains(p(r), q(r)))


_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip


MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def compared(a: Compiled, symbol: str, b: Compiled) -> Compiled:
    """Compare two numbers; with a constant, above all a name with one, in as few calls as can be."""
    p, q, test, slot, bound = a.over, b.over, _COMPARISONS[symbol], a.slot, b.constant
    if bound is None:
        return Compiled(BOOLEAN, strictly(test, a.at, b.at), lambda r: regions.compare(symbol, p(r), q(r)))
    interval: Interval = (bound, bound, False)
    if slot is None:
        at = strictly(partial(_COMPARISONS[MIRRORED.get(symbol, symbol)], bound), a.at)
        return Compiled(BOOLEAN, at, lambda r: regions.compare(symbol, p(r), interval))

    def at_name(v: list[Any]) -> Any:
        x = v[slot]
        return None if x is None else test(x, bound)

    return Compiled(BOOLEAN, at_name, lambda r: regions.compare(symbol, r[slot], interval))


# --- numbers ----------------------------------------------------------------------------------------------------------


def _finite(compute: Callable[..., Any], *operands: Any) -> Any:
    """The result, or None where there is none: division by zero, the root of -1, beyond the range of numbers."""
    try:
        result = compute(*operands)
    except (ArithmeticError, ValueError):
        return None
    return result if abs(result) <= LIMIT else None


def _ends(compute: Callable[[float], float], low: float, high: float, undefined: bool) -> Interval:
    """The interval of a rising function over an interval; infinite ends stay."""
    low, high = (end if math.isinf(end) else compute(end) for end in (low, high))
    return (low, high, undefined)


_ARITHMETIC: dict[str, tuple[Callable[[Any, Any], Any], Callable[[Interval, Interval], Interval]]] = {
    "+": (operator.add, regions.add),
    "-": (operator.sub, regions.subtract),
    "*": (operator.mul, regions.multiply),
    "/": (operator.truediv, regions.divide),
    "//": (lambda a, b: math.floor(a / b), lambda a, b: _ends(math.floor, *regions.divide(a, b))),
}
_RISING: dict[str, tuple[Callable[[Any], Any], float]] = {
    "ceil": (math.ceil, -math.inf),
    "floor": (math.floor, -math.inf),
    "round": (round, -math.inf),
    "log2": (math.log2, 5e-324),
    "sqrt": (math.sqrt, 0.0),
}
"""Functions of one number, with the lowest for which each is defined."""
FUNCTIONS = ("min", "max", *_RISING)


def negative(part: Compiled) -> Compiled:
    over = part.over
    return Compiled(NUMBER, strictly(operator.neg, part.at), lambda r: regions.subtract((0, 0, False), over(r)))


def arithmetic(a: Compiled, symbol: str, b: Compiled) -> Compiled:
    compute, spread = _ARITHMETIC[symbol]
    f, g, p, q = a.at, b.at, a.over, b.over

    def at(v: list[Any]) -> Any:
        x, y = f(v), g(v)
        if x is None or y is None:
            return None
        try:  # `_finite`, without a call
            result = compute(x, y)
        except (ArithmeticError, ValueError):
            return None
        return result if abs(result) <= LIMIT else None

    return Compiled(NUMBER, at, lambda r: spread(p(r), q(r)))


def called(name: str, parts: Sequence[Compiled]) -> Compiled:
    """The call of one of `FUNCTIONS`; only min and max take more than one number."""
    if name in ("min", "max"):
        return _extreme(min if name == "min" else max, parts)
    compute, lowest = _RISING[name]
    argument = parts[0].over

    def over(r: list[Any]) -> Interval:
        low, high, undefined = argument(r)
        if low > high or high < lowest:
            return regions.NO_NUMBER
        return _ends(compute, max(low, lowest), high, undefined or low < lowest)

    return Compiled(NUMBER, strictly(partial(_finite, compute), parts[0].at), over)


def _extreme(pick: Callable[[Any], Any], parts: Sequence[Compiled]) -> Compiled:
    ats, overs = [part.at for part in parts], [part.over for part in parts]

    def at(v: list[Any]) -> Any:
        values = [f(v) for f in ats]
        return None if None in values else pick(values)

    def over(r: list[Any]) -> Interval:
        found = [f(r) for f in overs]
        if any(low > high for low, high, _ in found):
            return regions.NO_NUMBER
        return (pick(x[0] for x in found), pick(x[1] for x in found), any(x[2] for x in found))

    return Compiled(NUMBER, at, over)


def conditional(test: Compiled, yes: Compiled, no: Compiled) -> Compiled:
    """`yes if test else no`, of which only the branch taken is computed."""
    options = None
    if yes.type.options is not None and no.type.options is not None:
        options = yes.type.options | no.type.options
    c, f, g = test.at, yes.at, no.at
    d, p, q = test.over, yes.over, no.over
    nothing = NOTHING[yes.type.kind]

    def at(v: list[Any]) -> Any:
        value = c(v)
        return None if value is None else f(v) if value else g(v)

    def over(r: list[Any]) -> Any:
        bits = d(r)
        found = [branch(r) for bit, branch in ((TRUE, p), (FALSE, q)) if bits & bit]
        if bits & UNKNOWN:
            found.append(nothing)
        result = found[0]
        for region in found[1:]:
            result = regions.union(result, region)
        return result

    return Compiled(Type(yes.type.kind, options), at, over)
