"""Sizes of a network out of YAML: each key is a field of its family."""

from __future__ import annotations

import dataclasses
import typing
from typing import Any

from advisor.models.families.registry import FAMILIES, Family
from advisor.reading import Reader
from advisor.safe_yaml import Mapping, Node, Scalar, Sequence
from advisor.wording import shorten

LARGEST = 10**8
"""Of any size: a vocabulary has a few hundred thousand rows, a table of users tens of millions."""


def read_family(reader: Reader, kind: str, node: Node | None, what: str) -> Family | None:
    """A network of this kind; None, and problems noted, where the sizes are not those of such a network."""
    family: Family | None = _record(reader, FAMILIES[kind], node, what)
    return family


def _record(reader: Reader, kind: Any, node: Node | None, what: str) -> Any:
    fields = {field.name: field for field in dataclasses.fields(kind)}
    mapping = reader.mapping(node, what, fields)
    if mapping is None:
        return None
    before = len(reader.problems)
    hints = typing.get_type_hints(kind)
    found: dict[str, Any] = {}
    for name, field in fields.items():
        if name in mapping.items:
            found[name] = _value(reader, hints[name], mapping, name, what)
        elif field.default is dataclasses.MISSING:
            reader.note(mapping.line, f"{what} lacks the key {name!r}.")
    return kind(**found) if len(reader.problems) == before else None


def _value(reader: Reader, hint: Any, mapping: Mapping, name: str, what: str) -> Any:
    node = mapping.items[name]
    if dataclasses.is_dataclass(hint):
        return _record(reader, hint, node, f"{what}: {name}")
    if typing.get_origin(hint) is tuple:
        return _several(reader, hint, node, f"{what}: {name}")
    if typing.get_origin(hint) is typing.Literal:
        return reader.choice(mapping, name, what, typing.get_args(hint))
    if hint is bool:
        return reader.flag(mapping, name, what, False)
    if hint is int:
        return _integer(reader, node, f"{what}: {name}")
    return reader.text(mapping, name, what, required=True)


def _several(reader: Reader, hint: Any, node: Node, what: str) -> tuple[Any, ...]:
    """Whole numbers, or several of them for each of several."""
    items = node.items if isinstance(node, Sequence) else (node,)
    inner = typing.get_args(hint)[0]
    if inner is int:
        return tuple(_integer(reader, item, what) for item in items)
    return tuple(_several(reader, inner, item, what) for item in items)


def _integer(reader: Reader, node: Node, what: str) -> int:
    text = node.text if isinstance(node, Scalar) else ""
    if text.isdecimal() and text.isascii() and len(text) < 10 and int(text) <= LARGEST:
        return int(text)
    reader.note(node.line, f"{what} must be a whole number of at most {LARGEST:,}, not {shorten(text)!r}.")
    return 0
