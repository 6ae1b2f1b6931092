"""Questions worth asking: facts whose answers change some recommendation under some completion of the other unknowns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

from advisor.facts.fact_base import FactBase
from advisor.facts.vocabulary import Fact, FactType
from advisor.inference.outcomes import Outcome, same
from advisor.inference.program.boxes import pick
from advisor.inference.program.program import Program
from advisor.inference.program.steps import apply_steps
from advisor.inference.program.topic import TopicProgram
from advisor.inference.proof.engine import Engine
from advisor.inference.proof.residual import Standing
from advisor.inference.proof.typical import PROJECTS, TypicalProjects
from advisor.inference.situation import Situation
from advisor.knowledge.expressions.regions import FALSE

MAX_VALUES = 8
MAX_COMBINATIONS = 24
QUICK_LOOK = 6
MOST_GIVEN_UP = 2
"""Searches for witnesses that may reach their cap: each then costs a thousand times the usual, and the others mostly do too."""
GROUP_ORDER = ("task", "data", "machine", "cluster", "project", "network")


@dataclass(frozen=True, slots=True)
class Question:
    """A fact worth asking for, and the open topics that read it."""

    fact: str
    topics: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """Two completions of what a topic depends on, which differ in one fact alone and give different recommendations."""

    topic: str
    one: dict[str, Any]
    other: dict[str, Any]


class Inquiry:
    """The questions that are still open in one situation."""

    def __init__(self, engine: Engine, situation: Situation, facts: FactBase) -> None:
        self.engine = engine
        self.program: Program = engine.program
        self.situation = situation
        self.projects = TypicalProjects(engine, situation)
        self.declined = facts.declined

    def candidates(self) -> dict[int, list[TopicProgram]]:
        """Askable unknown facts that undecided rules of unsettled topics read, by slot, with those topics."""
        found: dict[int, list[TopicProgram]] = {}
        masked = self._masked()
        for topic in self.program.topics.values():
            decision = self.engine.decide(topic, self.situation)
            for slot in () if topic.silent or decision.settled else decision.open_slots:
                if self._can_be_asked(slot) and slot not in masked:
                    found.setdefault(slot, []).append(topic)
        return found

    def _can_be_asked(self, slot: int) -> bool:
        fact = self.program.facts[slot]
        return fact.ask and fact.name not in self.declined and fact.type is not FactType.TEXT

    def _masked(self) -> set[int]:
        """Facts that mean nothing as far as is known, and those of which it depends on an answer still to come."""
        values = list(self.situation.values)
        apply_steps(self.program.steps, values, assume=True, blank=self.situation.blank)
        regions = self.engine.overview(self.situation).regions
        return {
            step.slot
            for step in self.program.steps
            if step.only_when is not None
            and step.only_when.at(values) is not True
            and step.only_when.over(regions) & FALSE
        }

    def questions(self) -> list[Question]:
        """Everything worth asking, best first; what matters in rare corners only where nothing else is left."""
        return list(self.ordered())

    def next(self) -> Question | None:
        return next(self.ordered(), None)

    def ordered(self) -> Iterator[Question]:
        """First, group by group, what is needed in every typical project; within a group what most topics read.

        The rest waits, since an answer still to come may make it pointless; what is needed in most projects comes first.
        """
        candidates = self.candidates()
        waiting: list[int] = []
        found = False
        for slot in sorted(candidates, key=lambda slot: (self._turn(slot), -len(candidates[slot]), slot)):
            if all(self.projects.needs(number, slot, candidates[slot]) for number in range(PROJECTS)):
                found = True
                yield self.question(slot, candidates[slot])
            else:
                waiting.append(slot)
        needed = {
            slot: sum(self.projects.needs(number, slot, candidates[slot]) for number in range(PROJECTS))
            for slot in waiting
        }
        doubtful: list[int] = []
        for slot in sorted(waiting, key=lambda slot: -needed[slot]):
            if needed[slot] or self._matters_to_any(slot, candidates[slot], QUICK_LOOK):
                found = True
                yield self.question(slot, candidates[slot])
            else:
                doubtful.append(slot)
        if not found:  # a fact that matters in a corner only can wait for others, but is not forgotten
            for slot in doubtful:
                if self._matters_to_any(slot, candidates[slot], None):
                    yield self.question(slot, candidates[slot])

    def _matters_to_any(self, slot: int, topics: list[TopicProgram], most: int | None) -> bool:
        return any(self.matters(slot, topic, most) for topic in self._likely_first(slot, topics))

    def fact(self, question: Question) -> Fact:
        return self.program.facts[self.program.fact_slots[question.fact]]

    def turn(self, question: Question) -> int:
        """The place of the question's group among those that are asked for."""
        return self._turn(self.program.fact_slots[question.fact])

    def _turn(self, slot: int) -> int:
        group = self.program.facts[slot].group
        return GROUP_ORDER.index(group) if group in GROUP_ORDER else len(GROUP_ORDER)

    def question(self, slot: int, topics: list[TopicProgram]) -> Question:
        return Question(self.program.facts[slot].name, tuple(topic.name for topic in topics))

    def why(self, question: Question) -> tuple[str, ...]:
        """The topics whose recommendation the answer is known to be able to change."""
        slot = self.program.fact_slots[question.fact]
        topics = (self.program.topics[name] for name in question.topics)
        return tuple(topic.name for topic in topics if self.matters(slot, topic))

    def _likely_first(self, slot: int, topics: list[TopicProgram]) -> list[TopicProgram]:
        """Topics for which completions that differ in this very fact are known already come first."""

        def differs_here(topic: TopicProgram) -> bool:
            witnesses = self.engine.decide(topic, self.situation).witnesses
            return len(witnesses) == 2 and dict(witnesses[0]).get(slot) != dict(witnesses[1]).get(slot)

        return sorted(topics, key=lambda topic: (not differs_here(topic), len(topic.support)))

    def matters(self, slot: int, topic: TopicProgram, most: int | None = None) -> bool:
        """Return whether some completion of the other unknowns makes this fact's answer change the topic's outcome.

        True is proven by such a completion; when none is found among plausible ones the fact is not asked for.
        """
        return self.example(slot, topic, most) is not None

    def example(self, slot: int, topic: TopicProgram, most: int | None = None) -> Example | None:
        """Two completions that show that the answer to one fact can change the topic's outcome, if any are found among the
        first so many (default: all) completions of the others."""
        landmarks = topic.landmarks(slot, self.program.facts[slot])[:MAX_VALUES]
        for others, answers in islice(self._others(topic, slot), most):
            if found := self._differing(topic, slot, [*landmarks, *answers], others):
                return Example(topic.name, *(self._facts({**others, slot: answer}) for answer in found))
        return None

    def _facts(self, completion: dict[int, Any]) -> dict[str, Any]:
        return {self.program.facts[slot].name: value for slot, value in sorted(completion.items())}

    def _differing(
        self, topic: TopicProgram, slot: int, answers: list[Any], others: dict[int, Any]
    ) -> tuple[Any, Any] | None:
        """Two of the answers that give different outcomes, the other unknowns being as they are."""
        values = list(self.situation.values)
        for other, value in others.items():
            values[other] = value
        seen: list[tuple[Any, Outcome]] = []
        residual = self.engine.residual(topic, self.situation)
        for answer, outcome in Standing(residual, values).vary(slot, answers):
            for earlier, before in seen:
                if not same(topic.topic, outcome, before):
                    return earlier, answer
            if topic.topic.tolerance or not seen:  # numbers close to one number need not be close to each other
                seen.append((answer, outcome))
        return None

    def _others(self, topic: TopicProgram, slot: int) -> Iterator[tuple[dict[int, Any], tuple[Any, ...]]]:
        """Completions of the unknowns, and answers to this fact to try there.

        Plausible ones, witnesses and what lies between them, typical projects, then those that run through the values of
        facts standing in one condition with this one.
        """
        base = self._plausible(topic)
        yield base, (base[slot],)
        for here, there in self._witnesses(topic):
            answers = (here[slot], there[slot])
            yield here, answers
            walk = dict(here)
            for other, value in there.items():
                if walk[other] != value and other != slot:
                    walk[other] = value
                    yield dict(walk), answers
                    yield {**there, other: here[other]}, answers
        for raw in self.projects.completions():
            yield {other: raw[other] for other in base}, (raw[slot],)
        facts = self.program.facts
        tried = 0
        for reads in self._companions(topic, slot):
            free = [other for other in sorted(reads) if other != slot and other in base][:3]
            if not free:
                continue
            options = [topic.landmarks(other, facts[other])[:6] for other in free]
            for values in product(*options):
                tried += 1
                if tried > MAX_COMBINATIONS:
                    return
                yield {**base, **dict(zip(free, values, strict=True))}, (base[slot],)

    def _witnesses(self, topic: TopicProgram) -> Iterator[tuple[dict[int, Any], dict[int, Any]]]:
        """Pairs of completions with different outcomes. Since two that differ in what nobody can be asked for (measurements
        mostly) say nothing of what can, also such pairs in which that is the same."""
        decision = self.engine.decide(topic, self.situation)
        if decision.witnesses:
            here, there = decision.witnesses
            yield dict(here), dict(there)
        fixed = [slot for slot in decision.open_slots if not self._can_be_asked(slot)]
        options = [topic.landmarks(slot, self.program.facts[slot])[:MAX_VALUES] for slot in fixed]
        given_up = int(decision.gave_up)
        for values in islice(product(*options), MAX_COMBINATIONS) if fixed else ():
            situation = self.situation
            for slot, value in zip(fixed, values, strict=True):
                situation = situation.changed(slot, value)
            fixed_there = self.engine.decide(topic, situation)
            if fixed_there.witnesses:
                same_there = dict(zip(fixed, values, strict=True))
                here, there = fixed_there.witnesses
                yield {**dict(here), **same_there}, {**dict(there), **same_there}
            given_up += fixed_there.gave_up
            if given_up >= MOST_GIVEN_UP:
                return

    def _companions(self, topic: TopicProgram, slot: int) -> Iterator[frozenset[int]]:
        for one in (topic, *topic.upstream):
            for rule in one.combination.rules:
                base = {s for s in rule.reads if s < len(self.program.facts)}
                if slot in base or any(slot in self.program.fact_support[s] for s in base):
                    yield frozenset().union(*(self.program.fact_support[s] for s in base))

    def _plausible(self, topic: TopicProgram) -> dict[int, Any]:
        values = list(self.situation.values)
        apply_steps(topic.steps, values, assume=True, blank=self.situation.blank)
        return {
            slot: pick(self.program.facts[slot], self.program.domains[slot], values[slot])
            for slot in topic.free
            if self.situation.values[slot] is None
        }
