"""The agent: measures what could still change the plan, within a budget, and advises again."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from advisor.agent.scope import advise_here, plans_this_machine, workload_of
from advisor.facts.fact_base import FactBase
from advisor.inference.advise import Detail
from advisor.inference.plan import Plan, Status
from advisor.knowledge.model import Knowledge, School
from advisor.machine.detection import Machine
from advisor.probes.catalogue import PROBES, Probe
from advisor.probes.outcome import ProbeOutcome
from advisor.probes.runner import run
from advisor.probes.workload import Workload

ORDER = ("batch", "precision", "threads")
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
    """The probes that could settle an open topic of this plan (or those named), in the order in which they build on
    each other."""
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
    deadline = time.monotonic() + budget_seconds
    before = advise_here(knowledge, facts, machine, school=school, detail=detail)
    outcomes: list[ProbeOutcome] = []
    skipped: list[Skipped] = []
    probes, left_out = affordable(worthwhile(before, only), budget_seconds)
    if not plans_this_machine(facts):
        reason = "The plan is for another machine than this one."
        return Revision(before, before, (), tuple(Skipped(probe.name, reason) for probe in (*probes, *left_out)))
    for probe in left_out:
        enough = (len(probes) + len(left_out)) * ENOUGH_SECONDS
        skipped.append(Skipped(probe.name, f"The time is enough for {len(probes)} probes. All of them need {enough:.0f} s."))
    plan = before
    for position, probe in enumerate(probes):
        workload = workload_of(plan)
        unfit: str | None = workload if isinstance(workload, str) else probe.why_not(workload, plan_facts(plan))
        if unfit is None and plan.recommendations[probe.topic].status is Status.NOT_APPLICABLE:
            unfit = "It means nothing for this plan."
        share = (deadline - time.monotonic()) / (len(probes) - position)
        if unfit is None and share < FEWEST_SECONDS:
            unfit = "No time was left for it."
        if unfit is not None:
            skipped.append(Skipped(probe.name, unfit))
            _tell(on_event, "skipped", skipped[-1])
            continue
        assert isinstance(workload, Workload)  # noqa: S101
        _tell(on_event, "started", (probe, share))
        outcome = _run(probe, workload, plan, machine, share, on_event)
        _tell(on_event, "finished", outcome)
        outcomes.append(outcome)
        plan = advise_here(knowledge, facts, machine, outcomes, school, Detail(False, False, False))
    after = advise_here(knowledge, facts, machine, outcomes, school, detail)
    return Revision(before, after, tuple(outcomes), tuple(skipped))


def _tell(listener: Listener | None, what: str, about: Any) -> None:
    if listener is not None:
        listener(what, about)


def plan_facts(plan: Plan) -> dict[str, Any]:
    """The machine facts that probes choose their settings from."""
    return {name: known.value for name, known in plan.facts.items() if name.startswith("machine.")}


def _run(
    probe: Probe, workload: Workload, plan: Plan, machine: Machine, seconds: float, on_event: Listener | None
) -> ProbeOutcome:
    before = plan.value(probe.topic)
    return run(
        probe,
        workload,
        before=before,
        facts=plan_facts(plan),
        budget_seconds=seconds,
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        machine=machine.fingerprint,
        on_event=(lambda event: on_event("event", event)) if on_event else None,
    )
