"""Checked access to JSON that somebody else may have written: every wrong type is noted with file and key."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from advisor.errors import Problem, did_you_mean
from advisor.wording import shorten

MAX_PROBLEMS = 100


@dataclass
class Fields:
    """One JSON object at `path` within a file. What is wrong is collected in `problems`, shared by all of the file."""

    data: object
    where: str
    path: str
    problems: list[Problem]

    def __post_init__(self) -> None:
        if not isinstance(self.data, dict):
            self._problem(self.path, f"must be an object, not {_kind(self.data)}", "Keys and values in braces.")
            self.data = None

    def raw(self, key: str) -> Any:
        return self.data.get(key) if isinstance(self.data, dict) else None

    def note(self, key: str, what: str, remedy: str = "") -> None:
        self._problem(f"{self.path}.{key}".lstrip("."), what, remedy)

    def _problem(self, place: str, what: str, remedy: str) -> None:
        if len(self.problems) < MAX_PROBLEMS:
            shown = f"{self.where}, {shorten(place, 120)}" if place else self.where
            self.problems.append(Problem(shown, what, remedy))

    def _wrong(self, key: str, wanted: str) -> None:
        if isinstance(self.data, dict):  # otherwise that has been said already
            what = f"must be {wanted}, not {_kind(self.raw(key))}" if key in self.data else f"is missing: {wanted}"
            self.note(key, what, "Save the plan anew.")

    def text(self, key: str, *, required: bool = True) -> str:
        value = self.raw(key)
        if isinstance(value, str):
            return value
        if required or value is not None:
            self._wrong(key, "a text")
        return ""

    def choice(self, key: str, options: Iterable[str]) -> str:
        """One of the options; the first one stands in for what is wrong."""
        names = list(options)
        value = self.raw(key)
        if isinstance(value, str) and value in names:
            return value
        if isinstance(value, str):
            self.note(key, f"cannot be {shorten(value)!r}", did_you_mean(value, names))
        else:
            self._wrong(key, f"one of {', '.join(names)}")
        return names[0]

    def flag(self, key: str, *, default: bool) -> bool:
        value = self.raw(key)
        if value is not None and not isinstance(value, bool):
            self._wrong(key, "true or false")
        return value if isinstance(value, bool) else default

    def number(self, key: str, *, required: bool = True) -> float:
        value = self.raw(key)
        if _is_number(value):
            return value  # type: ignore[no-any-return]
        if required or value is not None:
            self._wrong(key, "a finite number")
        return 0

    def numbers(self, key: str) -> list[float]:
        value = self.raw(key)
        if isinstance(value, list) and all(_is_number(item) for item in value):
            return value
        self._wrong(key, "a list of numbers")
        return []

    def texts(self, key: str, *, required: bool = True) -> tuple[str, ...]:
        value = self.raw(key)
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
        if required or value is not None:
            self._wrong(key, "a list of texts")
        return ()

    def named_texts(self, key: str) -> dict[str, str]:
        """A mapping of names to texts or numbers, empty when it is not there."""
        value = self.raw(key)
        if isinstance(value, dict) and all(isinstance(item, str | int | float) for item in value.values()):
            return {name: str(item) for name, item in value.items()}
        if value is not None:
            self._wrong(key, "an object of texts")
        return {}

    def inner(self, key: str) -> Fields | None:
        value = self.raw(key)
        return None if value is None else Fields(value, self.where, f"{self.path}.{key}".lstrip("."), self.problems)

    def named(self, key: str, *, required: bool = True) -> Iterator[tuple[str, Fields]]:
        """The objects of a mapping, by name."""
        value = self.raw(key)
        if not isinstance(value, dict):
            if required or value is not None:
                self._wrong(key, "an object")
            return
        for name, item in value.items():
            yield name, Fields(item, self.where, f"{self.path}.{key}.{name}".lstrip("."), self.problems)

    def items(self, key: str) -> Iterator[Fields]:
        """The objects of a list; none when it is not there."""
        value = self.raw(key)
        if value is not None and not isinstance(value, list):
            self._wrong(key, "a list")
            return
        for number, item in enumerate(value or ()):
            yield Fields(item, self.where, f"{self.path}.{key}[{number}]".lstrip("."), self.problems)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "nothing"}
    return names.get(type(value), "a number")
