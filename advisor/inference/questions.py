"""What is worth asking: a fact whose answer changes some recommendation under some completion of the other unknowns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from advisor.facts.fact_base import FactBase
from advisor.facts.vocabulary import FactType
from advisor.inference.boxes import landmarks, pick
from advisor.inference.program import Program, TopicProgram, apply_steps
from advisor.inference.search import Engine
from advisor.inference.situation import Situation
from advisor.knowledge.regions import TRUE

MAX_VALUES = 8
MAX_COMBINATIONS = 24
GROUP_ORDER = ("task", "data", "machine", "cluster", "project", "network")


@dataclass(frozen=True, slots=True)
class Question:
    """A fact worth asking for, and the open topics that read it."""

    fact: str
    topics: tuple[str, ...]


class Inquiry:
    """What could still be asked in one situation."""

    def __init__(self, engine: Engine, situation: Situation, facts: FactBase) -> None:
        self.engine = engine
        self.program: Program = engine.program
        self.situation = situation
        self.declined = facts.declined

    def candidates(self) -> dict[int, list[TopicProgram]]:
        """Askable unknown facts that undecided rules of unsettled topics read, by slot, with those topics."""
        found: dict[int, list[TopicProgram]] = {}
        for topic in self.program.topics.values():
            decision = self.engine.decide(topic, self.situation)
            if topic.silent or decision.settled:
                continue
            for slot in decision.open_slots:
                fact = self.program.facts[slot]
                if fact.ask and fact.name not in self.declined and fact.type is not FactType.TEXT:
                    found.setdefault(slot, []).append(topic)
        masked = self._masked()
        return {slot: topics for slot, topics in found.items() if slot not in masked}

    def _masked(self) -> set[int]:
        """Facts that mean nothing as far as is known, and those of which it depends on an answer still to come."""
        values = list(self.situation.values)
        apply_steps(self.program.steps, values, assume=True)
        regions = self.engine.overview(self.situation).regions
        return {
            step.slot
            for step in self.program.steps
            if step.only_when is not None
            and step.only_when.at(values) is not True
            and step.only_when.over(regions) != TRUE
        }

    def questions(self) -> list[Question]:
        """Everything worth asking, best first: by group, within a group the fact that can change most topics."""
        return list(self.ordered())

    def next(self) -> Question | None:
        return next(self.ordered(), None)

    def ordered(self) -> Iterator[Question]:
        candidates = self.candidates()
        for group in GROUP_ORDER:
            slots = [slot for slot in candidates if self.program.facts[slot].group == group]
            for slot in sorted(slots, key=lambda slot: (-len(candidates[slot]), slot)):
                if any(self.matters(slot, topic) for topic in self._likely_first(slot, candidates[slot])):
                    yield Question(self.program.facts[slot].name, tuple(topic.name for topic in candidates[slot]))

    def why(self, question: Question) -> tuple[str, ...]:
        """The topics whose recommendation the answer is known to be able to change."""
        slot = self.program.slots[question.fact]
        topics = (self.program.topics[name] for name in question.topics)
        return tuple(topic.name for topic in topics if self.matters(slot, topic))

    def _likely_first(self, slot: int, topics: list[TopicProgram]) -> list[TopicProgram]:
        """Topics for which completions that differ in this very fact are known already come first."""

        def differs_here(topic: TopicProgram) -> bool:
            witnesses = self.engine.decide(topic, self.situation).witnesses
            return len(witnesses) == 2 and dict(witnesses[0]).get(slot) != dict(witnesses[1]).get(slot)

        return sorted(topics, key=lambda topic: (not differs_here(topic), len(topic.support)))

    def matters(self, slot: int, topic: TopicProgram) -> bool:
        """Whether some completion of the other unknowns makes this fact's answer change the topic's outcome.

        True is proven by such a completion; when none is found among plausible ones the fact is not asked for.
        """
        decision = self.engine.decide(topic, self.situation)
        fact = self.program.facts[slot]
        values = landmarks(fact, topic.cuts.get(slot, ()))[:MAX_VALUES]
        values += [value for witness in decision.witnesses for other, value in witness if other == slot]
        return any(self._changes(topic, slot, values, other) for other in self._others(topic, slot, decision.witnesses))

    def _others(
        self, topic: TopicProgram, slot: int, witnesses: tuple[tuple[tuple[int, Any], ...], ...]
    ) -> Iterator[dict[int, Any]]:
        """Completions of the other unknowns: plausible ones, the witnesses and the way between them, then those that
        run through the values of facts standing in one condition with this one."""
        base = self._plausible(topic)
        if len(witnesses) == 2:
            here, there = (dict(witness) for witness in witnesses)
            yield here
            if here != base:
                yield base
            walk = dict(here)
            for other, value in there.items():
                if walk.get(other) != value and other != slot:
                    walk[other] = value
                    yield dict(walk)
        else:
            yield base
        facts = self.program.facts
        tried = 0
        for reads in self._companions(topic, slot):
            free = [other for other in sorted(reads) if other != slot and other in base][:3]
            if not free:
                continue
            options = [landmarks(facts[other], topic.cuts.get(other, ()))[:6] for other in free]
            for values in product(*options):
                tried += 1
                if tried > MAX_COMBINATIONS:
                    return
                yield {**base, **dict(zip(free, values, strict=True))}

    def _companions(self, topic: TopicProgram, slot: int) -> Iterator[frozenset[int]]:
        for one in (topic, *topic.upstream):
            for rule in one.combination.rules:
                base = {s for s in rule.reads if s < len(self.program.facts)}
                if slot in base or any(slot in self.program.fact_support[s] for s in base):
                    yield frozenset().union(*(self.program.fact_support[s] for s in base))

    def _plausible(self, topic: TopicProgram) -> dict[int, Any]:
        values = list(self.situation.values)
        apply_steps(topic.steps, values, assume=True)
        return {
            slot: pick(self.program.facts[slot], self.program.domains[slot], values[slot])
            for slot in topic.free
            if self.situation.values[slot] is None
        }

    def _changes(self, topic: TopicProgram, slot: int, answers: list[Any], others: dict[int, Any]) -> bool:
        values = list(self.situation.values)
        for other, value in others.items():
            values[other] = value
        return self.engine.residual(topic, self.situation).standing(values).changes(slot, answers)
