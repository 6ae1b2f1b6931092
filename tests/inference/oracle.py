"""What a small rule base should advise, worked out by trying every completion of what is unknown.

Written from docs/writing-rules.md and the design alone: it reads the rule base as its author wrote it, evaluates the
expressions itself, and shares nothing with the engine under test.
"""

from __future__ import annotations

import ast
import itertools
import math
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from tests.small_rules import RuleBase

NOT_APPLICABLE = "(means nothing here)"
STRENGTHS = ("strong", "moderate", "weak")


class Tied(tuple[str, ...]):
    """The values that lead together; empty when nothing leads."""


# --- expressions ------------------------------------------------------------------------------------------------------


@cache
def _tree(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def evaluate(text: str, values: Mapping[str, Any]) -> Any:
    """The value of an expression; None where it is unknown."""
    return _value(_tree(text), values)


def _value(node: ast.expr, values: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value):
            return value
        case ast.Name("true"):
            return True
        case ast.Name("false"):
            return False
        case ast.Name(name):
            return values.get(name)
        case ast.Attribute():
            return values.get(ast.unparse(node))
        case ast.List(parts) | ast.Tuple(parts):
            found = [_value(part, values) for part in parts]
            return None if None in found else tuple(found)
        case ast.BoolOp(ast.And(), parts):
            return _all([_value(part, values) for part in parts])
        case ast.BoolOp(ast.Or(), parts):
            return _not(_all([_not(_value(part, values)) for part in parts]))
        case ast.UnaryOp(ast.Not(), inner):
            return _not(_value(inner, values))
        case ast.UnaryOp(ast.USub(), inner):
            return _computed(lambda x: -x, [_value(inner, values)])
        case ast.IfExp(test, body, orelse):
            truth = _value(test, values)
            return None if truth is None else _value(body if truth else orelse, values)
        case ast.BinOp(left, op, right):
            return _computed(_ARITHMETIC[type(op)], [_value(left, values), _value(right, values)])
        case ast.Call(ast.Name(name), arguments):
            return _computed(_FUNCTIONS[name], [_value(argument, values) for argument in arguments])
        case ast.Compare(left, ops, rights):
            sides = [left, *rights]
            return _all([_compared(a, op, b, values) for a, op, b in zip(sides, ops, sides[1:], strict=False)])
    raise AssertionError(ast.dump(node))


def _all(truths: list[bool | None]) -> bool | None:
    return False if False in truths else None if None in truths else True


def _not(truth: bool | None) -> bool | None:
    return None if truth is None else not truth


def _compared(left: ast.expr, op: ast.cmpop, right: ast.expr, values: Mapping[str, Any]) -> bool | None:
    x = _value(left, values)
    if isinstance(op, ast.In | ast.NotIn):
        if isinstance(right, ast.Tuple | ast.List):
            same = [_compared(left, ast.Eq(), one, values) for one in right.elts]
            found = _not(_all([_not(truth) for truth in same]))
        else:
            container = _value(right, values)
            found = None if x is None or container is None else x in container
        return found if isinstance(op, ast.In) else _not(found)
    y = _value(right, values)
    return None if x is None or y is None else _TESTS[type(op)](x, y)


def _computed(function: Any, operands: list[Any]) -> Any:
    if None in operands:
        return None
    try:
        return function(*operands)
    except (ArithmeticError, ValueError):  # division by zero, the root of something negative
        return None


_ARITHMETIC: dict[type, Any] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: math.floor(a / b),
}
_FUNCTIONS: dict[str, Any] = {
    "min": lambda *a: min(a), "max": lambda *a: max(a), "ceil": math.ceil, "floor": math.floor, "round": round,
    "log2": math.log2, "sqrt": math.sqrt,
}  # fmt: skip
_TESTS: dict[type, Any] = {
    ast.Eq: lambda a, b: a == b, ast.NotEq: lambda a, b: a != b, ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b, ast.Gt: lambda a, b: a > b, ast.GtE: lambda a, b: a >= b,
}  # fmt: skip


# --- advice -----------------------------------------------------------------------------------------------------------


class Oracle:
    """One rule base in one school."""

    def __init__(self, base: RuleBase, school: str = "today") -> None:
        self.base = base
        self.school = school
        counted = {"survey": ("survey", "any"), "today": ("survey", "today", "any")}[school]
        self.rules = {
            name: [rule for rule in base.rules if rule["topic"] == name and rule["school"] in counted]
            for name in base.topics
        }

    def prepared(self, raw: Mapping[str, Any], *, assume: bool) -> dict[str, Any]:
        """Facts that mean nothing taken out, definitions and (where wanted) assumptions filled in. Facts are declared
        after those that they read."""
        values: dict[str, Any] = {}
        for name, fact in self.base.facts.items():
            value = raw.get(name)
            if "only_when" in fact and evaluate(fact["only_when"], values) is False:
                value = None
            elif value is None and "derive" in fact:
                value = evaluate(fact["derive"], values)
            elif value is None and assume and "assume" in fact:
                value = evaluate(str(fact["assume"]), values)
            values[name] = value
        return values

    def outcome(self, topic: str, values: Mapping[str, Any]) -> Any:
        """The outcome of one topic at these facts and upstream topics."""
        declared = self.base.topics[topic]
        if "applies" in declared and evaluate(declared["applies"], values) is False:
            return NOT_APPLICABLE
        rules = self.rules[topic]
        holding = {rule["id"] for rule in rules if evaluate(rule.get("when", "true"), values) is True}
        silenced = {other for rule in rules if rule["id"] in holding for other in rule.get("supersedes", ())}
        active = [rule for rule in rules if rule["id"] in holding - silenced]
        if declared["policy"] == "score":
            given = (self._given(declared, rule["value"], values) for rule in active if "value" in rule)
            return next((value for value in given if value is not None), None) or self._best(declared, active)
        if declared["policy"] == "all":
            added = {rule["add"] for rule in active}
            return tuple(value for value in declared["values"] if value in added)
        for rule in active:
            value = self._given(declared, rule["value"], values)
            if value is not None:
                return _typed(declared, value)
        return Tied()

    @staticmethod
    def _given(declared: Mapping[str, Any], text: str, values: Mapping[str, Any]) -> Any:
        return text if text in declared.get("values", ()) else evaluate(text, values)

    def _best(self, declared: Mapping[str, Any], active: list[Mapping[str, Any]]) -> Any:
        vetoed = {rule["veto"] for rule in active if "veto" in rule}
        arguments: dict[tuple[str, str, str], list[int]] = {}
        for rule in active:
            for side in ("for", "against"):
                level = self._level(rule)
                if side in rule and level is not None:
                    key = (rule[side], side, rule.get("argument", rule["id"]))
                    arguments.setdefault(key, []).append(level)
        net: dict[str, list[int]] = {}
        for (value, side, _), levels in arguments.items():
            counts = net.setdefault(value, [0, 0, 0])
            counts[min(levels)] += 1 if side == "for" else -1
        supported = {value for value, side, _ in arguments if side == "for"} - vetoed
        winning = {value: tuple(net[value]) for value in supported if tuple(net[value]) > (0, 0, 0)}
        if not winning:
            return Tied()
        leaders = [v for v in declared["values"] if v in winning and winning[v] == max(winning.values())]
        return leaders[0] if len(leaders) == 1 else Tied(leaders)

    def _level(self, rule: Mapping[str, Any]) -> int | None:
        strength = rule.get("strength")
        if strength == "historical":
            return 2 if self.school == "survey" else None
        return STRENGTHS.index(strength) if strength else None

    def at_completion(self, raw: Mapping[str, Any]) -> dict[str, Any]:
        """The outcome of every topic when everything is known."""
        values = self.prepared(raw, assume=False)
        outcomes = {}
        for name in self.base.topics:
            outcomes[name] = self.outcome(name, values)
            values[name] = seen_by_others(outcomes[name])
        return outcomes

    def completions(self, known: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Every way to complete what is known that breaks no constraint."""
        options = {
            name: [known[name]] if name in known else [None] if "closed" in fact else domain(fact)
            for name, fact in self.base.facts.items()
            if "derive" not in fact or name in known
        }
        for values in itertools.product(*options.values()):
            raw = dict(zip(options, values, strict=True))
            prepared = self.prepared(raw, assume=False)
            if all(evaluate(holds, prepared) is not False for holds in self.base.constraints):
                yield raw

    def advice(self, known: Mapping[str, Any]) -> dict[str, Advice]:
        """What should be reported for every topic."""
        every = [self.at_completion(raw) for raw in self.completions(known)]
        values = self.prepared(known, assume=True)
        advice = {}
        for name, declared in self.base.topics.items():
            leading = self.outcome(name, values)
            advice[name] = Advice(declared, leading, [outcomes[name] for outcomes in every])
            values[name] = seen_by_others(advice[name].reported)
        return advice

    def matters(self, known: Mapping[str, Any], fact: str, topic: str) -> bool:
        """Whether under some completion of the other unknowns the answer to one fact changes the topic's outcome."""
        outcomes: dict[tuple[Any, ...], list[Any]] = {}
        for raw in self.completions(known):
            others = tuple(value for name, value in raw.items() if name != fact)
            outcomes.setdefault(others, []).append(self.at_completion(raw)[topic])
        declared = self.base.topics[topic]
        return any(not agree(declared, found) for found in outcomes.values())


class Advice:
    """What is right to say of one topic, given its leading outcome and those of every completion."""

    def __init__(self, declared: Mapping[str, Any], leading: Any, every: list[Any]) -> None:
        self.declared = declared
        self.leading = leading
        self.every = every

    @property
    def agreed(self) -> bool:
        return agree(self.declared, self.every)

    @property
    def reported(self) -> Any:
        if self.every and self.agreed and not is_same(self.declared, self.leading, self.every[0]):
            return self.every[0]
        return self.leading

    def every_completion_gives(self, value: Any) -> bool:
        """Whether no completion gives other advice than this value."""
        return all(is_same(self.declared, value, other) for other in self.every)


def domain(fact: Mapping[str, Any]) -> list[Any]:
    """All values of a fact; of a number, which rules compare with 0.25 and 0.5 only, one value in each cell between."""
    if fact["type"] == "boolean":
        return [False, True]
    if fact["type"] == "choice":
        return list(fact["choices"])
    if fact["type"] == "set":
        names = list(fact["choices"])
        return [frozenset(some) for size in range(len(names) + 1) for some in itertools.combinations(names, size)]
    if fact["type"] == "number":
        return [0.0, 0.25, 0.4, 0.5, 0.8]
    return list(range(fact["min"], fact["max"] + 1))


def seen_by_others(outcome: Any) -> Any:
    if isinstance(outcome, Tied) or outcome == NOT_APPLICABLE:
        return None
    return frozenset(outcome) if isinstance(outcome, tuple) and all(isinstance(v, str) for v in outcome) else outcome


def is_same(declared: Mapping[str, Any], a: Any, b: Any) -> bool:
    if a == b and isinstance(a, Tied) == isinstance(b, Tied):
        return True
    numbers = isinstance(a, int | float) and isinstance(b, int | float)
    return numbers and abs(a - b) <= declared.get("tolerance", 0) * max(abs(a), abs(b))


def agree(declared: Mapping[str, Any], outcomes: list[Any]) -> bool:
    return all(is_same(declared, a, b) for a, b in itertools.combinations(dict.fromkeys(outcomes), 2))


def _typed(declared: Mapping[str, Any], value: Any) -> Any:
    if declared.get("type") == "integer":
        return round(value)
    return tuple(round(v) for v in value) if declared.get("type") == "integers" else value
