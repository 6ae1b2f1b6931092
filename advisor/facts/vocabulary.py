"""The declared facts: names, types, units, questions. One declaration serves every face of the product."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import TypeAlias

Value: TypeAlias = "bool | int | float | str | frozenset[str]"


class FactType(StrEnum):
    BOOLEAN = "boolean"
    INTEGER = "integer"
    NUMBER = "number"
    CHOICE = "choice"
    TEXT = "text"
    SET = "set"


def spelling(word: str) -> str:
    """A word as choices are compared: capitals, hyphens and blanks make no difference."""
    return "_".join(word.casefold().replace("-", " ").replace("_", " ").split())


PROBE_GROUP = "probe"
"""Of facts that only a measurement knows."""


@dataclass(frozen=True, slots=True)
class Prior:
    """The share of projects in which the default of a fact holds, and why. Other numbers lie from `low` to `high`, nearly all."""

    holds: float
    because: str = ""
    low: float = 0.0
    high: float = 1e18


@dataclass(frozen=True, slots=True)
class Shortcut:
    """A choice that answers several questions at once: the facts that it stands for, the one that is asked for first."""

    name: str
    meaning: str
    stands_for: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Wording:
    """The words of a question where something is known. Those that are empty stay as they are; only these choices are offered.

    With `pixels` the answer may be the size of a picture. The `shortcuts` are offered after the choices.
    """

    when: str
    question: str = ""
    help: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    pixels: bool = False
    shortcuts: tuple[Shortcut, ...] = ()


@dataclass(frozen=True)
class Fact:
    """One thing that can be known about a task, its data, the machine, the project or the network.

    `minimum` and `maximum` are inclusive, in the canonical `unit`. `assume` (a default that counts as unknown), `derive`
    (a definition) and `only_when` (where the fact means something) are expressions of the rule language. While a `closed` fact is
    unknown it has no value at all, rather than any: what only an experiment of one's own can tell leaves no plan open.

    `usual` is assumed likewise, but only once somebody was asked and does not know; `prior` tells how often either holds. Where
    `familiar` holds, people who have never trained a network can answer; where `weighs` holds, time and memory rest on it so much
    that it is asked before a plan is called good. Where the plan names something for the topic `named_by`, the interview does not
    ask, unless the fact is familiar. The first of the `wordings` that holds is the one in which it asks.
    """

    name: str
    group: str
    type: FactType
    unit: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    minimum: float = 0.0
    maximum: float = 1e18
    question: str = ""
    help: str = ""
    ask: bool = True
    closed: bool = False
    only_when: str | None = None
    assume: str | None = None
    usual: str | None = None
    derive: str | None = None
    familiar: str | None = None
    weighs: str | None = None
    prior: Prior | None = None
    named_by: str = ""
    wordings: tuple[Wording, ...] = ()
    pixels: bool = False
    shortcuts: tuple[Shortcut, ...] = ()
    where: str = ""
    synonyms: tuple[tuple[str, str], ...] = ()
    """Everyday words and the choice that each stands for, spelled as `spelling` does."""

    @property
    def default(self) -> str | None:
        return self.assume or self.usual

    @property
    def numeric(self) -> bool:
        return self.type in (FactType.INTEGER, FactType.NUMBER)

    def worded(self, wording: Wording) -> Fact:
        """The same fact in other words."""
        short = tuple((shortcut.name, shortcut.meaning) for shortcut in wording.shortcuts)
        told = {
            "question": wording.question,
            "help": wording.help,
            "choices": (*(wording.choices or self.choices), *short),
            "pixels": wording.pixels,
            "shortcuts": wording.shortcuts,
        }
        return replace(self, **{key: words for key, words in told.items() if words})  # type: ignore[arg-type]

    @cached_property
    def choice_names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.choices)

    def choice_called(self, word: str) -> str | None:
        """The choice of this name, or that a synonym, also in the plural, stands for; None where there is none."""
        spelled = spelling(word)
        meant = dict(self.synonyms)
        named = next((name for name in self.choice_names if word == name or spelled == spelling(name)), None)
        return named or meant.get(spelled) or meant.get(spelled.removesuffix("s"))

    def synonyms_of(self, choice: str) -> tuple[str, ...]:
        return tuple(word for word, name in self.synonyms if name == choice)


@dataclass(frozen=True, slots=True)
class Constraint:
    """A relation that the facts of every possible project satisfy."""

    holds: str
    because: str
    where: str = ""


@dataclass(frozen=True)
class Vocabulary:
    groups: dict[str, str]
    facts: dict[str, Fact]
    constraints: tuple[Constraint, ...] = ()
    opening: tuple[str, ...] = ()
    """The facts that an interview asks for first, in this order."""

    def declared(self, values: Mapping[str, Value]) -> dict[str, Value]:
        """Those of the values whose facts are declared here."""
        return {name: value for name, value in values.items() if name in self.facts}
