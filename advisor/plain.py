"""Values of frozen dataclasses as plain JSON and back, checked by their type annotations.

None stays null, tuples and sets become lists. msgspec does the same, but takes 10 ms to import, at every start that reads a
saved measurement; the annotations of what we keep and tell need no more than this.
"""

from __future__ import annotations

import dataclasses
import json
import math
import re
import types
import typing
from collections.abc import Callable, Mapping, Sequence, Set
from enum import StrEnum
from functools import cached_property, partial
from typing import Annotated, Any, TypeAlias, TypeVar, Union

from advisor.wording import CONTROLS, shorten

T = TypeVar("T")
Decoder: TypeAlias = Callable[[Any], Any]
_NO_DEFAULT = (dataclasses.MISSING, dataclasses.MISSING)
_DECODERS: dict[Any, Decoder] = {}
"""The decoders made so far: annotations are text, which takes a while to read."""
_UNSAFE = re.compile(f"[{CONTROLS}\\ud800-\\udfff]")
"""Characters that a terminal could act on, and halves of surrogate pairs."""
_BEYOND = 2**63
"""No count of anything has more; what is computed from it stays a finite number."""
_PLAIN = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


def json_text(value: object) -> str:
    """Readable JSON that is safe to print. Raises ValueError for nan and infinity."""
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    return _UNSAFE.sub(lambda match: json.dumps(match[0])[1:-1] if match[0] != "\x7f" else "\\u007f", text)


def encode(value: Any, *, brief: bool = False) -> Any:
    """A dataclass as a dictionary by field names, sets as sorted lists, everything else as JSON has it.

    A `brief` one leaves out the fields that have their defaults, as `decode` gives them.
    """
    if dataclasses.is_dataclass(value):
        fields = ((field, getattr(value, field.name)) for field in dataclasses.fields(value) if field.init)
        return {
            field.name: encode(part, brief=brief) for field, part in fields if not (brief and part == field.default)
        }
    if isinstance(value, Mapping):
        return {key: encode(part, brief=brief) for key, part in value.items()}
    if isinstance(value, Set):
        return sorted(value)
    if isinstance(value, tuple | list):
        return [encode(part, brief=brief) for part in value]
    return str(value) if isinstance(value, StrEnum) else value


def encode_fields(value: object, *names: str) -> dict[str, Any]:
    """These fields of a dataclass, in this order."""
    return {name: encode(getattr(value, name)) for name in names}


class _DamageError(ValueError):
    """Something is not what its annotation says; the containers around it complete its place."""

    def __init__(self, what: str) -> None:
        self.place = ""
        self.what = what

    def within(self, place: str) -> _DamageError:
        self.place = f"{place}{self.place}"
        return self


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
    try:
        found: T = _decoder(kind, names or {})(data)
    except _DamageError as error:
        raise ValueError(f"{where}{error.place}: {error.what}") from None
    return found


def _decoder(kind: Any, names: Mapping[str, Any]) -> Decoder:
    if kind not in _DECODERS:
        _DECODERS[kind] = _made(kind, names)
    return _DECODERS[kind]


def _made(kind: Any, names: Mapping[str, Any]) -> Decoder:
    if kind in _PLAIN:
        return partial(_plain, kind)
    if kind in (Any, object):
        return lambda data: data
    if dataclasses.is_dataclass(kind):
        return _Fields(kind, names)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is None:
        return partial(_member, {one.value: one for one in kind})
    if origin is Annotated:
        return partial(_checked, _decoder(arguments[0], names), arguments[1:])
    parts = [_decoder(part, names) for part in arguments if part not in (types.NoneType, ...)]
    if origin in (Union, types.UnionType):
        return partial(_one_of, parts, types.NoneType in arguments)
    if origin in (Mapping, dict):
        return partial(_mapping, *parts)
    return partial(_many, frozenset if origin is frozenset else tuple, _taken(arguments[0]), parts[0])


def _member(members: Mapping[str, Any], data: Any) -> Any:
    if not isinstance(data, str) or data not in members:
        raise _expected(f"one of {', '.join(members)}", data)
    return members[data]


def _checked(decoder: Decoder, checks: Sequence[Decoder], data: Any) -> Any:
    value = decoder(data)
    for check in checks:
        try:
            value = check(value)
        except ValueError as error:
            raise _DamageError(str(error)) from None
    return value


def _one_of(decoders: Sequence[Decoder], optional: bool, data: Any) -> Any:
    """By the first kind that fits."""
    if data is None and optional:
        return None
    for decoder in decoders[:-1]:
        try:
            return decoder(data)
        except ValueError:
            continue
    return decoders[-1](data)


def _many(kind: Callable[[Any], Any], taken: frozenset[type], decoder: Decoder, data: Any) -> Any:
    if not isinstance(data, list | tuple):
        raise _expected("a list", data)
    if taken.issuperset(map(type, data)):
        return kind(data)
    parts: list[Any] = []
    try:
        for part in data:
            parts.append(decoder(part))
    except _DamageError as error:
        raise error.within(f"[{len(parts)}]") from None
    return kind(parts)


def _mapping(key_decoder: Decoder, decoder: Decoder, data: Any) -> dict[Any, Any]:
    if not isinstance(data, dict):
        raise _expected("a mapping", data)
    values = {}
    for key, part in data.items():
        found = key_decoder(key)
        try:
            values[found] = decoder(part)
        except _DamageError as error:
            raise error.within(f".{shorten(key)}") from None
    return values


class _Fields:
    """The decoder of a dataclass."""

    def __init__(self, kind: Any, names: Mapping[str, Any]) -> None:
        self.kind = kind
        self.names = names

    @cached_property
    def decoders(self) -> dict[str, tuple[frozenset[type], Decoder]]:
        """Each field with the types of values that are taken as they are, and the decoder of others."""
        hints = typing.get_type_hints(self.kind, localns=dict(self.names), include_extras=True)
        return {name: (_taken(hint), _decoder(hint, self.names)) for name, hint in hints.items()}

    def __call__(self, data: Any) -> Any:
        if not isinstance(data, dict):
            raise _expected("a mapping", data)
        decoders = self.decoders
        values = {}
        try:
            for name, value in data.items():
                if name in decoders:
                    taken, decoder = decoders[name]
                    values[name] = value if type(value) in taken else decoder(value)
        except _DamageError as error:
            raise error.within(f".{name}") from None
        try:
            return self.kind(**values)
        except TypeError:
            fields = dataclasses.fields(self.kind)
            optional = {field.name for field in fields if (field.default, field.default_factory) != _NO_DEFAULT}
            missing = [field.name for field in fields if field.name not in values and field.name not in optional]
            raise _DamageError(f"{', '.join(missing)} is missing") from None


def _taken(kind: Any) -> frozenset[type]:
    """The types of values that are taken as they are, without a call: most of what we keep is text."""
    kinds = typing.get_args(kind) if isinstance(kind, types.UnionType) else (kind,)
    return frozenset(kinds).intersection((str, bool, types.NoneType))


def _plain(kind: type, data: Any) -> Any:
    if kind is float and isinstance(data, int) and not isinstance(data, bool):
        data = float(data) if abs(data) < 2**1023 else math.inf
    if not isinstance(data, kind) or (isinstance(data, bool) and kind is not bool):
        raise _expected(_PLAIN[kind], data)
    if isinstance(data, float) and not math.isfinite(data):
        raise _expected("a finite number", data)
    if isinstance(data, int) and not -_BEYOND <= data < _BEYOND:
        raise _expected("a number of at most 64 bits", data)
    return data


def _expected(what: str, data: object) -> _DamageError:
    return _DamageError(f"{what} is expected, not {shorten(repr(data))}")
