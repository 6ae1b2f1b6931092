"""What both faces of the wizard work with: one conversation, saved after every step, whose plan counts what was measured
here and tried on these data before, and what is measured and tried meanwhile.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.cli.wizard.outcomes import WizardOutcomes
from advisor.errors import InputError, input_error
from advisor.wording import shorten

if TYPE_CHECKING:
    from advisor.agent.agent import Revision
    from advisor.agent.events import MeasuringEvent, MeasuringListener
    from advisor.agent.trials.events import TrialListener
    from advisor.children.stopping import Stop
    from advisor.cli.inputs import Inputs, SchoolName
    from advisor.datasets.dataset import Inspection
    from advisor.facts.fact_base import FactBase
    from advisor.inference.advise import Detail
    from advisor.inference.plan import Plan
    from advisor.interview.interview import Interview
    from advisor.interview.saved import Data
    from advisor.knowledge.model import Knowledge, School
    from advisor.machine.detection.detection import Machine
    from advisor.report.evidence import Evidence
    from advisor.training.ladder.outcome import TrialResults


class WizardDesk:
    """`resume_command` goes on with the conversation in another process; a `school` that is named outranks the one that a
    saved conversation was held by."""

    def __init__(self, inputs: Inputs, resume_command: str, school: SchoolName | None = None) -> None:
        self.inputs = inputs
        self.resume_command = resume_command
        self.school = school
        self._notes: list[tuple[str, str]] = []
        self._can_save = True
        self._outcomes = WizardOutcomes(inputs, self._note)
        self._cards_told: set[str] = set()
        self.begin_anew()

    @property
    def knowledge(self) -> Knowledge:
        return self.inputs.knowledge

    @property
    def machine(self) -> Machine | None:
        return self.inputs.machine

    @property
    def inspection(self) -> Inspection | None:
        return self.inputs.inspection

    def notes(self) -> list[tuple[str, str]]:
        told, self._notes = self._notes, []
        return told

    # --- conversations ---------------------------------------------------------------------------------------------

    @property
    def saved(self) -> bool:
        """Where there is no folder for it, nothing is; that is told when something is to be saved."""
        from advisor.interview.saved import session_file
        from advisor.machine.state import StateError

        try:
            return session_file().exists()
        except StateError:
            return False

    def begin_anew(self) -> None:
        from advisor.interview.interview import Interview

        inputs = self.inputs
        self.interview: Interview = Interview(
            inputs.knowledge, inputs.facts, inputs.school, complete=self._complete, adviser=self._advise
        )
        self._replaces_saved = False
        self._missing: Data | None = None
        """The conversation's data, where they could not be looked into: they may be there another time."""

    def resume(self) -> list[str]:
        """The school is saved with the conversation; a school that was named outranks it, and that is said."""
        from advisor.interview import saved
        from advisor.knowledge.model import School

        found = saved.load(self.knowledge.vocabulary)
        self.begin_anew()
        self._replaces_saved = True
        told = []
        if found.data is not None and self.inspection is None:
            told += self._taken_up(found.data)
        if self.school is not None and self.school.value != found.school:
            told.append(
                f"The saved conversation was held by the school {found.school}; it goes on by {self.school.value}."
            )
        self.interview.school = School(self.school.value if self.school is not None else found.school)
        refused = self.interview.restore(found.answers, found.later)
        count = len(found.answers) - len(refused)
        told.append(f"Resumed with {count} answer{'s' if count != 1 else ''}.")
        return [*told, *_asked_again(refused)]

    def _taken_up(self, data: Data) -> list[str]:
        """Looks into the saved conversation's data again; without them it goes on all the same."""
        shown = shorten(data.path, 200)
        try:
            self.use_data(self.look_into(Path(data.path), data.target))
        except InputError as error:
            self._missing = data
            what = f"{error.title}: {error.problems[0].what}"
            return [f"The data {shown} are not used any more. {what} Name them again with --data and --target."]
        return [f"Its data are used again: {shown}."]

    def open_answers(self, path: Path) -> list[str]:
        from advisor.facts.answers import read_answers

        stated = read_answers(self.knowledge.vocabulary, path, self.knowledge.topics)
        self.begin_anew()
        refused = self.interview.restore(stated, ())
        self.save()
        return _asked_again(refused)

    def save(self) -> None:
        """After every step; a state folder that cannot be written is a note, once. Nothing said replaces nothing saved."""
        from advisor.cli.machines import unknown_card
        from advisor.interview import saved

        card = unknown_card(self.interview.facts())
        if card is not None and str(card) not in self._cards_told:
            self._cards_told.add(str(card))
            self._note("Nothing is known of this card", str(card))
        said = self.interview.progress
        if not self._can_save or not (self._replaces_saved or said.answers or said.later):
            return
        try:
            if not self._replaces_saved:  # a new conversation never replaces the saved one before it is put aside
                saved.put_aside()
                self._replaces_saved = True
            found = self.inspection
            data = self._missing if found is None else saved.Data(str(Path(found.path).absolute()), found.target)
            saved.save(said, self.interview.school.value, data)
        except InputError as error:
            self._can_save = False
            self._note("The answers cannot be saved for later", str(error.problems[0]))

    def how_to_go_on(self) -> str:
        if not self._can_save:
            return "Stopped. What you said could not be saved."
        if not self.interview.progress.answers and not self.interview.progress.later:
            return "Stopped before anything was said."
        return f"Stopped. What you said is saved: `{self.resume_command}{self._data_named()}` goes on from here."

    def _data_named(self) -> str:
        """The data as options of a command that may be given in another folder."""
        if self.inspection is None:
            return ""
        named = ["--data", str(Path(self.inspection.path).absolute())]
        named += [] if self.inspection.target is None else ["--target", self.inspection.target]
        return f" {shlex.join(named)}"

    # --- data, measurements, trials --------------------------------------------------------------------------------

    def look_into(self, path: Path, target: str | None) -> Inspection:
        from advisor.cli.data import inspected

        return inspected(path, target)

    def use_data(self, inspection: Inspection) -> None:
        from advisor.cli.inputs import with_inspection
        from advisor.facts.fact_base import Source

        facts = self.inputs.facts
        for name in facts.by_source(Source.INSPECTED):
            facts = facts.without(name, Source.INSPECTED)
        facts = with_inspection(self.knowledge, facts, inspection)
        self.inputs = replace(self.inputs, facts=facts, inspection=inspection)
        self.interview.observed = facts
        self._outcomes.use(self.inputs)

    def measure(self, seconds: float, only: Sequence[str] | None, listener: MeasuringListener, stop: Stop) -> Revision:
        from advisor.agent.agent import settle
        from advisor.agent.events import ProbeFinished
        from advisor.children.stopping import STOPPED
        from advisor.cli.measuring import looked_at_closely, open_journal

        self._check_here("Nothing can be measured")
        begun = time.monotonic()
        folder = self._data_folder()
        inputs = self._in_another_thread()
        names = sorted(only) if only is not None else None
        closer = looked_at_closely(inputs, folder, stop)
        if stop.all:
            raise input_error("Nothing was measured", STOPPED)
        journal = open_journal(inputs, names, seconds, folder, fresh=False, complain=self._note)
        machine = closer.machine
        assert machine is not None  # noqa: S101 - it was one before

        def hear(event: MeasuringEvent) -> None:
            if isinstance(event, ProbeFinished) and event.outcome.measured:
                self._outcomes.keep(machine, event.outcome)
            listener(event)

        try:
            return settle(
                closer.knowledge, closer.facts, machine, seconds - (time.monotonic() - begun), school=closer.school,
                only=names, on_event=hear, folder=folder, journal=journal, trials=self._outcomes.tried(), stop=stop,
            )  # fmt: skip
        finally:
            if journal is not None:
                journal.close(finished=False)

    def try_on_data(self, seconds: float, listener: TrialListener, stop: Stop) -> TrialResults:
        from advisor.agent.trials.trying import Trying
        from advisor.cli.trial_request import open_trial_journal, prepared

        if self.inspection is None:
            raise input_error("There are no data", "none were named", remedy="Point at your data first.")
        self._check_here("Nothing can be tried")
        found = prepared(self._in_another_thread(), seconds, stop=stop)
        journal = open_trial_journal(found.inputs, found.request, seconds, fresh=False, complain=self._note)
        finished = False
        try:
            outcome = Trying(found.request, journal=journal, listener=listener, stop=stop).run()
            finished = not outcome.interrupted
        finally:
            if journal is not None:
                journal.close(finished=finished)
        self._outcomes.keep_trials(outcome)
        return replace(outcome, notes=(*found.warned, *outcome.notes), seconds=outcome.seconds + found.seconds)

    def _check_here(self, title: str) -> None:
        """Raises InputError where the plan is for another machine than this one."""
        if self.machine is None or self.inputs.outcomes is not None:
            what = "the plan is for another machine than this one"
            raise input_error(title, what, remedy="Start the wizard without --machine.")

    def _note(self, title: str, what: str) -> None:
        self._notes.append((title, what))

    def _in_another_thread(self) -> Inputs:
        """The inputs as the conversation stands, with rules of their own: an engine remembers, so threads share none."""
        knowledge = replace(self.knowledge)
        return replace(self.inputs, knowledge=knowledge, facts=self.interview.facts(), school=self.interview.school)

    def _data_folder(self) -> str | None:
        """The folder on the disk that holds the data."""
        if self.inspection is None:
            return None
        path = Path(self.inspection.path).resolve()
        return str(path if path.is_dir() else path.parent)

    def evidence(self, plan: Plan) -> Evidence:
        from advisor.agent.settling.scope import plans_this_machine
        from advisor.cli.evidence import evidence

        here = self.machine if plans_this_machine(plan.stated) else None
        counted = self._outcomes.known() if here is not None or self.inputs.outcomes is not None else ()
        return evidence(plan, here, counted)

    # --- the plan --------------------------------------------------------------------------------------------------

    def _complete(self, facts: FactBase) -> FactBase:
        from advisor.cli.machines import with_published

        return with_published(self.knowledge, facts)

    def _advise(self, facts: FactBase, school: School, detail: Detail) -> Plan:
        """What was measured on this machine counts where it is in scope, as in `advisor recommend`."""
        from advisor.agent.settling.scope import advise_here

        return advise_here(self.knowledge, facts, self.machine, self._outcomes.known(), school, detail)


def _asked_again(refused: dict[str, InputError]) -> list[str]:
    return [f"{name} is asked for again: {error.problems[0].what}" for name, error in refused.items()]
