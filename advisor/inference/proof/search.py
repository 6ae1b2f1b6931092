"""Proof that one topic's outcome is the same over all completions of a situation, or two completions where it differs.

A proof comes from regions (they contain every completion), a refutation from two concrete completions that differ. Boxes
that are neither are split on a fact that undecided rules read, until decided or the node cap is reached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

from advisor.inference.outcomes import UNDECIDED, Outcome, same, same_throughout
from advisor.inference.program.boxes import ends, is_point, pick, split, splits_cleanly
from advisor.inference.program.steps import apply_steps
from advisor.inference.program.topic import TopicProgram
from advisor.inference.proof.residual import Boxed, Residual, Standing
from advisor.inference.proof.view import CORNERS, View
from advisor.inference.situation import Decision
from advisor.knowledge.expressions.regions import FALSE

NODE_CAP = 256
HALVED_CAP = 32
"""Numbers that are halved, since no rule compares them with anything: what is still open after so many stays open. Searches that
end in a proof or in two completions halve some twenty at most."""
TRIES_PER_FACT = 12


class Search:
    """One topic in one situation."""

    def __init__(self, residual: Residual, view: View, lead: Outcome) -> None:
        self.view = view
        self.program = residual.program
        self.residual = residual
        self.topic = residual.topic
        self.given = residual.given
        self.box = residual.box
        self.lead = lead
        self.wishes = view.point.values
        self.reference: Outcome = UNDECIDED
        self.first: tuple[tuple[int, Any], ...] = ()
        self.nodes = self.halved = 0

    def run(self) -> Decision:
        outcome, open_slots = self.residual.outcome, self.residual.open_slots
        if outcome is not UNDECIDED:
            if self.topic.topic.tolerance and isinstance(outcome, int | float):  # a value that can really be reached
                outcome = Standing(self.residual, self._values(self._point(self.box))).outcome
            return Decision(outcome, settled=True)
        other = self._other_outcome(open_slots)
        if other is not None:
            return Decision(self.lead, settled=False, open_slots=open_slots, witnesses=(self.first, other))
        different, complete = self._explore()
        if different is not None:
            return Decision(self.lead, settled=False, open_slots=open_slots, witnesses=(self.first, different))
        # All completions seen agree. A proof makes it settled; past the node cap it is only leading, yet the value stays
        # the one that all of them share, so that learning more cannot move a value that was settled with less.
        agreed = self.lead if self.reference is UNDECIDED else self.reference
        if not complete and self.view.leads_somewhere(self.topic, self.lead):
            agreed = self.lead
        return Decision(agreed, settled=complete, open_slots=() if complete else open_slots)

    def evaluate(self, assignment: dict[int, Any]) -> Outcome | None:
        """The outcome at a completion, or None when the completion breaks a constraint."""
        standing = Standing(self.residual, self._values(assignment))
        return None if standing.violated else standing.outcome

    def _values(self, assignment: dict[int, Any]) -> list[Any]:
        values = list(self.given)
        for slot, value in assignment.items():
            values[slot] = value
        return values

    def _differs(self, outcome: Outcome, assignment: dict[int, Any]) -> bool:
        """Return whether the outcome of a completion is not the reference, which the first one becomes."""
        if self.reference is UNDECIDED:
            self.reference, self.first = outcome, tuple(assignment.items())
        return not same(self.topic.topic, outcome, self.reference)

    def _point(self, box: dict[int, Any]) -> dict[int, Any]:
        facts = self.program.facts
        return {slot: pick(facts[slot], region, self.wishes[slot]) for slot, region in box.items()}

    def _other_outcome(self, open_slots: tuple[int, ...]) -> tuple[tuple[int, Any], ...] | None:
        """Two different outcomes found by changing one fact of a plausible completion, or at another one."""
        completion = self.view.completion()
        if not completion.feasible(self.topic):
            return None
        topic = self.topic.topic
        self.reference = completion.outcome(self.topic)
        self.first = tuple([(slot, completion.raw[slot]) for slot in self.box])
        for slot in open_slots:
            values = self.topic.landmarks(slot, self.program.facts[slot])[:TRIES_PER_FACT]
            for value, outcome in completion.outcomes_of(self.topic, slot, values):
                if not same(topic, outcome, self.reference):
                    return tuple({**dict(self.first), slot: value}.items())
        for corner in CORNERS[1:]:
            other = self.view.completion(corner)
            if other.feasible(self.topic) and not same(topic, other.outcome(self.topic), self.reference):
                return tuple([(slot, other.raw[slot]) for slot in self.box])
        return None

    def _explore(self) -> tuple[tuple[tuple[int, Any], ...] | None, bool]:
        """Split boxes until each is proven to give the reference outcome. Return a differing completion, and whether
        everything was proven within the node cap."""
        waiting: list[Callable[[], Boxed]] = [self.residual.whole]
        while waiting:
            boxed = waiting.pop()()
            self.nodes += 1
            if self.nodes > NODE_CAP or self.halved > HALVED_CAP:
                return None, False
            box, outcome, regions = boxed.box, boxed.outcome, boxed.regions
            if self.topic.constraints and self._impossible(regions):
                continue
            if outcome is not UNDECIDED and same_throughout(
                self.topic.topic, outcome, regions[self.topic.slot], self.reference
            ):
                continue
            possible = False
            for assignment in self._points(box):
                found = self.evaluate(assignment)
                possible = possible or found is not None
                if found is not None and self._differs(found, assignment):
                    return tuple(assignment.items()), True
            counts = self.residual.open_in(boxed)
            if not counts and not possible:  # whether the box holds any completion depends on the constraints
                joined = {slot for constraint in self.topic.constraints for slot in constraint.reads}
                counts = {slot: 1 for slot in joined if slot in box and not is_point(box[slot])}
            if not counts:  # what is undecided reads single values only, and those were evaluated
                continue
            slot = max(counts, key=lambda s: self._usefulness(s, box[s], counts[s]))
            self.halved += not splits_cleanly(box[slot], self.topic.cuts.get(slot, ()))
            parts = split(self.program.facts[slot], box[slot], self.topic.cuts.get(slot, ()))
            waiting.extend(partial(self.residual.narrowed, boxed, slot, part) for part in reversed(parts))
        return None, True

    def _usefulness(self, slot: int, region: Any, count: int) -> tuple[float, ...]:
        """Of splitting a fact: first what falls into parts that rules tell apart, then the widest number."""
        if splits_cleanly(region, self.topic.cuts.get(slot, ())):
            return (1, count, -slot)
        whole: Any = self.program.domains[slot]
        return (0, (region[1] - region[0]) / (whole[1] - whole[0]), -slot)

    def _impossible(self, regions: list[Any]) -> bool:
        """Return whether every point of the box breaks some constraint."""
        return any(constraint.expression.over(regions) == FALSE for constraint in self.topic.constraints)

    def _points(self, box: dict[int, Any]) -> Iterator[dict[int, Any]]:
        """A completion in the box, with other corners of the facts that constraints join."""
        base = self._point(box)
        yield base
        joined = [s for c in self.topic.constraints for s in c.reads if s in box and not is_point(box[s])]
        if joined and not feasible(self.topic, self._values(base)):
            slots = sorted(set(joined))[:4]
            for corner in product(*(ends(box[slot]) for slot in slots)):
                yield {**base, **dict(zip(slots, corner, strict=True))}


def feasible(topic: TopicProgram, values: list[Any]) -> bool:
    """Return whether these raw values break no constraint; a fact that means nothing breaks none."""
    values = list(values)
    apply_steps(topic.steps, values, assume=False)
    return all(constraint.expression.at(values) is not False for constraint in topic.constraints)
