"""A rule base compiled for one school: slots for facts and topics, in an order in which each can be computed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from advisor.facts.vocabulary import Fact
from advisor.inference.outcomes import (
    NOT_APPLICABLE,
    UNDECIDED,
    Combination,
    CompiledRule,
    Outcome,
    Tie,
    decided,
)
from advisor.inference.program.boxes import landmarks
from advisor.inference.program.domains import boundaries, bounded, domain, nothing_of_fact
from advisor.inference.program.links import Links
from advisor.knowledge.expressions.expressions import BOOLEAN, At, Conjunct, Expression, Over
from advisor.knowledge.expressions.regions import (
    FALSE,
    NO_NUMBER,
    NO_SET,
    TRUE,
    Region,
    point,
    union,
)
from advisor.knowledge.model import Knowledge, Policy, Rule, School, Topic, fact_types, is_literal


@dataclass(frozen=True, slots=True)
class FactStep:
    """What follows for one fact: it is masked where it means nothing, defined or assumed from others."""

    slot: int
    only_when: Expression | None
    derive: Expression | None
    assume: Expression | None
    nothing: Any
    reads: frozenset[int]  # the facts that only_when and derive depend on, through other facts too


@dataclass(frozen=True, slots=True)
class Atom:
    """A condition that rules join with others by `and`; rules that say the same share it."""

    at: At
    reads: frozenset[int]
    constants: frozenset[float] | None  # that it compares numbers with, None where it computes with them


@dataclass(frozen=True, slots=True)
class Constraint:
    expression: Expression
    reads: frozenset[int]  # the facts that it joins, those that its derived or masked facts rest on included
    because: str


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

    def outcome(self, values: list[Any]) -> Outcome:
        """The outcome at these values (facts prepared, upstream topics filled in)."""
        if self.applies is not None and self.applies.at(values) is False:
            return NOT_APPLICABLE
        return self.combination.outcome(values)

    def over(
        self, regions: list[Any], known: Sequence[int] | None = None, again: Iterable[int] = ()
    ) -> tuple[Outcome, Region, list[int]]:
        """Over a box: the outcome if it is the same everywhere (else UNDECIDED), the region of its values, each rule's truth.

        With `known`, the truths over a box that contains this one, only the positions `again` are worked out.
        """
        bits = TRUE if self.applies is None else self.applies.over(regions)
        if bits == FALSE:
            return NOT_APPLICABLE, nothing_of(self.topic), []
        rules = self.combination.rules
        if known is None:
            truth = [rule.over(regions) for rule in rules]
        else:
            truth = list(known)
            for position in again:
                truth[position] = rules[position].over(regions)
        outcome, region = self.combination.possible(truth, regions)
        if bits & FALSE:
            return UNDECIDED, union(region, nothing_of(self.topic)), truth
        return outcome, region, truth

    def undecided_slots(self, truth: list[int], regions: list[Any]) -> dict[int, int]:
        """How many undecided conditions or values read each slot, over the box for which `truth` was computed."""
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
    """What other topics see of an outcome: its value, or None; items of an `all` topic as a set."""
    if outcome is NOT_APPLICABLE or isinstance(outcome, Tie):
        return None
    if isinstance(outcome, tuple) and (not outcome or isinstance(outcome[0], str)):
        return frozenset(outcome)
    return outcome


def nothing_of(topic: Topic) -> Any:
    if topic.policy is Policy.ALL:
        return NO_SET
    if topic.policy is Policy.VALUE:
        return (None,) if topic.type == "integers" else NO_NUMBER
    return frozenset({None})


def apply_steps(steps: Iterable[FactStep], values: list[Any], *, assume: bool) -> None:
    """Masks, defines and (for the leading plan only) assumes facts, in place."""
    for step in steps:
        slot = step.slot
        if step.only_when is not None and step.only_when.at(values) is False:
            values[slot] = None
        elif values[slot] is None:
            if step.derive is not None:
                values[slot] = step.derive.at(values)
            elif assume and step.assume is not None:
                values[slot] = step.assume.at(values)


def apply_steps_over(steps: Iterable[FactStep], given: Sequence[Any], regions: list[Any]) -> None:
    """The same over regions; `given` holds the raw values, so that a stated value is not defined anew."""
    for step in steps:
        slot = step.slot
        if given[slot] is None and step.derive is not None:
            regions[slot] = step.derive.over(regions)
        if step.only_when is not None:
            bits = step.only_when.over(regions)
            if bits == FALSE:
                regions[slot] = step.nothing
            elif bits & FALSE:
                regions[slot] = union(regions[slot], step.nothing)


class Program:
    """A rule base compiled for one school. Raises nothing: the rule base was checked when it was loaded."""

    def __init__(self, knowledge: Knowledge, school: School) -> None:
        self.knowledge = knowledge
        self.school = school
        self.slots = knowledge.symbols.slots
        self.facts = tuple(knowledge.vocabulary.facts.values())
        self.width = len(self.slots)
        self.domains = [nothing_of_fact(fact) if fact.closed else domain(fact) for fact in self.facts]
        self.steps = self._fact_steps()
        self.fact_support = self._support_of_facts()
        self.constraints = tuple(
            Constraint(expression, self._reads(expression.names), constraint.because)
            for constraint in knowledge.vocabulary.constraints
            for expression in [self._fact_expression(constraint.holds)]
        )
        self.atoms: list[Atom] = []
        self._atom_numbers: dict[str, int] = {}
        self.computed: set[int] = set()  # facts used in any other way than compared with a constant
        self.topics: dict[str, TopicProgram] = {}
        for name in self._topic_order():
            self.topics[name] = self._topic(knowledge.topics[name])

    @cached_property
    def free(self) -> tuple[int, ...]:
        """The facts that a completion states; derived facts follow, closed ones stay as they are."""
        return tuple(slot for slot, fact in enumerate(self.facts) if not (fact.derive or fact.closed))

    @cached_property
    def _stated(self) -> frozenset[int]:
        return frozenset(self.free)

    @cached_property
    def links(self) -> Links:
        return Links(self)

    @cached_property
    def by_slot(self) -> dict[int, TopicProgram]:
        return {topic.slot: topic for topic in self.topics.values()}

    def fact_regions(self, given: Sequence[Any]) -> list[Any]:
        """The region of every fact over all completions of these raw values; the places of topics are left empty."""
        regions: list[Any] = [None] * self.width
        for slot, whole in enumerate(self.domains):
            regions[slot] = whole if given[slot] is None else point(given[slot])
        apply_steps_over(self.steps, given, regions)
        return regions

    @cached_property
    def cuts(self) -> dict[int, tuple[float, ...]]:
        """For each numeric fact the places where something can change in any topic."""
        found: dict[int, set[float]] = {}
        for topic in self.topics.values():
            for slot, places in topic.cuts.items():
                found.setdefault(slot, set()).update(places)
        return {slot: tuple(sorted(places)) for slot, places in found.items()}

    def readers(self, slot: int) -> tuple[TopicProgram, ...]:
        """The topics that a fact can matter to, in the order in which they are computed."""
        return self._readers.get(slot, ())

    @cached_property
    def _readers(self) -> dict[int, tuple[TopicProgram, ...]]:
        found: dict[int, list[TopicProgram]] = {}
        for topic in self.topics.values():
            for slot in topic.support:
                found.setdefault(slot, []).append(topic)
        return {slot: tuple(topics) for slot, topics in found.items()}

    def _slots(self, names: Iterable[str]) -> frozenset[int]:
        return frozenset(self.slots[name] for name in names)

    def _reads(self, names: Iterable[str]) -> frozenset[int]:
        """The facts of these names and those that they depend on; assumptions left out."""
        slots = self._slots(names)
        return slots.union(*(step.reads for step in self.steps if step.slot in slots))

    def _fact_expression(self, text: str) -> Expression:
        return self.knowledge.expression(text, BOOLEAN)

    def _fact_steps(self) -> tuple[FactStep, ...]:
        """Facts with rules of their own, each after the facts that these read."""
        types = fact_types(self.knowledge.vocabulary)
        found: dict[str, tuple[Expression | None, Expression | None, Expression | None]] = {}
        reads: dict[str, set[str]] = {}
        for fact in self.facts:
            texts = (fact.only_when, fact.derive, fact.assume)
            if not any(texts):
                continue
            only_when = self._fact_expression(fact.only_when) if fact.only_when else None
            derive = self.knowledge.expression(fact.derive, types[fact.name]) if fact.derive else None
            assume = self.knowledge.expression(fact.assume, types[fact.name]) if fact.assume else None
            reads[fact.name] = {name for e in (only_when, derive, assume) if e for name in e.names}
            found[fact.name] = (only_when, derive, assume)
        steps: list[FactStep] = []
        for name in in_order(reads):
            only_when, derive, assume = found[name]
            used: set[int] = set()
            for slot in self._slots({n for e in (only_when, derive) if e for n in e.names}):
                used |= {slot}.union(*(step.reads for step in steps if step.slot == slot))
            nothing = nothing_of_fact(self.knowledge.vocabulary.facts[name])
            steps.append(FactStep(self.slots[name], only_when, derive, assume, nothing, frozenset(used)))
        return tuple(steps)

    def _support_of_facts(self) -> dict[int, frozenset[int]]:
        """For each fact the facts that its value can depend on, itself included. Assumptions count: they lead."""
        support = {slot: frozenset({slot}) for slot in range(len(self.facts))}
        for step in self.steps:
            for expression in (step.only_when, step.derive, step.assume):
                for name in expression.names if expression else ():
                    support[step.slot] |= support[self.slots[name]]
        return support

    def _topic_order(self) -> list[str]:
        from advisor.knowledge.checks import topic_reads

        topics = self.knowledge.topics
        return in_order({name: set(topic_reads(self.knowledge, name)) & set(topics) for name in topics})

    def _topic(self, topic: Topic) -> TopicProgram:
        rules = self.knowledge.rules_of(topic.name, self.school)
        position = {rule.id: i for i, rule in enumerate(rules)}
        silencers: dict[str, list[int]] = {}
        for rule in rules:
            for other in rule.supersedes:
                silencers.setdefault(other, []).append(position[rule.id])
        compiled = [self._rule(topic, rule, tuple(silencers.get(rule.id, ()))) for rule in rules]
        applies = self.knowledge.expression(topic.applies, BOOLEAN) if topic.applies else None
        program = TopicProgram(topic, self.slots[topic.name], Combination(topic, compiled, self.school), applies)
        program.slots_of_applies = self._slots(applies.names) if applies else frozenset()
        direct = program.slots_of_applies.union(*(rule.reads for rule in compiled))
        upstream: dict[str, TopicProgram] = {}
        support: set[int] = set()
        for slot in sorted(direct):
            if slot < len(self.facts):
                support |= self.fact_support[slot]
            else:
                read = next(t for t in self.topics.values() if t.slot == slot)
                for one in (*read.upstream, read):
                    upstream[one.name] = one
                support |= set(read.support)
        program.upstream = tuple(one for one in self.topics.values() if one.name in upstream)
        support = self._with_constrained(support)
        program.support = tuple(sorted(support))
        program.free = tuple(slot for slot in program.support if slot in self._stated)
        program.steps = tuple(step for step in self.steps if step.slot in support)
        program.constraint_numbers = frozenset(n for n, c in enumerate(self.constraints) if c.reads & support)
        program.constraints = tuple(self.constraints[number] for number in sorted(program.constraint_numbers))
        program.cuts = self._cuts(program, rules)
        return program

    def _with_constrained(self, slots: set[int]) -> set[int]:
        """Also the facts that constraints join with these: what is known of those can rule out values of these."""
        found = set(slots)
        waiting = list(self.constraints)
        while joined := [constraint for constraint in waiting if constraint.reads & found]:
            waiting = [constraint for constraint in waiting if not constraint.reads & found]
            for slot in frozenset().union(*(constraint.reads for constraint in joined)):
                found |= self.fact_support[slot]
        return found

    def _rule(self, topic: Topic, rule: Rule, silencers: tuple[int, ...]) -> CompiledRule:
        condition = self.knowledge.condition(rule)
        reads = condition.names
        value_at: At = _no_value
        value_over: Over = _no_value
        literal: str | None = rule.value
        if not is_literal(topic, rule):
            value = self.knowledge.expression(rule.value, topic.static_type)
            value_at, value_over, literal = *bounded(topic, value), None
            reads |= value.names
        slots = self._slots(reads)
        atoms = tuple(dict.fromkeys(self._atom(conjunct) for conjunct in condition.conjuncts))
        return CompiledRule(rule, condition.at, condition.over, slots, literal, value_at, value_over, silencers, atoms)

    def _atom(self, conjunct: Conjunct) -> int:
        number = self._atom_numbers.setdefault(conjunct.text, len(self.atoms))
        if number == len(self.atoms):
            self.atoms.append(Atom(conjunct.at, self._slots(conjunct.names), conjunct.constants))
        return number

    def _expressions(self, topic: Topic, rules: Iterable[Rule]) -> Iterator[Expression]:
        if topic.applies:
            yield self.knowledge.expression(topic.applies, BOOLEAN)
        for rule in rules:
            yield self.knowledge.condition(rule)
            if not is_literal(topic, rule):
                yield self.knowledge.expression(rule.value, topic.static_type)

    def _cuts(self, program: TopicProgram, rules: Iterable[Rule]) -> dict[int, tuple[float, ...]]:
        """For each numeric fact the places where something that the topic depends on can change."""
        found: dict[int, set[float]] = {}
        for upstream in program.upstream:
            for slot, constants in upstream.cuts.items():
                found.setdefault(slot, set()).update(constants)
        expressions = list(self._expressions(program.topic, rules))
        expressions += [constraint.expression for constraint in program.constraints]
        for step in program.steps:
            expressions += [e for e in (step.only_when, step.derive) if e]
            self.computed |= self._slots(step.assume.computed) if step.assume else set()
        for expression in expressions:
            self.computed |= self._slots(expression.computed)
            for name, cuts in expression.cuts.items():
                slot = self.slots[name]
                if slot < len(self.facts):
                    places = (place for cut in cuts for place in boundaries(self.facts[slot], *cut))
                    found.setdefault(slot, set()).update(places)
        return {slot: tuple(sorted(cuts)) for slot, cuts in found.items()}


def _no_value(_: list[Any]) -> Any:
    return None


def in_order(reads: Mapping[str, set[str]]) -> list[str]:
    """The names, each after the names it reads; otherwise as declared. They don't read each other in circles."""
    done: dict[str, None] = {}

    def visit(name: str) -> None:
        if name in done or name not in reads:
            return
        for other in sorted(reads[name]):
            visit(other)
        done[name] = None

    for name in reads:
        visit(name)
    return list(done)
