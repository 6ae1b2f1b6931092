"""Values of frozen dataclasses as plain JSON and back, checked by their type annotations.

None stays null, tuples and sets become lists. msgspec does the same, but takes 10 ms to import, at every start that reads a
saved measurement; the annotations of what we keep and tell need no more than this.
"""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Mapping, Sequence, Set
from enum import StrEnum
from typing import Annotated, Any, TypeVar, Union

from advisor.wording import shorten

T = TypeVar("T")
_NO_DEFAULT = (dataclasses.MISSING, dataclasses.MISSING)
_HINTS: dict[Any, Mapping[str, Any]] = {}
"""The type hints read so far of each dataclass: annotations are text, which takes a while to read."""
_PLAIN = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


def encode(value: Any) -> Any:
    """A dataclass as a dictionary by field names, sets as sorted lists, everything else as JSON has it."""
    if dataclasses.is_dataclass(value):
        return {field.name: encode(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {key: encode(part) for key, part in value.items()}
    if isinstance(value, Set):
        return sorted(value)
    if isinstance(value, tuple | list):
        return [encode(part) for part in value]
    return str(value) if isinstance(value, StrEnum) else value


def decode(kind: type[T], data: object, where: str = "it", names: Mapping[str, Any] | None = None) -> T:
    """The value that `encode` gave this. Unknown keys are ignored, missing ones take their default.

    Args:
        kind: a dataclass. What its annotations may be made of: dataclasses, StrEnums, text, numbers, `None`, unions,
            homogeneous tuples, sets and mappings, and `Annotated[type, check]`, where `check` takes a value and gives it
            back, changed perhaps, or raises ValueError.
        data: what JSON holds.
        where: how the place is called in messages.
        names: types that annotations name, where the module of the dataclass does not import them.

    Raises:
        ValueError: something is not what the annotation says; the message names its place.
    """
    found: T = _value(kind, data, where, names or {})
    return found


def _value(kind: Any, data: object, where: str, names: Mapping[str, Any]) -> Any:
    if kind in _PLAIN:
        return _plain(kind, data, where)
    if kind in (Any, object):
        return data
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is Annotated:
        value = _value(arguments[0], data, where, names)
        for check in arguments[1:]:
            try:
                value = check(value)
            except ValueError as error:
                raise ValueError(f"{where}: {error}") from None
        return value
    if origin in (Union, types.UnionType):
        return _one_of(arguments, data, where, names)
    if origin in (tuple, frozenset, Sequence):
        if not isinstance(data, list | tuple):
            raise _damaged(where, "a list", data)
        parts = (_value(arguments[0], part, f"{where}[{number}]", names) for number, part in enumerate(data))
        return frozenset(parts) if origin is frozenset else tuple(parts)
    if origin is Mapping:
        if not isinstance(data, dict):
            raise _damaged(where, "a mapping", data)
        return {
            _value(arguments[0], key, where, names): _value(arguments[1], part, f"{where}.{shorten(key)}", names)
            for key, part in data.items()
        }
    if dataclasses.is_dataclass(kind):
        return _fields(kind, data, where, names)
    found = next((one for one in kind if one == data), None)
    if found is None:
        raise _damaged(where, f"one of {', '.join(kind)}", data)
    return found


def _one_of(kinds: Sequence[Any], data: object, where: str, names: Mapping[str, Any]) -> Any:
    """By the first kind that fits."""
    if data is None and types.NoneType in kinds:
        return None
    kinds = [kind for kind in kinds if kind is not types.NoneType]
    for kind in kinds[:-1]:
        try:
            return _value(kind, data, where, names)
        except ValueError:
            continue
    return _value(kinds[-1], data, where, names)


def _fields(kind: Any, data: object, where: str, names: Mapping[str, Any]) -> Any:
    if not isinstance(data, dict):
        raise _damaged(where, "a mapping", data)
    if kind not in _HINTS:
        _HINTS[kind] = typing.get_type_hints(kind, localns=dict(names), include_extras=True)
    values = {
        name: _value(hint, data[name], f"{where}.{name}", names) for name, hint in _HINTS[kind].items() if name in data
    }
    try:
        return kind(**values)
    except TypeError:
        fields = dataclasses.fields(kind)
        optional = {field.name for field in fields if (field.default, field.default_factory) != _NO_DEFAULT}
        missing = [field.name for field in fields if field.name not in values and field.name not in optional]
        raise ValueError(f"{where}: {', '.join(missing)} is missing") from None


def _plain(kind: type, data: object, where: str) -> Any:
    if kind is float and isinstance(data, int) and not isinstance(data, bool):
        data = float(data) if abs(data) < 2**1023 else math.inf
    if not isinstance(data, kind) or (isinstance(data, bool) and kind is not bool):
        raise _damaged(where, _PLAIN[kind], data)
    if isinstance(data, float) and not math.isfinite(data):
        raise _damaged(where, "a finite number", data)
    return data


def _damaged(where: str, expected: str, data: object) -> ValueError:
    return ValueError(f"{where}: {expected} is expected, not {shorten(repr(data))}")
