"""Messages of processes: frozen dataclasses as JSON, one object a line, of which neither side trusts the other's."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Generic, TypeVar

from advisor.children.errors import NonsenseError
from advisor.plain import decode, encode
from advisor.wording import printable

M = TypeVar("M")
LONGEST_LINE = 1_000_000
"""Bytes; longer lines are refused."""
_LONGEST_TEXT = 2000


def _said(text: str) -> str:
    return printable(text[:_LONGEST_TEXT])


def _natural(number: int) -> int:
    if not 0 <= number < 2**63:
        raise ValueError(f"{number} is out of range")
    return number


Text = Annotated[str, _said]
"""For people: cut where it is too long, without characters that take over a terminal."""
Natural = Annotated[int, _natural]
"""From 0; fits 63 bits."""


class Messages(Generic[M]):
    """The kinds of message that one process may tell another, by the names of their classes."""

    def __init__(self, *kinds: type[M]) -> None:
        self._kinds = {kind.__name__: kind for kind in kinds}

    def line(self, message: M) -> bytes:
        """Raises ValueError for nan and infinity."""
        return json.dumps({"type": type(message).__name__, **encode(message)}, allow_nan=False).encode() + b"\n"

    def read(self, line: bytes) -> M:
        """The message on a line; fields that are not known are ignored. Raises NonsenseError where there is none."""
        try:
            data = parsed(line)
            return self.of(data.get("type"), data)
        except ValueError as error:
            raise NonsenseError(str(error)) from error

    def of(self, name: object, data: object) -> M:
        """The message of that name with these fields. Raises ValueError where there is none."""
        kind = self._kinds.get(name) if isinstance(name, str) else None
        if kind is None:
            raise ValueError("no message")
        return decode(kind, data, kind.__name__)


def parsed(line: bytes) -> Mapping[str, Any]:
    """The object of JSON on a line. Raises ValueError where there is none."""
    try:
        data = json.loads(line, parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(data, dict):
        raise ValueError("no object")
    return data


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is no number")
