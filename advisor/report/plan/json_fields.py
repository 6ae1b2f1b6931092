"""Checked access to JSON that somebody else may have written: every wrong type is noted with file and key."""

from __future__ import annotations

import sys
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, field
from types import UnionType
from typing import Any, TypeVar

from advisor.errors import Problem, did_you_mean
from advisor.wording import shorten

MAX_PROBLEMS = 100
T = TypeVar("T")


@dataclass
class Fields:
    """One JSON object at `path` within a file. What is wrong is collected in `problems`, shared by all of the file."""

    data: object
    where: str
    path: str
    problems: list[Problem]
    unknown: dict[str, None] = field(default_factory=dict)
    """Names that were passed over, shared likewise."""

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

    def _checked(
        self, key: str, wanted: str, kind: type[T], fits: Callable[[T], bool] | None = None, *, required: bool = False
    ) -> T:
        """The value where it fits, otherwise an empty one; what is wrong is noted, what is missing if it is required."""
        value = self.raw(key)
        if isinstance(value, kind) and (fits is None or fits(value)):
            return value
        if required or value is not None:
            self._wrong(key, wanted)
        return kind()

    def _within(self, place: str, data: object) -> Fields:
        return Fields(data, self.where, f"{self.path}.{place}".lstrip("."), self.problems, self.unknown)

    def text(self, key: str, *, required: bool = True) -> str:
        return self._checked(key, "a text", str, required=required)

    def choice(self, key: str, options: Iterable[str]) -> str:
        """One of the options; the first one stands in for what is wrong."""
        names = list(options)
        value = self._checked(key, f"one of {', '.join(names)}", str, required=True)
        if value not in names and isinstance(self.raw(key), str):
            self.note(key, f"cannot be {shorten(value)!r}", did_you_mean(value, names))
        return value if value in names else names[0]

    def flag(self, key: str) -> bool:
        """False where it is not there."""
        return self._checked(key, "true or false", bool)

    def number(self, key: str, *, required: bool = True) -> float:
        value = self.raw(key)
        if _is_number(value):
            return value  # type: ignore[no-any-return]
        if required or value is not None:
            self._wrong(key, "a finite number")
        return 0

    def numbers(self, key: str) -> list[float]:
        return self._checked(key, "a list of numbers", list, lambda items: all(map(_is_number, items)), required=True)

    def texts(self, key: str, *, required: bool = True) -> tuple[str, ...]:
        return tuple(self._checked(key, "a list of texts", list, lambda items: _are(str, items), required=required))

    def knows(self, name: str, known: Container[str]) -> bool:
        """Return whether the name is known, and remember it where it is not."""
        if name not in known:
            self.unknown[shorten(name)] = None
        return name in known

    def known_texts(self, key: str, known: Container[str], *, required: bool = False) -> tuple[str, ...]:
        """Those of a list of names that are known."""
        return tuple(name for name in self.texts(key, required=required) if self.knows(name, known))

    def named_texts(self, key: str) -> dict[str, str]:
        """A mapping of names to texts or numbers, empty when it is not there."""
        found = self._checked(key, "an object of texts", dict, lambda items: _are(str | int | float, items.values()))
        return {name: str(item) for name, item in found.items()}

    def inner(self, key: str) -> Fields | None:
        value = self.raw(key)
        return None if value is None else self._within(key, value)

    def named(self, key: str, *, required: bool = True) -> Iterator[tuple[str, Fields]]:
        """The objects of a mapping, by name."""
        for name, item in self._checked(key, "an object", dict, required=required).items():
            yield name, self._within(f"{key}.{name}", item)

    def items(self, key: str) -> Iterator[Fields]:
        """The objects of a list; none when it is not there."""
        for number, item in enumerate(self._checked(key, "a list", list)):
            yield self._within(f"{key}[{number}]", item)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _are(kind: type | UnionType, items: Iterable[object]) -> bool:
    return all(isinstance(item, kind) for item in items)


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "nothing"}
    return names.get(type(value), "a number")
