"""Terms of the solver for expressions of the rule language: a value, and whether it is known.

z3's Python interface has no types; Formula and Arithmetic say what is meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, cast

import z3

Formula: TypeAlias = Any
Arithmetic: TypeAlias = Any

TRUE: Formula = z3.BoolVal(True)
FALSE: Formula = z3.BoolVal(False)


@dataclass(frozen=True, slots=True)
class Truth:
    """One of Kleene's three values: where neither formula holds, it is unknown."""

    true: Formula
    false: Formula

    @property
    def known(self) -> Formula:
        return any_of(self.true, self.false)


@dataclass(frozen=True, slots=True)
class Number:
    value: Arithmetic
    known: Formula


@dataclass(frozen=True, slots=True)
class _Named:
    """One formula for each name of a list."""

    options: Mapping[str, Formula]
    known: Formula

    def has(self, name: str) -> Formula:
        return self.options.get(name, FALSE)


class Choice(_Named):
    """The formula of each name that it can be; exactly one of them holds where it is known."""

    __slots__ = ()


class Members(_Named):
    """A set: the formula of each name that may be in it."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Numbers:
    """A list: alternatives, each with the condition under which it is the value."""

    alternatives: tuple[tuple[Formula, tuple[Number, ...]], ...]

    @property
    def known(self) -> Formula:
        return any_of(*(guard for guard, _ in self.alternatives))


Term: TypeAlias = Truth | Number | Choice | Members | Numbers


def all_of(*formulas: Formula) -> Formula:
    kept = [formula for formula in formulas if not z3.is_true(formula)]
    if any(z3.is_false(formula) for formula in kept):
        return FALSE
    return TRUE if not kept else kept[0] if len(kept) == 1 else z3.And(*kept)


def any_of(*formulas: Formula) -> Formula:
    kept = [formula for formula in formulas if not z3.is_false(formula)]
    if any(z3.is_true(formula) for formula in kept):
        return TRUE
    return FALSE if not kept else kept[0] if len(kept) == 1 else z3.Or(*kept)


def negation(formula: Formula) -> Formula:
    return FALSE if z3.is_true(formula) else TRUE if z3.is_false(formula) else z3.Not(formula)


def either(condition: Formula, yes: Any, no: Any) -> Any:
    return yes if z3.is_true(condition) else no if z3.is_false(condition) else z3.If(condition, yes, no)


def holds_in(model: Any, formula: Formula) -> bool:
    return bool(z3.is_true(model.eval(formula, model_completion=True)))


def at_most_one(formulas: Iterable[Formula]) -> Formula:
    kept = list(formulas)
    return z3.AtMost(*kept, 1) if len(kept) > 1 else TRUE


def masked(term: Term, applies: Formula) -> Term:
    """The term where a condition holds, unknown elsewhere."""
    if isinstance(term, Truth):
        return Truth(all_of(applies, term.true), all_of(applies, term.false))
    if isinstance(term, Numbers):
        return Numbers(tuple((all_of(applies, guard), parts) for guard, parts in term.alternatives))
    return replace(term, known=all_of(applies, term.known))


def conditional(test: Truth, yes: Term, no: Term) -> Term:
    """`yes if test else no`, unknown where the test is; both have the same type."""
    known = any_of(all_of(test.true, yes.known), all_of(test.false, no.known))
    if isinstance(yes, Truth) and isinstance(no, Truth):
        true = any_of(all_of(test.true, yes.true), all_of(test.false, no.true))
        return Truth(true, any_of(all_of(test.true, yes.false), all_of(test.false, no.false)))
    if isinstance(yes, Number) and isinstance(no, Number):
        return Number(either(test.true, *same_sort(yes.value, no.value)), known)
    if isinstance(yes, Choice | Members) and isinstance(no, Choice | Members):
        names = dict.fromkeys([*yes.options, *no.options])
        return replace(
            yes, options={name: either(test.true, yes.has(name), no.has(name)) for name in names}, known=known
        )
    first, second = cast(Numbers, masked(yes, test.true)), cast(Numbers, masked(no, test.false))
    return Numbers((*first.alternatives, *second.alternatives))


def same_sort(a: Arithmetic, b: Arithmetic) -> tuple[Arithmetic, Arithmetic]:
    """Two numbers as whole numbers where both are, otherwise as reals."""
    return (a, b) if a.is_int() == b.is_int() else (real(a), real(b))


def real(number: Arithmetic) -> Arithmetic:
    return z3.simplify(z3.ToReal(number)) if number.is_int() else number


def floor(number: Arithmetic) -> Arithmetic:
    return number if number.is_int() else z3.ToInt(number)


def rounded(number: Arithmetic) -> Arithmetic:
    """As Python does it: halves go to the even neighbour."""
    if number.is_int():
        return number
    below = z3.ToInt(number)
    rest = number - z3.ToReal(below)
    half = z3.RealVal("1/2")
    return z3.If(rest < half, below, z3.If(rest > half, below + 1, z3.If(below % 2 == 0, below, below + 1)))
