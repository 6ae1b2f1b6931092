"""The smallest set of one person's truths that leaves nothing worth asking.

*Sufficient* is a set of answers after which no further answer to an askable fact can change any recommendation, whatever
the facts that nobody can be asked for (measurements, mostly) turn out to be. It is decided by the engine's own proofs: a
topic is done when `Engine.decide` calls it settled; or when no askable unknown is among its open facts; or when it is settled
at every landmark value of the open facts that cannot be asked for. It is not done when completions that differ in askable
facts alone were exhibited (the engine's two witnesses). What is neither (the node cap) is unknown, and counted as such.

Sufficiency is monotone: what every completion agrees on stays so as more becomes known. So the implicit hitting set algorithm
finds the optimum: the complement of a maximal insufficient set is a set that every sufficient set must hit; a smallest
hitting set of those found so far that is sufficient is a smallest sufficient set, and one that is not gives another to hit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, product

from people import Person

from advisor.facts.fact_base import FactBase
from advisor.facts.vocabulary import FactType
from advisor.inference.advise import situation_of
from advisor.inference.program.boxes import landmarks
from advisor.inference.program.topic import TopicProgram
from advisor.inference.proof.engine import Engine
from advisor.inference.situation import Situation

MOST_MEASUREMENTS = 24


@dataclass(frozen=True, slots=True)
class Smallest:
    """Bounds of the smallest sufficient set's size, which agree when it is known exactly."""

    lower: int
    upper: int
    answers: tuple[str, ...]
    calls: int


class Sufficiency:
    """Which sets of one person's truths are sufficient. Sets are bit masks over `names`."""

    def __init__(self, engine: Engine, person: Person, most_calls: int) -> None:
        self.engine = engine
        self.program = engine.program
        self.names = sorted(person.truths, key=lambda name: self.program.slots[name])
        self.everything = (1 << len(self.names)) - 1
        self.truths = person.truths
        self.base = situation_of(self.program, FactBase.of(person.machine)).values
        self.calls = 0
        self.most_calls = most_calls
        bits = {self.program.slots[name]: 1 << place for place, name in enumerate(self.names)}
        self.topics = [topic for topic in self.program.topics.values() if not topic.silent]
        self.support = {topic.name: sum(bits.get(slot, 0) for slot in topic.support) for topic in self.topics}
        self._done: dict[str, list[int]] = {topic.name: [] for topic in self.topics}
        self._undone: dict[str, list[int]] = {topic.name: [] for topic in self.topics}
        self._unknown: dict[str, set[int]] = {topic.name: set() for topic in self.topics}

    def situation(self, chosen: int) -> Situation:
        values = list(self.base)
        for place, name in enumerate(self.names):
            if chosen >> place & 1:
                values[self.program.slots[name]] = self.truths[name]
        return Situation(tuple(values))

    def unfinished(self, chosen: int, *, unknown_counts: bool) -> TopicProgram | None:
        """A topic that these answers leave undone; one that the engine cannot decide on only where `unknown_counts`."""
        for topic in self.topics:
            done = self.is_done(topic, chosen)
            if done is False or (done is None and unknown_counts):
                return topic
        return None

    def is_done(self, topic: TopicProgram, chosen: int) -> bool | None:
        chosen &= self.support[topic.name]
        if any(known & ~chosen == 0 for known in self._done[topic.name]):
            return True
        if any(chosen & ~known == 0 for known in self._undone[topic.name]):
            return False
        if chosen in self._unknown[topic.name]:
            return None
        self.calls += 1
        done = self._decided(topic, self.situation(chosen))
        if done is None:
            self._unknown[topic.name].add(chosen)
        else:
            (self._done if done else self._undone)[topic.name].append(chosen)
        return done

    def _decided(self, topic: TopicProgram, situation: Situation) -> bool | None:
        decision = self.engine.decide(topic, situation)
        if decision.settled:
            return True
        facts = self.program.facts
        measured = [slot for slot in decision.open_slots if not facts[slot].ask or facts[slot].type is FactType.TEXT]
        if len(measured) == len(decision.open_slots):
            return True
        if not measured:
            return False if decision.witnesses else None
        options = [landmarks(facts[slot], topic.cuts.get(slot, ())) for slot in measured]
        verdict: bool | None = True
        for values in islice(product(*options), MOST_MEASUREMENTS):
            known = list(situation.values)
            for slot, value in zip(measured, values, strict=True):
                known[slot] = value
            decision = self.engine.decide(topic, Situation(tuple(known)))
            if decision.witnesses:
                return False
            if not decision.settled:
                verdict = None
        return verdict

    # --- the smallest -----------------------------------------------------------------------------------------------

    def smallest(self) -> Smallest:
        """Implicit hitting sets, first over what is surely insufficient (a lower bound), then over what may be."""
        found: list[int] = []
        lower = 0
        for place in range(len(self.names)):  # what nothing else can replace
            topic = self.unfinished(self.everything & ~(1 << place), unknown_counts=False)
            if topic is not None:
                found.append(1 << place)
        for unknown_counts in (False, True):
            while True:
                chosen = smallest_hitting_set(found)
                if not unknown_counts:
                    lower = max(lower, chosen.bit_count())
                topic = self.unfinished(chosen, unknown_counts=unknown_counts)
                if topic is None:
                    break
                if self.calls > self.most_calls:
                    return Smallest(lower, len(self.names), (), self.calls)
                found += self._to_hit(chosen, unknown_counts)
        answers = tuple(name for place, name in enumerate(self.names) if chosen >> place & 1)
        return Smallest(lower, chosen.bit_count(), answers, self.calls)

    def _to_hit(self, chosen: int, unknown_counts: bool) -> list[int]:
        """For each topic left undone what every sufficient set must hit, and disjoint ones after that."""
        found = []
        for topic in self.topics:
            while self._is_undone(topic, chosen, unknown_counts):
                largest = self._grown(topic, chosen, unknown_counts)
                found.append(self.everything & ~largest)
                if self.calls > self.most_calls or largest == self.everything:
                    return found
                chosen |= found[-1]
        return found

    def _is_undone(self, topic: TopicProgram, chosen: int, unknown_counts: bool) -> bool:
        done = self.is_done(topic, chosen)
        return done is False or (done is None and unknown_counts)

    def _grown(self, topic: TopicProgram, chosen: int, unknown_counts: bool) -> int:
        chosen |= self.everything & ~self.support[topic.name]
        for place in range(len(self.names)):
            more = chosen | 1 << place
            if more != chosen and self._is_undone(topic, more, unknown_counts):
                chosen = more
        return chosen


def smallest_hitting_set(sets: Sequence[int]) -> int:
    """The fewest bits that hit each set. Exact: branches on the smallest set not hit yet."""
    minimal = [one for one in set(sets) if not any(other != one and other & ~one == 0 for other in set(sets))]
    best = 0
    for one in minimal:
        best |= one

    def disjoint(left: list[int]) -> int:
        used = count = 0
        for one in sorted(left, key=int.bit_count):
            if not one & used:
                used |= one
                count += 1
        return count

    def visit(chosen: int, forbidden: int) -> None:
        nonlocal best
        left = [one & ~forbidden for one in minimal if not one & chosen]
        if not left:
            if chosen.bit_count() < best.bit_count():
                best = chosen
            return
        if 0 in left or chosen.bit_count() + disjoint(left) >= best.bit_count():
            return
        branch = min(left, key=int.bit_count)
        while branch:
            bit = branch & -branch
            branch ^= bit
            visit(chosen | bit, forbidden)
            forbidden |= bit

    visit(0, 0)
    return best
