"""What the HTML report shows beside a plan, gathered for commands: measurements, claims judged by them, the machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from advisor.agent.agent import Skipped
    from advisor.cli.inputs import Inputs
    from advisor.inference.plan import Plan
    from advisor.machine.detection import Machine
    from advisor.probes.outcome import ProbeOutcome
    from advisor.report.html.evidence import Evidence


def evidence_of(inputs: Inputs, plan: Plan) -> Evidence:
    """What is remembered of the machine that the plan is for."""
    from advisor.agent.scope import plans_this_machine
    from advisor.cli.inputs import recalled

    machine = inputs.machine if plans_this_machine(plan.stated) else None
    outcomes = inputs.outcomes
    if outcomes is None:
        outcomes = tuple(recalled(machine)) if machine is not None else ()
    return evidence(plan, machine, outcomes)


def evidence(
    plan: Plan, machine: Machine | None, outcomes: Sequence[ProbeOutcome], skipped: Sequence[Skipped] = ()
) -> Evidence:
    """Outcomes count where they are in the plan's scope, and those that failed for their reason.

    Args:
        machine: where it was measured; None where nobody knows, and all outcomes count.
        outcomes: oldest first.
    """
    from advisor.agent.machine_profile import grown
    from advisor.agent.scope import newest_in_scope, scope_of
    from advisor.agent.trial import put_on_trial
    from advisor.machine.profiles import find_device
    from advisor.machine.published import load_tables
    from advisor.report.html.evidence import Evidence
    from advisor.report.machine_page import machine_report
    from advisor.resources import profiles_folder

    assert plan.knowledge is not None  # noqa: S101 - `advise` and `read_plan` give it
    counting, report = list(outcomes), None
    if machine is not None:
        failed = [outcome for outcome in outcomes if outcome.failure]
        counting = [*failed, *newest_in_scope(outcomes, scope_of(plan, machine))]
        report = machine_report(grown(None, "", machine, "", outcomes), find_device)
    judged = put_on_trial(plan.knowledge, plan, counting, load_tables(profiles_folder() / "published"))
    return Evidence(tuple(counting), tuple(skipped), judged, report)
