"""What was measured on this machine and tried on these data, before this conversation and in it: what its plan counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from advisor.errors import InputError

if TYPE_CHECKING:
    from advisor.cli.inputs import Inputs
    from advisor.machine.detection.detection import Machine
    from advisor.probes.outcome import Outcome
    from advisor.training.ladder.outcome import TrialResults


class WizardOutcomes:
    """What this host remembers is read when it is first needed. `note` is told what cannot be read or kept: a title and
    a sentence."""

    def __init__(self, inputs: Inputs, note: Callable[[str, str], None]) -> None:
        self._inputs = inputs
        self._note = note
        self._known: list[Outcome] | None = None

    def known(self) -> list[Outcome]:
        """Measurements and trials, oldest first."""
        if self._known is None:
            self._known = [*self._measured_before(), *self.tried()]
        return self._known

    def tried(self) -> list[Outcome]:
        """What this host remembers of trials on these data."""
        from advisor.agent.trials.outcomes import recall_trials

        return self._readable(*recall_trials(self._inputs.facts))

    def use(self, inputs: Inputs) -> None:
        """Other data: what was tried on those before counts no longer, what was measured does."""
        from advisor.agent.trials.outcomes import is_trial

        self._inputs = inputs
        if self._known is not None:
            self._known = [*(one for one in self._known if not is_trial(one.probe)), *self.tried()]

    def keep(self, machine: Machine, outcome: Outcome) -> None:
        """Counts a measurement from now on, here and in later plans."""
        from advisor.agent.remembered.memory import LAST, remember

        self.known().append(outcome)
        if not outcome.worth_keeping:
            return
        try:
            remember(machine, [outcome], LAST)
        except InputError as error:
            self._note("The measurement cannot be kept for later", str(error.problems[0]))

    def keep_trials(self, outcome: TrialResults) -> None:
        """Counts what trials have judged from now on, here and in later plans."""
        from datetime import UTC, datetime

        from advisor.agent.trials.outcomes import remember_trials, trial_outcomes

        machine = self._inputs.machine
        fingerprint = machine.fingerprint if machine is not None else ""
        found = trial_outcomes(outcome, fingerprint, datetime.now(UTC).isoformat(timespec="seconds"))
        self.known().extend(found)
        try:
            if found:
                remember_trials(found)
        except InputError as error:
            self._note("What was tried cannot be kept for later", str(error.problems[0]))

    def _measured_before(self) -> Sequence[Outcome]:
        from advisor.agent.remembered.memory import recall

        if self._inputs.outcomes is not None:
            return self._inputs.outcomes
        return [] if self._inputs.machine is None else self._readable(*recall(self._inputs.machine))

    def _readable(self, outcomes: list[Outcome], problems: Sequence[InputError]) -> list[Outcome]:
        for problem in problems:
            self._note(problem.title, str(problem.problems[0]))
        return outcomes
