"""One compiled rule base with all that it has worked out: leading and reported outcomes, and whether they are settled."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeAlias, TypeVar

from advisor.inference.outcomes import UNDECIDED, Outcome
from advisor.inference.plan import Flip
from advisor.inference.program.program import Program
from advisor.inference.program.topic import TopicProgram
from advisor.inference.proof.residual import Overview, Residual
from advisor.inference.proof.search import Search
from advisor.inference.proof.view import View
from advisor.inference.situation import Decision, Situation

T = TypeVar("T")


Key: TypeAlias = tuple[Any, ...]


class Memo(dict[Hashable, T]):
    """Results by what was asked; where there are too many, all are worked out anew."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def __setitem__(self, key: Hashable, found: T) -> None:
        if len(self) > self.most:
            self.clear()
        super().__setitem__(key, found)

    def of(self, key: Hashable, make: Callable[[], T]) -> T:
        found = self.get(key)
        if found is None:
            found = self[key] = make()
        return found


class Engine:
    """Answers to questions about one program; what was worked out once is remembered (results never depend on that)."""

    def __init__(self, program: Program) -> None:
        self.program = program
        names = program.topics
        self._decisions: dict[str, Memo[Decision]] = {name: Memo(20_000) for name in names}
        self._leading: dict[str, Memo[Outcome]] = {name: Memo(20_000) for name in names}
        self._reported: dict[str, Memo[Outcome]] = {name: Memo(20_000) for name in names}
        self._quick: dict[str, Memo[Outcome]] = {name: Memo(20_000) for name in names}
        self._residuals: dict[str, Memo[Residual]] = {name: Memo(500) for name in names}
        self.flips: dict[str, Memo[tuple[Flip, ...]]] = {name: Memo(2_000) for name in names}
        self._overviews: Memo[Overview] = Memo(100)
        self._views: Memo[View] = Memo(200)

    def forget(self) -> None:
        """Drop everything remembered; results stay the same."""
        for memo in (self._decisions, self._leading, self._residuals, self._reported, self._quick, self.flips):
            for remembered in memo.values():
                remembered.clear()
        self._overviews.clear()
        self._views.clear()
        for topic in self.program.topics.values():
            topic.combination.forget()

    def key(self, topic: TopicProgram, situation: Situation) -> Key:
        values = situation.values
        return (situation.blank, *[values[slot] for slot in topic.support])

    # --- the leading outcome ---------------------------------------------------------------------------------------

    def view(self, situation: Situation) -> View:
        return self._views.of(situation, lambda: View(self.program, situation, self.reported))

    def prepared(self, topic: TopicProgram, situation: Situation) -> list[Any]:
        """Values with assumptions made and the reported values of upstream topics: what the leading outcome sees."""
        return self.view(situation).prepared(topic)

    def leading(self, topic: TopicProgram, situation: Situation) -> Outcome:
        return self._leading[topic.name].of(self.key(topic, situation), lambda: self.view(situation).lead(topic))

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
                found = lead if topic.follows or self.view(situation).leads_somewhere(topic, lead) else UNDECIDED
            if found is UNDECIDED and not cheaply:
                found = self.decide(topic, situation).outcome
            memo[key] = found
        return found

    # --- settled or not --------------------------------------------------------------------------------------------

    def decide(self, topic: TopicProgram, situation: Situation) -> Decision:
        return self._decisions[topic.name].of(self.key(topic, situation), lambda: self._decide(topic, situation))

    def _decide(self, topic: TopicProgram, situation: Situation) -> Decision:
        lead = self.leading(topic, situation)
        if topic.silent:
            return Decision(lead, settled=True)
        found = Search(self.residual(topic, situation), self.view(situation), lead).run()
        if topic.follows and found.outcome != lead:
            return Decision(lead, settled=False, open_slots=self.residual(topic, situation).open_slots)
        return found

    def residual(self, topic: TopicProgram, situation: Situation) -> Residual:
        return self._residuals[topic.name].of(
            self.key(topic, situation), lambda: Residual(self.program, self.overview(situation), topic, situation)
        )

    def overview(self, situation: Situation) -> Overview:
        """Everything that holds for facts, topics and rules over all completions of a situation, as far as it is asked for."""
        return self._overviews.of(situation, lambda: Overview(self.program, situation))
