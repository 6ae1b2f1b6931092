"""The agent: measures what could still change the plan, within a budget, and advises again."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from advisor.agent.scope import advise_here, newest_in_scope, plans_this_machine, scope_of, workload_of
from advisor.facts.fact_base import FactBase
from advisor.inference.advise import VALUES_ONLY, Detail
from advisor.inference.plan import Plan, Status
from advisor.knowledge.model import Knowledge, School
from advisor.machine.detection import Machine
from advisor.probes.catalogue import PROBES, Probe
from advisor.probes.outcome import ProbeOutcome
from advisor.probes.runner import run
from advisor.probes.verdict import Verdict
from advisor.probes.workload import Workload

ORDER = ("threads", "precision", "batch")
"""With too many threads everything else is slow; who is measured early may have to be measured again."""
FEWEST_SECONDS = 3.0
"""Starting torch in a child takes about two; with less left nothing can be measured."""
ENOUGH_SECONDS = 8.0
"""In which most probes of small networks come to a verdict."""

Listener = Callable[[str, Any], None]


@dataclass(frozen=True)
class Skipped:
    """A probe that was not run, and why."""

    probe: str
    reason: str


@dataclass(frozen=True)
class Revision:
    """The plan before and after measuring."""

    before: Plan
    after: Plan
    outcomes: tuple[ProbeOutcome, ...] = ()
    skipped: tuple[Skipped, ...] = ()

    @property
    def measured(self) -> tuple[ProbeOutcome, ...]:
        """The probes that gave any result."""
        return tuple(outcome for outcome in self.outcomes if outcome.measured)


def worthwhile(plan: Plan, names: Sequence[str] | None = None) -> list[Probe]:
    """The probes that could settle an open topic of this plan (or those named), in the order in which they run."""
    wanted = set(plan.probes if names is None else names)
    known = {probe.name: probe for probe in PROBES}
    return [known[name] for name in ORDER if name in wanted and name in known]


def affordable(probes: Sequence[Probe], budget_seconds: float) -> tuple[list[Probe], list[Probe]]:
    """The cheapest probes for which the budget is enough, in their order, and those left out.

    Few probes that decide are worth more than many that don't: each gets eight seconds at least, and one always runs.
    """
    count = max(1, int(budget_seconds // ENOUGH_SECONDS))
    cheapest = sorted(probes, key=lambda probe: probe.cost_seconds)[:count]
    return [p for p in probes if p in cheapest], [p for p in probes if p not in cheapest]


def settle(
    knowledge: Knowledge,
    facts: FactBase,
    machine: Machine,
    budget_seconds: float,
    *,
    school: School = School.TODAY,
    only: Sequence[str] | None = None,
    on_event: Listener | None = None,
    detail: Detail = Detail(),  # noqa: B008 - immutable
) -> Revision:
    """Advises, runs the probes that could settle something, and advises again with what they measured.

    The budget in seconds covers everything between; each probe gets an equal share of what is left. A probe that fails
    costs its own result only.
    """
    session = _Session(knowledge, facts, machine, school, time.monotonic() + budget_seconds, on_event)
    before = advise_here(knowledge, facts, machine, school=school, detail=detail)
    fit = []
    for probe in worthwhile(before, only):
        reason = (
            why_not(before, probe) if plans_this_machine(facts) else "The plan is for another machine than this one."
        )
        if reason is None:
            fit.append(probe)
        else:
            session.skip(probe, reason)
    probes, left_out = affordable(fit, budget_seconds)
    for probe in left_out:
        session.skip(
            probe, f"The time is enough for {len(probes)}. All of them need {len(fit) * ENOUGH_SECONDS:.0f} s."
        )
    plan = session.measure(before, probes)
    again = session.out_of_scope(plan, probes)
    if again and session.seconds_left() > ENOUGH_SECONDS:
        plan = session.measure(plan, again)
    undecided = session.undecided(probes)
    if undecided and session.seconds_left() > ENOUGH_SECONDS:
        session.measure(plan, undecided)
    after = advise_here(knowledge, facts, machine, session.outcomes, school, detail)
    return Revision(before, after, tuple(session.outcomes), tuple(session.skipped))


def why_not(plan: Plan, probe: Probe) -> str | None:
    """Why a probe cannot say anything for this plan, or None."""
    workload = workload_of(plan)
    if isinstance(workload, str):
        return workload
    if plan.recommendations[probe.topic].status is Status.NOT_APPLICABLE:
        return "It means nothing for this plan."
    if plan.value(probe.topic) is None:
        return "Nothing is recommended yet that could be compared."
    return probe.why_not(workload, plan_facts(plan))


@dataclass
class _Session:
    """One run of the agent; `deadline` is a time of the monotonic clock, in seconds."""

    knowledge: Knowledge
    facts: FactBase
    machine: Machine
    school: School
    deadline: float
    listener: Listener | None
    outcomes: list[ProbeOutcome] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)

    def seconds_left(self) -> float:
        return self.deadline - time.monotonic()

    def skip(self, probe: Probe, reason: str) -> None:
        self.skipped.append(Skipped(probe.name, reason))
        self._tell("skipped", self.skipped[-1])

    def measure(self, plan: Plan, probes: Sequence[Probe]) -> Plan:
        """Runs the probes one after the other, each with the plan as the ones before have left it."""
        for position, probe in enumerate(probes):
            share = self.seconds_left() / (len(probes) - position)
            reason = why_not(plan, probe) if share >= FEWEST_SECONDS else "No time was left for it."
            workload = workload_of(plan)
            if reason is not None or isinstance(workload, str):
                self.skip(probe, str(reason))
                continue
            self._tell("started", (probe, share))
            outcome = self._run(probe, workload, plan, share)
            self.outcomes.append(outcome)
            self._tell("finished", outcome)
            plan = advise_here(self.knowledge, self.facts, self.machine, self.outcomes, self.school, VALUES_ONLY)
        return plan

    def _run(self, probe: Probe, workload: Workload, plan: Plan, seconds: float) -> ProbeOutcome:
        listener = self.listener
        return run(
            probe,
            workload,
            before=plan.value(probe.topic),
            facts=plan_facts(plan),
            budget_seconds=seconds,
            date=datetime.now(UTC).isoformat(timespec="seconds"),
            machine=self.machine.fingerprint,
            on_event=(lambda message: listener("event", message)) if listener else None,
        )

    def undecided(self, probes: Sequence[Probe]) -> list[Probe]:
        """Probes whose last result decided nothing: what time is left is theirs."""
        last = {outcome.probe: outcome for outcome in self.outcomes}
        return [p for p in probes if p.name in last and last[p.name].verdict is Verdict.UNDECIDED]

    def out_of_scope(self, plan: Plan, probes: Sequence[Probe]) -> list[Probe]:
        """Probes whose result no longer counts, since a later one has overturned what it was measured with."""
        counted = {outcome.probe for outcome in newest_in_scope(self.outcomes, scope_of(plan, self.machine))}
        measured = {outcome.probe for outcome in self.outcomes if outcome.measured}
        return [probe for probe in probes if probe.name in measured - counted]

    def _tell(self, what: str, about: Any) -> None:
        if self.listener is not None:
            self.listener(what, about)


def plan_facts(plan: Plan) -> dict[str, Any]:
    """The facts of the machine and the data that probes choose their settings from."""
    return {name: known.value for name, known in plan.facts.items() if name.startswith(("machine.", "data."))}
