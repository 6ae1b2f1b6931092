"""Decides whether a recommendation is the same under every completion of what is unknown.

A proof comes from regions (they contain every completion), a refutation from two concrete completions that differ. Boxes
that are neither are split on a fact that undecided rules read, until decided or the node cap is reached.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from advisor.inference.boxes import ends, is_point, landmarks, pick, split, splits_cleanly
from advisor.inference.outcomes import NOT_APPLICABLE, UNDECIDED, Outcome, decided, same, same_throughout
from advisor.inference.program import Program, TopicProgram, apply_steps, apply_steps_over, as_value
from advisor.knowledge.model import Policy
from advisor.knowledge.regions import FALSE, TRUE, is_single, point

NODE_CAP = 128
TRIES_PER_FACT = 12


@dataclass(frozen=True, slots=True)
class Decision:
    """The reported outcome of a topic. `settled`: proven to be the same for every completion.

    `open_slots` are the unknown facts that may still matter; `witnesses` completions with differing outcomes, if found.
    """

    outcome: Outcome
    settled: bool
    open_slots: tuple[int, ...] = ()
    witnesses: tuple[tuple[tuple[int, Any], ...], ...] = ()


@dataclass(frozen=True)
class Situation:
    """The facts as the engine sees them: raw values by slot (None: unknown), and facts without their usual assumption.

    `values` has one place for every fact and topic; masked, derived and assumed values are not filled in.
    """

    values: tuple[Any, ...]
    blank: frozenset[int] = frozenset()

    def changed(self, slot: int, value: Any) -> Situation:
        return Situation((*self.values[:slot], value, *self.values[slot + 1 :]), self.blank)


class Engine:
    """Answers questions about one program; what it has worked out once it remembers (results never depend on that)."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._decisions: dict[str, dict[tuple[Any, ...], Decision]] = {name: {} for name in program.topics}
        self._leading: dict[str, dict[tuple[Any, ...], Outcome]] = {name: {} for name in program.topics}
        self._overviews: dict[Situation, Overview] = {}
        self._residuals: dict[str, dict[tuple[Any, ...], Residual]] = {name: {} for name in program.topics}
        self._reported: dict[str, dict[tuple[Any, ...], Outcome]] = {name: {} for name in program.topics}
        self._quick: dict[str, dict[tuple[Any, ...], Outcome]] = {name: {} for name in program.topics}

    def forget(self) -> None:
        """Drops everything remembered; results stay the same."""
        for memo in (self._decisions, self._leading, self._residuals, self._reported, self._quick):
            for remembered in memo.values():
                remembered.clear()
        self._overviews.clear()
        for topic in self.program.topics.values():
            topic.memo.clear()

    # --- the leading outcome ---------------------------------------------------------------------------------------

    def key(self, topic: TopicProgram, situation: Situation) -> tuple[Any, ...]:
        values = situation.values
        return (situation.blank, *[values[slot] for slot in topic.support])

    def prepared(self, topic: TopicProgram, situation: Situation) -> list[Any]:
        """Values with assumptions made and the reported values of upstream topics: what the leading outcome sees."""
        values = list(situation.values)
        steps = [step for step in topic.steps if step.slot not in situation.blank] if situation.blank else topic.steps
        apply_steps(steps, values, assume=True)
        if situation.blank:
            apply_steps((step for step in topic.steps if step.slot in situation.blank), values, assume=False)
        for upstream in topic.upstream:
            values[upstream.slot] = as_value(self.reported(upstream, situation))
        return values

    def leading(self, topic: TopicProgram, situation: Situation) -> Outcome:
        memo, key = self._leading[topic.name], self.key(topic, situation)
        found = memo.get(key)
        if found is None:
            found = memo[key] = topic.outcome(self.prepared(topic, situation))
            if len(memo) > 20_000:
                memo.clear()
        return found

    def reported(self, topic: TopicProgram, situation: Situation, *, cheaply: bool = False) -> Outcome:
        """The outcome that the plan reports: the leading one, unless every completion agrees on another.

        One completion that gives the leading outcome rules that out, and is cheap to try; `decide` does the rest. With
        `cheaply` it is UNDECIDED where that would be needed, whether or not it was done before.
        """
        memo, key = (self._quick if cheaply else self._reported)[topic.name], self.key(topic, situation)
        found = memo.get(key)
        if found is None:
            if cheaply and any(self.reported(one, situation, cheaply=True) is UNDECIDED for one in topic.upstream):
                found = UNDECIDED
            else:
                lead = self.leading(topic, situation)
                found = lead if self.leads_somewhere(topic, situation, lead) else UNDECIDED
            if found is UNDECIDED and not cheaply:
                found = self.decide(topic, situation).outcome
            if len(memo) > 20_000:
                memo.clear()
            memo[key] = found
        return found

    def leads_somewhere(self, topic: TopicProgram, situation: Situation, lead: Outcome) -> bool:
        """Whether a few completions show that not all agree on something else: one gives the lead, or two differ."""
        exact = not topic.topic.tolerance  # otherwise what all agree on is the value of the most plausible completion
        seen: Outcome = UNDECIDED
        for corner in (None, 0, -1):
            values = self.plausible(topic, situation, corner)
            if topic.constraints and not feasible(topic, values):
                continue
            outcome = topic.at_completion(values)
            if same(topic.topic, outcome, lead) and (exact or (corner is None and outcome == lead)):
                return True
            if seen is not UNDECIDED and not same(topic.topic, outcome, seen):
                return True
            seen = outcome
        return False

    def plausible(self, topic: TopicProgram, situation: Situation, corner: int | None = None) -> list[Any]:
        """Raw values of one completion: assumed values where there are any, otherwise values from the middle of each
        domain, or from its first (0) or last (-1) end."""
        values = list(situation.values)
        wishes = values.copy()
        apply_steps(topic.steps, wishes, assume=True)
        facts, domains = self.program.facts, self.program.domains
        for slot in topic.free:
            if values[slot] is None:
                if corner is None:
                    values[slot] = pick(facts[slot], domains[slot], wishes[slot])
                else:
                    values[slot] = ends(domains[slot])[corner]
        return values

    # --- settled or not --------------------------------------------------------------------------------------------

    def decide(self, topic: TopicProgram, situation: Situation) -> Decision:
        memo, key = self._decisions[topic.name], self.key(topic, situation)
        found = memo.get(key)
        if found is None:
            found = self._decide(topic, situation)
            if len(memo) > 20_000:
                memo.clear()
            memo[key] = found
        return found

    def _decide(self, topic: TopicProgram, situation: Situation) -> Decision:
        lead = self.leading(topic, situation)
        if topic.silent:
            return Decision(lead, settled=True)
        return _Search(self, self.residual(topic, situation), situation, lead).run()

    def residual(self, topic: TopicProgram, situation: Situation) -> Residual:
        memo, key = self._residuals[topic.name], self.key(topic, situation)
        found = memo.get(key)
        if found is None:
            if len(memo) > 500:
                memo.clear()
            found = memo[key] = Residual(self, topic, situation)
        return found

    def overview(self, situation: Situation) -> Overview:
        """What holds for all facts, topics and rules over every completion of a situation."""
        found = self._overviews.get(situation)
        if found is None:
            regions = self.program.fact_regions(situation.values)
            truths: dict[int, list[int]] = {}
            for topic in self.program.topics.values():
                _, regions[topic.slot], truths[topic.slot] = topic.over(regions)
            parts = {slot: _Part(topic, truths[slot], regions[slot]) for slot, topic in self.program.by_slot.items()}
            if len(self._overviews) > 100:
                self._overviews.clear()
            found = self._overviews[situation] = Overview(regions, truths, parts)
        return found


@dataclass(frozen=True, slots=True)
class Overview:
    """Over all completions of a situation, by slot: regions of facts and topics, truths of each topic's rules, and what
    they leave undecided."""

    regions: list[Any]
    truths: dict[int, list[int]]
    parts: dict[int, _Part]


class Residual:
    """One topic over all completions of one situation, with what is decided already worked out once.

    `outcome` is the outcome if it is the same everywhere, else UNDECIDED; `open_slots` are the unknown facts that undecided
    rules read, those that most rules read first.
    """

    def __init__(self, engine: Engine, topic: TopicProgram, situation: Situation) -> None:
        self.topic = topic
        self.given = list(situation.values)
        self.box = {slot: engine.program.domains[slot] for slot in topic.free if self.given[slot] is None}
        self._by_slot = engine.program.by_slot
        self._fact_support = engine.program.fact_support
        overview = engine.overview(situation)
        regions, truths = overview.regions, overview.truths
        self.regions = regions
        bits = truths[topic.slot]
        self.outcome, _, _ = topic.over(regions, bits)
        counts = self._open(bits, truths, regions, self.box) if self.outcome is UNDECIDED else {}
        self.open_slots = tuple(sorted(counts, key=lambda slot: (-counts[slot], slot)))
        self.parts = [overview.parts[one.slot] for one in topic.upstream]
        self.last = overview.parts[topic.slot]

    def over(self, box: dict[int, Any]) -> tuple[Outcome, dict[int, int], list[Any]]:
        """Over a smaller box: the outcome if it is the same everywhere, else UNDECIDED and how many undecided rules read
        each unknown fact; and the regions."""
        regions = self.regions.copy()
        for slot, region in box.items():
            regions[slot] = region
        for step in self.topic.steps:
            value = self.given[step.slot]
            if value is not None:
                regions[step.slot] = point(value)
        apply_steps_over(self.topic.steps, self.given, regions)
        truths: dict[int, list[int]] = {}
        for part in self.parts:
            if part.is_fixed:
                truths[part.topic.slot] = []
            else:
                slot = part.topic.slot
                _, regions[slot], truths[slot] = part.topic.over(regions, part.bits or None, part.undecided)
        outcome, regions[self.topic.slot], bits = self.topic.over(regions, self.last.bits or None, self.last.undecided)
        counts = self._open(bits, truths, regions, box)
        return outcome, counts, regions

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
                upstream = self._by_slot.get(slot)
                if upstream is None:
                    for reached in self._fact_support[slot]:
                        if reached in box and not is_point(box[reached]):
                            counts[reached] = counts.get(reached, 0) + count * times
                elif slot not in seen and not is_single(regions[slot]):
                    seen.add(slot)
                    pending.append((upstream, truths[slot], count))
        return counts

    def at(self, values: list[Any]) -> Outcome:
        """The outcome at raw values that lie in the situation's box."""
        values = values.copy()
        apply_steps(self.topic.steps, values, assume=False)
        for part in self.parts:
            values[part.topic.slot] = part.fixed if part.is_fixed else as_value(part.outcome(values))
        return self.last.outcome(values)

    def standing(self, values: list[Any]) -> Standing:
        return Standing(self, values)


class Standing:
    """One completion, from which single facts are varied: only what reads something changed is worked out anew."""

    def __init__(self, residual: Residual, values: list[Any]) -> None:
        self.residual = residual
        self.raw = values
        self.base = values.copy()
        apply_steps(residual.topic.steps, self.base, assume=False)
        self._parts: list[tuple[_Part, list[bool | None], Outcome]] = []
        self.outcome: Outcome = UNDECIDED
        for part in (*residual.parts, residual.last):
            if part.is_fixed and part is not residual.last:
                self.base[part.topic.slot] = part.fixed
                continue
            truth = part.truth(self.base)
            self.outcome = part.from_truth(truth, self.base)
            self._parts.append((part, truth, self.outcome))
            self.base[part.topic.slot] = as_value(self.outcome)

    def vary(self, slot: int, answers: Iterable[Any]) -> Iterator[tuple[Any, Outcome]]:
        """Each answer to one fact that breaks no constraint, with the outcome it gives."""
        topic = self.residual.topic
        steps = [step for step in topic.steps if slot in step.reads or step.slot == slot]
        for answer in answers:
            if topic.constraints:
                raw = self.raw.copy()
                raw[slot] = answer
                if not feasible(topic, raw):
                    continue
            now = self.base.copy()
            for step in steps:
                now[step.slot] = self.raw[step.slot]
            now[slot] = answer
            apply_steps(steps, now, assume=False)
            changed = {slot, *(step.slot for step in steps)}
            outcome: Outcome = UNDECIDED
            for part, truth, before in self._parts:
                outcome = part.after(changed, truth, now, before)
                if outcome is not before:
                    now[part.topic.slot] = as_value(outcome)
                    changed.add(part.topic.slot)
            yield answer, outcome

    def changes(self, slot: int, answers: Iterable[Any]) -> bool:
        """Whether two of the answers to one fact give different outcomes."""
        topic = self.residual.topic.topic
        seen: list[Outcome] = []
        for _, outcome in self.vary(slot, answers):
            if not all(same(topic, outcome, other) for other in seen):
                return True
            if topic.tolerance or not seen:  # numbers close to one number need not be close to each other
                seen.append(outcome)
        return False


class _Part:
    """The rules of one topic that a situation leaves undecided; the others with their truth."""

    def __init__(self, topic: TopicProgram, bits: list[int], region: Any) -> None:
        self.topic = topic
        self.bits = bits
        self.undecided = [position for position, bit in enumerate(bits) if not decided(bit)]
        self.template: list[bool | None] = [bit == TRUE for bit in bits]
        self.is_fixed = isinstance(region, frozenset) and len(region) == 1
        self.fixed = next(iter(region)) if self.is_fixed else None
        self.by_truth: dict[tuple[bool | None, ...], Outcome] | None = None
        if topic.topic.policy in (Policy.SCORE, Policy.ALL):
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
            return topic.combination.from_truths(truth, values)
        key = tuple([truth[position] for position in self.undecided])
        found = self.by_truth.get(key)
        if found is None:
            found = self.by_truth[key] = topic.combination.from_truths(truth, values)
        return found

    def outcome(self, values: list[Any]) -> Outcome:
        return self.from_truth(self.truth(values), values)

    def after(self, changed: set[int], truth: list[bool | None], values: list[Any], before: Outcome) -> Outcome:
        """The outcome when only these slots differ from where `truth` and `before` were worked out."""
        positions = {position for slot in changed for position in self.reads.get(slot, ())}
        if not positions and self.read_always.isdisjoint(changed):
            return before
        rules = self.topic.combination.rules
        truth = truth.copy()
        for position in positions:
            truth[position] = rules[position].at(values)
        return self.from_truth(truth, values)


class _Search:
    """One topic in one situation."""

    def __init__(self, engine: Engine, residual: Residual, situation: Situation, lead: Outcome) -> None:
        self.engine = engine
        self.program = engine.program
        self.residual = residual
        self.topic = residual.topic
        self.given = residual.given
        self.box = residual.box
        self.situation = situation
        self.lead = lead
        self.wishes = self._wishes(situation)
        self.reference: Outcome = UNDECIDED
        self.first: tuple[tuple[int, Any], ...] = ()
        self.nodes = 0

    def _wishes(self, situation: Situation) -> list[Any]:
        values = list(situation.values)
        apply_steps(self.topic.steps, values, assume=True)
        return values

    def run(self) -> Decision:
        outcome, open_slots = self.residual.outcome, self.residual.open_slots
        if outcome is not UNDECIDED:
            if self.topic.topic.tolerance and isinstance(outcome, int | float):  # a value that can really be reached
                outcome = self.residual.at(self._values(self._point(self.box)))
            return Decision(outcome, settled=True)
        other = self._other_outcome(open_slots)
        if other is not None:
            return Decision(self.lead, settled=False, open_slots=open_slots, witnesses=(self.first, other))
        different, complete = self._explore(self.box)
        if different is not None:
            return Decision(self.lead, settled=False, open_slots=open_slots, witnesses=(self.first, different))
        # All completions seen agree. A proof makes it settled; past the node cap it is only leading, yet the value stays
        # the one that all of them share, so that learning more cannot move a value that was settled with less.
        agreed = self.lead if self.reference is UNDECIDED else self.reference
        if not complete and self.engine.leads_somewhere(self.topic, self.situation, self.lead):
            agreed = self.lead
        return Decision(agreed, settled=complete, open_slots=() if complete else open_slots)

    def evaluate(self, assignment: dict[int, Any]) -> Outcome | None:
        """The outcome at a completion, or None when the completion breaks a constraint."""
        values = self._values(assignment)
        if self.topic.constraints and not feasible(self.topic, values):
            return None
        return self.residual.at(values)

    def _values(self, assignment: dict[int, Any]) -> list[Any]:
        return [assignment.get(slot, value) for slot, value in enumerate(self.given)]

    def _differs(self, assignment: dict[int, Any]) -> tuple[tuple[int, Any], ...] | None:
        outcome = self.evaluate(assignment)
        if outcome is None:
            return None
        if self.reference is UNDECIDED:
            self.reference, self.first = outcome, tuple(assignment.items())
            return None
        return None if same(self.topic.topic, outcome, self.reference) else tuple(assignment.items())

    def _point(self, box: dict[int, Any]) -> dict[int, Any]:
        facts = self.program.facts
        return {slot: pick(facts[slot], region, self.wishes[slot]) for slot, region in box.items()}

    def _other_outcome(self, open_slots: tuple[int, ...]) -> tuple[tuple[int, Any], ...] | None:
        """Two different outcomes found by changing one or two facts of a plausible completion."""
        base = self._point(self.box)
        if self._differs(base) is not None or self.reference is UNDECIDED:
            return None
        facts, topic = self.program.facts, self.topic.topic
        standing = self.residual.standing(self._values(base))
        for slot in open_slots:
            tries = landmarks(facts[slot], self.topic.cuts.get(slot, ()))[:TRIES_PER_FACT]
            for value, outcome in standing.vary(slot, tries):
                if not same(topic, outcome, self.reference):
                    return tuple({**base, slot: value}.items())
        return None

    def _explore(self, root: dict[int, Any]) -> tuple[tuple[tuple[int, Any], ...] | None, bool]:
        """Splits boxes until each is proven to give the reference outcome. Returns a differing completion, and whether
        everything was proven within the node cap."""
        stack = [root]
        while stack:
            box = stack.pop()
            self.nodes += 1
            if self.nodes > NODE_CAP:
                return None, False
            outcome, counts, regions = self.residual.over(box)
            if self.topic.constraints and self._impossible(regions):
                continue
            if outcome is not UNDECIDED and same_throughout(
                self.topic.topic, outcome, regions[self.topic.slot], self.reference
            ):
                continue
            possible = False
            for assignment in self._points(box):
                possible = possible or self.evaluate(assignment) is not None
                if (found := self._differs(assignment)) is not None:
                    return found, True
            if not counts and not possible:  # whether the box holds any completion depends on the constraints
                joined = {slot for constraint in self.topic.constraints for slot in constraint.reads}
                counts = {slot: 1 for slot in joined if slot in box and not is_point(box[slot])}
            if not counts:  # what is undecided reads single values only, and those were evaluated
                continue
            slot = max(counts, key=lambda s: self._usefulness(s, box[s], counts[s]))
            parts = split(self.program.facts[slot], box[slot], self.topic.cuts.get(slot, ()))
            stack.extend({**box, slot: part} for part in reversed(parts))
        return None, True

    def _usefulness(self, slot: int, region: Any, count: int) -> tuple[float, ...]:
        """Of splitting a fact: first what falls into parts that rules tell apart, then the widest number."""
        if splits_cleanly(region, self.topic.cuts.get(slot, ())):
            return (1, count, -slot)
        whole: Any = self.program.domains[slot]
        return (0, (region[1] - region[0]) / (whole[1] - whole[0]), -slot)

    def _impossible(self, regions: list[Any]) -> bool:
        """Whether every point of the box breaks some constraint."""
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
    """Whether these raw values break no constraint; a fact that means nothing breaks none."""
    values = list(values)
    apply_steps(topic.steps, values, assume=False)
    return all(constraint.expression.at(values) is not False for constraint in topic.constraints)
