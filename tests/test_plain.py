"""Dataclasses as JSON and back: what the annotations say is checked, and damage is named with its place."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any

import pytest

from advisor.plain import decode, encode


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


def _even(number: int) -> int:
    if number % 2:
        raise ValueError(f"{number} is odd")
    return number


@dataclass(frozen=True)
class Part:
    name: str
    share: float = 0.0


@dataclass(frozen=True)
class Whole:
    setting: int | str
    parts: tuple[Part, ...] = ()
    colours: frozenset[Colour] = frozenset()
    counts: Mapping[str, int] = field(default_factory=dict)
    pairs: Annotated[int, _even] = 0
    note: str | None = None
    anything: Any = None


FULL = Whole("fp32", (Part("a", 0.5), Part("b")), frozenset({Colour.BLUE}), {"x": 1}, 2, "n", [1, {"k": None}])


@pytest.mark.parametrize("value", [FULL, Whole(3)])
def test_a_value_comes_back(value: Whole) -> None:
    assert decode(Whole, json.loads(json.dumps(encode(value), allow_nan=False))) == value


def test_unknown_keys_are_ignored_and_missing_ones_take_their_default() -> None:
    assert decode(Whole, {"setting": 3, "moon": "full"}) == Whole(3)


@pytest.mark.parametrize(
    ("damage", "place"),
    [
        ({"setting": [1]}, "it.setting: text is expected"),
        ({"setting": True}, "it.setting: text is expected"),
        ({"parts": [{"name": "a"}, {"share": 1}]}, r"it.parts\[1\]: name is missing"),
        ({"parts": [{"name": "a", "share": 10**400}]}, r"it.parts\[0\].share: a finite number is expected"),
        ({"parts": [{"name": "a", "share": True}]}, r"it.parts\[0\].share: a number is expected"),
        ({"colours": ["green"]}, r"it.colours\[0\]: one of red, blue is expected, not 'green'"),
        ({"counts": {"x": "1"}}, "it.counts.x: a whole number is expected"),
        ({"counts": [1]}, "it.counts: a mapping is expected"),
        ({"pairs": 3}, "it.pairs: 3 is odd"),
        ({"note": 3}, "it.note: text is expected"),
    ],
)
def test_damage_is_named_with_its_place(damage: Mapping[str, Any], place: str) -> None:
    with pytest.raises(ValueError, match=place):
        decode(Whole, {"setting": 3, **damage})
