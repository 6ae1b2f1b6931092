"""Thrift's compact protocol, which footers and page headers of Parquet are written in: read to values and written again.

By the specification thrift-compact-protocol.md of Apache Thrift.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
WHOLE = (I16, I32, I64)


@dataclass(slots=True)
class Field:
    """A value with its type; of a member of a structure its number, too."""

    kind: int
    value: Value
    number: int = 0
    inner: int = 0
    """Of a list: the type of its members."""


Value: TypeAlias = "int | bytes | list[Field]"


class Reader:
    """Reads values one after the other from `place` on. Raises IndexError where the bytes end."""

    def __init__(self, data: bytes, place: int = 0) -> None:
        self.data, self.place = data, place

    def _byte(self) -> int:
        byte = self.data[self.place]
        self.place += 1
        return byte

    def _varint(self) -> int:
        result = shift = 0
        while True:
            byte = self._byte()
            result |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return result

    def _whole(self) -> int:
        number = self._varint()
        return (number >> 1) ^ -(number & 1)

    def _raw(self, size: int) -> bytes:
        self.place += size
        return self.data[self.place - size : self.place]

    def value(self, kind: int) -> Field:
        match kind:
            case 3:
                return Field(kind, self._byte())
            case 4 | 5 | 6:
                return Field(kind, self._whole())
            case 7:
                return Field(kind, self._raw(8))
            case 8:
                return Field(kind, self._raw(self._varint()))
            case 9 | 10:
                head = self._byte()
                size = head >> 4 if head >> 4 < 15 else self._varint()
                inner = head & 15
                members = [
                    Field(inner, self._byte()) if inner in (TRUE, FALSE) else self.value(inner) for _ in range(size)
                ]
                return Field(kind, members, inner=inner)
            case 12:
                return Field(kind, self.structure())
        raise ValueError(f"type {kind} does not occur in Parquet")

    def structure(self) -> list[Field]:
        fields: list[Field] = []
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._whole()
            kind = head & 15
            field = Field(kind, kind == TRUE) if kind in (TRUE, FALSE) else self.value(kind)
            field.number = number
            fields.append(field)
        return fields


def written(fields: list[Field]) -> bytes:
    """A structure as bytes."""
    parts = []
    for field in fields:  # always with the long form of the number
        parts += [
            bytes([field.kind]),
            _varint(_zigzag(field.number)),
            b"" if field.kind in (TRUE, FALSE) else _value(field),
        ]
    return b"".join(parts) + b"\0"


def _value(field: Field) -> bytes:
    value = field.value
    if isinstance(value, bytes):
        return value if field.kind == DOUBLE else _varint(len(value)) + value
    if isinstance(value, int):
        return bytes([value & 0xFF]) if field.kind in (BYTE, TRUE, FALSE) else _varint(_zigzag(value))
    if field.kind == STRUCT:
        return written(value)
    return bytes([0xF0 | field.inner]) + _varint(len(value)) + b"".join(map(_value, value))


def _zigzag(number: int) -> int:
    return (number << 1) ^ (number >> 63) if -(2**63) <= number < 2**63 else 2 * abs(number) - (number < 0)


def _varint(number: int) -> bytes:
    number &= 2**64 - 1
    parts = bytearray()
    while number >= 0x80:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*parts, number])


def every(fields: list[Field]) -> list[Field]:
    """All values in a structure, those within others too."""
    found = []
    for field in fields:
        found.append(field)
        if isinstance(field.value, list):
            found += every(field.value)
    return found
