"""The numbers that follow from a plan: sizes, times, rates and prices, each with its formula and what went into it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from advisor.facts.fact_base import Source
from advisor.inference.plan import ComputedFigure, Input, Plan, Status
from advisor.knowledge.citations import cited
from advisor.knowledge.figures import Figure, Formula
from advisor.knowledge.model import Knowledge, Policy, School


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number that the program supplies, and where it comes from: counted, published, measured, stated or assumed.

    `rests_on` are the facts and topics that it was found by: where one of them is assumed or not settled, so is this.
    """

    value: float
    origin: str
    rests_on: tuple[str, ...] = ()


class _Read(list[Any]):
    """Values that note which of them were read: a branch not taken asks for nothing."""

    def __init__(self, values: Iterable[Any]) -> None:
        super().__init__(values)
        self.slots: set[int] = set()

    def __getitem__(self, slot: Any) -> Any:
        self.slots.add(slot)
        return super().__getitem__(slot)


def compute_figures(knowledge: Knowledge, plan: Plan, given: Mapping[str, Quantity]) -> tuple[ComputedFigure, ...]:
    """Every figure that means something for the plan, in the order of the rule base."""
    return tuple(_Computation(knowledge, plan, given).run())


def figure_values(knowledge: Knowledge, values: Mapping[str, Any], school: School) -> dict[str, float]:
    """Every figure that can be computed, without what went into it.

    Args:
        values: facts, recommendations and given numbers by name; items of an `all` topic as a set.
    """
    slots = knowledge.figures.symbols(knowledge.symbols).slots
    known: list[Any] = [None] * len(slots)
    for name, value in values.items():
        known[slots[name]] = value
    found: dict[str, float] = {}
    for name, formulas in knowledge.formulas.items():
        for formula in _of_school(knowledge, formulas, school):
            if formula.only_when is None or formula.only_when.at(known) is True:
                value = formula.value.at(known)
                if value is not None:
                    found[name] = known[slots[name]] = value
                    break
    return found


def _of_school(knowledge: Knowledge, formulas: tuple[Formula, ...], school: School) -> tuple[Formula, ...]:
    """School survey computes what follows from the seed documents and from counting, and nothing of later works."""
    if school is not School.SURVEY:
        return formulas
    sources = knowledge.sources
    return tuple(
        formula
        for formula in formulas
        if all(sources[key].kind in ("seed", "own") for key in cited(formula.case.sources))
    )


class _Computation:
    def __init__(self, knowledge: Knowledge, plan: Plan, given: Mapping[str, Quantity]) -> None:
        self.knowledge = knowledge
        self.plan = plan
        self.given = given
        self.slots = knowledge.figures.symbols(knowledge.symbols).slots
        self.names = sorted(self.slots)
        self.values: list[Any] = [None] * len(self.slots)
        self.assumes: dict[str, tuple[str, ...]] = {}
        self.missing: dict[str, tuple[str, ...]] = {}
        for name, known in plan.facts.items():
            if name not in plan.recommendations:
                self.values[self.slots[name]] = known.value
        for name, entry in plan.recommendations.items():
            kept = frozenset if knowledge.topics[name].policy is Policy.ALL else tuple
            self.values[self.slots[name]] = kept(entry.value) if isinstance(entry.value, list | tuple) else entry.value
        for name, quantity in given.items():
            self.values[self.slots[name]] = quantity.value

    def run(self) -> Iterator[ComputedFigure]:
        for name, formulas in self.knowledge.formulas.items():
            found = self._figure(
                self.knowledge.figures.figures[name], _of_school(self.knowledge, formulas, self.plan.school)
            )
            if found is not None:
                self.values[self.slots[name]] = found.value
                self.assumes[name], self.missing[name] = found.assumes, found.missing
                yield found

    def _figure(self, figure: Figure, formulas: tuple[Formula, ...]) -> ComputedFigure | None:
        """The first case that applies and can be computed; else what the last case lacks, or if that does not apply the
        first that may."""
        lacking: tuple[Formula, set[int]] | None = None
        chosen_by: set[int] = set()  # what decides which case applies
        for formula in formulas:
            values = _Read(self.values)
            applies = True if formula.only_when is None else formula.only_when.at(values)
            chosen_by |= values.slots
            if applies is False:
                continue
            value = formula.value.at(values) if applies else None
            if value is not None:
                return self._computed(figure, formula, value, chosen_by | values.slots)
            lacking = (formula, values.slots) if lacking is None or formulas[-1] is formula else lacking
        return None if lacking is None else self._computed(figure, lacking[0], None, lacking[1])

    def _computed(self, figure: Figure, formula: Formula, value: float | None, read: set[int]) -> ComputedFigure:
        case = formula.case
        names = [name for name in self.names if self.slots[name] in read]
        return ComputedFigure(
            figure.name, figure.title, figure.unit, value, case.value, case.help, case.sources,
            inputs=tuple(self._input(name) for name in sorted(formula.value.names)),
            assumes=_joined(self._assumed(name) for name in names) if value is not None else (),
            missing=_joined(self._lacking(name) for name in names) if value is None else (),
            headline=figure.headline,
        )  # fmt: skip

    def _input(self, name: str) -> Input:
        value = self.values[self.slots[name]]
        if name in self.given:
            return Input(name, value, self.knowledge.figures.given[name].unit, self.given[name].origin)
        if name in self.plan.facts:
            return Input(name, value, self.knowledge.vocabulary.facts[name].unit, self.plan.facts[name].source.value)
        if name in self.plan.recommendations:
            entry = self.plan.recommendations[name]
            return Input(name, entry.value, entry.unit, entry.status.value)
        unit = self.knowledge.figures.figures[name].unit if name in self.knowledge.figures.figures else ""
        return Input(name, value, unit, "unknown" if value is None else "computed")

    def _assumed(self, name: str) -> tuple[str, ...]:
        if name in self.assumes:
            return self.assumes[name]
        known = self.plan.facts.get(name)
        if known is not None:
            return (name,) if known.source is Source.ASSUMED else ()
        entry = self.plan.recommendations.get(name)
        if entry is not None:
            return (name,) if entry.status in (Status.LEANING, Status.OPEN) else ()
        quantity = self.given.get(name)
        if quantity is None:
            return ()
        if quantity.rests_on:
            return _joined(self._assumed(one) for one in quantity.rests_on)
        return (name,) if quantity.origin == Source.ASSUMED else ()

    def _lacking(self, name: str) -> tuple[str, ...]:
        if self.values[self.slots[name]] is not None:
            return ()
        return self.missing.get(name) or (name,)


def _joined(parts: Iterator[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for part in parts for name in part))
