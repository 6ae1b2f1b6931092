"""From the rule language to formulas, for a rule base that was checked when it was loaded.

The laws are those of `compiler.at`: Kleene's logic, unknown where nothing is defined. Numbers are exact here and floating
point there; logarithms and roots of what is not constant are known between powers of two only.
"""

from __future__ import annotations

import ast
import math
import operator as op
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import cast

import z3

from advisor.knowledge.expressions.expressions import parse
from advisor.knowledge.solver.values import (
    FALSE,
    TRUE,
    Arithmetic,
    Choice,
    Formula,
    Members,
    Number,
    Numbers,
    Term,
    Truth,
    all_of,
    any_of,
    conditional,
    floor,
    negation,
    real,
    rounded,
)

_STEPS = {
    "log2": [(Fraction(2) ** power, Fraction(power)) for power in range(-20, 80)],
    "sqrt": [(Fraction(0), Fraction(0)), *((Fraction(4) ** power, Fraction(2) ** power) for power in range(-20, 40))],
}
_ORDER = {ast.Lt: op.lt, ast.LtE: op.le, ast.Gt: op.gt, ast.GtE: op.ge}
_ARITHMETIC = {ast.Add: op.add, ast.Sub: op.sub, ast.Mult: op.mul}
_ANY_NUMBER = {name: z3.Function(name, z3.RealSort(), z3.RealSort()) for name in ("log2", "sqrt")}


class Translator:
    """Translation of expressions whose names `look_up` knows; what was translated once is kept."""

    def __init__(self, look_up: Callable[[str], Term]) -> None:
        self.look_up = look_up
        self._done: dict[str, Term] = {}

    def term(self, text: str) -> Term:
        found = self._done.get(text)
        if found is None:
            found = self._done[text] = self._term(parse(text))
        return found

    def truth(self, text: str) -> Truth:
        return cast(Truth, self.term(text))

    def _term(self, node: ast.expr) -> Term:
        match node:
            case ast.Constant(value):
                return constant(value)
            case ast.Name() | ast.Attribute():
                name = ast.unparse(node)
                return constant(name == "true") if name in ("true", "false") else self.look_up(name)
            case ast.List(parts) | ast.Tuple(parts):
                numbers = tuple(self._number(part) for part in parts)
                return Numbers(((all_of(*(number.known for number in numbers)), numbers),))
            case ast.BoolOp(ast.And(), parts):
                return conjunction(*(self._truth(part) for part in parts))
            case ast.BoolOp(_, parts):
                return disjunction(*(self._truth(part) for part in parts))
            case ast.UnaryOp(ast.Not(), operand):
                return opposite(self._truth(operand))
            case ast.UnaryOp(_, operand):
                number = self._number(operand)
                return Number(z3.simplify(-number.value), number.known)
            case ast.BinOp(left, operator, right):
                return arithmetic(operator, self._number(left), self._number(right))
            case ast.Compare(left, operators, rights):
                sides = [left, *rights]
                pairs = zip(sides, operators, rights, strict=False)
                return conjunction(*(self._compared(a, operator, b) for a, operator, b in pairs))
            case ast.IfExp(test, body, orelse):
                return conditional(self._truth(test), self._term(body), self._term(orelse))
            case ast.Call(ast.Name(name), arguments):
                return _called(name, [self._number(argument) for argument in arguments])
        raise ValueError(ast.dump(node))

    def _truth(self, node: ast.expr) -> Truth:
        return cast(Truth, self._term(node))

    def _number(self, node: ast.expr) -> Number:
        return cast(Number, self._term(node))

    def _compared(self, left: ast.expr, operator: ast.cmpop, right: ast.expr) -> Truth:
        if isinstance(operator, ast.In | ast.NotIn):
            found = self._contained(self._term(left), right)
            return found if isinstance(operator, ast.In) else opposite(found)
        if isinstance(operator, ast.Eq):
            return equal(self._term(left), self._term(right))
        if isinstance(operator, ast.NotEq):
            return opposite(equal(self._term(left), self._term(right)))
        a, b = self._number(left), self._number(right)
        return _known_truth(_ORDER[type(operator)](a.value, b.value), a, b)

    def _contained(self, member: Term, container: ast.expr) -> Truth:
        if isinstance(container, ast.List | ast.Tuple | ast.Set):
            return disjunction(*(equal(member, self._term(element)) for element in container.elts))
        names, one = cast(Members, self._term(container)), cast(Choice, member)
        inside = any_of(*(all_of(same, names.has(name)) for name, same in one.options.items()))
        return _known_truth(inside, member, names)


def constant(value: object) -> Term:
    if isinstance(value, bool):
        return Truth(TRUE, FALSE) if value else Truth(FALSE, TRUE)
    if isinstance(value, str):
        return Choice({value: TRUE}, TRUE)
    return Number(numeral(cast(float, value)), TRUE)


def numeral(value: float) -> Arithmetic:
    """A number as it is written: 0.9 is nine tenths."""
    return z3.IntVal(value) if isinstance(value, int) else z3.RealVal(str(Fraction(repr(value))))


def conjunction(*parts: Truth) -> Truth:
    return Truth(all_of(*(part.true for part in parts)), any_of(*(part.false for part in parts)))


def disjunction(*parts: Truth) -> Truth:
    return Truth(any_of(*(part.true for part in parts)), all_of(*(part.false for part in parts)))


def opposite(truth: Truth) -> Truth:
    return Truth(truth.false, truth.true)


def _known_truth(test: Formula, *operands: Term) -> Truth:
    known = all_of(*(operand.known for operand in operands))
    test = z3.simplify(test)
    return Truth(all_of(known, test), all_of(known, negation(test)))


def equal(a: Term, b: Term) -> Truth:
    if isinstance(a, Truth) and isinstance(b, Truth):
        true = any_of(all_of(a.true, b.true), all_of(a.false, b.false))
        return Truth(true, any_of(all_of(a.true, b.false), all_of(a.false, b.true)))
    if isinstance(a, Choice) and isinstance(b, Choice):
        return _known_truth(any_of(*(all_of(same, b.has(name)) for name, same in a.options.items())), a, b)
    return _known_truth(cast(Number, a).value == cast(Number, b).value, a, b)


def arithmetic(operator: ast.operator, a: Number, b: Number) -> Number:
    known = all_of(a.known, b.known)
    if type(operator) in _ARITHMETIC:
        return Number(z3.simplify(_ARITHMETIC[type(operator)](a.value, b.value)), known)
    known = all_of(known, z3.simplify(b.value != 0))
    whole = isinstance(operator, ast.FloorDiv)
    if whole and a.value.is_int() and z3.is_int_value(b.value) and b.value.as_long() > 0:
        return Number(a.value / b.value, known)  # between whole numbers z3 rounds down
    quotient = z3.simplify(real(a.value) / real(b.value)) if not z3.is_false(known) else z3.RealVal(0)
    return Number(floor(quotient) if whole else quotient, known)


def _called(name: str, operands: list[Number]) -> Number:
    first = operands[0]
    match name:
        case "min" | "max":
            result = first
            for other in operands[1:]:
                less = result.value <= other.value if name == "min" else result.value >= other.value
                result = Number(z3.If(less, result.value, other.value), all_of(result.known, other.known))
            return result
        case "floor":
            return replace(first, value=floor(first.value))
        case "ceil":
            return first if first.value.is_int() else replace(first, value=-z3.ToInt(-first.value))
        case "round":
            return replace(first, value=rounded(first.value))
    inside = z3.simplify(first.value > 0 if name == "log2" else first.value >= 0)
    known = all_of(first.known, inside)
    exact = _exact(first.value)
    if exact is not None:
        compute = math.log2 if name == "log2" else math.sqrt
        return Number(numeral(compute(exact) if z3.is_true(inside) else 0.0), known)
    argument = real(first.value)
    return Number(_between_steps(_ANY_NUMBER[name](argument), argument, _STEPS[name]), known)


def _between_steps(value: Arithmetic, argument: Arithmetic, steps: Sequence[tuple[Fraction, Fraction]]) -> Arithmetic:
    """A value of a rising function: any number, but between its values at the steps left and right of the argument."""
    low = high = value
    for at, there in steps:
        low = z3.If(argument >= _rational(at), _rational(there), low)
    for at, there in reversed(steps):
        high = z3.If(argument <= _rational(at), _rational(there), high)
    return z3.If(value < low, low, z3.If(value > high, high, value))


def _rational(number: Fraction) -> Arithmetic:
    return z3.RealVal(str(number))


def _exact(value: Arithmetic) -> float | None:
    simple = z3.simplify(value)
    if z3.is_int_value(simple):
        return float(simple.as_long())
    return float(simple.as_fraction()) if z3.is_rational_value(simple) else None
