"""The declared facts: names, types, units, questions. One declaration serves every face of the product."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Fact:
    """One thing that can be known about a task, its data, the machine, the project or the network.

    `minimum` and `maximum` are inclusive, in the canonical `unit`. `assume` (a default that counts as unknown), `derive`
    (a definition) and `only_when` (where the fact means something) are expressions of the rule language. While a `closed` fact is
    unknown it has no value at all, rather than any: what only an experiment of one's own can tell leaves no plan open.
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
    derive: str | None = None
    where: str = ""
    synonyms: tuple[tuple[str, str], ...] = ()
    """Everyday words and the choice that each stands for, spelled as `spelling` does."""

    @property
    def numeric(self) -> bool:
        return self.type in (FactType.INTEGER, FactType.NUMBER)

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

    def declared(self, values: Mapping[str, Value]) -> dict[str, Value]:
        """Those of the values whose facts are declared here."""
        return {name: value for name, value in values.items() if name in self.facts}
