"""The likelihood that an answer changes what matters: declared priors, followed through the rules at a few likely projects.

The priors of facts say which answers people give. An answer counts where it changes a headline of the plan (network type, loss
and the like), and a little where it changes anything else.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from advisor.facts.vocabulary import Fact, FactType
from advisor.inference.outcomes import same
from advisor.inference.program.program import Program
from advisor.inference.program.steps import apply_steps
from advisor.inference.proof.engine import Engine
from advisor.inference.proof.points import Point
from advisor.inference.situation import Situation
from advisor.knowledge.expressions.expressions import BOOLEAN

PROJECTS = 5
"""Likely projects that are drawn; one more is the plan as it stands."""
NUMBERS = 7
"""Numbers that are tried, evenly spaced from the lowest likely one to the highest."""
DETAIL = 0.02
"""The worth of a change that moves no headline, beside one that does."""


class Likelihood:
    """The changes to be expected in one situation."""

    def __init__(self, engine: Engine, situation: Situation) -> None:
        self.program = engine.program
        self.situation = situation
        headlines = {topic.slot for topic in self.program.topics.values() if topic.topic.headline}
        self.headlines = headlines or {topic.slot for topic in self.program.topics.values()}
        self._points: dict[int, Point] = {}
        self._found: dict[int, float] = {}

    def change(self, slot: int) -> float:
        """The share of likely answers to one unknown fact that change a headline, anything else counting a little."""
        if slot not in self._found:
            drawn = [self._change_at(self._point(number), slot) for number in range(PROJECTS + 1)]
            self._found[slot] = drawn[0] / 2 + sum(drawn[1:]) / PROJECTS / 2
        return self._found[slot]

    def _change_at(self, point: Point, slot: int) -> float:
        return sum(share * self._worth(point, slot, value) for value, share in self._answers(point, slot))

    def _worth(self, point: Point, slot: int, value: Any) -> float:
        moved = point.vary(slot, value).outcomes
        topics = self.program.by_slot
        differing = {
            number
            for number, outcome in moved.items()
            if not same(topics[number].topic, outcome, point.outcomes[number])
        }
        return 1.0 if differing & self.headlines else DETAIL * bool(differing)

    def _answers(self, point: Point, slot: int) -> Iterator[tuple[Any, float]]:
        """The likely answers with their shares, which together are 1."""
        fact = self.program.facts[slot]
        usual = self._default(point, slot)
        others = [value for value in answers(fact) if value != usual]
        holds = fact.prior.holds if fact.prior is not None and usual is not None else 0.0
        if usual is not None and holds:
            yield usual, holds
        for value in others:
            yield value, (1 - holds) / len(others)

    def _default(self, point: Point, slot: int) -> Any:
        step = self.program.step_of.get(slot)
        return None if step is None or step.assume is None else step.assume.at(point.values)

    def _point(self, number: int) -> Point:
        """The plan as it stands (0), or a likely project in which what is known stays as it is."""
        found = self._points.get(number)
        if found is None:
            values, blank = list(self.situation.values), self.situation.blank
            if number:
                blank -= self.program.usual
                self._fill_in(values, _drawn(self.program)[number - 1])
            found = self._points[number] = Point(self.program, values, assume=True, blank=blank).complete()
        return found

    def _fill_in(self, values: list[Any], drawn: Sequence[Any]) -> None:
        """Fill in what is drawn for unknown facts, first those that everybody can tell, then others where people can."""
        program = self.program
        open_ = [slot for slot, value in enumerate(drawn) if value is not None and values[slot] is None]
        for slot in open_:
            if program.facts[slot].familiar == "true":
                values[slot] = drawn[slot]
        known = values.copy()
        apply_steps(program.steps, known, assume=True)
        for slot in open_:
            if program.knowledge.expression(program.facts[slot].familiar or "false", BOOLEAN).at(known) is True:
                values[slot] = drawn[slot]


def answers(fact: Fact) -> list[Any]:
    """The answers that are tried: every choice, or numbers between the lowest and the highest likely one."""
    if fact.type is FactType.BOOLEAN:
        return [True, False]
    if fact.type is FactType.CHOICE:
        return list(fact.choice_names)
    if not fact.numeric:
        return []
    low, high = (
        max(fact.minimum, fact.prior.low if fact.prior else 0),
        min(fact.maximum, fact.prior.high if fact.prior else 1e9),
    )
    shares = [(step + 0.5) / NUMBERS for step in range(NUMBERS)]
    if low > 0:
        numbers = [low * math.exp(share * math.log(high / low)) for share in shares]
    else:
        numbers = [low, *(low + share * (high - low) for share in shares)]
    return list(
        dict.fromkeys(round(number) if fact.type is FactType.INTEGER else float(f"{number:.3g}") for number in numbers)
    )


@lru_cache(maxsize=4)
def _drawn(program: Program) -> tuple[tuple[Any, ...], ...]:
    """For each project the value of each fact; None where it has its default, or none is known to be likely."""
    return tuple(_project(program, number) for number in range(PROJECTS))


def _project(program: Program, number: int) -> tuple[Any, ...]:
    values: list[Any] = []
    for fact in program.facts:
        dice = random.Random(f"likely {number} {fact.name}")  # noqa: S311 - it must be the same on every run
        holds = fact.prior.holds if fact.ask and fact.familiar and fact.prior is not None else 1.0
        values.append(dice.choice(answers(fact)) if dice.random() > holds else None)
    return tuple(values)
