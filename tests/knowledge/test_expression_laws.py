"""Laws of the rule language on random expressions: Kleene's logic, and regions that contain every value."""

from __future__ import annotations

from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from advisor.knowledge.expressions.compiler import compile_expression
from advisor.knowledge.expressions.expressions import Expression, Kind, Symbols, Type
from advisor.knowledge.expressions.regions import FALSE, NO_NUMBER, TRUE, UNKNOWN, point
from tests.inference.oracle import evaluate
from tests.inference.random_bases import Names, condition_text, number_text
from tests.properties import examples

COLOURS = ("red", "green", "blue")
TYPES = {
    "p": Type(Kind.BOOLEAN),
    "q": Type(Kind.BOOLEAN),
    "c": Type(Kind.CHOICE, frozenset(COLOURS)),
    "s": Type(Kind.SET, frozenset({"x", "y"})),
    "n": Type(Kind.NUMBER),
    "m": Type(Kind.NUMBER),
    "f": Type(Kind.NUMBER),
    "big": Type(Kind.NUMBER),
}
SYMBOLS = Symbols({name: slot for slot, name in enumerate(TYPES)}, TYPES)
NAMES = Names(["p", "q"], ["n", "m", "f", "big"], ["f"], {"c": COLOURS}, {"s": ("x", "y")})

VALUES: dict[str, st.SearchStrategy[Any]] = {
    "p": st.booleans(),
    "q": st.booleans(),
    "c": st.sampled_from(COLOURS),
    "s": st.frozensets(st.sampled_from(["x", "y"])),
    "n": st.integers(-3, 3),
    "m": st.integers(0, 40),
    "f": st.sampled_from([-1.5, 0.0, 0.25, 0.4, 0.5, 0.8, 7.25]) | st.floats(-4, 4, allow_subnormal=False),
    "big": st.sampled_from([0, 1, 10**6, 10**9, 2**40]),
}
ASSIGNMENTS = st.fixed_dictionaries({name: st.none() | values for name, values in VALUES.items()})
CONDITIONS = condition_text(NAMES)


def compiled(text: str) -> Expression:
    assume(len(text) <= 900)
    return compile_expression(text, SYMBOLS)


def at(text: str, values: dict[str, Any]) -> Any:
    return compiled(text).at([values[name] for name in TYPES])


@examples(300)
@given(CONDITIONS, ASSIGNMENTS)
def test_a_condition_means_what_the_language_says(text: str, values: dict[str, Any]) -> None:
    assert at(text, values) is evaluate(text, values)


@examples(200)
@given(number_text(NAMES), ASSIGNMENTS)
def test_a_number_is_what_the_language_says(text: str, values: dict[str, Any]) -> None:
    assert at(text, values) == evaluate(text, values)


@examples(200)
@given(CONDITIONS, CONDITIONS, CONDITIONS, ASSIGNMENTS)
def test_kleenes_laws(a: str, b: str, c: str, values: dict[str, Any]) -> None:
    a, b, c = f"({a})", f"({b})", f"({c})"
    for one, other in [
        (f"not (not {a})", a),
        (f"not ({a} and {b})", f"not {a} or not {b}"),
        (f"not ({a} or {b})", f"not {a} and not {b}"),
        (f"{a} and {b}", f"{b} and {a}"),
        (f"{a} or {b}", f"{b} or {a}"),
        (f"({a} and {b}) and {c}", f"{a} and ({b} and {c})"),
        (f"({a} or {b}) or {c}", f"{a} or ({b} or {c})"),
        (f"{a} and {b} and {c}", f"({a} and {b}) and {c}"),
        (f"{a} or {b} or {c}", f"({a} or {b}) or {c}"),
        (f"{a} and ({b} or {c})", f"({a} and {b}) or ({a} and {c})"),
        (f"{a} or ({b} and {c})", f"({a} or {b}) and ({a} or {c})"),
        (f"{a} and ({a} or {b})", a),
        (f"{a} or ({a} and {b})", a),
        (f"false and {a}", "false"),
        (f"{a} and false", "false"),
        (f"true or {a}", "true"),
        (f"{a} or true", "true"),
        (f"true and {a}", a),
        (f"{a} or false", a),
    ]:
        assert at(one, values) is at(other, values)


@examples(200)
@given(CONDITIONS | number_text(NAMES), ASSIGNMENTS, ASSIGNMENTS)
def test_what_is_decided_stays_so_when_more_becomes_known(
    text: str, values: dict[str, Any], more: dict[str, Any]
) -> None:
    before = at(text, values)
    filled = {name: more[name] if value is None else value for name, value in values.items()}
    if before is not None:
        assert at(text, filled) == before


# --- regions ----------------------------------------------------------------------------------------------------------


@st.composite
def boxes(draw: st.DrawFn) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A region for each name, and some points in them."""
    box: dict[str, Any] = {}
    inside: dict[str, st.SearchStrategy[Any]] = {}
    for name, values in VALUES.items():
        picked = draw(st.lists(values, min_size=1, max_size=3))
        undefined = draw(st.integers(0, 4)) == 0
        kind = TYPES[name].kind
        options: st.SearchStrategy[Any] = st.sampled_from(picked)
        if kind is Kind.BOOLEAN:
            box[name] = (TRUE if True in picked else 0) | (FALSE if False in picked else 0) | (UNKNOWN * undefined)
        elif kind is Kind.CHOICE:
            box[name] = frozenset([*picked, *([None] if undefined else [])])
        elif kind is Kind.SET:
            box[name] = (frozenset.intersection(*picked), frozenset.union(*picked), undefined)
        else:
            low, high = min(picked), max(picked)
            box[name] = (low, high, undefined)
            between = st.integers(low, high) if name != "f" else st.floats(low, high)
            options = between | st.just(low) | st.just(high)
        if undefined and kind is Kind.NUMBER and draw(st.booleans()):
            box[name], options = NO_NUMBER, st.none()
        inside[name] = st.one_of(options, st.none()) if undefined else options
    return box, draw(st.lists(st.fixed_dictionaries(inside), min_size=1, max_size=4))


def holds(region: Any, value: Any) -> bool:
    """Whether a region contains a value."""
    if isinstance(region, int):
        return bool(region & (UNKNOWN if value is None else TRUE if value else FALSE))
    if isinstance(region, frozenset):
        return value in region
    if value is None:
        return None in region or region[2] is True
    if isinstance(value, tuple):
        return any(
            one is not None and all(holds(part, number) for part, number in zip(one, value, strict=True))
            for one in region
        )
    return bool(region[0] <= value <= region[1])


COLOUR_TEXT = st.tuples(CONDITIONS, st.sampled_from(["c", '"red"'])).map(lambda p: f'{p[1]} if {p[0]} else "blue"')
LIST_TEXT = st.tuples(number_text(NAMES, 1), number_text(NAMES, 1), CONDITIONS).map(
    lambda p: f"[{p[0]}, {p[1]}] if {p[2]} else [{p[1]}, 8]"
)


@examples(600)
@given(CONDITIONS | number_text(NAMES) | COLOUR_TEXT | LIST_TEXT, boxes())
def test_a_region_contains_the_value_at_every_completion(
    text: str, box_and_points: tuple[dict[str, Any], list[dict[str, Any]]]
) -> None:
    box, points = box_and_points
    expression = compiled(text)
    region = expression.over([box[name] for name in TYPES])
    for values in points:
        assert holds(region, expression.at([values[name] for name in TYPES]))


@examples(200)
@given(CONDITIONS, ASSIGNMENTS)
def test_over_a_single_point_the_region_of_a_condition_is_its_truth(text: str, values: dict[str, Any]) -> None:
    assume(values["s"] is not None)
    nothing = {Kind.BOOLEAN: UNKNOWN, Kind.NUMBER: NO_NUMBER, Kind.CHOICE: frozenset({None})}
    box = [nothing[kind.kind] if values[name] is None else point(values[name]) for name, kind in TYPES.items()]
    truth = at(text, values)
    assert compiled(text).over(box) == (UNKNOWN if truth is None else TRUE if truth else FALSE)


def test_differences_beyond_all_numbers_stay_sound() -> None:
    product = "*".join(["big"] * 20)
    expression = compile_expression(f"{product} - {product} < 5", SYMBOLS)
    box: list[Any] = [(0.0, 1e18, False) if name == "big" else None for name in TYPES]
    at_two: list[Any] = [2 if name == "big" else None for name in TYPES]
    assert expression.at(at_two) is True
    assert expression.over(box) & TRUE


def test_known_numbers_beyond_all_numbers_are_unknown_and_crash_nothing() -> None:
    expression = compile_expression(f"{'*'.join(['big'] * 20)} + 0.5 > 3", SYMBOLS)
    values: list[Any] = [10**18 if name == "big" else None for name in TYPES]
    assert expression.at(values) is None
    assert expression.over([None if value is None else point(value) for value in values]) == UNKNOWN
