"""From a checked syntax tree to two closures: the value at known facts, and the region of values over unknown ones."""

from __future__ import annotations

import ast
from collections.abc import Callable, Generator

from advisor.errors import Problem, did_you_mean
from advisor.knowledge.expressions import operations
from advisor.knowledge.expressions.expressions import (
    MAX_LITERAL,
    Conjunct,
    Expression,
    ExpressionError,
    Kind,
    Symbols,
    Type,
    parse,
    source,
)
from advisor.knowledge.expressions.operations import FUNCTIONS, MIRRORED, Compiled
from advisor.wording import shorten

_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip
_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//",
}  # fmt: skip
_REFUSED: dict[type[ast.AST], str] = {
    ast.Attribute: "attributes", ast.Lambda: "lambdas", ast.Subscript: "subscripts", ast.JoinedStr: "f-strings",
    ast.ListComp: "comprehensions", ast.SetComp: "comprehensions", ast.DictComp: "comprehensions",
    ast.GeneratorExp: "comprehensions", ast.Dict: "mappings", ast.NamedExpr: "assignments", ast.Await: "await",
    ast.Yield: "yield", ast.Starred: "stars",
}  # fmt: skip


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
        result = compiler.conjunction(tree, source(text))
    else:
        result = compiler.compile(tree, wanted)
        compiler.conjuncts.append(Conjunct(text, frozenset(compiler.names), result.at, compiler.constants()))
    if wanted is not None:
        _check_wanted(result.type, wanted)
    cuts = {name: frozenset(values) for name, values in compiler.cuts.items()}
    names = frozenset(compiler.names)
    computed = frozenset(name for name, times in compiler.uses.items() if times)
    return Expression(
        text, result.type, names, cuts, computed, result.at, result.over, tuple(compiler.conjuncts), constant=not names
    )


def compiled(where: str, what: str, compiling: Callable[[], Expression]) -> Generator[Problem, None, Expression | None]:
    """The expression; None, after a problem, where it does not compile."""
    try:
        return compiling()
    except ExpressionError as error:
        yield Problem(where, f"{what} {error}" if str(error).endswith((".", "?")) else f"{what} {error}.")
        return None


def _check_wanted(actual: Type, wanted: Type) -> None:
    if actual.kind is not wanted.kind:
        raise ExpressionError(f"is a {actual}, where a {wanted} is needed")
    if wanted.options is not None and not (actual.options or frozenset()) <= wanted.options:
        extra = sorted((actual.options or frozenset()) - wanted.options)
        raise ExpressionError(f"can be {shorten(extra[0])}. {did_you_mean(extra[0], wanted.options)}".strip())


class Compiler:
    """Compiler of one expression; collects the names it reads and the constants they are compared with."""

    def __init__(self, symbols: Symbols) -> None:
        self.symbols = symbols
        self.names: set[str] = set()
        self.cuts: dict[str, set[tuple[float, str]]] = {}
        self.uses: dict[str, int] = {}
        self.conjuncts: list[Conjunct] = []

    def constants(self) -> frozenset[float] | None:
        """The numbers that names are compared with, if numbers are used in no other way."""
        numbers = (name for name in self.names if self.symbols.types[name].kind is Kind.NUMBER)
        if any(self.uses[name] for name in numbers):
            return None
        return frozenset(constant for cuts in self.cuts.values() for constant, _ in cuts)

    def conjunction(self, node: ast.BoolOp, text: str) -> Compiled:
        """Compile a condition whose outermost word is `and`, and note what it joins, as it is written."""
        written = text.encode()
        parts = []
        for value in node.values:
            alone = Compiler(self.symbols)
            part = alone._need(value, Kind.BOOLEAN, "and joins")
            parts.append(part)
            self.names |= alone.names
            for name, times in alone.uses.items():
                self.uses[name] = self.uses.get(name, 0) + times
            for name, constants in alone.cuts.items():
                self.cuts.setdefault(name, set()).update(constants)
            said = written[value.col_offset : value.end_col_offset].decode()
            self.conjuncts.append(Conjunct(said, frozenset(alone.names), part.at, alone.constants()))
        return operations.joined("and", parts)

    def compile(self, node: ast.expr, wanted: Type | None = None) -> Compiled:
        match node:
            case ast.Constant():
                return self._constant(node.value)
            case ast.Name() | ast.Attribute():
                return self._name(node)
            case ast.List() | ast.Tuple():
                return operations.listed([self._need(element, Kind.NUMBER, "a list holds") for element in node.elts])
            case ast.BoolOp():
                word = "and" if isinstance(node.op, ast.And) else "or"
                parts = [self._need(value, Kind.BOOLEAN, f"{word} joins") for value in node.values]
                return operations.joined(word, parts)
            case ast.UnaryOp():
                return self._unary(node)
            case ast.BinOp():
                return self._arithmetic(node)
            case ast.Compare():
                sides = zip([node.left, *node.comparators], node.ops, node.comparators, strict=False)
                parts = [self._comparison(left, op, right) for left, op, right in sides]
                return parts[0] if len(parts) == 1 else operations.joined("and", parts)
            case ast.IfExp():
                return self._conditional(node, wanted)
            case ast.Call():
                return self._call(node)
        what = _REFUSED.get(type(node), f"{type(node).__name__}")
        raise ExpressionError(f"uses {what}, which the rule language does not have")

    def _constant(self, value: object) -> Compiled:
        if not isinstance(value, bool | int | float | str):
            raise ExpressionError(f"holds {shorten(value)!r}, which the rule language does not have")
        if not isinstance(value, str) and not abs(value) <= MAX_LITERAL:
            raise ExpressionError(f"holds the number {shorten(value, 20)}, beyond 1e30")
        return operations.constant(value)

    def _name(self, node: ast.expr) -> Compiled:
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            raise ExpressionError("uses attributes, which the rule language does not have")
        name = ".".join([node.id, *reversed(parts)])
        if name in ("true", "false"):
            return self._constant(name == "true")
        slot = self.symbols.slots.get(name)
        if slot is None:
            hint = did_you_mean(name, self.symbols.slots)
            raise ExpressionError(f"uses {shorten(name)!r}, which is not declared. {hint}".rstrip())
        self.names.add(name)
        self.uses[name] = self.uses.get(name, 0) + 1
        return operations.named(name, slot, self.symbols.types[name])

    def _need(self, node: ast.expr, kind: Kind, context: str) -> Compiled:
        part = self.compile(node)
        if part.type.kind is not kind:
            text = shorten(ast.unparse(node), 40)
            raise ExpressionError(f"has clashing types: {context} a {kind.value}, but {text} is a {part.type}")
        return part

    def _unary(self, node: ast.UnaryOp) -> Compiled:
        if isinstance(node.op, ast.Not):
            return operations.opposite(self._need(node.operand, Kind.BOOLEAN, "not needs"))
        if isinstance(node.op, ast.USub):
            inner = self._need(node.operand, Kind.NUMBER, "- needs")
            return operations.negative(inner) if inner.constant is None else self._constant(-inner.constant)
        raise ExpressionError("uses a unary operator other than - and not")

    def _arithmetic(self, node: ast.BinOp) -> Compiled:
        symbol = _ARITHMETIC.get(type(node.op))
        if symbol is None:
            refused = {ast.Pow: "powers", ast.Mod: "remainders"}.get(type(node.op), "bit operations")
            raise ExpressionError(f"uses {refused}, which the rule language does not have")
        left = self._need(node.left, Kind.NUMBER, f"{symbol} needs")
        right = self._need(node.right, Kind.NUMBER, f"{symbol} needs")
        return operations.arithmetic(left, symbol, right)

    def _comparison(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> Compiled:
        if isinstance(op, ast.In | ast.NotIn):
            member = self._membership(left, right)
            return member if isinstance(op, ast.In) else operations.opposite(member)
        symbol = _COMPARE.get(type(op))
        if symbol is None:
            raise ExpressionError("uses `is`, which the rule language does not have. Write ==.")
        return self._compared(self.compile(left), symbol, self.compile(right))

    def _compared(self, a: Compiled, symbol: str, b: Compiled) -> Compiled:
        kinds = {a.type.kind, b.type.kind}
        ordered = symbol not in ("==", "!=")
        if kinds == {Kind.NUMBER}:
            self._note_cut(a, symbol, b)
            return operations.compared(a, symbol, b)
        if Kind.TEXT in kinds:
            raise ExpressionError("decides on free text, which is for showing only")
        if ordered or kinds not in ({Kind.CHOICE}, {Kind.BOOLEAN}):
            raise ExpressionError(f"has clashing types: {a.type} {symbol} {b.type}")
        self._check_options(a, b)
        return operations.equal(a, symbol, b)

    def _note_cut(self, a: Compiled, symbol: str, b: Compiled) -> None:
        for name, sign, constant in ((a.name, symbol, b.constant), (b.name, MIRRORED.get(symbol, symbol), a.constant)):
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
            return operations.joined("or", [self._compared(member, "==", element) for element in elements])
        container = self.compile(right)
        if container.type.kind is not Kind.SET or member.type.kind is not Kind.CHOICE:
            raise ExpressionError(f"has clashing types: {member.type} in {container.type}")
        self._check_options(member, container)
        return operations.contained(member, container)

    def _one_of_names(self, member: Compiled, elements: list[Compiled]) -> Compiled:
        if member.type.kind is not Kind.CHOICE:
            raise ExpressionError(f"has clashing types: {member.type} in a list of names")
        for element in elements:
            self._check_options(member, element)
        return operations.one_of(member, frozenset(str(element.constant) for element in elements))

    def _conditional(self, node: ast.IfExp, wanted: Type | None) -> Compiled:
        condition = self._need(node.test, Kind.BOOLEAN, "if needs")
        yes, no = self.compile(node.body, wanted), self.compile(node.orelse, wanted)
        if yes.type.kind is not no.type.kind:
            raise ExpressionError(f"has clashing types: {yes.type} if … else {no.type}")
        return operations.conditional(condition, yes, no)

    def _call(self, node: ast.Call) -> Compiled:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name not in FUNCTIONS or node.keywords:
            raise ExpressionError(f"calls something other than {', '.join(FUNCTIONS)}")
        if not node.args or (len(node.args) > 1 and name not in ("min", "max")):
            raise ExpressionError(f"gives {name} {len(node.args)} values")
        return operations.called(name, [self._need(argument, Kind.NUMBER, f"{name} needs") for argument in node.args])
