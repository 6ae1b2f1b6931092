"""Evidence beside a plan: the measurements that count for it, the claims judged by them, the machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from advisor.agent.events import ProbeSkipped
from advisor.agent.remembered.dates import oldest_first
from advisor.agent.remembered.memory import kept_profiles
from advisor.agent.remembered.profile import grown
from advisor.agent.settling.elsewhere import measured_elsewhere
from advisor.agent.settling.scope import newest_in_scope, plans_this_machine, scope_of
from advisor.inference.plan import Plan
from advisor.machine.detection.detection import Machine
from advisor.machine.profiles.files import find_device
from advisor.machine.profiles.published import load_tables
from advisor.probes.outcome import Outcome
from advisor.report.contents import Evidence
from advisor.report.machine.page import machine_report
from advisor.resources import profiles_folder
from advisor.session.inputs import Inputs
from advisor.session.outlook import outlook_of
from advisor.session.standards import remembered
from advisor.survey.judged_claims import Judgement, Simulated, judge_claims


def evidence_of(inputs: Inputs, plan: Plan) -> Evidence:
    """The evidence for a plan of these inputs, with what is known of the machine that the plan is for."""
    machine = inputs.machine if plans_this_machine(plan.stated) else None
    known = () if machine is None and inputs.here else (*inputs.outcomes, *inputs.trials)
    return replace(evidence(plan, machine, known), outlook=outlook_of(inputs, plan))


def evidence(
    plan: Plan, machine: Machine | None, outcomes: Sequence[Outcome], skipped: Sequence[ProbeSkipped] = ()
) -> Evidence:
    """The evidence for a plan. Outcomes count where they are in its scope, and those that failed for their reason.

    Args:
        machine: where it was measured; None where nobody knows, and all outcomes count.
        outcomes: oldest first.
    """
    report = None
    if machine is not None:
        report = machine_report(grown(None, "", machine, "", outcomes), find_device)
    counting = tuple(outcomes if machine is None else _counting(plan, machine, outcomes))
    return Evidence(counting, tuple(skipped), judged(plan, machine, outcomes), report)


def judged(
    plan: Plan, machine: Machine | None, outcomes: Sequence[Outcome], standards: Mapping[str, Simulated] | None = None
) -> tuple[Judgement, ...]:
    """The survey's claims, judged by the outcomes that count for this plan. Of a claim that none of them judges, under which
    other conditions it was measured on this host.

    Args:
        machine, outcomes: as for `evidence`.
        standards: of the standard simulations, by claim; None for those that were kept.
    """
    assert plan.knowledge is not None  # noqa: S101 - `advise` and `read_plan` give it
    tables = load_tables(profiles_folder() / "published")
    known = remembered() if standards is None else standards
    if machine is None:
        return judge_claims(plan.knowledge, plan, outcomes, tables, standards=known)
    earlier, machines = _on_this_host(machine)
    elsewhere = measured_elsewhere([*earlier, *outcomes], scope_of(plan, machine), machines)
    return judge_claims(plan.knowledge, plan, _counting(plan, machine, outcomes), tables, elsewhere, known)


def _counting(plan: Plan, machine: Machine, outcomes: Sequence[Outcome]) -> list[Outcome]:
    failed = [outcome for outcome in outcomes if outcome.failure]
    return [*failed, *newest_in_scope(outcomes, scope_of(plan, machine))]


def _on_this_host(machine: Machine) -> tuple[list[Outcome], dict[str, Machine]]:
    """Everything ever measured on this host, oldest first, and the machines that it was meanwhile (more cores, other cards),
    by fingerprint."""
    profiles = kept_profiles()[0]
    found = [outcome for profile in profiles for outcome in profile.outcomes]
    machines = {machine.fingerprint: machine}
    for profile in profiles:
        machines.update(profile.earlier)
        if profile.machine is not None:
            machines[profile.fingerprint] = profile.machine
    return oldest_first(found), machines
