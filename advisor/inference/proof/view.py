"""One situation as the plan sees it, and some of its completions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from advisor.inference.outcomes import UNDECIDED, Outcome, same
from advisor.inference.program.boxes import ends, pick
from advisor.inference.program.program import Program
from advisor.inference.program.topic import TopicProgram
from advisor.inference.proof.points import Point
from advisor.inference.situation import Situation
from advisor.knowledge.model import Topic

CORNERS = (None, 0, -1)
"""The plausible completion, and those at the first and the last end of every domain."""


class View:
    """One situation as the plan sees it (assumptions made), and some of its completions."""

    def __init__(
        self, program: Program, situation: Situation, reported: Callable[[TopicProgram, Situation], Outcome]
    ) -> None:
        """`reported` tells the outcome that the plan reports for a topic."""
        self.program = program
        self.situation = situation
        self._reported_of = reported
        self.point = Point(program, situation.values, assume=True, blank=situation.blank)
        self.leads: dict[int, Outcome] = {}
        self._reported: set[int] = set()
        self._completions: dict[int | None, Point] = {}

    def lead(self, topic: TopicProgram) -> Outcome:
        """The outcome of the rules known to hold."""
        if topic.slot not in self.leads:
            self._report_upstream(topic)
            self.leads[topic.slot] = self.point.lead(topic)
        return self.leads[topic.slot]

    def prepared(self, topic: TopicProgram) -> list[Any]:
        """The values that the topic's rules see; a copy."""
        self._report_upstream(topic)
        return self.point.values.copy()

    def _report_upstream(self, topic: TopicProgram) -> None:
        for upstream in topic.upstream:
            self.report(upstream)

    def report(self, topic: TopicProgram) -> Outcome:
        """Report the topic's outcome as the plan does; topics that read it see that."""
        if topic.slot not in self._reported:
            self.lead(topic)
            self.point.report(topic, self._reported_of(topic, self.situation))
            self._reported.add(topic.slot)
        return self.point.outcomes[topic.slot]

    def completion(self, corner: int | None = None) -> Point:
        """A completion: with assumed values where there are any, else values from the middle of each domain, or from its
        first (0) or last (-1) end."""
        found = self._completions.get(corner)
        if found is None:
            program = self.program
            values = list(self.situation.values)
            for slot in program.free:
                if values[slot] is None:
                    region = program.domains[slot]
                    if corner is None:
                        values[slot] = pick(program.facts[slot], region, self.point.values[slot])
                    else:
                        values[slot] = ends(region)[corner]
            found = self._completions[corner] = Point(program, values)
        return found

    def leads_somewhere(self, topic: TopicProgram, lead: Outcome) -> bool:
        """Return whether a few completions show that not all agree on something else: one gives the lead, or two differ."""
        completions = ((corner, self.completion(corner)) for corner in CORNERS)
        feasible = ((corner, one.outcome(topic)) for corner, one in completions if one.feasible(topic))
        return leads(topic.topic, lead, feasible)


def leads(
    topic: Topic, lead: Outcome, outcomes: Iterable[tuple[int | None, Outcome]], *, plausible: bool = True
) -> bool:
    """Return whether outcomes at some corners show that the plan reports the leading one.

    Numbers that are the same within a tolerance show nothing: what all agree on is the value of the most plausible
    completion, which counts where it is `plausible` still.
    """
    seen: Outcome = UNDECIDED
    for corner, outcome in outcomes:
        if same(topic, outcome, lead) and (not topic.tolerance or (plausible and corner is None and outcome == lead)):
            return True
        if seen is not UNDECIDED and not same(topic, outcome, seen):
            return True
        seen = outcome
    return False
