"""The worth of a probe: how much of the plan its answer settles or may change, for each second that it takes."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.facts.fact_base import Known, Source
from advisor.inference.advise import VALUES_ONLY, advise
from advisor.inference.plan import Plan, Status
from advisor.knowledge.model import Knowledge
from advisor.probes.probe import Probe, Setting

SETTLES = 1.0
"""For a bet of the plan that the probe decides, either way: the unit of worth."""
KNOWS = 0.1
"""For each rate of the machine that it measures: it changes computed numbers, and what is known of the machine."""
CLAIM = 0.05
"""For each claim of a rule that it judges."""
MOST_OUTCOMES = 4
"""Of a probe, whose consequences are looked at; each costs a plan (10 ms)."""


@dataclass(frozen=True, slots=True)
class Worth:
    """`settled`: bets that it decides; `changes`: recommendations that its outcomes change, on average; `known`: rates."""

    settled: int
    changes: float
    known: int
    claims: int

    @property
    def total(self) -> float:
        return SETTLES * (self.settled + self.changes) + KNOWS * self.known + CLAIM * self.claims


def worth(knowledge: Knowledge, plan: Plan, probe: Probe, before: Setting, settings: tuple[Setting, ...]) -> Worth:
    """The effect of a probe's outcomes on the plan, each setting being as likely to win as any other."""
    topic = knowledge.topics.get(probe.topic)
    open_ = topic is not None and plan.recommendations[topic.name].status in (Status.LEANING, Status.OPEN)
    settled = int(open_ and topic is not None and topic.probe == probe.name)
    changes = 0
    rivals = [setting for setting in settings if setting != before][:MOST_OUTCOMES]
    if probe.fact in knowledge.vocabulary.facts:
        for setting in (before, *rivals):
            facts = plan.stated.with_known(probe.fact, Known(setting, Source.MEASURED))
            then = advise(knowledge, facts, plan.school, VALUES_ONLY)
            changes += sum(then.value(name) != plan.value(name) for name in plan.recommendations)
    claims = sum(rule.settles is not None and rule.settles.probe == probe.name for rule in knowledge.rules)
    return Worth(settled, changes / (1 + len(rivals)), len(probe.gauges), claims)
