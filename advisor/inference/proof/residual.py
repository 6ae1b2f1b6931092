"""One topic over all completions of one situation, with what is decided already worked out once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from advisor.inference.outcomes import NOT_APPLICABLE, UNDECIDED, Outcome
from advisor.inference.program.boxes import is_point
from advisor.inference.program.possible import decided
from advisor.inference.program.program import Program
from advisor.inference.program.steps import FactStep, apply_steps, apply_steps_over
from advisor.inference.program.topic import TopicProgram, as_value
from advisor.inference.situation import Situation
from advisor.knowledge.expressions.regions import TRUE, is_single, point
from advisor.knowledge.model import Policy


class Overview:
    """Over all completions of a situation, by slot: regions of facts and topics, truths of each topic's rules, its outcome
    where that is the same everywhere. Topics are worked out as they are asked for, each after those that it reads."""

    def __init__(self, program: Program, situation: Situation) -> None:
        self.regions: list[Any] = program.fact_regions(situation.values)
        self.truths: dict[int, list[int]] = {}
        self.outcomes: dict[int, Outcome] = {}
        self._parts: dict[int, Part] = {}

    def part(self, topic: TopicProgram) -> Part:
        """The rules of a topic that the situation leaves undecided."""
        slot = topic.slot
        if slot not in self._parts:
            for upstream in topic.upstream:
                self.part(upstream)
            self.outcomes[slot], self.regions[slot], self.truths[slot] = topic.over(self.regions)
            self._parts[slot] = Part(topic, self.truths[slot], self.regions[slot])
        return self._parts[slot]


@dataclass(frozen=True, slots=True)
class Boxed:
    """One topic over one box of completions: its outcome if that is the same everywhere (else UNDECIDED), the regions of
    facts and topics, and the truths of the rules of those topics that are undecided."""

    box: dict[int, Any]
    outcome: Outcome
    regions: list[Any]
    truths: dict[int, list[int]]


class Residual:
    """One topic over all completions of one situation, with what is decided already worked out once.

    `outcome` is the outcome if it is the same everywhere, else UNDECIDED; `open_slots` are the unknown facts that undecided
    rules read, those that most rules read first.
    """

    def __init__(self, program: Program, overview: Overview, topic: TopicProgram, situation: Situation) -> None:
        self.topic = topic
        self.program = program
        self.given = list(situation.values)
        self.box = {slot: program.domains[slot] for slot in topic.free if self.given[slot] is None}
        self.parts = [overview.part(one) for one in topic.upstream]
        self.last = overview.part(topic)
        regions, truths = overview.regions, overview.truths
        self.regions = regions
        bits = truths[topic.slot]
        self.outcome = overview.outcomes[topic.slot]
        counts = self._open(bits, truths, regions, self.box) if self.outcome is UNDECIDED else {}
        self.open_slots = tuple(sorted(counts, key=lambda slot: (-counts[slot], slot)))
        self.undecided = [*(part for part in self.parts if not part.is_fixed), self.last]
        self._steps: dict[int, list[FactStep]] = {}

    def whole(self) -> Boxed:
        """Over everything that is possible in the situation."""
        regions = self.regions.copy()
        for slot in (*self.box, *(step.slot for step in self.topic.steps)):
            regions[slot] = self._raw(slot, self.box)
        apply_steps_over(self.topic.steps, self.given, regions)
        truths: dict[int, list[int]] = {}
        for part in self.undecided:
            slot = part.topic.slot
            outcome, regions[slot], truths[slot] = part.topic.over(regions, part.bits or None, part.undecided)
        return Boxed(self.box, outcome, regions, truths)

    def narrowed(self, wider: Boxed, slot: int, region: Any) -> Boxed:
        """Over the part of a box in which one fact lies in a smaller region: only what reads something changed is worked out
        anew."""
        box, regions, truths, outcome = (
            {**wider.box, slot: region},
            wider.regions.copy(),
            wider.truths.copy(),
            UNDECIDED,
        )
        steps = self._steps_after(slot)
        for one in (slot, *(step.slot for step in steps)):
            regions[one] = self._raw(one, box)
        apply_steps_over(steps, self.given, regions)
        changed = {one for one in (slot, *(step.slot for step in steps)) if regions[one] != wider.regions[one]}
        for part in self.undecided:
            place, again = part.topic.slot, part.reading(changed)
            outcome = wider.outcome
            if again or not part.read_always.isdisjoint(changed):
                outcome, found, truths[place] = part.topic.over(regions, wider.truths[place] or None, again)
                if found != regions[place]:
                    regions[place] = found
                    changed.add(place)
        return Boxed(box, outcome, regions, truths)

    def _raw(self, slot: int, box: dict[int, Any]) -> Any:
        """The region of a fact before steps are applied; of what cannot be stated, as it is over all completions."""
        value = self.given[slot]
        return point(value) if value is not None else box.get(slot, self.regions[slot])

    def _steps_after(self, slot: int) -> list[FactStep]:
        found = self._steps.get(slot)
        if found is None:
            steps = self.topic.steps
            found = self._steps[slot] = [step for step in steps if step.slot == slot or slot in step.reads]
        return found

    def open_in(self, boxed: Boxed) -> dict[int, int]:
        """Count the rules, undecided over a box, that read each unknown fact in it."""
        return self._open(boxed.truths[self.topic.slot], boxed.truths, boxed.regions, boxed.box)

    def _open(
        self, truth: list[int], truths: dict[int, list[int]], regions: list[Any], box: dict[int, Any]
    ) -> dict[int, int]:
        """The facts of the box that undecided rules read, directly or through upstream topics and definitions, counted."""
        counts: dict[int, int] = {}
        pending = [(self.topic, truth, 1)]
        seen: set[int] = set()
        while pending:
            current, bits, times = pending.pop()
            for slot, count in current.undecided_slots(bits, regions).items() if bits else ():
                upstream = self.program.by_slot.get(slot)
                if upstream is None:
                    for reached in self.program.fact_support[slot]:
                        if reached in box and not is_point(box[reached]):
                            counts[reached] = counts.get(reached, 0) + count * times
                elif slot not in seen and not is_single(regions[slot]):
                    seen.add(slot)
                    pending.append((upstream, truths[slot], count))
        return counts


class Standing:
    """One completion, from which single facts are varied: only what reads something changed is worked out anew."""

    def __init__(self, residual: Residual, values: list[Any]) -> None:
        self.residual = residual
        self.raw = values
        self.base = values.copy()
        apply_steps(residual.topic.steps, self.base, assume=False)
        self.violated = {
            number
            for number in residual.topic.constraint_numbers
            if residual.program.constraints[number].expression.at(self.base) is False
        }

    @cached_property
    def parts(self) -> list[tuple[Part, list[bool | None], Outcome]]:
        """The undecided topics with the truth of their rules and their outcomes, the one in question last."""
        found = []
        last = self.residual.last
        for part in (*self.residual.parts, last):
            if part.is_fixed and part is not last:
                self.base[part.topic.slot] = part.fixed
                continue
            truth = part.truth(self.base)
            outcome = part.from_truth(truth, self.base)
            found.append((part, truth, outcome))
            self.base[part.topic.slot] = as_value(outcome)
        return found

    @property
    def outcome(self) -> Outcome:
        return self.parts[-1][2]

    def vary(self, slot: int, answers: Iterable[Any]) -> Iterator[tuple[Any, Outcome]]:
        """Each answer to one fact that breaks no constraint, with the outcome it gives."""
        program, topic = self.residual.program, self.residual.topic
        joining = topic.constraint_numbers.intersection(program.links.constraints.get(slot, ()))
        if not self.violated <= joining:
            return
        constraints = [program.constraints[number].expression for number in joining]
        steps = [step for step in topic.steps if slot in step.reads or step.slot == slot]
        changed_facts = {slot, *(step.slot for step in steps)}
        parts = self.parts
        for answer in answers:
            now = self.base.copy()
            for step in steps:
                now[step.slot] = self.raw[step.slot]
            now[slot] = answer
            apply_steps(steps, now, assume=False)
            if any(constraint.at(now) is False for constraint in constraints):
                continue
            changed = changed_facts.copy()
            outcome: Outcome = UNDECIDED
            for part, truth, before in parts:
                outcome = part.after(changed, truth, now, before)
                if outcome is not before:
                    now[part.topic.slot] = as_value(outcome)
                    changed.add(part.topic.slot)
            yield answer, outcome


class Part:
    """The rules of one topic that a situation leaves undecided; the others with their truth."""

    def __init__(self, topic: TopicProgram, bits: list[int], region: Any) -> None:
        self.topic = topic
        self.bits = bits
        self.undecided = [position for position, bit in enumerate(bits) if not decided(bit)]
        self.template: list[bool | None] = [bit == TRUE for bit in bits]
        self.is_fixed = isinstance(region, frozenset) and len(region) == 1
        self.fixed = next(iter(region)) if self.is_fixed else None
        self.by_truth: dict[tuple[bool | None, ...], Outcome] | None = None
        policy = topic.topic.policy
        placed = any(bits[position] & TRUE for position in topic.combination.placed) if bits else False
        if policy is Policy.ALL or (policy is Policy.SCORE and not placed):
            self.by_truth = {}
        self.reads: dict[int, list[int]] = {}
        for position in self.undecided:
            for slot in topic.combination.rules[position].reads:
                self.reads.setdefault(slot, []).append(position)
        computed = (rule.reads for rule in topic.combination.rules if rule.literal is None)
        self.read_always = topic.slots_of_applies.union(*computed)

    def truth(self, values: list[Any]) -> list[bool | None]:
        truth = self.template.copy()
        rules = self.topic.combination.rules
        for position in self.undecided:
            truth[position] = rules[position].at(values)
        return truth

    def from_truth(self, truth: list[bool | None], values: list[Any]) -> Outcome:
        topic = self.topic
        if topic.applies is not None and topic.applies.at(values) is False:
            return NOT_APPLICABLE
        if self.by_truth is None:
            return topic.combination.outcome(truth, values)
        key = tuple([truth[position] for position in self.undecided])
        found = self.by_truth.get(key)
        if found is None:
            found = self.by_truth[key] = topic.combination.outcome(truth, values)
        return found

    def reading(self, changed: set[int]) -> set[int]:
        """The positions of undecided rules that read one of these slots."""
        return {position for slot in changed for position in self.reads.get(slot, ())}

    def after(self, changed: set[int], truth: list[bool | None], values: list[Any], before: Outcome) -> Outcome:
        """The outcome when only these slots differ from where `truth` and `before` were worked out."""
        positions = self.reading(changed)
        if not positions and self.read_always.isdisjoint(changed):
            return before
        rules = self.topic.combination.rules
        truth = truth.copy()
        for position in positions:
            truth[position] = rules[position].at(values)
        return self.from_truth(truth, values)
