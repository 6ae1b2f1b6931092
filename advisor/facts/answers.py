"""Answers as files: read with every problem reported at once, written as a new file with generated comments."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from advisor import safe_yaml
from advisor.errors import InputError, Problem, did_you_mean, input_error
from advisor.facts.values import parse_value, to_text
from advisor.facts.vocabulary import FactType, Value, Vocabulary
from advisor.wording import printable, shell_words, shorten

TITLE = "These answers cannot be used"


def read_answers(vocabulary: Vocabulary, path: Path, advised: Collection[str] = ()) -> dict[str, Value | None]:
    """Answers from a YAML file: `data.modality: image`, or nested by group. None where it says unknown.

    `advised` are names of recommendations, which cannot be stated; whoever tries is told so.

    Raises:
        InputError: with every problem of the file, each with its line.
    """
    return answers_from_node(vocabulary, safe_yaml.load_file(path), str(path), advised)


def answers_from_mapping(
    vocabulary: Vocabulary, stated: Mapping[str, object], advised: Collection[str] = ()
) -> dict[str, Value | None]:
    """Answers from a mapping of Python: by whole names, or nested by group; None and `unknown` say that nobody knows.

    Raises:
        InputError: with every problem, each with its name.
    """
    return answers_from_node(vocabulary, _node(stated), "answers", advised)


def _node(value: object) -> safe_yaml.Node:
    """A value of Python as it would stand in a file, without a line."""
    if isinstance(value, Mapping):
        items = {str(name): _node(child) for name, child in value.items()}
        return safe_yaml.Mapping(items, 0, dict.fromkeys(items, 0))
    if isinstance(value, list | tuple | set | frozenset):
        return safe_yaml.Sequence(tuple(_node(item) for item in value), 0)
    if value is None:
        return safe_yaml.Scalar("unknown", 0)
    return safe_yaml.Scalar(to_text(value) if isinstance(value, bool | int | float | str) else str(value), 0)


def answers_from_node(
    vocabulary: Vocabulary, node: safe_yaml.Node | None, where: str, advised: Collection[str] = ()
) -> dict[str, Value | None]:
    if node is None:
        return {}
    if not isinstance(node, safe_yaml.Mapping):
        remedy = "Write one `name: value` a line, for example `data.modality: image`."
        raise input_error(TITLE, "this is not a list of names and values", where=f"{where}:{node.line}", remedy=remedy)
    problems: list[Problem] = []
    answers: dict[str, Value | None] = {}
    for name, value, line in _flatten(node, "", vocabulary):
        place = f"{where}:{line}" if line else where
        fact = vocabulary.facts.get(name)
        if fact is None:
            problems.append(unknown_fact(vocabulary, name, place, advised))
        elif name in answers:
            problems.append(Problem(place, f"{name} is stated twice.", "Keep one of them."))
        elif isinstance(value, safe_yaml.Mapping):
            problems.append(
                Problem(place, f"{name} needs one value, not a mapping.", "Write the value after the colon.")
            )
        elif isinstance(value, safe_yaml.Sequence) and fact.type is not FactType.SET:
            problems.append(Problem(place, f"{name} needs one value, not a list.", "Write the value after the colon."))
        else:
            try:
                answers[name] = parse_value(fact, _text(value), where=f"{place} {name}")
            except InputError as error:
                problems.extend(error.problems)
    if problems:
        raise InputError(TITLE, problems)
    return answers


def unknown_fact(vocabulary: Vocabulary, name: str, where: str, advised: Collection[str] = ()) -> Problem:
    if name in advised:
        remedy = f"State facts and it follows from them; `advisor explain {name}` tells from which."
        return Problem(where, f"{name} is a recommendation, not a fact.", remedy)
    remedy = did_you_mean(name, vocabulary.facts) or "`advisor glossary` and `advisor wizard` show what can be stated."
    return Problem(where, f"{shorten(name)!r} is not a known fact.", remedy)


def parse_assignment(
    vocabulary: Vocabulary, text: str, option: str = "--set", advised: Collection[str] = ()
) -> tuple[str, Value | None]:
    """One `NAME=VALUE` of the command line. Raises InputError."""
    name, equals, value = text.partition("=")
    name = name.strip()
    where = f"{option} {shorten(text)}"
    if not equals:
        raise input_error(TITLE, "there is no = in it", where=where, remedy=f"Write {option} data.modality=image.")
    fact = vocabulary.facts.get(name)
    if fact is None:
        raise InputError(TITLE, [unknown_fact(vocabulary, name, where, advised)])
    return name, parse_value(fact, value, where=f"{option} {name}")


def parse_assignments(
    vocabulary: Vocabulary, texts: Iterable[str], option: str = "--set", advised: Collection[str] = ()
) -> dict[str, Value | None]:
    """Several of them. Raises InputError with every problem, a fact that is given two values among them."""
    stated: dict[str, Value | None] = {}
    said: dict[str, str] = {}
    problems: list[Problem] = []
    titles: list[str] = []
    for text in texts:
        try:
            name, value = parse_assignment(vocabulary, text, option, advised)
        except InputError as error:
            problems.extend(error.problems)
            titles.append(error.title)
            continue
        if name in stated and stated[name] != value:
            what = f"{said[name]!r} and {shorten(text)!r} give it two values"
            problems.append(Problem(f"{option} {name}", what, "Keep one of them."))
            titles.append(TITLE)
        stated[name] = value
        said[name] = shorten(text)
    if problems:
        raise InputError(titles[0] if len(set(titles)) == 1 else TITLE, problems)
    return stated


def _flatten(node: safe_yaml.Mapping, prefix: str, vocabulary: Vocabulary) -> Iterable[tuple[str, safe_yaml.Node, int]]:
    for key, child in node.items.items():
        name = f"{prefix}{key}"
        if isinstance(child, safe_yaml.Mapping) and name not in vocabulary.facts and child.items:
            yield from _flatten(child, f"{name}.", vocabulary)
        else:
            yield name, child, node.key_lines[key]


def _text(node: safe_yaml.Node) -> str:
    if isinstance(node, safe_yaml.Sequence):
        return "[" + ", ".join(_text(item) for item in node.items) + "]"
    return node.text if isinstance(node, safe_yaml.Scalar) else "{}"


def as_arguments(answers: Mapping[str, Value]) -> str:
    """The answers as they are typed in a shell: `--set data.modality=image --set data.examples=2000`."""
    return shell_words([word for name, value in answers.items() for word in ("--set", f"{name}={to_text(value)}")])


def answers_text(vocabulary: Vocabulary, answers: Mapping[str, Value | None], heading: str) -> str:
    """The answers as a YAML text, in the vocabulary's order, with each question as a comment."""
    lines = [f"# {line}" for line in heading.splitlines()]
    for name, fact in vocabulary.facts.items():
        if name not in answers:
            continue
        value = answers[name]
        text = "unknown" if value is None else to_text(value)
        if value is not None and fact.type is FactType.TEXT:
            text = json.dumps(printable(text), ensure_ascii=False)
        lines += ["", f"# {fact.question}", f"{name}: {text}"]
    return "\n".join(lines) + "\n"
