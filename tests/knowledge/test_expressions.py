"""What the rule language can say, and how it refuses everything else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from advisor.knowledge.expressions.compiler import compile_expression
from advisor.knowledge.expressions.expressions import BOOLEAN, LIST, NUMBER, ExpressionError, Kind, Symbols, Type

TYPES = {
    "data.examples": NUMBER,
    "data.modality": Type(Kind.CHOICE, frozenset({"image", "text", "tabular"})),
    "task.kind": Type(Kind.CHOICE, frozenset({"classify", "regress"})),
    "task.multilabel": BOOLEAN,
    "machine.gpu.count": NUMBER,
    "machine.gpu.name": Type(Kind.TEXT),
    "machine.cpu.features": Type(Kind.SET, frozenset({"avx2", "neon"})),
    "network.hidden_units": LIST,
    "network.type": Type(Kind.CHOICE, frozenset({"cnn", "ffn"})),
}
SYMBOLS = Symbols({name: slot for slot, name in enumerate(TYPES)}, TYPES)


def value(text: str, **known: Any) -> Any:
    """The value of an expression; `data__examples=5` makes data.examples known."""
    values: list[Any] = [None] * len(TYPES)
    for name, said in known.items():
        values[SYMBOLS.slots[name.replace("__", ".")]] = said
    return compile_expression(text, SYMBOLS).at(values)


def refused(text: str, wanted: Type | None = None) -> str:
    with pytest.raises(ExpressionError) as caught:
        compile_expression(text, SYMBOLS, wanted)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2 * 3", 7), ("7 // 2", 3), ("-7 // 2", -4), ("7 / 2", 3.5), ("min(3, 1, 2)", 1), ("max(3, 1, 2)", 3),
        ("ceil(2.1)", 3), ("floor(-2.1)", -3), ("round(2.5)", 2), ("round(3.5)", 4), ("log2(1024)", 10), ("sqrt(9)", 3),
        ("[256, 128]", (256, 128)), ("[]", ()), ("[1 + 1, max(2, 3)]", (2, 3)), ("5 if true else 6", 5),
        ("'a' == 'a'", True), ("1 < 2 < 3", True), ("1 < 3 < 2", False), ("2 in (1, 2)", True), ("2 not in [1, 3]", True),
        ("true", True), ("false", False), ("True and not False", True), ("-(-3)", 3), ("- 3 + 1", -2),
        ("\n1\n+ 1\n", 2),
    ],
)  # fmt: skip
def test_what_needs_no_facts(text: str, expected: Any) -> None:
    result = value(text)
    assert result == expected
    assert type(result) is type(expected) or isinstance(expected, int | float)


@pytest.mark.parametrize(
    "text",
    [
        "1 / 0", "1 // 0", "0 / 0", "log2(0)", "log2(-1)", "sqrt(-1)", " * ".join(["1e30"] * 11),
        "1 / 0 > 3", "[1, 1 / 0]", "max(1, 1 / 0)", "ceil(1 / 0)", "(1 / 0) in (1, 2)", "5 if 1 / 0 > 1 else 5",
    ],
)  # fmt: skip
def test_what_cannot_be_computed_is_unknown(text: str) -> None:
    assert value(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("data.examples > 5", None),
        ("data.examples == data.examples", None),
        ("not data.examples > 5", None),
        ("data.examples > 5 and false", False),
        ("false and data.examples > 5", False),
        ("data.examples > 5 or true", True),
        ("data.examples > 5 and true", None),
        ("1 < 0 < data.examples", False),
        ("data.examples in ()", False),
        ("data.examples in (1, 2)", None),
        ("1 in (data.examples, 1)", True),
        ("1 in (data.examples, 2)", None),
        ('data.modality in ("image", "text")', None),
        ('"avx2" in machine.cpu.features', None),
        ('"avx2" not in machine.cpu.features', None),
        ("min(data.examples, 1)", None),
        ("data.examples * 0", None),
        ("task.multilabel", None),
        ("1 if task.multilabel else 1", None),
        ("task.multilabel == task.multilabel", None),
    ],
)
def test_unknown_stays_unknown_except_where_it_cannot_matter(text: str, expected: Any) -> None:
    assert value(text) is expected


@pytest.mark.parametrize(
    ("text", "known", "expected"),
    [
        ('data.modality == "image"', {"data__modality": "image"}, True),
        ('data.modality != "image"', {"data__modality": "text"}, True),
        ('"image" == data.modality', {"data__modality": "text"}, False),
        ('data.modality in ("image", "text")', {"data__modality": "tabular"}, False),
        ('data.modality not in ("image", "text")', {"data__modality": "tabular"}, True),
        ('"avx2" in machine.cpu.features', {"machine__cpu__features": frozenset({"avx2"})}, True),
        ('"avx2" not in machine.cpu.features', {"machine__cpu__features": frozenset()}, True),
        ("task.multilabel == false", {"task__multilabel": False}, True),
        ("task.multilabel", {"task__multilabel": True}, True),
        ("1000 <= data.examples < 2000", {"data__examples": 1000}, True),
        ("1000 <= data.examples < 2000", {"data__examples": 2000}, False),
        ("data.examples / machine.gpu.count", {"data__examples": 5, "machine__gpu__count": 0}, None),
        ('256 if data.modality == "text" else 32', {"data__modality": "text"}, 256),
    ],
)
def test_what_facts_make_of_it(text: str, known: dict[str, Any], expected: Any) -> None:
    assert value(text, **known) == expected


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("print(1)", "calls something other than min, max, ceil"),
        ("open('x')", "calls something other than"),
        ("__import__('os').system('true')", "calls something other than"),
        ("min.__class__(1)", "calls something other than"),
        ("min(1)(2)", "calls something other than"),
        ("min(1, key=2)", "calls something other than"),
        ("min(*[1])", "uses stars"),
        ("min()", "gives min 0 values"),
        ("sqrt(1, 2)", "gives sqrt 2 values"),
        ("log2(8, 2)", "gives log2 2 values"),
        ("min(true, 1)", "min needs a number, but true is a yes or no"),
        ("(1).real", "uses attributes"),
        ("'x'.join", "uses attributes"),
        ("().__class__", "uses attributes"),
        ("data.examples.__class__", "'data.examples.__class__', which is not declared"),
        ("lambda: 1", "uses lambdas"),
        ("2 ** 3", "uses powers"),
        ("7 % 2", "uses remainders"),
        ("1 << 2", "uses bit operations"),
        ("1 @ 2", "uses bit operations"),
        ("~1", "uses a unary operator other than - and not"),
        ("+1", "uses a unary operator other than - and not"),
        ("[1, 2][0]", "uses subscripts"),
        ("data['examples']", "uses subscripts"),
        ("[x for x in (1, 2)]", "uses comprehensions"),
        ("{x for x in (1, 2)}", "uses comprehensions"),
        ("(x for x in (1, 2))", "uses comprehensions"),
        ("{1: 2}", "uses mappings"),
        ("{1, 2}", "uses Set"),
        ("f'{1}'", "uses f-strings"),
        ("(x := 1)", "uses assignments"),
        ("x = 1", "cannot be read"),
        ("1; 2", "cannot be read"),
        ("import os", "cannot be read"),
        ("yield", "cannot be read"),
        ("await x", "uses await"),
        ("*data.examples", "cannot be read"),
        ("1 is 1", "uses `is`"),
        ("1 is not 1", "uses `is`"),
        ("'a' * 3", "has clashing types: * needs a number, but 'a' is a choice"),
        ("'a' + 'b'", "has clashing types: + needs a number"),
        ("[1] + [2]", "has clashing types: + needs a number, but [1] is a list of numbers"),
        ("None", "holds 'None'"),
        ("...", "holds 'Ellipsis'"),
        ("b'x'", "holds"),
        ("1j", "holds '1j'"),
        ("1e999", "holds the number inf, beyond 1e30"),
        ("1e31", "beyond 1e30"),
        ("1" + "0" * 400, "beyond 1e30"),
        ("nan", "uses 'nan', which is not declared"),
        ("", "cannot be read"),
        ("   ", "cannot be read"),
        ("1 +", "cannot be read"),
        ("a b", "cannot be read"),
        ('"\\x41"', "contains a backslash"),
        ("1 \\\n + 1", "contains a backslash"),
        ("1\0", "contains a backslash or null character"),
        ("1 < 2 # and false", "contains a #"),
        ("data.exampels > 5", "'data.exampels', which is not declared. Did you mean data.examples?"),
        ("examples > 5", "'examples', which is not declared."),
        ("data > 5", "'data', which is not declared."),
        ("data.modality == 'imag'", "data.modality with 'imag', which it cannot be. Did you mean image?"),
        ("'imag' == data.modality", "data.modality with 'imag', which it cannot be."),
        ("data.modality in ('image', 'video')", "data.modality with 'video', which it cannot be."),
        ("'avx3' in machine.cpu.features", "machine.cpu.features with 'avx3', which it cannot be."),
        ("network.type == 'rnn'", "network.type with 'rnn', which it cannot be."),
        ("data.modality == 3", "has clashing types: choice == number"),
        ("data.examples == 'image'", "has clashing types: number == choice"),
        ("data.examples == true", "has clashing types: number == yes or no"),
        ("data.modality < 'text'", "has clashing types: choice < choice"),
        ("task.multilabel < true", "has clashing types: yes or no < yes or no"),
        ("not data.examples", "not needs a yes or no, but data.examples is a number"),
        ("data.examples and true", "and joins a yes or no, but data.examples is a number"),
        ("-task.multilabel", "- needs a number"),
        ("1 if data.examples else 2", "if needs a yes or no"),
        ("1 if true else 'a'", "has clashing types: number if … else choice"),
        ("[1, 'a']", "a list holds a number, but 'a' is a choice"),
        ("[[1]]", "a list holds a number, but [1] is a list of numbers"),
        ("network.hidden_units == [1]", "has clashing types"),
        ("1 in network.hidden_units", "has clashing types: number in list of numbers"),
        ("data.modality in data.modality", "has clashing types: choice in choice"),
        ("machine.cpu.features == machine.cpu.features", "has clashing types: set == set"),
        ("data.examples in ('a', 'b')", "has clashing types: number in a list of names"),
        ("machine.gpu.name == 'T4'", "decides on free text"),
        ("machine.gpu.name in ('T4', 'A100')", "has clashing types: text in a list of names"),
        ("machine.gpu.name == data.modality", "decides on free text"),
    ],
)
def test_what_the_language_does_not_have_is_refused_in_words(text: str, says: str) -> None:
    assert says in refused(text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("(" * 3000 + "1" + ")" * 3000, "longer than 1000 characters"),
        ("(" * 400 + "1" + ")" * 400, "nested deeper than 30 levels"),
        ("[" * 31 + "]" * 31, "nested deeper than 30 levels"),
        ("-" * 999 + "1", "nested deeper than 30 levels"),
        ("not " * 200 + "true", "nested deeper than 30 levels"),
        ("1" + "+1" * 40, "nested deeper than 30 levels"),
        ("1 if true else " * 60 + "1", "nested deeper than 30 levels"),
        ("a" + ".a" * 490, "which is not declared"),
        ("1 " + " " * 1000, "longer than 1000 characters"),
        ("(((", "cannot be read"),
        ("1" * 999, "beyond 1e30"),
    ],
)
def test_size_and_depth_are_bounded(text: str, says: str) -> None:
    message = refused(text)
    assert says in message
    assert len(message) < 300


def test_a_thousand_characters_and_thirty_levels_are_enough_for_anyone() -> None:
    assert value("1 " + " " * 997 + "") == 1
    assert value("(" * 30 + "1" + ")" * 30) == 1
    assert value(" and ".join(["true"] * 110)) is True


@pytest.mark.parametrize(
    ("text", "wanted", "says"),
    [
        ("1", BOOLEAN, "is a number, where a yes or no is needed"),
        ("true", NUMBER, "is a yes or no, where a number is needed"),
        ("3", LIST, "is a number, where a list of numbers is needed"),
        ("data.modality", Type(Kind.CHOICE, frozenset({"image", "text"})), "can be tabular."),
        ("'cn'", Type(Kind.CHOICE, frozenset({"cnn", "ffn"})), "can be cn. Did you mean cnn?"),
        ("'cnn' if task.multilabel else 'x'", Type(Kind.CHOICE, frozenset({"cnn"})), "can be x."),
    ],
)
def test_an_expression_must_have_the_type_that_is_needed(text: str, wanted: Type, says: str) -> None:
    assert says in refused(text, wanted)


def test_an_expression_tells_what_it_reads_and_where_its_truth_can_change() -> None:
    text = 'data.examples >= 1000 and 5 < machine.gpu.count + 1 and data.modality == "image"'
    expression = compile_expression(text, SYMBOLS, BOOLEAN)
    assert expression.names == {"data.examples", "machine.gpu.count", "data.modality"}
    assert expression.cuts == {"data.examples": frozenset({(1000, ">=")})}
    assert not expression.constant
    assert compile_expression("1 < 2", SYMBOLS).constant


def test_nothing_of_a_text_is_ever_executed(tmp_path: Path) -> None:
    made = tmp_path / "made"
    for text in (f"open('{made}', 'w')", f"eval(\"open('{made}', 'w')\")", f"(lambda: open('{made}', 'w'))()"):
        assert "calls something other than" in refused(text)
    assert not made.exists()
