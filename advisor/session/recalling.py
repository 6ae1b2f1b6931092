"""Outcomes that this host remembers, and those that it is to remember."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from advisor.agent.trials.outcomes import recall_trials, remember_trials, trial_outcomes
from advisor.errors import Complain, InputError
from advisor.facts.fact_base import FactBase
from advisor.machine.detection.detection import Machine
from advisor.probes.outcome import Outcome

if TYPE_CHECKING:
    from advisor.training.ladder.outcome import TrialResults


def measured_before(machine: Machine, complain: Complain) -> tuple[Outcome, ...]:
    """Everything measured on this machine before, oldest first; what cannot be read of it is a complaint."""
    from advisor.agent.remembered.memory import recall  # 5 ms, only where there is a machine to recall

    outcomes, problems = recall(machine)
    _complain_of(problems, complain)
    return tuple(outcomes)


def tried_before(facts: FactBase, complain: Complain) -> tuple[Outcome, ...]:
    """Everything tried on the data that these facts were found in; what cannot be read of it is a complaint."""
    outcomes, problems = recall_trials(facts)
    _complain_of(problems, complain)
    return tuple(outcomes)


def keep(machine: Machine, outcome: Outcome, complain: Complain, name: str) -> bool:
    """Remember an outcome under this name; False where it is not worth keeping or cannot be kept, which is a complaint."""
    if not outcome.worth_keeping:
        return False
    from advisor.agent.remembered.memory import remember  # 5 ms

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


def _complain_of(errors: Sequence[InputError], complain: Complain) -> None:
    for error in errors:
        complain(error.title, str(error.problems[0]))
