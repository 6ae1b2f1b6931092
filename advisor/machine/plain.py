"""Values of frozen dataclasses as plain JSON and back, checked by their type annotations.

None stays null, tuples and sets become lists. What identifies a person's machine is marked once, at its field.
"""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, TypeVar, Union

T = TypeVar("T")

IDENTITY: Mapping[str, bool] = types.MappingProxyType({"identity": True})
"""Metadata of a field that tells one machine from another of its kind: a name, a serial number, a path."""


def encode(value: Any) -> Any:
    """A dataclass as a dictionary by field names, sets as sorted lists, everything else as JSON has it."""
    if dataclasses.is_dataclass(value):
        return {field.name: encode(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple):
        return [encode(part) for part in value]
    return str(value) if isinstance(value, StrEnum) else value


def decode(kind: type[T], data: object, where: str, types_: Mapping[str, Any] | None = None) -> T:
    """The dataclass that `encode` gave this. Unknown keys are ignored, missing ones take their default.

    Args:
        kind: the dataclass.
        data: what JSON holds.
        where: how the place is called in messages.
        types_: types that annotations name, where the module of the dataclass does not import them.

    Raises:
        ValueError: something is not what the annotation says; the message names its place.
    """
    result: T = _Decoding(types_ or {}).value(kind, data, where)
    return result


def without_identity(value: Any) -> Any:
    """The same with every field marked IDENTITY back at its default, at any depth."""
    if isinstance(value, tuple):
        return tuple(without_identity(part) for part in value)
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return value
    changed = {
        field.name: field.default if field.metadata.get("identity") else without_identity(getattr(value, field.name))
        for field in dataclasses.fields(value)
    }
    return dataclasses.replace(value, **changed)


class _Decoding:
    def __init__(self, types_: Mapping[str, Any]) -> None:
        self._types = types_

    def value(self, kind: Any, data: object, where: str) -> Any:
        origin, arguments = typing.get_origin(kind), typing.get_args(kind)
        if origin in (Union, types.UnionType):
            return None if data is None else self.value(arguments[0], data, where)
        if origin in (tuple, frozenset):
            if not isinstance(data, list):
                raise _damaged(where, "a list", data)
            return origin(self.value(arguments[0], part, f"{where}[{number}]") for number, part in enumerate(data))
        if dataclasses.is_dataclass(kind):
            return self._fields(kind, data, where)
        if isinstance(kind, type) and issubclass(kind, StrEnum):
            found = next((one for one in kind if one == data), None)
            if found is None:
                raise _damaged(where, f"one of {', '.join(kind)}", data)
            return found
        return _plain(kind, data, where)

    def _fields(self, kind: Any, data: object, where: str) -> Any:
        if not isinstance(data, dict):
            raise _damaged(where, "a mapping", data)
        hints = typing.get_type_hints(kind, localns=dict(self._types))
        names = [field.name for field in dataclasses.fields(kind) if field.name in data]
        values = {name: self.value(hints[name], data[name], f"{where}.{name}") for name in names}
        try:
            return kind(**values)
        except TypeError:
            required = [field.name for field in dataclasses.fields(kind) if field.default is dataclasses.MISSING]
            missing = [name for name in required if name not in values]
            raise ValueError(f"{where}: {', '.join(missing)} is missing") from None


def _plain(kind: Any, data: object, where: str) -> Any:
    if kind is float and isinstance(data, int) and not isinstance(data, bool):
        return float(data)
    if not isinstance(data, kind) or (isinstance(data, bool) and kind is not bool):
        raise _damaged(
            where, {str: "text", int: "a whole number", float: "a number", bool: "true or false"}[kind], data
        )
    if isinstance(data, float) and not math.isfinite(data):
        raise _damaged(where, "a finite number", data)
    return data


def _damaged(where: str, expected: str, data: object) -> ValueError:
    from advisor.wording import shorten

    return ValueError(f"{where}: {expected} is expected, not {shorten(repr(data))}")
