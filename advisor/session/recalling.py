"""Outcomes that this host remembers, and those that it is to remember."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from advisor.agent.remembered.memory import LAST, recall, remember
from advisor.agent.trials.outcomes import recall_trials, remember_trials, trial_outcomes
from advisor.errors import InputError
from advisor.facts.fact_base import FactBase
from advisor.machine.detection.detection import Machine
from advisor.probes.outcome import Outcome
from advisor.session.complaints import Complain, complain_of

if TYPE_CHECKING:
    from advisor.training.ladder.outcome import TrialResults


def measured_before(machine: Machine, complain: Complain) -> tuple[Outcome, ...]:
    """Everything measured on this machine before, oldest first; what cannot be read of it is a complaint."""
    outcomes, problems = recall(machine)
    complain_of(problems, complain)
    return tuple(outcomes)


def tried_before(facts: FactBase, complain: Complain) -> tuple[Outcome, ...]:
    """Everything tried on the data that these facts were found in; what cannot be read of it is a complaint."""
    outcomes, problems = recall_trials(facts)
    complain_of(problems, complain)
    return tuple(outcomes)


def keep(machine: Machine, outcome: Outcome, complain: Complain, name: str = LAST) -> bool:
    """Remember an outcome under this name; False where it is not worth keeping or cannot be kept, which is a complaint."""
    if not outcome.worth_keeping:
        return False
    try:
        remember(machine, [outcome], name)
    except InputError as error:
        complain("The measurement cannot be kept for later", str(error.problems[0]))
        return False
    return True


def keep_trials(machine: Machine | None, outcome: TrialResults, complain: Complain) -> tuple[Outcome, ...]:
    """Remember what trials have judged, for plans that name the same data; returns it, kept or not."""
    fingerprint = machine.fingerprint if machine is not None else ""
    found = trial_outcomes(outcome, fingerprint, datetime.now(UTC).isoformat(timespec="seconds"))
    try:
        if found:
            remember_trials(found)
    except InputError as error:
        complain("What was tried cannot be kept for later", str(error.problems[0]))
    return tuple(found)
