"""The probes that could be run for a plan, and the worth of each: how much of the plan its answer settles or may change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from advisor.agent.settling.workloads import step_of, workload_of
from advisor.facts.fact_base import Known, Source
from advisor.inference.advise import VALUES_ONLY, advise
from advisor.inference.plan import Plan, Status
from advisor.knowledge.model import Knowledge
from advisor.probes.catalogue import PROBES
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


def worth(knowledge: Knowledge, plan: Plan, probe: Probe, before: Setting) -> Worth:
    """The effect of a probe's outcomes on the plan, each setting being as likely to win as any other."""
    topic = knowledge.topics.get(probe.topic)
    open_ = topic is not None and plan.recommendations[topic.name].status in (Status.LEANING, Status.OPEN)
    settled = int(open_ and topic is not None and topic.probe == probe.name)
    changes = 0
    settings = probe.settings(step_of(plan), plan_facts(plan), before)
    rivals = [setting for setting in settings if setting != before][:MOST_OUTCOMES]
    if probe.fact in knowledge.vocabulary.facts:
        for setting in (before, *rivals):
            facts = plan.stated.with_known(probe.fact, Known(setting, Source.MEASURED))
            then = advise(knowledge, facts, plan.school, VALUES_ONLY)
            changes += sum(then.value(name) != plan.value(name) for name in plan.recommendations)
    claims = sum(rule.settles is not None and rule.settles.probe == probe.name for rule in knowledge.rules)
    return Worth(settled, changes / (1 + len(rivals)), len(probe.gauges), claims)


@dataclass(frozen=True)
class Candidate:
    """A probe that could be run next."""

    probe: Probe
    before: Setting
    worth: float
    """In recommendations settled or changed."""
    settles: bool
    """True for a bet of the plan, which it decides either way, and for what somebody has named."""
    seconds: float
    """The time that it is expected to take."""


def worthwhile(plan: Plan, names: Sequence[str] | None = None) -> list[Probe]:
    """The probes that could settle an open topic of this plan (or those named)."""
    wanted = set(plan.probes if names is None else names)
    return [probe for probe in PROBES if probe.name in wanted]


def candidates(knowledge: Knowledge, plan: Plan, probes: Iterable[Probe], *, named: bool) -> list[Candidate]:
    """These probes with what they are worth for a plan; those that change nothing are left out, unless they were named."""
    found = []
    for probe in probes:
        before = before_of(plan, probe)
        if before is not None and why_not(plan, probe) is None:
            found_worth = worth(knowledge, plan, probe, before)
            if found_worth.total > 0 or named:
                settles = named or found_worth.settled > 0
                found.append(Candidate(probe, before, found_worth.total, settles, probe.cost_seconds))
    return sorted(found, key=lambda candidate: -candidate.worth / candidate.seconds)


def why_not(plan: Plan, probe: Probe) -> str | None:
    """The reason why a probe cannot say anything for this plan, or None."""
    found = workload_of(plan)
    if probe.needs_network:
        if isinstance(found, str):
            return found
        if probe.topic and plan.recommendations[probe.topic].status is Status.NOT_APPLICABLE:
            return "It means nothing for this plan."
    reason = probe.why_not(step_of(plan), plan_facts(plan))
    if reason is None and before_of(plan, probe) is None:
        return "Nothing is recommended yet that could be compared."
    return reason


def before_of(plan: Plan, probe: Probe) -> Setting | None:
    """The setting of this probe that the plan recommends."""
    values = {name: entry.value for name, entry in plan.recommendations.items()}
    return probe.before(values, step_of(plan), plan_facts(plan))


def plan_facts(plan: Plan) -> dict[str, Any]:
    """The facts that probes choose their settings from: facts of the machine and the data, and how the plan loads the data."""
    facts = {name: known.value for name, known in plan.facts.items() if name.startswith(("machine.", "data."))}
    workers = plan.facts.get("probe.workers.best")
    found = {"data.pipeline": plan.value("data.pipeline"), "probe.workers.best": workers.value if workers else None}
    return facts | {name: value for name, value in found.items() if value is not None}
