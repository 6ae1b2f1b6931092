"""A rule base compiled for one school: slots for facts and topics, in an order in which each can be computed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from operator import itemgetter
from typing import Any

from advisor.inference.program.combination import Combination, CompiledRule
from advisor.inference.program.domains import boundaries, bounded
from advisor.inference.program.links import Atom, Links
from advisor.inference.program.steps import Constraint, FactStep, apply_steps_over
from advisor.inference.program.topic import TopicProgram
from advisor.knowledge.checks import topic_expressions, topic_reads
from advisor.knowledge.expressions.expressions import BOOLEAN, At, Conjunct, Over
from advisor.knowledge.expressions.operations import NOTHING
from advisor.knowledge.expressions.regions import FALSE, TRUE, Region, point
from advisor.knowledge.model import Knowledge, Policy, Rule, School, Topic, domain, fact_types, is_literal, stated_rule


class Program:
    """A rule base compiled for one school. Raises nothing: the rule base was checked when it was loaded."""

    def __init__(self, knowledge: Knowledge, school: School) -> None:
        self.knowledge = knowledge
        self.school = school
        self.slots = knowledge.symbols.slots
        self.facts = tuple(knowledge.vocabulary.facts.values())
        self.width = len(self.slots)
        self.fact_slots = knowledge.fact_slots
        self._fact_types = fact_types(knowledge.vocabulary)
        self.domains = [self._nothing(fact.name) if fact.closed else domain(fact) for fact in self.facts]
        self.steps = self._fact_steps()
        self.fact_support = self._support_of_facts()
        self.constraints = tuple(
            Constraint(expression, self._reads(expression.names), constraint.because)
            for constraint in knowledge.vocabulary.constraints
            for expression in [knowledge.expression(constraint.holds, BOOLEAN)]
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
    def step_of(self) -> dict[int, FactStep]:
        return {step.slot: step for step in self.steps}

    @cached_property
    def usual(self) -> frozenset[int]:
        """The facts whose usual value is assumed only of people who were asked and do not know."""
        return frozenset(slot for slot, fact in enumerate(self.facts) if fact.usual)

    @cached_property
    def _stated(self) -> frozenset[int]:
        return frozenset(self.free)

    @cached_property
    def links(self) -> Links:
        return Links(self.atoms, self.topics.values(), self.constraints, self.steps, self.fact_support)

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
        return {slot: tuple(sorted(places)) for slot, places in _places(self.topics.values()).items()}

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

    def _nothing(self, fact: str) -> Region:
        region: Region = NOTHING[self._fact_types[fact].kind]
        return region

    def _slots(self, names: Iterable[str]) -> frozenset[int]:
        return frozenset(sorted(self.slots[name] for name in names))  # names come in another order in every process

    def _reads(self, names: Iterable[str]) -> frozenset[int]:
        """The facts of these names and those that they depend on; assumptions left out."""
        slots = self._slots(names)
        return slots.union(*(step.reads for step in self.steps if step.slot in slots))

    def _fact_steps(self) -> tuple[FactStep, ...]:
        """Facts with rules of their own, each after the facts that these read."""
        compiled = self.knowledge.expression
        found: dict[str, FactStep] = {}
        for fact in self.facts:
            own = self._fact_types[fact.name]
            texts = ((fact.only_when, BOOLEAN), (fact.derive, own), (fact.default, own))
            if any(text for text, _ in texts):
                only_when, derive, assume = (compiled(text, wanted) if text else None for text, wanted in texts)
                slot, nothing = self.fact_slots[fact.name], self._nothing(fact.name)
                found[fact.name] = FactStep(slot, only_when, derive, assume, nothing)
        reads = {name: {read for e in step.expressions for read in e.names} for name, step in found.items()}
        steps: list[FactStep] = []
        for name in in_order(reads):
            step = found[name]
            used: set[int] = set()
            for slot in self._slots(n for e in (step.only_when, step.derive) if e for n in e.names):
                used |= {slot}.union(*(earlier.reads for earlier in steps if earlier.slot == slot))
            steps.append(replace(step, reads=frozenset(used)))
        return tuple(steps)

    def _support_of_facts(self) -> dict[int, frozenset[int]]:
        """For each fact the facts that its value can depend on, itself included. Assumptions count: they lead."""
        support = {slot: frozenset({slot}) for slot in range(len(self.facts))}
        for step in self.steps:
            for slot in self._slots(name for expression in step.expressions for name in expression.names):
                support[step.slot] |= support[slot]
        return support

    def _topic_order(self) -> list[str]:
        topics = self.knowledge.topics
        return in_order({name: set(topic_reads(self.knowledge, topic)) & set(topics) for name, topic in topics.items()})

    def _topic(self, topic: Topic) -> TopicProgram:
        rules = self.knowledge.rules_of(topic.name, self.school)
        position = {rule.id: i for i, rule in enumerate(rules)}
        silencers: dict[str, list[int]] = {}
        for rule in rules:
            for other in rule.supersedes:
                silencers.setdefault(other, []).append(position[rule.id])
        compiled = [self._rule(topic, rule, tuple(silencers.get(rule.id, ()))) for rule in rules]
        if compiled and topic.name in self.fact_slots:
            compiled.append(self._statement(topic))
        applies = self.knowledge.expression(topic.applies, BOOLEAN) if topic.applies else None
        program = TopicProgram(topic, self.slots[topic.name], Combination(topic, compiled, self.school), applies)
        program.slots_of_applies = self._slots(applies.names) if applies else frozenset()
        direct = program.slots_of_applies.union(*(rule.reads for rule in compiled))
        program.follows = topic.policy is Policy.VALUE and min(direct, default=0) >= len(self.facts)
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
        program.cuts = self._cuts(program)
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

    def _statement(self, topic: Topic) -> CompiledRule:
        """The rule by which a topic is what was stated. While its fact is unknown, it has no value at all."""
        slot = self.fact_slots[topic.name]
        reads, unknown = frozenset({slot}), self.domains[slot]
        rule = stated_rule(topic)

        def holds(values: list[Any]) -> bool:
            return values[slot] is not None

        def holds_over(regions: list[Any]) -> int:
            return FALSE if regions[slot] == unknown else TRUE

        atom = self._numbered(rule.id, Atom(holds, reads, None))
        return CompiledRule(rule, holds, holds_over, reads, None, itemgetter(slot), itemgetter(slot), (), (atom,))

    def _atom(self, conjunct: Conjunct) -> int:
        return self._numbered(conjunct.text, Atom(conjunct.at, self._slots(conjunct.names), conjunct.constants))

    def _numbered(self, text: str, atom: Atom) -> int:
        number = self._atom_numbers.setdefault(text, len(self.atoms))
        if number == len(self.atoms):
            self.atoms.append(atom)
        return number

    def _cuts(self, program: TopicProgram) -> dict[int, tuple[float, ...]]:
        """For each numeric fact the places where something that the topic depends on can change."""
        found = _places(program.upstream)
        rules = self.knowledge.rules_of(program.name, self.school)
        expressions = list(topic_expressions(self.knowledge, program.topic, rules))
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
                    found[slot].update(places)
        return {slot: tuple(sorted(cuts)) for slot, cuts in found.items()}


def _places(topics: Iterable[TopicProgram]) -> defaultdict[int, set[float]]:
    """For each numeric fact the places where something can change in one of these topics."""
    found: defaultdict[int, set[float]] = defaultdict(set)
    for topic in topics:
        for slot, places in topic.cuts.items():
            found[slot].update(places)
    return found


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
