"""YAML from strangers: bounded size and depth, no aliases, tags or duplicate keys; every scalar stays the text it was.

The events are checked one by one before anything is composed, because the C loader overflows its stack on deep nesting.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from advisor.errors import InputError, Problem, input_error
from advisor.files.named import read_named
from advisor.wording import shorten

MAX_BYTES = 1_000_000
MAX_DEPTH = 50


@dataclass(frozen=True, slots=True)
class Scalar:
    text: str
    line: int
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Sequence:
    items: tuple[Node, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Mapping:
    items: dict[str, Node]
    line: int
    key_lines: dict[str, int]


Node: TypeAlias = Scalar | Sequence | Mapping


def read(path: Path) -> str:
    """The text of a file that a user named. Raises InputError when it can't be a small UTF-8 text."""
    title = "This file cannot be used"
    raw = read_named(path, MAX_BYTES, title, too_large="Answers and rules are small texts.")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        remedy = "Save it as UTF-8." if b"\0" not in raw else "It looks like a binary file."
        raise input_error(title, "is not UTF-8 text", where=f"{path}:{line}", remedy=remedy) from None
    if "\0" in text:
        raise input_error(title, "is a binary file", where=str(path), remedy="Name a YAML text.")
    return text


def load(text: str, *, where: str) -> Node | None:
    """The document as a tree of texts with line numbers, or None when it is empty.

    Raises:
        InputError: malformed, too deep, or using aliases, tags, duplicate keys or several documents.
    """
    import yaml  # 10 ms, not needed when the rule base comes from the cache

    try:
        return _Builder(where).build(yaml.parse(text, Loader=yaml.CSafeLoader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"{where}:{mark.line + 1}" if mark else where
        what = error.problem or error.context or "malformed"
        remedy = "Check indentation, colons and quotes near there."
        raise input_error("This is not valid YAML", what, where=place, remedy=remedy) from None
    except (yaml.YAMLError, UnicodeEncodeError) as error:
        line = text.encode(errors="replace")[: getattr(error, "position", 0)].count(b"\n") + 1
        what = "holds a control character"
        remedy = "Save it as plain UTF-8 text."
        raise input_error("This is not valid YAML", what, where=f"{where}:{line}", remedy=remedy) from None


def load_file(path: Path) -> Node | None:
    return load(read(path), where=str(path))


class _Builder:
    def __init__(self, where: str) -> None:
        self.where = where

    def refuse(self, event: object, what: str, remedy: str) -> InputError:
        return InputError("This YAML is not accepted", [Problem(f"{self.where}:{_line(event)}", what, remedy)])

    def build(self, events: Iterator[object]) -> Node | None:
        import yaml  # loaded by `load` already

        root: Node | None = None
        documents = 0
        stack: list[_Open] = []
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise self.refuse(event, "holds several documents", "Keep one document a file.")
                continue
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                raise self.refuse(event, "uses an anchor or alias (& or *)", "Write the value out.")
            if getattr(event, "tag", None):
                raise self.refuse(event, f"uses a tag ({shorten(event.tag)})", "Write a plain value.")  # type: ignore[attr-defined]
            if isinstance(event, yaml.ScalarEvent):
                node: Node = Scalar(event.value, _line(event), quoted=event.style in ("'", '"'))
            elif isinstance(event, yaml.CollectionStartEvent):
                if len(stack) >= MAX_DEPTH:
                    raise self.refuse(event, f"is nested deeper than {MAX_DEPTH} levels", "Flatten it.")
                stack.append(_Open(isinstance(event, yaml.MappingStartEvent), _line(event)))
                continue
            elif isinstance(event, yaml.CollectionEndEvent):
                node = stack.pop().close()
            else:
                continue
            if not stack:
                root = node
                continue
            parent = stack[-1]
            if parent.mapping and parent.key is None:
                if not isinstance(node, Scalar):
                    raise self.refuse(event, "uses a list or mapping as a key", "Keys are plain words.")
                if node.text in parent.pairs:
                    first = parent.key_lines[node.text]
                    raise self.refuse(
                        event, f"repeats the key {shorten(node.text)} of line {first}", "Keep one of them."
                    )
                parent.key = node.text
                parent.key_lines[node.text] = node.line
            elif parent.mapping:
                assert parent.key is not None  # noqa: S101
                parent.pairs[parent.key] = node
                parent.key = None
            else:
                parent.items.append(node)
        if isinstance(root, Scalar) and not root.text and not root.quoted:
            return None
        return root


def _line(event: Any) -> int:
    line: int = event.start_mark.line
    return line + 1


class _Open:
    """A list or mapping whose end has not been seen yet."""

    def __init__(self, mapping: bool, line: int) -> None:
        self.mapping = mapping
        self.line = line
        self.key: str | None = None
        self.pairs: dict[str, Node] = {}
        self.key_lines: dict[str, int] = {}
        self.items: list[Node] = []

    def close(self) -> Node:
        if self.mapping:
            return Mapping(self.pairs, self.line, self.key_lines)
        return Sequence(tuple(self.items), self.line)
