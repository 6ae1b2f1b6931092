"""From a checked syntax tree to two closures: the value at known facts, and the region of values over unknown ones."""

from __future__ import annotations

import ast
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from advisor.errors import did_you_mean
from advisor.knowledge.expressions import regions
from advisor.knowledge.expressions.expressions import (
    BOOLEAN,
    LIST,
    MAX_LITERAL,
    NUMBER,
    At,
    Conjunct,
    Expression,
    ExpressionError,
    Kind,
    Over,
    Symbols,
    Type,
    parse,
)
from advisor.knowledge.expressions.operations import (
    ARITHMETIC_AT,
    ARITHMETIC_OVER,
    COMPARISONS,
    FUNCTIONS_OF_ONE,
    NOTHING,
    both_or_either,
    end_of,
    equal_truths,
    finite,
)
from advisor.knowledge.expressions.regions import AND, FALSE, NOT, OR, TRUE, UNKNOWN, Interval
from advisor.wording import shorten

_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip
_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//",
}  # fmt: skip
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
FUNCTIONS = ("min", "max", "ceil", "floor", "round", "log2", "sqrt")
_REFUSED: dict[type[ast.AST], str] = {
    ast.Attribute: "attributes", ast.Lambda: "lambdas", ast.Subscript: "subscripts", ast.JoinedStr: "f-strings",
    ast.ListComp: "comprehensions", ast.SetComp: "comprehensions", ast.DictComp: "comprehensions",
    ast.GeneratorExp: "comprehensions", ast.Dict: "mappings", ast.NamedExpr: "assignments", ast.Await: "await",
    ast.Yield: "yield", ast.Starred: "stars",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Compiled:
    type: Type
    at: At
    over: Over
    name: str = ""
    constant: object = None


def compile_expression(text: str, symbols: Symbols, wanted: Type | None = None) -> Expression:
    """Check and compile an expression.

    Args:
        wanted: the type it must have; a choice's options must lie within the wanted options.

    Raises:
        ExpressionError: not in the language, an unknown name, or clashing types.
    """
    compiler = Compiler(symbols)
    tree = parse(text)
    if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And):
        result = compiler.conjunction(tree)
    else:
        result = compiler.compile(tree, wanted)
        compiler.conjuncts.append(Conjunct(text, frozenset(compiler.names), result.at, compiler.constants()))
    if wanted is not None:
        _check_wanted(result.type, wanted)
    cuts = {name: frozenset(values) for name, values in compiler.cuts.items()}
    names = frozenset(compiler.names)
    computed = frozenset(name for name, times in compiler.uses.items() if times > 0)
    return Expression(
        text, result.type, names, cuts, computed, result.at, result.over, tuple(compiler.conjuncts), constant=not names
    )


def _check_wanted(actual: Type, wanted: Type) -> None:
    if actual.kind is not wanted.kind:
        raise ExpressionError(f"is a {actual}, where a {wanted} is needed")
    if wanted.options is not None and not (actual.options or frozenset()) <= wanted.options:
        extra = sorted((actual.options or frozenset()) - wanted.options)
        raise ExpressionError(f"can be {shorten(extra[0])}. {did_you_mean(extra[0], wanted.options)}".strip())


def _opposite(part: Compiled) -> Compiled:
    f, g = part.at, part.over

    def at(v: list[Any]) -> Any:
        value = f(v)
        return None if value is None else not value

    return Compiled(BOOLEAN, at, lambda r: NOT[g(r)])


class Compiler:
    """Compiler of one expression; collects the names it reads and the constants they are compared with."""

    def __init__(self, symbols: Symbols) -> None:
        self.symbols = symbols
        self.names: set[str] = set()
        self.cuts: dict[str, set[tuple[float, str]]] = {}
        self.uses: Counter[str] = Counter()
        self.conjuncts: list[Conjunct] = []

    def constants(self) -> frozenset[float] | None:
        """The numbers that names are compared with, if numbers are used in no other way."""
        numbers = (name for name in self.names if self.symbols.types[name].kind is Kind.NUMBER)
        if any(self.uses[name] > 0 for name in numbers):
            return None
        return frozenset(constant for cuts in self.cuts.values() for constant, _ in cuts)

    def conjunction(self, node: ast.BoolOp) -> Compiled:
        """Compile a condition whose outermost word is `and`, and note what it joins."""
        parts = []
        for value in node.values:
            alone = Compiler(self.symbols)
            part = alone._need(value, Kind.BOOLEAN, "and joins")
            parts.append(part)
            self.names |= alone.names
            self.uses += alone.uses
            for name, constants in alone.cuts.items():
                self.cuts.setdefault(name, set()).update(constants)
            self.conjuncts.append(Conjunct(ast.unparse(value), frozenset(alone.names), part.at, alone.constants()))
        return self._joined("and", parts)

    def compile(self, node: ast.expr, wanted: Type | None = None) -> Compiled:
        match node:
            case ast.Constant():
                return self._constant(node.value)
            case ast.Name() | ast.Attribute():
                return self._name(node)
            case ast.List() | ast.Tuple():
                return self._list(node.elts)
            case ast.BoolOp():
                return self._bool_op(node)
            case ast.UnaryOp():
                return self._unary(node)
            case ast.BinOp():
                return self._arithmetic(node)
            case ast.Compare():
                return self._compare(node)
            case ast.IfExp():
                return self._conditional(node, wanted)
            case ast.Call():
                return self._call(node)
        what = _REFUSED.get(type(node), f"{type(node).__name__}")
        raise ExpressionError(f"uses {what}, which the rule language does not have")

    def _constant(self, value: object) -> Compiled:
        if isinstance(value, bool):
            bits = TRUE if value else FALSE
            return Compiled(BOOLEAN, lambda v: value, lambda r: bits, constant=value)
        if isinstance(value, int | float):
            if not abs(value) <= MAX_LITERAL:
                raise ExpressionError(f"holds the number {shorten(value, 20)}, beyond 1e30")
            interval = (value, value, False)
            return Compiled(NUMBER, lambda v: value, lambda r: interval, constant=value)
        if isinstance(value, str):
            names = frozenset({value})
            return Compiled(Type(Kind.CHOICE, names), lambda v: value, lambda r: names, constant=value)
        raise ExpressionError(f"holds {shorten(value)!r}, which the rule language does not have")

    def _name(self, node: ast.expr) -> Compiled:
        parts: list[str] = []
        inner = node
        while isinstance(inner, ast.Attribute):
            parts.append(inner.attr)
            inner = inner.value
        if not isinstance(inner, ast.Name):
            raise ExpressionError("uses attributes, which the rule language does not have")
        name = ".".join([inner.id, *reversed(parts)])
        if name in ("true", "false"):
            return self._constant(name == "true")
        slot = self.symbols.slots.get(name)
        if slot is None:
            hint = did_you_mean(name, self.symbols.names) if len(self.symbols.names) > 0 else ""
            raise ExpressionError(f"uses {shorten(name)!r}, which is not declared. {hint}".rstrip())
        self.names.add(name)
        self.uses[name] += 1
        return Compiled(self.symbols.types[name], lambda v: v[slot], lambda r: r[slot], name=name)

    def _list(self, elements: Sequence[ast.expr]) -> Compiled:
        parts = [self._need(element, Kind.NUMBER, "a list holds") for element in elements]
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

    def _need(self, node: ast.expr, kind: Kind, context: str) -> Compiled:
        part = self.compile(node)
        if part.type.kind is not kind:
            text = shorten(ast.unparse(node), 40)
            raise ExpressionError(f"has clashing types: {context} a {kind.value}, but {text} is a {part.type}")
        return part

    def _bool_op(self, node: ast.BoolOp) -> Compiled:
        word = "and" if isinstance(node.op, ast.And) else "or"
        return self._joined(word, [self._need(value, Kind.BOOLEAN, f"{word} joins") for value in node.values])

    def _joined(self, word: str, parts: Sequence[Compiled]) -> Compiled:
        ats, overs = [part.at for part in parts], [part.over for part in parts]
        table = AND if word == "and" else OR
        decisive = word == "or"
        neutral_bits, decisive_bits = (FALSE, TRUE) if decisive else (TRUE, FALSE)

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

        if len(ats) == 2:
            return Compiled(BOOLEAN, both_or_either(ats[0], ats[1], decisive), over)
        return Compiled(BOOLEAN, at, over)

    def _unary(self, node: ast.UnaryOp) -> Compiled:
        if isinstance(node.op, ast.Not):
            inner = self._need(node.operand, Kind.BOOLEAN, "not needs")
            return _opposite(inner)
        if isinstance(node.op, ast.USub):
            inner = self._need(node.operand, Kind.NUMBER, "- needs")
            if inner.constant is not None:
                return self._constant(-inner.constant)  # type: ignore[operator]
            f, g = inner.at, inner.over

            def negative(v: list[Any]) -> Any:
                value = f(v)
                return None if value is None else -value

            return Compiled(NUMBER, negative, lambda r: regions.subtract((0, 0, False), g(r)))
        raise ExpressionError("uses a unary operator other than - and not")

    def _arithmetic(self, node: ast.BinOp) -> Compiled:
        symbol = _ARITHMETIC.get(type(node.op))
        if symbol is None:
            refused = {ast.Pow: "powers", ast.Mod: "remainders"}.get(type(node.op), "bit operations")
            raise ExpressionError(f"uses {refused}, which the rule language does not have")
        left = self._need(node.left, Kind.NUMBER, f"{symbol} needs")
        right = self._need(node.right, Kind.NUMBER, f"{symbol} needs")
        f, g, compute = left.at, right.at, ARITHMETIC_AT[symbol]
        p, q, spread = left.over, right.over, ARITHMETIC_OVER[symbol]

        def at(v: list[Any]) -> Any:
            a, b = f(v), g(v)
            if a is None or b is None:
                return None
            return finite(compute, a, b)

        return Compiled(NUMBER, at, lambda r: spread(p(r), q(r)))

    def _compare(self, node: ast.Compare) -> Compiled:
        parts: list[Compiled] = []
        left = node.left
        for op, right in zip(node.ops, node.comparators, strict=True):
            parts.append(self._comparison(left, op, right))
            left = right
        return parts[0] if len(parts) == 1 else self._joined("and", parts)

    def _comparison(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> Compiled:
        if isinstance(op, ast.In | ast.NotIn):
            member = self._membership(left, right)
            return member if isinstance(op, ast.In) else _opposite(member)
        symbol = _COMPARE.get(type(op))
        if symbol is None:
            raise ExpressionError("uses `is`, which the rule language does not have. Write ==.")
        return self._compared(self.compile(left), symbol, self.compile(right))

    def _compared(self, a: Compiled, symbol: str, b: Compiled) -> Compiled:
        kinds = {a.type.kind, b.type.kind}
        ordered = symbol not in ("==", "!=")
        if kinds == {Kind.NUMBER}:
            self._note_cut(a, symbol, b)
            return self._compared_numbers(a, symbol, b)
        if Kind.TEXT in kinds:
            raise ExpressionError("decides on free text, which is for showing only")
        if ordered or kinds not in ({Kind.CHOICE}, {Kind.BOOLEAN}):
            raise ExpressionError(f"has clashing types: {a.type} {symbol} {b.type}")
        self._check_options(a, b)
        f, g, p, q = a.at, b.at, a.over, b.over
        negate = symbol == "!="
        both = equal_truths if kinds == {Kind.BOOLEAN} else regions.equal_choices
        if isinstance(b.constant, str) and a.name:
            return self._named_literal(a.name, b.constant, negate)

        def at(v: list[Any]) -> Any:
            x, y = f(v), g(v)
            return None if x is None or y is None else (x == y) is not negate

        over: Over = (lambda r: NOT[both(p(r), q(r))]) if negate else (lambda r: both(p(r), q(r)))
        return Compiled(BOOLEAN, at, over)

    def _named_literal(self, name: str, literal: str, negate: bool) -> Compiled:
        """`name == "literal"`, the most frequent condition of all, without calls."""
        slot = self.symbols.slots[name]
        equal, other = (FALSE, TRUE) if negate else (TRUE, FALSE)

        def at(v: list[Any]) -> Any:
            x = v[slot]
            return None if x is None else (x == literal) is not negate

        def over(r: list[Any]) -> int:
            names = r[slot]
            bits = 0
            if literal in names:
                bits = equal
            if None in names:
                bits |= UNKNOWN
            return bits | other if len(names) > bits.bit_count() else bits

        return Compiled(BOOLEAN, at, over)

    def _compared_numbers(self, a: Compiled, symbol: str, b: Compiled) -> Compiled:
        f, g, p, q, test = a.at, b.at, a.over, b.over, COMPARISONS[symbol]
        if b.constant is not None:
            bound = b.constant
            interval: Interval = (bound, bound, False)  # type: ignore[assignment]

            if a.name:
                slot = self.symbols.slots[a.name]

                def at_named(v: list[Any]) -> Any:
                    x = v[slot]
                    return None if x is None else test(x, bound)

                return Compiled(BOOLEAN, at_named, lambda r: regions.compare(symbol, r[slot], interval))

            def at_bound(v: list[Any]) -> Any:
                x = f(v)
                return None if x is None else test(x, bound)

            return Compiled(BOOLEAN, at_bound, lambda r: regions.compare(symbol, p(r), interval))

        def at(v: list[Any]) -> Any:
            x, y = f(v), g(v)
            return None if x is None or y is None else test(x, y)

        return Compiled(BOOLEAN, at, lambda r: regions.compare(symbol, p(r), q(r)))

    def _note_cut(self, a: Compiled, symbol: str, b: Compiled) -> None:
        for name, sign, constant in ((a.name, symbol, b.constant), (b.name, _MIRRORED.get(symbol, symbol), a.constant)):
            if name and isinstance(constant, int | float):
                self.cuts.setdefault(name, set()).add((constant, sign))
                self.uses[name] -= 1

    def _check_options(self, a: Compiled, b: Compiled) -> None:
        for this, other in ((a, b), (b, a)):
            options = other.type.options
            if isinstance(this.constant, str) and options is not None and this.constant not in options:
                hint = did_you_mean(this.constant, sorted(options))
                what = f"compares {other.name or 'a choice'} with {shorten(this.constant)!r}, which it cannot be."
                raise ExpressionError(f"{what} {hint}".rstrip())

    def _membership(self, left: ast.expr, right: ast.expr) -> Compiled:
        member = self.compile(left)
        if isinstance(right, ast.List | ast.Tuple | ast.Set):
            elements = [self.compile(element) for element in right.elts]
            if all(isinstance(element.constant, str) for element in elements) and elements:
                return self._one_of_names(member, elements)
            return self._joined("or", [self._compared(member, "==", element) for element in elements])
        container = self.compile(right)
        if container.type.kind is not Kind.SET or member.type.kind is not Kind.CHOICE:
            raise ExpressionError(f"has clashing types: {member.type} in {container.type}")
        self._check_options(member, container)
        f, g, p, q = member.at, container.at, member.over, container.over

        def contained(v: list[Any]) -> Any:
            x, y = f(v), g(v)
            return None if x is None or y is None else x in y

        return Compiled(BOOLEAN, contained, lambda r: regions.contains(p(r), q(r)))

    def _one_of_names(self, member: Compiled, elements: list[Compiled]) -> Compiled:
        if member.type.kind is not Kind.CHOICE:
            raise ExpressionError(f"has clashing types: {member.type} in a list of names")
        for element in elements:
            self._check_options(member, element)
        wanted = frozenset(str(element.constant) for element in elements)
        f, p = member.at, member.over

        def at(v: list[Any]) -> Any:
            x = f(v)
            return None if x is None else x in wanted

        def over(r: list[Any]) -> int:
            bits = 0
            for name in p(r):
                bits |= UNKNOWN if name is None else TRUE if name in wanted else FALSE
            return bits

        return Compiled(BOOLEAN, at, over)

    def _conditional(self, node: ast.IfExp, wanted: Type | None) -> Compiled:
        condition = self._need(node.test, Kind.BOOLEAN, "if needs")
        yes, no = self.compile(node.body, wanted), self.compile(node.orelse, wanted)
        if yes.type.kind is not no.type.kind:
            raise ExpressionError(f"has clashing types: {yes.type} if … else {no.type}")
        options = None
        if yes.type.options is not None and no.type.options is not None:
            options = yes.type.options | no.type.options
        c, f, g = condition.at, yes.at, no.at
        d, p, q = condition.over, yes.over, no.over
        nothing = NOTHING[yes.type.kind]

        def at(v: list[Any]) -> Any:
            value = c(v)
            return None if value is None else f(v) if value else g(v)

        def over(r: list[Any]) -> Any:
            bits = d(r)
            found = [region for bit, branch in ((TRUE, p), (FALSE, q)) if bits & bit for region in (branch(r),)]
            if bits & UNKNOWN:
                found.append(nothing)
            result = found[0]
            for region in found[1:]:
                result = regions.union(result, region)
            return result

        return Compiled(Type(yes.type.kind, options), at, over)

    def _call(self, node: ast.Call) -> Compiled:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name not in FUNCTIONS or node.keywords:
            raise ExpressionError(f"calls something other than {', '.join(FUNCTIONS)}")
        many = name in ("min", "max")
        if not node.args or (len(node.args) > 1 and not many):
            raise ExpressionError(f"gives {name} {len(node.args)} values")
        parts = [self._need(argument, Kind.NUMBER, f"{name} needs") for argument in node.args]
        ats, overs = [part.at for part in parts], [part.over for part in parts]
        if many:
            pick: Callable[[Any], Any] = min if name == "min" else max

            def at_many(v: list[Any]) -> Any:
                values = [f(v) for f in ats]
                return None if None in values else pick(values)

            def over_many(r: list[Any]) -> Interval:
                found = [f(r) for f in overs]
                if any(low > high for low, high, _ in found):
                    return regions.NO_NUMBER
                return (pick(x[0] for x in found), pick(x[1] for x in found), any(x[2] for x in found))

            return Compiled(NUMBER, at_many, over_many)
        f, g, compute = ats[0], overs[0], FUNCTIONS_OF_ONE[name]
        lowest = {"log2": 5e-324, "sqrt": 0.0}.get(name, -math.inf)

        def at(v: list[Any]) -> Any:
            x = f(v)
            return None if x is None or x < lowest else finite(compute, x)

        def over(r: list[Any]) -> Interval:
            low, high, undefined = g(r)
            if low > high or high < lowest:
                return regions.NO_NUMBER
            undefined = undefined or low < lowest
            return (end_of(compute, max(low, lowest)), end_of(compute, high), undefined)

        return Compiled(NUMBER, at, over)
