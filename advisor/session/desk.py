"""The desk of a wizard: one conversation, saved after every step, whose plan counts what was measured here and tried on these
data before, and what is measured and tried meanwhile.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.agent.agent import Revision
from advisor.agent.events import MeasuringEvent, MeasuringListener, ProbeFinished
from advisor.agent.settling.advising import advise_here
from advisor.agent.settling.network import with_network
from advisor.agent.trials.events import TrialListener
from advisor.children.errors import CannotRunError
from advisor.children.stopping import STOPPED, Stop
from advisor.children.temporary import remove_abandoned
from advisor.datasets.dataset import Album, Inspection
from advisor.errors import InputError, input_error
from advisor.facts.answers import as_arguments, read_answers
from advisor.facts.fact_base import FactBase, Source
from advisor.facts.vocabulary import Value
from advisor.inference.advise import Detail
from advisor.inference.plan import Plan
from advisor.interview import saved
from advisor.interview.interview import Interview
from advisor.interview.saved import Data, session_file
from advisor.knowledge.model import Knowledge, School
from advisor.machine.detection.detection import Machine
from advisor.machine.state import StateError
from advisor.probes.outcome import Outcome
from advisor.report.contents import Evidence, Outlook
from advisor.session.data import album_of, folder_of, inspected, with_inspection, with_scaled_bytes
from advisor.session.evidence import evidence_of
from advisor.session.inputs import Inputs, plan_of
from advisor.session.keeping import tried_and_kept
from advisor.session.machines import unknown_card, with_published
from advisor.session.measuring import check_here, measuring
from advisor.session.models import with_model
from advisor.session.outlook import outlook_of
from advisor.session.recalling import tried_before
from advisor.training.ladder.outcome import TrialResults
from advisor.wording import shell_path, shell_words, shorten

if TYPE_CHECKING:
    from advisor.distributed.job import Job, Message
    from advisor.session.simulating import Asked as Simulating
    from advisor.session.simulating import Simulation
    from advisor.session.simulating_plans import PlanSimulation
    from advisor.session.syncing import Asked as Training
    from advisor.session.syncing import Trained
    from advisor.simulation.scenario import Scenario

_PLANS_KEPT = 4
_SHOWN = Detail(reasons=True, flips=False, questions=False)
"""Of a plan that is kept: it serves whoever wants less, too."""


class Desk:
    """`resume_command` goes on with the conversation in another process; a `school` that is named outranks the one that a
    saved conversation was held by. `notes` are to be shown first. `named` are options that other commands repeat, as typed.

    Do not keep `interview`: it is another one after `begin_anew`. Any method may take long, so a screen calls none in its own
    thread: `save`, `begin_anew`, `resume`, `open_answers` and `use_data` through `Host.think`, the others in a thread of their
    own.
    """

    def __init__(
        self,
        inputs: Inputs,
        resume_command: str,
        school: School | None = None,
        notes: Sequence[tuple[str, str]] = (),
        named: str = "",
    ) -> None:
        self.inputs = inputs
        self._named = named
        self.resume_command = resume_command
        self.school = school
        self._notes = list(notes)
        self._can_save = True
        self._lock = threading.Lock()
        self._advised: deque[tuple[tuple[FactBase, School, tuple[Outcome, ...]], Plan]] = deque(maxlen=_PLANS_KEPT)
        self._cards_told: set[str] = set()
        self._pointed = False
        """Data were named in the conversation, and not by the command that began it."""
        self.last_tried: TrialResults | None = None
        """Of the last trials on these data; with them:"""
        self.kept_in: str | None = None
        """The folder of their winner and how to apply it, in sentences; None where it is not saved."""
        self.last_trained: Trained | None = None
        """Of the last strategies that were trained in this conversation; of the last one that was simulated; and of the last ones
        that a simulator has compared for the plan:"""
        self.last_simulated: Simulation | None = None
        self.last_compared: PlanSimulation | None = None
        remove_abandoned()
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
        """Titles and texts of problems with reading or saving since the last call, each to be shown once."""
        told, self._notes = self._notes, []
        return told

    # --- conversations ---------------------------------------------------------------------------------------------

    @property
    def saved(self) -> bool:
        """Say whether there is an earlier conversation; without a folder for it there is none, which `save` complains of."""
        try:
            return session_file().exists()
        except StateError:
            return False

    def begin_anew(self) -> None:
        """Start an empty conversation; facts of machine and data stay."""
        inputs = self.inputs
        self.interview: Interview = Interview(
            inputs.knowledge,
            inputs.facts,
            inputs.school,
            complete=self._complete,
            adviser=self._advise,
            counted=self._counted,
        )
        self.last_trained = self.last_simulated = self.last_compared = None
        self._replaces_saved = False
        self._missing: Data | None = None
        """The conversation's data, where they could not be looked into: they may be there another time."""

    def resume(self) -> list[str]:
        """Resume the saved conversation, by the school named or else the saved one; return remarks on it. Raises InputError."""
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
        self.interview.school = School(self.school or found.school)
        refused = self.interview.restore(found.answers, found.later)
        count = len(found.answers) - len(refused)
        told.append(f"Resumed with {count} answer{'s' if count != 1 else ''}.")
        return [*told, *_asked_again(refused)]

    def _taken_up(self, data: Data) -> list[str]:
        """Look into the saved conversation's data again; without them it goes on all the same."""
        shown = shorten(data.path, 200)
        try:
            self.use_data(self.look_into(Path(data.path), data.target))
        except InputError as error:
            self._missing = data
            what = f"{error.title}: {error.problems[0].what}"
            return [f"The data {shown} are not used any more. {what} Name them again with --data and --target."]
        return [f"Its data are used again: {shown}."]

    def open_answers(self, path: Path) -> list[str]:
        """Start and save a conversation with the answers of this file; return remarks on it. Raises InputError."""
        return self.begin_with(read_answers(self.knowledge.vocabulary, path, self.knowledge.topics))

    def begin_with(self, stated: Mapping[str, Value | None]) -> list[str]:
        """Start and save a conversation in which this is said already; return remarks on it."""
        self.begin_anew()
        refused = self.interview.restore(stated, ())
        self.save()
        return _asked_again(refused)

    def save(self) -> None:
        """After every step; a state folder that cannot be written is a note, once. Nothing said replaces nothing saved."""
        card = unknown_card(self.interview.facts())
        if card is not None and str(card) not in self._cards_told:
            self._cards_told.add(str(card))
            self._note("Nothing is known of this card", str(card))
        said = self.interview.progress
        if not self._can_save or not (self._replaces_saved or self._has_said):
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
        """The last words of the wizard: whether the answers are saved, and the command that resumes the conversation."""
        if not self._has_said:
            return "Stopped before anything was said."
        self.save()
        if not self._can_save:
            return "Stopped. What you said could not be saved."
        return f"Stopped. What you said is saved: `{self.resume_command}{self._data_named()}` goes on from here."

    @property
    def _has_said(self) -> bool:
        """True once something was answered or put off, or data were named."""
        said = self.interview.progress
        return bool(said.answers or said.later or self._pointed)

    def told(self) -> str:
        """Arguments by which another command plans for the same."""
        answers = as_arguments(self.interview.facts().by_source(Source.ASKED))
        school = "" if self.interview.school is School.TODAY else f"--school {self.interview.school.value}"
        return " ".join(filter(None, (answers, self._data_named().strip(), self._named, school)))

    def _data_named(self) -> str:
        """The data as options of a command that may be given in another folder."""
        if self.inspection is None:
            return ""
        named = ["--data", str(Path(self.inspection.path).absolute())]
        named += [] if self.inspection.target is None else ["--target", self.inspection.target]
        return f" {shell_words(named)}"

    # --- data, measurements, trials --------------------------------------------------------------------------------

    def look_into(self, path: Path, target: str | None) -> Inspection:
        """Inspect a dataset without using it yet. Raises InputError."""
        return inspected(path, target)

    def album(self, inspection: Inspection) -> Album | None:
        """Thumbnails of these pictures; None where none can be drawn. Raises InputError."""
        return album_of(inspection)

    def use_data(self, inspection: Inspection) -> None:
        """Use the facts of this dataset beneath the answers, in place of those of another."""
        self._pointed, self.last_tried = True, None
        self.last_trained = self.last_simulated = self.last_compared = None
        facts = with_inspection(self.knowledge, self.inputs.facts, inspection, here=self.inputs.here)
        with self._lock:
            trials = tried_before(facts, self._note)
            self.inputs = replace(self.inputs, facts=facts, inspection=inspection, trials=trials)
        self.interview.observed = facts

    def measure(self, seconds: float, only: Sequence[str] | None, listener: MeasuringListener, stop: Stop) -> Revision:
        """Measure this machine for the plan as it stands; outcomes are kept, and the plan counts them from then on."""

        def hear(event: MeasuringEvent) -> None:
            if isinstance(event, ProbeFinished) and event.outcome.measured:
                self._count(outcomes=(event.outcome,))
            listener(event)

        folder = None if self.inspection is None else folder_of(Path(self.inspection.path))
        inputs = self.inputs_now()
        with measuring(
            inputs, seconds, complain=self._note, only=only, folder=folder, on_event=hear, stop=stop
        ) as done:
            return done.revision

    def try_on_data(
        self, seconds: float, listener: TrialListener, stop: Stop, metric: str | None = None, save: Path | None = None
    ) -> TrialResults:
        """Try the plan on the dataset, and count the outcomes likewise. Raises InputError where nothing can be tried.

        Args:
            metric: by which models are compared; None for the task's.
            save: a folder for the winner, if it is to be saved; what keeps it from that is a note.
        """
        self.kept_in = None
        done, card = tried_and_kept(
            self.inputs_now(), seconds, save, complain=self._note, metric=metric, on_event=listener, stop=stop
        )
        self._count(trials=done.found)
        self.last_tried = done.outcome
        if card is not None:
            apply = f"`advisor apply {shell_path(str(save))} --data NEW --output PREDICTIONS.csv` predicts with it."
            self.kept_in = f"{card.name} is saved in {shorten(save, 200)}. {apply}"
            self._note("The model is saved", self.kept_in)
        return done.outcome

    # --- strategies of several workers -----------------------------------------------------------------------------

    def trainings(self, asked: Training, seconds: float) -> tuple[Job, Sequence[str]]:
        """The trainings that would run here for the plan as it stands, and what is assumed for them. Raises InputError."""
        from advisor.session.syncing import job_of  # 40 ms, as in the methods below: few conversations come to it

        check_here(self.inputs, "Nothing can be trained")
        return job_of(self.interview.plan(_SHOWN), self.inputs, asked, seconds)

    def train_strategies(
        self, asked: Training, seconds: float, listener: Callable[[Message], None], stop: Stop
    ) -> Trained:
        """Train under several strategies on this machine; what is finished comes back. Raises InputError where nothing is."""
        from advisor.session.syncing import trained

        try:
            done = trained(self.inputs_now(), asked, seconds, complain=self._note, hear=listener, stop=stop)
        except CannotRunError as error:
            raise input_error("Nothing was trained", str(error)) from error
        if not done.results.runs:
            raise input_error("Nothing was trained", done.results.failed or STOPPED)
        self.last_trained = done
        self._count(outcomes=done.outcomes)
        return done

    def cluster(self, asked: Simulating) -> tuple[Scenario, Sequence[str]]:
        """The cluster that would be simulated for the plan as it stands, and what is assumed for it. Raises InputError."""
        from advisor.session.simulating import scenario_of

        return scenario_of(self.interview.plan(_SHOWN), self.inputs, asked)

    def simulate_strategy(
        self, asked: Simulating, seconds: float, tell: Callable[[float], None], stop: Stop
    ) -> Simulation:
        """Simulate a strategy for the plan as it stands; `tell` hears the share that is done.

        Raises InputError, also where it was stopped before its end.
        """
        from advisor.session.simulating import simulated

        try:
            done = simulated(self.inputs_now(), asked, seconds, stop, tell)
        except CannotRunError as error:
            raise input_error("Nothing was simulated", str(error)) from error
        if stop.all:
            raise input_error("Nothing was simulated", STOPPED)
        self.last_simulated = done
        return done

    def contest(self, asked: Simulating) -> tuple[Scenario, Sequence[str], Sequence[str]]:
        """The plan's own cluster, the strategies whose losses would be compared on it, and what is assumed. Raises InputError."""
        from advisor.agent.simulating import contestants
        from advisor.agent.strategies import circumstances, reference_of, without_strategies
        from advisor.session.simulating import MOST_LEARNING, scenario_of

        inputs = self.inputs_now()
        alone = replace(inputs, outcomes=without_strategies(inputs.outcomes))
        plan = self.interview.plan(_SHOWN) if alone.outcomes == inputs.outcomes else plan_of(alone)
        scenario, notes = scenario_of(plan, inputs, replace(asked, strategy=reference_of(plan)))
        if circumstances(plan).alone:
            notes = (
                f"The plan trains with one worker: what {scenario.workers} would do does not count for it.",
                *notes,
            )
        return scenario, contestants(plan, scenario) if 1 < scenario.workers <= MOST_LEARNING else (), notes

    def compare_for_plan(
        self, asked: Simulating, seconds: float, tell: Callable[[float], None], stop: Stop
    ) -> PlanSimulation:
        """Compare strategies and numbers of workers for the plan as it stands, in virtual time; what counts for it is kept.

        Raises InputError, also where it was stopped before its end.
        """
        from advisor.session.simulating_plans import simulated_for_plan

        try:
            done = simulated_for_plan(self.inputs_now(), asked, seconds, complain=self._note, stop=stop, tell=tell)
        except CannotRunError as error:
            raise input_error("Nothing was simulated", str(error)) from error
        self.last_compared = done
        self._count(outcomes=done.outcomes)
        return done

    # --- what the plan rests on ------------------------------------------------------------------------------------

    def evidence(self, plan: Plan) -> Evidence:
        inputs = replace(self.inputs, facts=self.interview.facts(), school=self.interview.school)
        return evidence_of(inputs, plan)

    def needs(self, plan: Plan) -> Outlook:
        """The needs of training by this plan, and ways to be done sooner, each of which is planned for: up to a second."""
        return outlook_of(self.inputs_now(), plan)

    def _count(self, outcomes: Sequence[Outcome] = (), trials: Sequence[Outcome] = ()) -> None:
        """Let the plan of this conversation count what was found from now on."""
        with self._lock:
            now = self.inputs
            self.inputs = replace(now, outcomes=(*now.outcomes, *outcomes), trials=(*now.trials, *trials))

    def _note(self, title: str, what: str) -> None:
        self._notes.append((title, what))

    def inputs_now(self) -> Inputs:
        """The inputs as the conversation stands, with rules of their own: an engine remembers, so threads share none."""
        knowledge = replace(self.knowledge)
        return replace(self.inputs, knowledge=knowledge, facts=self.interview.facts(), school=self.interview.school)

    # --- the plan --------------------------------------------------------------------------------------------------

    def _complete(self, facts: FactBase) -> FactBase:
        return with_model(self.knowledge, with_published(self.knowledge, with_scaled_bytes(facts)))

    def _counted(self, facts: FactBase, school: School) -> FactBase:
        return with_network(self.knowledge, facts, school).facts

    def _advise(self, facts: FactBase, school: School, detail: Detail) -> Plan:
        """Advise as `advisor recommend` does: measurements count where they are in scope.

        A step asks for the plan before it, after it, and once more to show it: the last ones are kept.
        """
        known = (*self.inputs.outcomes, *self.inputs.trials)
        if detail.flips or detail.questions:
            return advise_here(self.knowledge, facts, self.machine, known, school, detail)
        asked = (facts, school, known)
        for same, plan in self._advised:
            if same == asked:
                return plan
        plan = advise_here(self.knowledge, facts, self.machine, known, school, _SHOWN)
        self._advised.append((asked, plan))
        return plan


def _asked_again(refused: dict[str, InputError]) -> list[str]:
    return [f"{name} is asked for again: {error.problems[0].what}" for name, error in refused.items()]
