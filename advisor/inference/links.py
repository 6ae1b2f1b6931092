"""What a changed fact or topic reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from advisor.inference.program import FactStep, Program


class Links:
    """What has to be worked out anew when a fact or topic changes.

    `atoms` read a slot; `users` (topic, position of the rule) contain an atom; `recombining` topics compute a value, or
    whether they apply, from a slot; `constraints` join a slot with others; `needed` are the atoms of a topic's rules.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self.atoms: dict[int, tuple[int, ...]] = {}
        for number, atom in enumerate(program.atoms):
            for slot in atom.reads:
                self.atoms[slot] = (*self.atoms.get(slot, ()), number)
        self.users: list[list[tuple[int, int]]] = [[] for _ in program.atoms]
        self.recombining: dict[int, tuple[int, ...]] = {}
        self.needed: dict[int, tuple[int, ...]] = {}
        for topic in program.topics.values():
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
        for number, constraint in enumerate(program.constraints):
            for slot in constraint.reads:
                self.constraints[slot] = (*self.constraints.get(slot, ()), number)
        self._steps: dict[tuple[int, bool], tuple[FactStep, ...]] = {}

    def steps_after(self, slot: int, *, assume: bool) -> tuple[FactStep, ...]:
        """The steps that a changed fact can make come out differently: its own and those that read it."""
        found = self._steps.get((slot, assume))
        if found is None:
            support = self._program.fact_support
            found = self._steps[slot, assume] = tuple(
                step
                for step in self._program.steps
                if step.slot == slot or slot in (support[step.slot] if assume else step.reads)
            )
        return found
