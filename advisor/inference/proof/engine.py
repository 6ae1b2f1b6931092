"""One compiled rule base with all that it has worked out: leading and reported outcomes, and whether they are settled."""

from __future__ import annotations

from typing import Any

from advisor.inference.outcomes import UNDECIDED, Outcome
from advisor.inference.plan import Flip
from advisor.inference.program.program import Program
from advisor.inference.program.topic import TopicProgram
from advisor.inference.proof.residual import Overview, Residual, overview_of
from advisor.inference.proof.search import Search
from advisor.inference.proof.view import View
from advisor.inference.situation import Decision, Situation


class Engine:
    """Answers to questions about one program; what was worked out once is remembered (results never depend on that)."""

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
        """Drop everything remembered; results stay the same."""
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
            found = self._views[situation] = View(self.program, situation, self.reported)
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
                found = lead if self.view(situation).leads_somewhere(topic, lead) else UNDECIDED
            if found is UNDECIDED and not cheaply:
                found = self.decide(topic, situation).outcome
            if len(memo) > 20_000:
                memo.clear()
            memo[key] = found
        return found

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
        return Search(self.residual(topic, situation), self.view(situation), lead).run()

    def residual(self, topic: TopicProgram, situation: Situation) -> Residual:
        memo, key = self._residuals[topic.name], self.key(topic, situation)
        found = memo.get(key)
        if found is None:
            if len(memo) > 500:
                memo.clear()
            found = memo[key] = Residual(self.program, self.overview(situation), topic, situation)
        return found

    def overview(self, situation: Situation) -> Overview:
        """Everything that holds for facts, topics and rules over all completions of a situation."""
        found = self._overviews.get(situation)
        if found is None:
            if len(self._overviews) > 100:
                self._overviews.clear()
            found = self._overviews[situation] = overview_of(self.program, situation)
        return found
