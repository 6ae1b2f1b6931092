"""One situation as the plan sees it, and some of its completions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from advisor.inference.outcomes import Outcome
from advisor.inference.program.boxes import ends, pick
from advisor.inference.program.program import TopicProgram
from advisor.inference.proof.points import Point

if TYPE_CHECKING:
    from advisor.inference.proof.search import Engine
    from advisor.inference.situation import Situation


class View:
    """One situation as the plan sees it (assumptions made), and some of its completions."""

    def __init__(self, engine: Engine, situation: Situation) -> None:
        self.engine = engine
        self.situation = situation
        self.point = Point(engine.program, situation.values, assume=True, blank=situation.blank)
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
        """What the topic's rules see; a copy."""
        self._report_upstream(topic)
        return self.point.values.copy()

    def _report_upstream(self, topic: TopicProgram) -> None:
        for upstream in topic.upstream:
            self.report(upstream)

    def report(self, topic: TopicProgram) -> Outcome:
        """What the plan says of the topic; topics that read it see that."""
        if topic.slot not in self._reported:
            self.lead(topic)
            self.point.report(topic, self.engine.reported(topic, self.situation))
            self._reported.add(topic.slot)
        return self.point.outcomes[topic.slot]

    def completion(self, corner: int | None = None) -> Point:
        """A completion: with assumed values where there are any, else values from the middle of each domain, or from its
        first (0) or last (-1) end."""
        found = self._completions.get(corner)
        if found is None:
            program = self.engine.program
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
