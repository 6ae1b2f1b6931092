"""`advisor rules trial`: what became of the claims of the seed documents, by what was measured here and by arithmetic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.cli.data import DataPath, TargetColumn
from advisor.cli.inputs import (
    Answers,
    Inputs,
    Packs,
    PlainFormat,
    PlainFormatOption,
    Sets,
    gather,
    plan_of,
    recalled,
    tried,
)

if TYPE_CHECKING:
    from advisor.machine.machine import Machine
    from advisor.probes.outcome import ProbeOutcome


def trial(
    answers: Answers = None,
    sets: Sets = None,
    data: DataPath = None,
    target: TargetColumn = None,
    packs: Packs = None,
    format_: PlainFormatOption = PlainFormat.TEXT,
) -> None:
    from advisor.agent import reference
    from advisor.agent.elsewhere import measured_elsewhere
    from advisor.agent.scope import newest_in_scope, scope_of
    from advisor.agent.trial import put_on_trial
    from advisor.cli.console import look, write, write_json
    from advisor.facts.fact_base import Source
    from advisor.inference.advise import VALUES_ONLY
    from advisor.machine.published import load_tables
    from advisor.report.page import Page
    from advisor.report.trial import trial_json, trial_lines
    from advisor.resources import profiles_folder

    inputs = gather(answers, sets, "auto", packs=packs, data=data, target=target)
    if answers is None and not sets and data is None:
        facts = inputs.facts.with_values(reference.FACTS, Source.ASKED)
        inputs = Inputs(inputs.knowledge, facts, inputs.school, inputs.machine)
    plan = plan_of(inputs, VALUES_ONLY)
    assert inputs.machine is not None  # noqa: S101 - gathered with machine auto
    known = [*recalled(inputs.machine), *tried(inputs.facts)]
    scope = scope_of(plan, inputs.machine)
    outcomes = newest_in_scope(known, scope)
    earlier, machines = _of_this_host(inputs.machine)
    elsewhere = measured_elsewhere([*earlier, *known], scope, machines)
    tables = load_tables(profiles_folder() / "published")
    judged = put_on_trial(inputs.knowledge, plan, outcomes, tables, elsewhere)
    if format_ is PlainFormat.JSON:
        write_json(trial_json(judged, inputs.knowledge))
        return
    page = Page(look())
    trial_lines(page, judged)
    write(page.text())


def _of_this_host(machine: Machine) -> tuple[list[ProbeOutcome], dict[str, Machine]]:
    """What was measured on this host while it was another machine (more cores, other cards), oldest first; and the
    machines that it was, by fingerprint."""
    from advisor.agent.memory import kept_profiles

    profiles = kept_profiles()[0]
    found = [outcome for profile in profiles for outcome in profile.outcomes]
    others = [outcome for outcome in found if outcome.applies.get("machine") != machine.fingerprint]
    machines = {machine.fingerprint: machine}
    for profile in profiles:
        machines.update(profile.earlier)
        if profile.machine is not None:
            machines[profile.fingerprint] = profile.machine
    return sorted(others, key=lambda outcome: outcome.date), machines
