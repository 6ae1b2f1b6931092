"""What would flip a recommendation: the nearest changed answers, each checked by advising anew."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from advisor.facts.vocabulary import Fact, FactType
from advisor.inference.boxes import landmarks
from advisor.inference.outcomes import NOT_APPLICABLE, UNDECIDED, Outcome, Tie, same
from advisor.inference.plan import Flip
from advisor.inference.program import TopicProgram, apply_steps, as_value
from advisor.inference.search import Engine, Situation, feasible

MAX_FLIPS = 6
FLIPS_PER_FACT = 2
MOST_TRIES = 16


@dataclass
class _Standing:
    """A topic as it stands: its reported outcome, and each rule's truth at what it reads."""

    topic: TopicProgram
    reported: Outcome
    truth: list[bool | None]
    flips: list[Flip] = field(default_factory=list)
    wanted: bool = True


def find_flips(engine: Engine, situation: Situation, names: Iterable[str]) -> dict[str, tuple[Flip, ...]]:
    """For each named topic at most six changed answers that give it another value, what is open first.

    A change is followed through the facts and topics that it reaches, working out anew only the rules that read something
    changed; what seems to flip is then verified by what the plan would report. Setting a listed flip gives its `then`.
    """
    return _Flipping(engine, situation, set(names)).find()


class _Flipping:
    def __init__(self, engine: Engine, situation: Situation, names: set[str]) -> None:
        self.engine = engine
        self.program = engine.program
        self.situation = situation
        self.values = list(situation.values)
        self.assumed = [step for step in self.program.steps if step.slot not in situation.blank]
        apply_steps(self.assumed, self.values, assume=True)
        self.standing: dict[int, _Standing] = {}
        for topic in self.program.topics.values():
            reported = engine.reported(topic, situation)
            self.values[topic.slot] = as_value(reported)
            truth = [rule.at(self.values) for rule in topic.combination.rules]
            self.standing[topic.slot] = _Standing(
                topic, reported, truth, wanted=topic.name in names and not topic.silent
            )

    def find(self) -> dict[str, tuple[Flip, ...]]:
        for slot in self._order():
            if all(not one.wanted for one in self.standing.values()):
                break
            self._try_fact(slot)
        return {one.topic.name: tuple(one.flips) for one in self.standing.values()}

    def _order(self) -> list[int]:
        """Facts worth changing: what is open first, then what rests on assumptions, then what is known."""
        masked = {
            step.slot
            for step in self.program.steps
            if step.only_when is not None and step.only_when.at(self.values) is False
        }
        given = self.situation.values
        slots = [slot for slot, fact in enumerate(self.program.facts) if _changeable(fact) and slot not in masked]
        return sorted(slots, key=lambda slot: (given[slot] is not None, self.values[slot] is not None, slot))

    def _try_fact(self, slot: int) -> None:
        fact = self.program.facts[slot]
        readers = [self.standing[topic.slot] for topic in self.program.readers(slot)]
        wanted = [one for one in readers if one.wanted]
        if not wanted:
            return
        cuts = {cut for one in wanted for cut in one.topic.cuts.get(slot, ())}
        near = self.values[slot] if fact.numeric else None
        found: dict[int, list[Flip]] = {}
        for value in landmarks(fact, tuple(cuts), near)[:MOST_TRIES]:
            if value != self.situation.values[slot]:
                for one, outcome in self._follow(slot, value, readers):
                    mine = found.setdefault(one.topic.slot, [])
                    enough = len(mine) >= (1 if fact.numeric else FLIPS_PER_FACT)
                    if one.wanted and not enough and all(flip.then != outcome for flip in mine):
                        flip = self._verified(one, fact, slot, value)
                        if flip is not None:
                            mine.append(flip)
        for topic_slot, flips in found.items():
            one = self.standing[topic_slot]
            one.flips = (one.flips + flips)[:MAX_FLIPS]
            one.wanted = one.wanted and len(one.flips) < MAX_FLIPS

    def _follow(self, slot: int, value: Any, readers: list[_Standing]) -> list[tuple[_Standing, Outcome]]:
        """The topics that seem to change when one fact does."""
        values = self.values.copy()
        steps = [step for step in self.assumed if slot in self.program.fact_support[step.slot]]
        for step in steps:
            values[step.slot] = self.situation.values[step.slot]
        values[slot] = value
        apply_steps(steps, values, assume=True)
        changed = {step.slot for step in steps if values[step.slot] != self.values[step.slot]}
        if values[slot] != self.values[slot]:
            changed.add(slot)
        if not changed:
            return []
        flipped = []
        for one in readers:
            topic = one.topic
            if topic.reads.isdisjoint(changed):
                continue
            rules = topic.combination.rules
            truth = one.truth.copy()
            moved = not topic.slots_of_applies.isdisjoint(changed)
            for position in {i for s in changed for i in topic.rules_reading.get(s, ())}:
                truth[position] = rules[position].at(values)
                moved = moved or truth[position] is not one.truth[position] or rules[position].literal is None
            if not moved:
                continue
            if topic.applies is not None and topic.applies.at(values) is False:
                outcome: Outcome = NOT_APPLICABLE
            else:
                outcome = topic.combination.from_truths(truth, values)
            if same(topic.topic, outcome, one.reported):
                continue
            values[topic.slot] = as_value(outcome)
            changed.add(topic.slot)
            if not _nothing(outcome):
                flipped.append((one, outcome))
        return flipped

    def _verified(self, one: _Standing, fact: Fact, slot: int, value: Any) -> Flip | None:
        changed = self.situation.changed(slot, value)
        if one.topic.constraints and not feasible(one.topic, list(changed.values)):
            return None
        outcome = self.engine.reported(one.topic, changed, cheaply=True)
        if outcome is UNDECIDED or _nothing(outcome) or same(one.topic.topic, outcome, one.reported):
            return None
        return Flip(fact.name, value, outcome)


def _nothing(outcome: Outcome) -> bool:
    return outcome is NOT_APPLICABLE or isinstance(outcome, Tie)


def _changeable(fact: Fact) -> bool:
    return fact.group != "probe" and fact.type is not FactType.TEXT and not fact.derive
