"""The rule language: a few operators over declared names, type-checked when loaded, in Kleene's three-valued logic.

An expression is parsed with Python's `ast`, checked against a whitelist, and compiled once to two closures: `at` computes its
value at known facts (None is unknown), `over` the region of values it can take while facts are unknown. Nothing of the
text is ever executed as Python.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

MAX_LENGTH = 1000
MAX_DEPTH = 30
MAX_LITERAL = 1e30

At: TypeAlias = Callable[[list[Any]], Any]
Over: TypeAlias = Callable[[list[Any]], Any]


class Kind(StrEnum):
    BOOLEAN = "yes or no"
    NUMBER = "number"
    CHOICE = "choice"
    TEXT = "text"
    SET = "set"
    LIST = "list of numbers"


@dataclass(frozen=True, slots=True)
class Type:
    """A static type; `options` are the names a choice or set can hold (None: any)."""

    kind: Kind
    options: frozenset[str] | None = None

    def __str__(self) -> str:
        return self.kind.value


BOOLEAN, NUMBER, LIST = Type(Kind.BOOLEAN), Type(Kind.NUMBER), Type(Kind.LIST)


class ExpressionError(ValueError):
    """A fault of an expression, in words for its author."""


@dataclass(frozen=True, slots=True)
class Symbols:
    """The names an expression may use: each has a slot in the list of values and a static type."""

    slots: Mapping[str, int]
    types: Mapping[str, Type]

    def with_numbers(self, names: Iterable[str]) -> Symbols:
        """Also numbers of these names, whose slots follow."""
        names = list(names)
        slots = {name: slot for slot, name in enumerate([*self.slots, *names])}
        return Symbols(slots, {**self.types, **dict.fromkeys(names, NUMBER)})


@dataclass(frozen=True, slots=True)
class Conjunct:
    """One of the conditions that a condition joins by `and`. `constants` are those it compares names with, None where it
    does anything else with a number."""

    text: str
    names: frozenset[str]
    at: At
    constants: frozenset[float] | None


@dataclass(frozen=True, slots=True)
class Expression:
    """A checked expression.

    `cuts` are the constants with which single names are compared, and how: where its truth can change; `computed` the
    names used in any other way than in such a comparison; `conjuncts` the conditions that it joins by `and`, itself if it
    joins none.
    """

    text: str
    type: Type
    names: frozenset[str]
    cuts: Mapping[str, frozenset[tuple[float, str]]]
    computed: frozenset[str]
    at: At
    over: Over
    conjuncts: tuple[Conjunct, ...]
    constant: bool = False


def source(text: str) -> str:
    """The text as it is parsed: on one line."""
    return text.strip().replace("\n", " ")


def parse(text: str) -> ast.expr:
    """The syntax tree of an expression within the limits. Raises ExpressionError."""
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"is longer than {MAX_LENGTH} characters")
    if "\\" in text or "\0" in text:
        raise ExpressionError("contains a backslash or null character")
    if "#" in text:  # Python would take the rest of it, with every further condition, for a comment
        raise ExpressionError("contains a #; comments belong outside of expressions")
    depth = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if depth > MAX_DEPTH:
            raise ExpressionError(f"is nested deeper than {MAX_DEPTH} levels")
    try:
        tree = ast.parse(source(text), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        detail = error.msg if isinstance(error, SyntaxError) else "it is too complicated"
        raise ExpressionError(f"cannot be read: {detail}") from None
    level: list[ast.AST] = [tree]
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in _children(node)]
        if not level:
            return tree
    raise ExpressionError(f"is nested deeper than {MAX_DEPTH} levels")


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a node, in half the time that `ast.iter_child_nodes` takes. Of a dotted name, none: it is one thing."""
    if type(node) is ast.Name or type(node) is ast.Constant or type(node) is ast.Attribute:
        return
    for field in node._fields:
        part = getattr(node, field)
        for one in part if isinstance(part, list) else (part,):
            if isinstance(one, ast.AST):
                yield one
