"""One topic compiled: its rules, the facts and topics that it depends on, and its outcome at values and over regions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from advisor.facts.vocabulary import Fact
from advisor.inference.outcomes import NOT_APPLICABLE, UNDECIDED, Outcome, Tie
from advisor.inference.program.boxes import landmarks
from advisor.inference.program.combination import Combination
from advisor.inference.program.possible import decided, possible
from advisor.inference.program.steps import Constraint, FactStep
from advisor.knowledge.expressions.expressions import Expression
from advisor.knowledge.expressions.operations import NOTHING
from advisor.knowledge.expressions.regions import FALSE, TRUE, Region, union
from advisor.knowledge.model import Topic


class TopicProgram:
    """One topic with everything its outcome depends on.

    `support` are the slots of all facts that can matter, through derived facts, other topics and constraints too; `free`
    those of them that a completion states (derived facts follow); `upstream` the topics whose recommendations it reads, in
    an order in which they can be computed.
    """

    def __init__(self, topic: Topic, slot: int, combination: Combination, applies: Expression | None) -> None:
        self.topic = topic
        self.slot = slot
        self.combination = combination
        self.applies = applies
        self.support: tuple[int, ...] = ()
        self.free: tuple[int, ...] = ()
        self.upstream: tuple[TopicProgram, ...] = ()
        self.steps: tuple[FactStep, ...] = ()
        self.constraints: tuple[Constraint, ...] = ()
        self.constraint_numbers: frozenset[int] = frozenset()
        self.cuts: Mapping[int, tuple[float, ...]] = {}
        self.slots_of_applies: frozenset[int] = frozenset()
        self.follows = False
        """True if it is computed from other topics only: what is reported of it follows from what is reported of them."""
        self.computes = applies is not None or any(rule.literal is None for rule in combination.rules)
        self._landmarks: dict[int, list[Any]] = {}

    @property
    def name(self) -> str:
        return self.topic.name

    def landmarks(self, slot: int, fact: Fact) -> list[Any]:
        """Values of an unknown fact between which the topic's outcome can differ."""
        found = self._landmarks.get(slot)
        if found is None:
            found = self._landmarks[slot] = landmarks(fact, self.cuts.get(slot, ()))
        return found

    @property
    def silent(self) -> bool:
        return not self.combination.rules

    def over(
        self, regions: list[Any], known: Sequence[int] | None = None, again: Iterable[int] = ()
    ) -> tuple[Outcome, Region, list[int]]:
        """Over a box: the outcome if it is the same everywhere (else UNDECIDED), the region of its values, each rule's truth.

        With `known`, the truths over a box that contains this one, only the positions `again` are worked out.
        """
        bits = TRUE if self.applies is None else self.applies.over(regions)
        if bits == FALSE:
            return NOT_APPLICABLE, NOTHING[self.topic.static_type.kind], []
        rules = self.combination.rules
        if known is None:
            truth = [rule.over(regions) for rule in rules]
        else:
            truth = list(known)
            for position in again:
                truth[position] = rules[position].over(regions)
        outcome, region = possible(self.combination, truth, regions)
        if bits & FALSE:
            return UNDECIDED, union(region, NOTHING[self.topic.static_type.kind]), truth
        return outcome, region, truth

    def undecided_slots(self, truth: list[int], regions: list[Any]) -> dict[int, int]:
        """Count the undecided conditions or values that read each slot, over the box for which `truth` was computed."""
        counts: dict[int, int] = {}
        for compiled, bits in zip(self.combination.rules, truth, strict=True):
            if not decided(bits):
                for slot in compiled.reads:
                    counts[slot] = counts.get(slot, 0) + 1
            elif bits == TRUE and compiled.literal is None:
                for slot in compiled.reads:
                    counts.setdefault(slot, 1)
        if self.applies is not None and self.applies.over(regions) & FALSE:
            for slot in self.slots_of_applies:
                counts[slot] = counts.get(slot, 0) + 1
        return counts


def as_value(outcome: Outcome) -> Any:
    """An outcome as other topics see it: its value, or None; items of an `all` topic as a set."""
    if outcome is NOT_APPLICABLE or isinstance(outcome, Tie):
        return None
    if isinstance(outcome, tuple) and (not outcome or isinstance(outcome[0], str)):
        return frozenset(outcome)
    return outcome
