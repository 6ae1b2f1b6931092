"""Page headers of Parquet that promise what no page can hold: polars would ask for so much memory that the process ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, TypeAlias

Fields: TypeAlias = "dict[int, Any]"

LARGEST_FOOTER = 2**20
MOST_PAGES = 20_000
"""Looked at within a second or two; larger footers and later pages are left to polars."""
_LARGEST_HEADER = 2**16
_BITS_OF_A_BYTE = 8

# Numbers of fields, by parquet.thrift of Apache Parquet 2.10.
_ROW_GROUPS, _COLUMNS, _METADATA = 4, 1, 3
_VALUES_OF_COLUMN, _DATA_PLACE, _DICTIONARY_PLACE = 5, 9, 11
_UNPACKED_SIZE, _PACKED_SIZE, _DATA_PAGE, _DICTIONARY_PAGE, _DATA_PAGE_2 = 2, 3, 5, 7, 8
_VALUES = 1
_UNREADABLE = (IndexError, ValueError, RecursionError, KeyError, TypeError, AttributeError)
"""Errors of looking into what is no header."""


def has_impossible_pages(path: Path) -> bool:
    """True where a page says that it holds fewer values than none, more than its column, or has a negative size.

    False where that cannot be told: of what is damaged otherwise, polars tells more. Raises OSError.
    """
    size = path.stat().st_size
    left = MOST_PAGES
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        footer = int.from_bytes(data[-8:-4], "little")
        if footer > min(LARGEST_FOOTER, size - 12):
            return False
        for column in _columns(data[size - 8 - footer : size - 8]):
            with suppress(*_UNREADABLE):
                for header in _headers(data, column):
                    if _is_impossible(header, column[_VALUES_OF_COLUMN]):
                        return True
                    left -= 1
                    if not left:
                        return False
    return False


def _columns(footer: bytes) -> list[Fields]:
    """The parts of columns in all groups of rows; none where the footer cannot be read."""
    with suppress(*_UNREADABLE):
        groups = _Compact(footer).structure()[_ROW_GROUPS]
        return [column[_METADATA] for group in groups for column in group[_COLUMNS]]
    return []


def _headers(data: mmap, column: Fields) -> Iterator[Fields]:
    """The headers of the pages of a column, in their order, until they hold all its values."""
    place = min(column[_DATA_PLACE], column.get(_DICTIONARY_PLACE) or column[_DATA_PLACE])
    values = 0
    while 4 <= place < len(data) and values < column[_VALUES_OF_COLUMN]:
        reader = _Compact(data[place : place + _LARGEST_HEADER])
        header = reader.structure()
        yield header
        values += sum(page[_VALUES] for page in _data_pages(header))
        place += reader.place + header[_PACKED_SIZE]


def _data_pages(header: Fields) -> list[Fields]:
    return [header[number] for number in (_DATA_PAGE, _DATA_PAGE_2) if number in header]


def _is_impossible(header: Fields, values: int) -> bool:
    numbers = [header[_UNPACKED_SIZE], header[_PACKED_SIZE]]
    for page in _data_pages(header):
        numbers += [number for number in page.values() if isinstance(number, int)]
        if page[_VALUES] > values:
            return True
    if (dictionary := header.get(_DICTIONARY_PAGE)) is not None:
        numbers.append(dictionary[_VALUES])
        if dictionary[_VALUES] > _BITS_OF_A_BYTE * header[_UNPACKED_SIZE]:
            return True
    return any(number < 0 for number in numbers)


class _Compact:
    """A reader of Thrift's compact protocol (thrift-compact-protocol.md of Apache Thrift): structures by numbers of fields.

    Raises IndexError where the bytes end, ValueError for types that Parquet does not use.
    """

    def __init__(self, data: bytes) -> None:
        self.data, self.place = data, 0

    def structure(self) -> Fields:
        fields: Fields = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._whole()
            kind = head & 15
            fields[number] = kind == 1 if kind in (1, 2) else self._value(kind)
        return fields

    def _value(self, kind: int) -> Any:
        match kind:
            case 1 | 2 | 3:  # of a list: yes or no; or a byte
                return self._byte()
            case 4 | 5 | 6:
                return self._whole()
            case 7:
                return self._skipped(8)
            case 8:
                return self._skipped(self._varint())
            case 9 | 10:
                head = self._byte()
                size = head >> 4 if head >> 4 < 15 else self._varint()
                return [self._value(head & 15) for _ in range(size)]
            case 12:
                return self.structure()
        raise ValueError(f"type {kind}")

    def _skipped(self, size: int) -> None:
        self.place += size

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
