"""All topics at one set of values, from which single facts are varied: only what reads something changed is worked out anew."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from advisor.inference.outcomes import NOT_APPLICABLE, UNDECIDED, Outcome
from advisor.inference.program.program import Program
from advisor.inference.program.steps import apply_steps
from advisor.inference.program.topic import TopicProgram, as_value


class Varied(NamedTuple):
    """The effect of one changed fact: the outcomes of the topics that it moves, and the constraints broken then."""

    outcomes: dict[int, Outcome]
    violated: frozenset[int]


class Point:
    """Facts filled in as far as they are given, and the topics' outcomes in the order in which they are computed.

    `raw` are values before anything is masked, defined or (with `assume`) assumed. Outcomes are worked out topic by topic:
    `outcome` works out what is missing; what other topics see of one can be set to something else by `report`.
    """

    def __init__(
        self, program: Program, raw: Sequence[Any], *, assume: bool = False, blank: frozenset[int] = frozenset()
    ) -> None:
        self.program = program
        self.raw = raw
        self.assume = assume
        self.blank = blank
        self.settled: frozenset[int] = frozenset()
        """Topics that stay as they are whatever is learned of an unknown fact."""
        self.ignored: frozenset[int] = frozenset()
        """Topics that are not followed."""
        self.values = list(raw)
        apply_steps(program.steps, self.values, assume=assume, blank=blank)
        self.atoms: list[Any] = [UNDECIDED] * len(program.atoms)
        self.truths: dict[int, list[bool | None]] = {}
        self.outcomes: dict[int, Outcome] = {}
        self.violated = frozenset(
            number
            for number, constraint in enumerate(program.constraints)
            if constraint.expression.at(self.values) is False
        )
        self._varied: dict[tuple[int, Any], Varied] = {}

    def complete(self) -> Point:
        """With the outcome of every topic."""
        if len(self.outcomes) < len(self.program.topics):
            for topic in self.program.topics.values():
                self.outcome(topic)
        return self

    def outcome(self, topic: TopicProgram) -> Outcome:
        """The outcome of any topic, those that it reads worked out first."""
        if topic.slot not in self.outcomes:
            for upstream in topic.upstream:
                if upstream.slot not in self.outcomes:
                    self.lead(upstream)
            self.lead(topic)
        return self.outcomes[topic.slot]

    def lead(self, topic: TopicProgram) -> Outcome:
        """Work out the outcome of a topic, after those that it reads."""
        values, truth = self.values, self.atoms
        atoms = self.program.atoms
        for number in self.program.links.needed[topic.slot]:
            if truth[number] is UNDECIDED:
                truth[number] = atoms[number].at(values)
        rules = topic.combination.rules
        self.truths[topic.slot] = found = [_all_true(rule.atoms, truth) for rule in rules]
        outcome = combined(topic, found, values)
        self.report(topic, outcome)
        return outcome

    def report(self, topic: TopicProgram, outcome: Outcome) -> None:
        """Set what the plan says of the topic, and topics after it read."""
        self.outcomes[topic.slot] = outcome
        self.values[topic.slot] = as_value(outcome)

    def follow_only(self, topics: set[int]) -> None:
        """Changes are followed to these topics, which hold all that they read."""
        ignored = frozenset(self.outcomes) - topics
        if ignored != self.ignored:
            self._varied.clear()
        self.ignored = ignored

    def feasible(self, topic: TopicProgram) -> bool:
        return self.violated.isdisjoint(topic.constraint_numbers)

    def vary(self, slot: int, value: Any) -> Varied:
        """With another value of one fact. Remembered, since all topics are worked out at once."""
        found = self._varied.get((slot, value))
        if found is None:
            self.complete()
            found = self._varied[slot, value] = self._vary(slot, value)
        return found

    def outcomes_of(self, topic: TopicProgram, slot: int, values: Iterable[Any]) -> Iterator[tuple[Any, Outcome]]:
        """Each of these values of one fact that breaks no constraint, with the topic's outcome there."""
        for value in values:
            varied = self.vary(slot, value)
            if varied.violated.isdisjoint(topic.constraint_numbers):
                yield value, varied.outcomes.get(topic.slot, self.outcomes[topic.slot])

    def _vary(self, slot: int, value: Any) -> Varied:
        program, links = self.program, self.program.links
        values = self.values.copy()
        steps = links.steps_after(slot, assume=self.assume)
        for step in steps:
            values[step.slot] = self.raw[step.slot]
        values[slot] = value
        apply_steps(steps, values, assume=self.assume, blank=self.blank)
        moved = [s for s in {slot, *[step.slot for step in steps]} if values[s] != self.values[s]]
        if not moved:
            return Varied({}, self.violated)
        violated = self._violated(moved, values)
        change = _Change(self, values)
        for s in moved:
            change.spread(s)
        fixed = self.settled | self.ignored if self.raw[slot] is None else self.ignored
        outcomes: dict[int, Outcome] = {}
        if change.topics:
            for topic in program.readers(slot):
                if topic.slot in change.topics and topic.slot not in fixed:
                    outcome = change.outcome(topic)
                    before = self.outcomes[topic.slot]
                    if outcome != before or type(outcome) is not type(before):
                        outcomes[topic.slot] = outcome
                        seen = as_value(outcome)
                        if seen != values[topic.slot]:
                            values[topic.slot] = seen
                            change.spread(topic.slot)
        return Varied(outcomes, violated)

    def _violated(self, changed: Iterable[int], values: list[Any]) -> frozenset[int]:
        again = {number for slot in changed for number in self.program.links.constraints.get(slot, ())}
        if not again:
            return self.violated
        constraints = self.program.constraints
        return (self.violated - again) | {n for n in again if constraints[n].expression.at(values) is False}


class _Change:
    """The spread of changed values through atoms to rules and topics."""

    def __init__(self, point: Point, values: list[Any]) -> None:
        self.point = point
        self.values = values
        self.atoms: dict[int, bool | None] = {}  # those whose truth differs from the point's
        self.rules: dict[int, frozenset[int]] = {}  # that contain one of these, by topic
        self.topics: set[int] = set()

    def spread(self, slot: int) -> None:
        """Note what a changed fact or topic can change in turn."""
        point, links = self.point, self.point.program.links
        effect = links.effect(slot, point.values[slot], self.values[slot])
        if effect.atoms:
            self.atoms.update(effect.atoms)
            for topic, positions in effect.rules:
                known = self.rules.get(topic)
                self.rules[topic] = positions if known is None else known | positions
                self.topics.add(topic)
        joining = links.joining.get(slot)
        if joining is not None:
            atoms, before = point.program.atoms, point.atoms
            for number in joining:
                now = atoms[number].at(self.values)
                if now is not before[number] or number in self.atoms:
                    self.atoms[number] = now
                    for topic, position in links.users[number]:
                        self.rules[topic] = self.rules.get(topic, frozenset()) | {position}
                        self.topics.add(topic)
        self.topics.update(links.recombining.get(slot, ()))

    def outcome(self, topic: TopicProgram) -> Outcome:
        point, changed = self.point, self.atoms
        before = truth = point.truths[topic.slot]
        rules = topic.combination.rules
        for position in self.rules.get(topic.slot, ()):
            holds: bool | None = True
            for number in rules[position].atoms:
                one = changed[number] if number in changed else point.atoms[number]
                if one is False:
                    holds = False
                    break
                if one is None:
                    holds = None
            if holds is not before[position]:
                if truth is before:
                    truth = before.copy()
                truth[position] = holds
        if truth is before and not topic.computes:
            return point.outcomes[topic.slot]
        return combined(topic, truth, self.values)


def combined(topic: TopicProgram, truth: list[bool | None], values: list[Any]) -> Outcome:
    if topic.applies is not None and topic.applies.at(values) is False:
        return NOT_APPLICABLE
    return topic.combination.outcome(truth, values)


def _all_true(numbers: Iterable[int], truth: Sequence[bool | None]) -> bool | None:
    result: bool | None = True
    for number in numbers:
        holds = truth[number]
        if holds is False:
            return False
        if holds is None:
            result = None
    return result
