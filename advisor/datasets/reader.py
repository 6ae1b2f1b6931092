"""Readers of data: the recognition and the inspection of a format. Each file in readers/ declares one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

from advisor.datasets.dataset import Inspection, Task
from advisor.datasets.tables.table import TableSample


class Evidence(IntEnum):
    """Signs that a file is in a format, from none to certain; the reader with the strongest one gets the file."""

    NONE = 0
    TEXT = 1  # it is text, as any could be
    STRUCTURE = 2  # its lines are built alike
    FIRST_CHARACTER = 3
    NAME = 4  # the ending of its name
    MAGIC = 5  # bytes that only files of this format begin with


@dataclass(frozen=True, slots=True)
class Beginning:
    """All that recognition sees of a file."""

    suffix: str
    """In small letters, as in `.csv`."""
    start: bytes
    """The first 64 KiB."""
    text: str | None
    """The same as text; None where it is not text."""


@dataclass(frozen=True, slots=True)
class Reader:
    """A format of data.

    `inspect(path, target, task)` says all that a first look finds, for a task if one is stated; the `reading` of its
    inspection loads the data. Wrong, empty and damaged files raise InputError with what, where and a remedy.
    """

    name: str
    """As messages call it."""
    suffixes: frozenset[str]
    """Endings of the names of its files, in lower case, such as `.csv`."""
    inspect: Callable[[Path, str | None, Task | None], Inspection]
    recognise: Callable[[Beginning], Evidence] | None = None
    """The evidence that a single file is in this format; None where only folders are."""
    reads_folders: bool = False
    """True for formats of many files, in a folder for each class; only such readers are given a folder."""
    recognise_folder: Callable[[Path], bool] | None = None
    """True of a folder whose files, by their names, can only be in this format; None of all other formats."""
    sample: Callable[[Path], TableSample] | None = None
    """The rows of a table and the way to read all of them, whatever is in its columns; None of what is no table."""


def named_or(suffixes: frozenset[str], beginning: Beginning, *magic: bytes) -> Evidence:
    """The evidence for a binary format: its magic bytes, else its name."""
    if beginning.start.startswith(magic):
        return Evidence.MAGIC
    return Evidence.NAME if beginning.suffix in suffixes else Evidence.NONE
