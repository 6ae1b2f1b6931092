"""Flips of a recommendation: the nearest changed answers, each checked by advising anew."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from advisor.facts.vocabulary import Fact, FactType
from advisor.inference.outcomes import NOT_APPLICABLE, UNDECIDED, Outcome, Tie, same
from advisor.inference.plan import Flip
from advisor.inference.program.boxes import landmarks
from advisor.inference.program.topic import TopicProgram
from advisor.inference.proof.engine import Engine
from advisor.inference.proof.search import feasible
from advisor.inference.proof.view import CORNERS, leads
from advisor.inference.situation import Situation

MAX_FLIPS = 6
FLIPS_PER_FACT = 2
MOST_TRIES = 10  # values of one fact, the nearest first
MOST_FAILURES = 2  # to verify, for one topic and fact


def find_flips(engine: Engine, situation: Situation, names: Iterable[str]) -> dict[str, tuple[Flip, ...]]:
    """For each named topic at most six changed answers that give it another value, what is open first.

    A change is followed through the facts and topics that it reaches, working out anew only the rules that read something
    changed; what seems to flip is then verified by what the plan would report. Setting a listed flip gives its `then`.
    """
    program = engine.program
    wanted = [topic for name, topic in program.topics.items() if name in set(names) and topic.topic.flips]
    keys = {topic.name: engine.key(topic, situation) for topic in wanted}
    found = {name: engine.flips[name].get(key) for name, key in keys.items()}
    missing = [topic for topic in wanted if found[topic.name] is None and not topic.silent]
    if missing:
        for topic, flips in _Flipping(engine, situation, missing).find():
            found[topic.name] = engine.flips[topic.name][keys[topic.name]] = flips
    return {name: found.get(name) or () for name in names}


class _Flipping:
    def __init__(self, engine: Engine, situation: Situation, wanted: list[TopicProgram]) -> None:
        self.engine = engine
        self.program = engine.program
        self.situation = situation
        self.view = engine.view(situation)
        topics = self.program.topics.values()
        self.reported = {topic.slot: self.view.report(topic) for topic in topics}
        # What is proven for every completion stays when an unknown fact becomes known.
        self.settled = frozenset(
            topic.slot for topic in topics if not topic.topic.tolerance and engine.decide(topic, situation).settled
        )
        self.view.point.settled = self.settled
        self.flips: dict[int, list[Flip]] = {topic.slot: [] for topic in topics}
        self.assumed = [step for step in self.program.steps if step.assume and step.slot not in situation.blank]
        self.topics = wanted
        self.wanted = {topic.slot for topic in wanted}
        followed = self.wanted.union(*({upstream.slot for upstream in topic.upstream} for topic in wanted))
        self.view.point.follow_only(followed)

    def find(self) -> Iterator[tuple[TopicProgram, tuple[Flip, ...]]]:
        for slot in self._order():
            if not self.wanted:
                break
            self._try_fact(slot)
        for topic in self.topics:
            yield topic, tuple(self.flips[topic.slot])

    def _order(self) -> list[int]:
        """Facts worth changing: what is open first, then what rests on assumptions, then what is known."""
        values, given = self.view.point.values, self.situation.values
        masked = {
            step.slot
            for step in self.program.steps
            if step.only_when is not None and step.only_when.at(values) is False
        }
        slots = [slot for slot, fact in enumerate(self.program.facts) if _changeable(fact) and slot not in masked]
        return sorted(slots, key=lambda slot: (given[slot] is not None, values[slot] is not None, slot))

    def _try_fact(self, slot: int) -> None:
        fact = self.program.facts[slot]
        fixed = self.settled if self.situation.values[slot] is None else ()
        wanted = [t for t in self.program.readers(slot) if t.slot in self.wanted and t.slot not in fixed]
        if not wanted:
            return
        near = self.view.point.values[slot] if fact.numeric else None
        most = 1 if fact.numeric else FLIPS_PER_FACT
        found: dict[int, list[Flip]] = {topic.slot: [] for topic in wanted}
        failures = dict.fromkeys(found, 0)
        tries = landmarks(fact, self.program.cuts.get(slot, ()), near, computed=slot in self.program.computed)
        for value in tries[:MOST_TRIES]:
            if value == self.situation.values[slot]:
                continue
            moved = self.view.point.vary(slot, value).outcomes
            for topic in wanted:
                mine = found[topic.slot]
                if topic.slot not in moved or len(mine) >= most or failures[topic.slot] >= MOST_FAILURES:
                    continue
                outcome = moved[topic.slot]
                seems = not _nothing(outcome) and not same(topic.topic, outcome, self.reported[topic.slot])
                if seems and all(flip.then != outcome for flip in mine):
                    flip = self._verified(topic, fact, slot, value)
                    if flip is not None:
                        mine.append(flip)
                    else:
                        failures[topic.slot] += 1
        for topic in wanted:
            flips = self.flips[topic.slot]
            flips.extend(found[topic.slot][: MAX_FLIPS - len(flips)])
            if len(flips) >= MAX_FLIPS:
                self.wanted.discard(topic.slot)

    def _verified(self, topic: TopicProgram, fact: Fact, slot: int, value: Any) -> Flip | None:
        constrained = not topic.constraint_numbers.isdisjoint(self.program.links.constraints.get(slot, ()))
        if constrained and not feasible(topic, list(self.situation.changed(slot, value).values)):
            return None
        if all(self._is_reported(one, slot, value) for one in (*topic.upstream, topic)):
            outcome = self.view.point.vary(slot, value).outcomes[topic.slot]
        else:
            outcome = self.engine.reported(topic, self.situation.changed(slot, value), cheaply=True)
        if outcome is UNDECIDED or _nothing(outcome) or same(topic.topic, outcome, self.reported[topic.slot]):
            return None
        return Flip(fact.name, value, outcome)

    def _is_reported(self, topic: TopicProgram, slot: int, value: Any) -> bool:
        """Return whether the outcome that follows from the change is what the plan would then report of the topic: some
        completion gives it, or two completions differ. False where that takes more than a look at three of them."""
        if slot not in topic.support or (self.situation.values[slot] is None and topic.slot in self.settled):
            return True
        lead = self.view.leads[topic.slot]
        if lead != self.reported[topic.slot]:
            return False
        lead = self.view.point.vary(slot, value).outcomes.get(topic.slot, lead)
        corners = ((corner, self.view.completion(corner)) for corner in CORNERS)
        outcomes = ((corner, found) for corner, at in corners for _, found in at.outcomes_of(topic, slot, (value,)))
        plausible = not topic.topic.tolerance or not self._moves_assumptions(topic, slot)
        return leads(topic.topic, lead, outcomes, plausible=plausible)

    def _moves_assumptions(self, topic: TopicProgram, slot: int) -> bool:
        """Return whether something assumed that the topic depends on follows from this fact, so that another completion becomes
        the most plausible one."""
        values, support = self.situation.values, self.program.fact_support
        mine = (step for step in self.assumed if step.slot in topic.support)
        return any(values[step.slot] is None and slot in support[step.slot] for step in mine)


def _nothing(outcome: Outcome) -> bool:
    return outcome is NOT_APPLICABLE or isinstance(outcome, Tie)


def _changeable(fact: Fact) -> bool:
    return not fact.closed and fact.group != "probe" and fact.type is not FactType.TEXT and not fact.derive
