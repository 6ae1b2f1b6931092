"""A plan's values of single topics, worked out one by one as somebody asks: for questions that need no whole plan."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from advisor.facts.fact_base import FactBase, Known, Source
from advisor.inference.advise import consistent, engine_for, situation_of
from advisor.inference.outcomes import NOT_APPLICABLE, Outcome, Tie
from advisor.knowledge.model import Knowledge, School


class Glance:
    """The same answers as `advise` gives, without statuses and reasons: those take most of its time.

    `facts`, `stated` and `value` are read as in Plan; `given` is what it was asked with. Raises InputError where two
    stated facts exclude each other.
    """

    def __init__(self, knowledge: Knowledge, facts: FactBase, school: School) -> None:
        self.given = facts
        self.knowledge = knowledge
        self.school = school
        self._engine = engine_for(knowledge, school)
        self._program = self._engine.program
        self.stated, _ = consistent(self._program, facts)
        self._situation = situation_of(self._program, self.stated)

    @cached_property
    def facts(self) -> dict[str, Known]:
        """Everything that the plan rests on, derived and assumed values included."""
        values = self._engine.view(self._situation).point.values
        return {
            fact.name: self.stated.known(fact.name)
            or Known(values[slot], Source.DERIVED if fact.derive else Source.ASSUMED)
            for slot, fact in enumerate(self._program.facts)
            if values[slot] is not None
        }

    def outcome(self, topic: str) -> Outcome:
        return self._engine.reported(self._program.topics[topic], self._situation)

    def value(self, topic: str) -> Any:
        """The recommended value, None where there is none."""
        outcome = self.outcome(topic)
        nothing = self._program.topics[topic].silent or outcome is NOT_APPLICABLE or isinstance(outcome, Tie)
        return None if nothing else outcome

    def tied(self, topic: str) -> tuple[str, ...]:
        """The values that lead together, if several do."""
        outcome = self.outcome(topic)
        return outcome if isinstance(outcome, Tie) else ()

    def means_nothing(self, topic: str) -> bool:
        """True if the topic is not applicable."""
        return self.outcome(topic) is NOT_APPLICABLE
