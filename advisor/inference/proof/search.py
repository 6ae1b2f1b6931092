"""Decides whether a recommendation is the same under every completion of what is unknown.

A proof comes from regions (they contain every completion), a refutation from two concrete completions that differ. Boxes
that are neither are split on a fact that undecided rules read, until decided or the node cap is reached.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from advisor.inference.outcomes import UNDECIDED, Outcome, same
from advisor.inference.plan import Flip
from advisor.inference.program.program import Program, TopicProgram
from advisor.inference.proof.proof import CORNERS, Search
from advisor.inference.proof.residual import Part, Residual
from advisor.inference.proof.view import View
from advisor.inference.situation import Decision, Situation


class Engine:
    """Answers questions about one program; what it has worked out once it remembers (results never depend on that)."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._decisions: dict[str, dict[tuple[Any, ...], Decision]] = {name: {} for name in program.topics}
        self._leading: dict[str, dict[tuple[Any, ...], Outcome]] = {name: {} for name in program.topics}
        self._overviews: dict[Situation, Overview] = {}
        self._views: dict[Situation, View] = {}
        self._residuals: dict[str, dict[tuple[Any, ...], Residual]] = {name: {} for name in program.topics}
        self._reported: dict[str, dict[tuple[Any, ...], Outcome]] = {name: {} for name in program.topics}
        self.flips: dict[str, dict[tuple[Any, ...], tuple[Flip, ...]]] = {name: {} for name in program.topics}
        self._quick: dict[str, dict[tuple[Any, ...], Outcome]] = {name: {} for name in program.topics}

    def forget(self) -> None:
        """Drops everything remembered; results stay the same."""
        for memo in (self._decisions, self._leading, self._residuals, self._reported, self._quick, self.flips):
            for remembered in memo.values():
                remembered.clear()
        self._overviews.clear()
        self._views.clear()
        for topic in self.program.topics.values():
            topic.combination.forget()

    # --- the leading outcome ---------------------------------------------------------------------------------------

    def key(self, topic: TopicProgram, situation: Situation) -> tuple[Any, ...]:
        values = situation.values
        return (situation.blank, *[values[slot] for slot in topic.support])

    def view(self, situation: Situation) -> View:
        found = self._views.get(situation)
        if found is None:
            if len(self._views) > 200:
                self._views.clear()
            found = self._views[situation] = View(self, situation)
        return found

    def prepared(self, topic: TopicProgram, situation: Situation) -> list[Any]:
        """Values with assumptions made and the reported values of upstream topics: what the leading outcome sees."""
        return self.view(situation).prepared(topic)

    def leading(self, topic: TopicProgram, situation: Situation) -> Outcome:
        memo, key = self._leading[topic.name], self.key(topic, situation)
        found = memo.get(key)
        if found is None:
            found = memo[key] = self.view(situation).lead(topic)
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
        view = self.view(situation)
        for corner in CORNERS:
            completion = view.completion(corner)
            if not completion.feasible(topic):
                continue
            outcome = completion.outcome(topic)
            if same(topic.topic, outcome, lead) and (exact or (corner is None and outcome == lead)):
                return True
            if seen is not UNDECIDED and not same(topic.topic, outcome, seen):
                return True
            seen = outcome
        return False

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
        return Search(self, self.residual(topic, situation), situation, lead).run()

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
            outcomes: dict[int, Outcome] = {}
            for topic in self.program.topics.values():
                outcomes[topic.slot], regions[topic.slot], truths[topic.slot] = topic.over(regions)
            parts = {slot: Part(topic, truths[slot], regions[slot]) for slot, topic in self.program.by_slot.items()}
            if len(self._overviews) > 100:
                self._overviews.clear()
            found = self._overviews[situation] = Overview(regions, truths, outcomes, parts)
        return found


@dataclass(frozen=True, slots=True)
class Overview:
    """Over all completions of a situation, by slot: regions of facts and topics, truths of each topic's rules, its outcome
    where that is the same everywhere, and what they leave undecided."""

    regions: list[Any]
    truths: dict[int, list[int]]
    outcomes: dict[int, Outcome]
    parts: dict[int, Part]
