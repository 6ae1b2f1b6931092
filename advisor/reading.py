"""Checked access to YAML mappings: unknown keys, missing keys and wrong shapes are noted, all of them, with their lines."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeVar

from advisor.errors import Problem, did_you_mean
from advisor.safe_yaml import Mapping, Node, Scalar, Sequence
from advisor.wording import shorten

T = TypeVar("T")
_HINTS: dict[type[Any], dict[str, Any]] = {}
"""The types of the fields of dataclasses: to find them anew for every rule takes half the time of reading it."""


@dataclass
class Reader:
    """Collector of the problems of one file."""

    where: str
    problems: list[Problem] = field(default_factory=list)

    def note(self, line: int, what: str, remedy: str = "") -> None:
        self.problems.append(Problem(f"{self.where}:{line}", what, remedy))

    def mapping(self, node: Node | None, what: str, keys: Iterable[str] | None = None) -> Mapping | None:
        """The node if it is a mapping; with `keys`, every other key is refused."""
        if not isinstance(node, Mapping):
            self.note(node.line if node else 1, f"{what} must be a mapping of keys to values.")
            return None
        if keys is not None:
            known = list(keys)
            for key, line in node.key_lines.items():
                if key not in known:
                    self.note(line, f"{what} has no key {shorten(key)!r}.", did_you_mean(key, known))
        return node

    def pairs(self, node: Node | None, what: str) -> Iterator[tuple[str, Node, int]]:
        mapping = self.mapping(node, what)
        if mapping is not None:
            for key, value in mapping.items.items():
                yield key, value, mapping.key_lines[key]

    def listed(self, node: Node | None, what: str, start: str) -> tuple[Node, ...]:
        """The items of a list; none where there is none."""
        if node is None or isinstance(node, Sequence):
            return node.items if node else ()
        self.note(node.line, f"{what} must be a list.", f"Start each with `- {start}`.")
        return ()

    def record(self, kind: type[T], node: Mapping, what: str, required: Iterable[str] = (), **given: Any) -> T:
        """A dataclass whose fields stand under keys of their names, but for those given.

        Fields that may be read so hold a text (None for an empty one where that is allowed), texts, a number, yes or no, or
        one of the names of an enumeration; `where` says where the mapping begins.
        """
        hints = _HINTS.get(kind) or _HINTS.setdefault(kind, typing.get_type_hints(kind))
        if "where" in hints:
            given.setdefault("where", f"{self.where}:{node.line}")
        for one in dataclasses.fields(kind):  # type: ignore[arg-type]
            key, hint, default = one.name, hints[one.name], one.default
            if key in given:
                continue
            if hint is bool:
                given[key] = self.flag(node, key, what, default is True)
            elif hint is float:
                given[key] = self.number(node, key, what, default)  # type: ignore[arg-type]
            elif isinstance(hint, type) and issubclass(hint, StrEnum):
                usual = default if isinstance(default, str) else ""
                given[key] = hint(self.choice(node, key, what, list(hint), default=usual))
            elif typing.get_origin(hint) is tuple:
                given[key] = self.texts(node, key, what)
            else:
                given[key] = self.text(node, key, what, required=key in required) or ("" if hint is str else None)
        return kind(**given)

    def text(self, node: Mapping, key: str, what: str, *, required: bool = False) -> str:
        value = node.items.get(key)
        if value is None:
            if required:
                self.note(node.line, f"{what} lacks the key {key!r}.")
            return ""
        if not isinstance(value, Scalar):
            self.note(value.line, f"{what}: {key} must be one text.")
            return ""
        if required and not value.text.strip():
            self.note(value.line, f"{what}: {key} is empty.")
        return value.text

    def choice(self, node: Mapping, key: str, what: str, options: Iterable[str], *, default: str = "") -> str:
        """One of the options, or the default (empty default: required)."""
        text = self.text(node, key, what, required=not default) or default
        names = list(options)
        if text and text not in names:
            self.note(node.items[key].line, f"{what}: {key} cannot be {shorten(text)!r}.", did_you_mean(text, names))
            text = ""
        return text or default or (names[0] if names else "")

    def texts(self, node: Mapping, key: str, what: str) -> tuple[str, ...]:
        """A text or a list of texts."""
        value = node.items.get(key)
        if value is None:
            return ()
        if isinstance(value, Scalar):
            return (value.text,)
        if isinstance(value, Sequence) and all(isinstance(item, Scalar) for item in value.items):
            return tuple(item.text for item in value.items if isinstance(item, Scalar))
        self.note(value.line, f"{what}: {key} must be a text or a list of texts.")
        return ()

    def named_texts(self, node: Mapping, key: str, what: str) -> tuple[tuple[str, str], ...]:
        """A mapping of names to one line of text each."""
        value = node.items.get(key)
        inner = self.mapping(value, f"{what}: {key}") if value is not None else None
        return tuple((name, self.text(inner, name, what)) for name in inner.items) if inner is not None else ()

    def number(self, node: Mapping, key: str, what: str, default: float) -> float:
        text = self.text(node, key, what)
        if not text:
            return default
        try:
            number = float(text)
        except ValueError:
            number = float("nan")
        if not abs(number) <= 1e30:
            self.note(node.items[key].line, f"{what}: {key} must be a number, not {shorten(text)!r}.")
            return default
        return number

    def flag(self, node: Mapping, key: str, what: str, default: bool) -> bool:
        return self.choice(node, key, what, ("true", "false"), default="true" if default else "false") == "true"
