"""Compiled conditions that topics share: the parts that rules join by `and`, and constraints among facts."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.knowledge.expressions.expressions import At, Expression


@dataclass(frozen=True, slots=True)
class Atom:
    """A condition that rules join with others by `and`; rules that say the same share it."""

    at: At
    reads: frozenset[int]
    constants: frozenset[float] | None  # that it compares numbers with, None where it computes with them


@dataclass(frozen=True, slots=True)
class Constraint:
    expression: Expression
    reads: frozenset[int]  # the facts that it joins, those that its derived or masked facts rest on included
    because: str
