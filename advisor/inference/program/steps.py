"""Relations among facts: those that are derived, assumed or masked, at values and over regions, and constraints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from advisor.knowledge.expressions.expressions import Expression
from advisor.knowledge.expressions.regions import FALSE, union


@dataclass(frozen=True, slots=True)
class FactStep:
    """The consequences for one fact: it is masked where it means nothing, defined or assumed from others."""

    slot: int
    only_when: Expression | None
    derive: Expression | None
    assume: Expression | None
    nothing: Any
    reads: frozenset[int] = frozenset()  # the facts that only_when and derive depend on, through other facts too

    @property
    def expressions(self) -> list[Expression]:
        return [one for one in (self.only_when, self.derive, self.assume) if one is not None]


@dataclass(frozen=True, slots=True)
class Constraint:
    expression: Expression
    reads: frozenset[int]  # the facts that it joins, those that its derived or masked facts rest on included
    because: str


def apply_steps(
    steps: Iterable[FactStep], values: list[Any], *, assume: bool, blank: frozenset[int] = frozenset()
) -> None:
    """Masks, defines and (for the leading plan only) assumes facts, in place; nothing is assumed of those that are `blank`."""
    for step in steps:
        slot = step.slot
        if step.only_when is not None and step.only_when.at(values) is False:
            values[slot] = None
        elif values[slot] is None:
            if step.derive is not None:
                values[slot] = step.derive.at(values)
            elif assume and step.assume is not None and slot not in blank:
                values[slot] = step.assume.at(values)


def apply_steps_over(steps: Iterable[FactStep], given: Sequence[Any], regions: list[Any]) -> None:
    """The same over regions; `given` holds the raw values, so that a stated value is not defined anew."""
    for step in steps:
        slot = step.slot
        if given[slot] is None and step.derive is not None:
            regions[slot] = step.derive.over(regions)
        if step.only_when is not None:
            bits = step.only_when.over(regions)
            if bits == FALSE:
                regions[slot] = step.nothing
            elif bits & FALSE:
                regions[slot] = union(regions[slot], step.nothing)
