"""Typical projects: a few completions of what is unknown, at which the worth of a question is judged.

The first is the plausible one (everything as assumed, else from the middle of its domain). The others are drawn once for a
rule base, each fact by its name alone: the judgement is the same on every run and does not waver from answer to answer.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from advisor.inference.outcomes import same
from advisor.inference.program.boxes import landmarks, pick
from advisor.inference.program.program import Program
from advisor.inference.program.steps import apply_steps
from advisor.inference.program.topic import TopicProgram
from advisor.inference.proof.engine import Engine
from advisor.inference.proof.points import Point
from advisor.inference.situation import Situation

PROJECTS = 3
AS_ASSUMED = 0.6  # how often a drawn project takes the assumed value of a fact that has one
MOST_ANSWERS = 8


class TypicalProjects:
    """The typical projects of one situation: what is known there stays as it is."""

    def __init__(self, engine: Engine, situation: Situation) -> None:
        self.program = engine.program
        self.given = situation.values
        self.blank = situation.blank
        self._points = {0: engine.view(situation).completion()}

    def needs(self, number: int, slot: int, topics: Iterable[TopicProgram]) -> bool:
        """Return whether in that project another value of this one fact gives one of these topics another outcome."""
        point = self._point(number)
        fact = self.program.facts[slot]
        for topic in topics:
            if not point.feasible(topic):
                continue
            before = point.outcome(topic)
            answers = topic.landmarks(slot, fact)[:MOST_ANSWERS]
            if any(not same(topic.topic, after, before) for _, after in point.outcomes_of(topic, slot, answers)):
                return True
        return False

    def completions(self) -> Iterator[Sequence[Any]]:
        """The raw values of each project."""
        return (self._point(number).raw for number in range(PROJECTS))

    def _point(self, number: int) -> Point:
        if number not in self._points:
            program, drawn = self.program, _drawn(self.program)[number - 1]
            free = [slot for slot in program.free if self.given[slot] is None]
            values = list(self.given)
            for slot in free:
                values[slot] = drawn[slot]
            assumed = values.copy()
            apply_steps(program.steps, assumed, assume=True, blank=self.blank)
            for slot in free:
                values[slot] = pick(program.facts[slot], program.domains[slot], assumed[slot])
            self._points[number] = Point(program, values)
        return self._points[number]


@lru_cache(maxsize=4)
def _drawn(program: Program) -> tuple[tuple[Any, ...], ...]:
    """For each drawn project the value of each fact; None where it is to be assumed."""
    return tuple(_project(program, number) for number in range(1, PROJECTS))


def _project(program: Program, number: int) -> tuple[Any, ...]:
    values: list[Any] = []
    for slot, fact in enumerate(program.facts):
        dice = random.Random(f"{number} {fact.name}")  # noqa: S311 - it must be the same on every run
        options = landmarks(fact, program.cuts.get(slot, ()))
        assumed = fact.assume is not None and dice.random() < AS_ASSUMED
        values.append(dice.choice(options) if options and not assumed else None)
    return tuple(values)
