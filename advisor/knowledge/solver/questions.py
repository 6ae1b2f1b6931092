"""Questions to the solver, within limits: is a situation possible? Those without an answer are counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import z3

from advisor.knowledge.checks import topic_reads
from advisor.knowledge.model import Knowledge, School
from advisor.knowledge.solver.outcomes import TopicFormulas
from advisor.knowledge.solver.situations import Situations
from advisor.knowledge.solver.values import Formula

# Steps of the solver for one question: the same on every machine. The time is for what counts no steps.
STEPS = 200_000
STEPS_AFRESH = 5_000_000
MILLISECONDS = 20_000


class Answer(Enum):
    POSSIBLE = "possible"
    IMPOSSIBLE = "impossible"
    UNKNOWN = "unknown"


@dataclass
class Tally:
    """The number of questions that got no answer."""

    unanswered: int = 0


class Asker:
    """A solver with the laws of some situations; questions leave nothing behind in it.

    What it learned from earlier questions mostly helps with the next one. Where it leads astray, the question is asked anew
    without it.
    """

    def __init__(self, laws: Iterable[Formula], tally: Tally) -> None:
        self.tally = tally
        self.solver = _solver(STEPS)
        self.solver.add(*laws)

    def add(self, *laws: Formula) -> None:
        self.solver.add(*laws)

    def ask(self, *conditions: Formula) -> Answer:
        return self.model(*conditions)[0]

    def model(self, *conditions: Formula) -> tuple[Answer, Any]:
        """The answer, with a situation in which all conditions hold where there is one."""
        self.solver.push()
        try:
            self.solver.add(*conditions)
            decided = self._check(())
            if decided is None:
                self.tally.unanswered += 1
                return Answer.UNKNOWN, None
            answer, solver = decided
            return answer, solver.model() if answer is Answer.POSSIBLE else None
        finally:
            self.solver.pop()

    def reasons(self, conditions: Sequence[Formula], *always: Formula) -> list[int] | None:
        """The positions of conditions that exclude each other, given what always holds: none can be left out. None where no
        proof is found."""
        self.solver.push()
        try:
            marks = [z3.Bool(f"reason {position}") for position in range(len(conditions))]
            self.solver.add(*always)
            self.solver.add(*(z3.Implies(mark, condition) for mark, condition in zip(marks, conditions, strict=True)))
            decided = self._check(marks)
            if decided is None or decided[0] is not Answer.IMPOSSIBLE:
                return None
            core = {str(mark) for mark in decided[1].unsat_core()}
            kept = [position for position, mark in enumerate(marks) if str(mark) in core]
            for position in list(kept):
                fewer = [marks[other] for other in kept if other != position]
                if self.solver.check(*fewer) == z3.unsat:
                    kept.remove(position)
            return kept
        finally:
            self.solver.pop()

    def _check(self, marks: Sequence[Formula]) -> tuple[Answer, Any] | None:
        """The answer and the solver that found it."""
        solver = self.solver
        result = solver.check(*marks)
        if result == z3.unknown:
            solver = _solver(STEPS_AFRESH)
            solver.add(*self.solver.assertions())
            result = solver.check(*marks)
        if result == z3.unknown:
            return None
        return (Answer.POSSIBLE if result == z3.sat else Answer.IMPOSSIBLE), solver


def _solver(steps: int) -> Any:
    solver = z3.SimpleSolver()
    solver.set("rlimit", steps)
    solver.set("timeout", MILLISECONDS)
    solver.set("random_seed", 1)
    return solver


class Court:
    """The rule base before the solver: the formulas of its topics, made once, and a solver for each topic and school."""

    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge = knowledge
        self.situations = Situations(knowledge)
        self.tally = Tally()
        self._formulas: dict[tuple[str, School, int | None], TopicFormulas] = {}
        self._askers: dict[tuple[str, School], Asker] = {}
        self._reads = {name: topic_reads(knowledge, topic) for name, topic in knowledge.topics.items()}
        self._layers = max((rule.layer for rule in knowledge.rules), default=0)

    def formulas(self, topic: str, school: School, layer: int | None = None) -> TopicFormulas:
        """Those of the rules up to a layer; of all rules where none is named."""
        key = (topic, school, layer if layer is not None and layer < self._layers else None)
        if key not in self._formulas:
            declared = self.knowledge.topics[topic]
            self._formulas[key] = TopicFormulas(self.situations, declared, school, key[2])
        return self._formulas[key]

    def upstream(self, names: Iterable[str]) -> list[str]:
        """The topics among these names and those that they read, in turn."""
        found: dict[str, None] = {}
        waiting = sorted(names)
        while waiting:
            name = waiting.pop()
            if name in self._reads and name not in found:
                found[name] = None
                waiting.extend(sorted(self._reads[name]))
        return list(found)

    def names_behind(self, names: Iterable[str], school: School) -> set[str]:
        """These names, and all that the topics among them read in a school."""
        found = set(names)
        for topic in self.upstream(found):
            found |= {topic} | self.formulas(topic, school).reads
        return found

    def asker(self, topic: str, school: School) -> Asker:
        """A solver for questions on a topic's rules; topics that they read are what their own rules make of them."""
        key = (topic, school)
        if key not in self._askers:
            names = set(self.formulas(topic, school).reads)
            for rule in self.knowledge.rules_of(topic, school):
                names |= self.knowledge.expression(rule.settles.expects).names if rule.settles else set()
            asker = self.asker_at_large(self.names_behind(names, school))
            for other in self.upstream(names):
                asker.add(*self.formulas(other, school).definition())
            self._askers[key] = asker
        return self._askers[key]

    def asker_at_large(self, names: Iterable[str]) -> Asker:
        """A solver for questions on these names, topics among them free to be any of their values or none."""
        return Asker(self.situations.laws(names), self.tally)
