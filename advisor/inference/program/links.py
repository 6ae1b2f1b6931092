"""The atoms, rules and topics that a changed fact or topic reaches."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from advisor.inference.program.steps import Constraint, FactStep
from advisor.inference.program.topic import TopicProgram
from advisor.knowledge.expressions.expressions import At


@dataclass(frozen=True, slots=True)
class Atom:
    """A condition that rules join with others by `and`; rules that say the same share it."""

    at: At
    reads: frozenset[int]
    constants: frozenset[float] | None  # that it compares numbers with, None where it computes with them


class Effect(NamedTuple):
    """Atoms with their new truth, and by topic the positions of the rules that contain one of them."""

    atoms: tuple[tuple[int, bool | None], ...]
    rules: tuple[tuple[int, frozenset[int]], ...]


NO_EFFECT = Effect((), ())


class Links:
    """An index of everything to be worked out anew when a fact or topic changes.

    `joining` atoms read a slot and others, or compute with it; `users` (topic, position of the rule) contain an atom;
    `recombining` topics compute a value, or whether they apply, from a slot; `constraints` join a slot with others; `needed`
    are the atoms of a topic's rules.
    """

    def __init__(
        self,
        atoms: Sequence[Atom],
        topics: Iterable[TopicProgram],
        constraints: Sequence[Constraint],
        steps: Sequence[FactStep],
        fact_support: Mapping[int, Collection[int]],
    ) -> None:
        self._atoms = atoms
        self._all_steps = steps
        self._fact_support = fact_support
        self.joining: dict[int, tuple[int, ...]] = {}
        self._alone: dict[int, tuple[int, ...]] = {}
        compared: dict[int, set[float]] = {}
        for number, atom in enumerate(atoms):
            if len(atom.reads) == 1 and atom.constants is not None:
                (slot,) = atom.reads
                self._alone[slot] = (*self._alone.get(slot, ()), number)
                compared.setdefault(slot, set()).update(atom.constants)
                continue
            for slot in atom.reads:
                self.joining[slot] = (*self.joining.get(slot, ()), number)
        self._constants = {slot: sorted(found) for slot, found in compared.items()}
        self._effects: dict[tuple[int, Any, Any], Effect] = {}
        self.users: list[list[tuple[int, int]]] = [[] for _ in atoms]
        self.recombining: dict[int, tuple[int, ...]] = {}
        self.needed: dict[int, tuple[int, ...]] = {}
        for topic in topics:
            needed: dict[int, None] = {}
            for position, rule in enumerate(topic.combination.rules):
                for number in rule.atoms:
                    self.users[number].append((topic.slot, position))
                    needed[number] = None
            self.needed[topic.slot] = tuple(needed)
            computed = (rule.reads for rule in topic.combination.rules if rule.literal is None)
            for slot in topic.slots_of_applies.union(*computed):
                self.recombining[slot] = (*self.recombining.get(slot, ()), topic.slot)
        self.constraints: dict[int, tuple[int, ...]] = {}
        for number, constraint in enumerate(constraints):
            for slot in constraint.reads:
                self.constraints[slot] = (*self.constraints.get(slot, ()), number)
        self._steps: dict[tuple[int, bool], tuple[FactStep, ...]] = {}

    def effect(self, slot: int, before: Any, after: Any) -> Effect:
        """The effect of a change of one slot on the atoms that read nothing else. Remembered: atoms compare with constants, so
        numbers in the same cell between two of them are all one."""
        old, new = self._cell(slot, before), self._cell(slot, after)
        if old == new:
            return NO_EFFECT
        key = (slot, old, new)
        found = self._effects.get(key)
        if found is None:
            found = self._effects[key] = self._effect(slot, before, after)
        return found

    def _cell(self, slot: int, value: Any) -> Any:
        if type(value) is int or type(value) is float:
            constants = self._constants.get(slot, ())
            return bisect_left(constants, value) + bisect_right(constants, value)
        return value if isinstance(value, str | bool | frozenset) or value is None else ()

    def _effect(self, slot: int, before: Any, after: Any) -> Effect:
        values: list[Any] = [None] * (slot + 1)
        atoms = []
        rules: dict[int, set[int]] = {}
        for number in self._alone.get(slot, ()):
            at = self._atoms[number].at
            values[slot] = before
            old = at(values)
            values[slot] = after
            now = at(values)
            if now is not old:
                atoms.append((number, now))
                for topic, position in self.users[number]:
                    rules.setdefault(topic, set()).add(position)
        return Effect(tuple(atoms), tuple((topic, frozenset(positions)) for topic, positions in rules.items()))

    def steps_after(self, slot: int, *, assume: bool) -> tuple[FactStep, ...]:
        """The steps that a changed fact can make come out differently: its own and those that read it."""
        found = self._steps.get((slot, assume))
        if found is None:
            support = self._fact_support
            found = self._steps[slot, assume] = tuple(
                step
                for step in self._all_steps
                if step.slot == slot or slot in (support[step.slot] if assume else step.reads)
            )
        return found
