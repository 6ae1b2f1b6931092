"""`advisor wizard`: the conversation on a terminal or through a pipe, ending in a plan and a report."""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from advisor.cli.console import BAD_INPUT, INTERRUPTED, error_panel, interactive, panel, warn, write
from advisor.cli.data import DataPath, TargetColumn
from advisor.cli.inputs import Inputs, MachineName, Packs, SchoolName, gather
from advisor.cli.wizard_lines import read, say

if TYPE_CHECKING:
    from advisor.facts.fact_base import FactBase
    from advisor.inference.advise import Detail
    from advisor.inference.plan import Plan
    from advisor.interview.interview import Interview
    from advisor.knowledge.model import School
    from advisor.probes.outcome import ProbeOutcome


def wizard(
    plain: Annotated[bool, typer.Option("--plain", help="Line by line, for pipes and screen readers.")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the conversation saved last.")] = False,
    data: DataPath = None,
    target: TargetColumn = None,
    machine: MachineName = "auto",
    school: Annotated[
        SchoolName | None,
        typer.Option("--school", help="today's practice (the default), or the survey of 2018 as written."),
    ] = None,
    packs: Packs = None,
) -> None:
    if not plain and not interactive():
        panel("There is no terminal for the wizard", ["`advisor wizard --plain` works through a pipe."])
        raise typer.Exit(BAD_INPUT)
    sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]
    inputs = gather(machine=machine, school=school or SchoolName.TODAY, packs=packs, data=data, target=target)
    conversation = _Conversation(inputs, _resume_command(machine, packs, data, target))
    if resume:
        conversation.take_up(school)
    try:
        conversation.run()
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C has nothing left to stop
        write("")  # the prompt stands without a line end
        panel("Interrupted", [conversation.how_to_go_on()], style="yellow")
        raise SystemExit(INTERRUPTED) from None


def _resume_command(machine: str, packs: Packs, data: DataPath = None, target: TargetColumn = None) -> str:
    """How the same conversation is taken up again; the school is saved with it."""
    import shlex

    named = [] if machine == "auto" else ["--machine", machine]
    for pack in packs or ():
        named += ["--rules", str(pack)]
    named += [] if data is None else ["--data", str(data)]
    named += [] if target is None else ["--target", target]
    return shlex.join(["advisor", "wizard", "--plain", "--resume", *named])


class _Conversation:
    """One conversation: it is saved after every step, and its plan counts what was measured here before."""

    def __init__(self, inputs: Inputs, resume_command: str) -> None:
        from advisor.interview.interview import Interview

        self.inputs = inputs
        self.resume_command = resume_command
        self.can_save = True
        self.replaces_saved = False
        self.outcomes: list[ProbeOutcome] | None = None
        self.interview: Interview = Interview(
            inputs.knowledge, inputs.facts, inputs.school, complete=self._complete, adviser=self._advise
        )

    def take_up(self, school: SchoolName | None) -> None:
        """Goes on with the saved conversation; a school that is named outranks the one it was held by, and is said."""
        from advisor.interview import saved
        from advisor.knowledge.model import School

        found = saved.load(self.inputs.knowledge.vocabulary)
        self.replaces_saved = True
        if school is not None and school.value != found.school:
            say(f"The saved conversation was held by the school {found.school}; it goes on by {school.value}.")
        self.interview.school = School(school.value if school is not None else found.school)
        refused = self.interview.restore(found.answers, found.later)
        count = len(found.answers) - len(refused)
        say(f"Resumed with {count} answer{'s' if count != 1 else ''}.")
        for name, error in refused.items():
            say(f"  {name} is asked for again: {error.problems[0].what}")

    def run(self) -> None:
        from advisor.cli.wizard_ending import Ending
        from advisor.cli.wizard_pages import WizardPages
        from advisor.interview.plain import PlainFace

        self._introduce()
        ending = Ending(self.inputs, self.interview)
        face = PlainFace(
            interview=self.interview,
            pages=WizardPages(self.inputs.knowledge, self.interview.plan),
            read=read,
            say=say,
            show=write,
            after_step=self._save,
            save_report=ending.save_report,
            complain=error_panel,
        )
        if face.run():
            ending.offer()
        else:
            say(self.how_to_go_on())

    def how_to_go_on(self) -> str:
        if not self.can_save:
            return "Stopped. What you said could not be saved."
        if not self.interview.progress.answers and not self.interview.progress.later:
            return "Stopped before anything was said."
        return f"Stopped. What you said is saved: `{self.resume_command}` goes on from here."

    def _introduce(self) -> None:
        from advisor.facts.fact_base import Source
        from advisor.facts.values import describe

        facts = self.inputs.knowledge.vocabulary.facts
        found = [(name, known) for name in facts if (known := self.inputs.facts.known(name)) is not None]
        in_data, here = (
            [
                f"  {name}: {describe(facts[name], known.value)}"
                for name, known in found
                if (known.source is Source.INSPECTED) is inspected
            ]
            for inspected in (True, False)
        )
        here += [f"  not known: {note}" for note in (self.inputs.machine.notes if self.inputs.machine else ())]
        for where, lines in (("in the data", in_data), ("on this machine", here)):
            if lines:
                say(f"Found {where} (`change NAME` corrects it):")
                for line in lines:
                    say(line)
                say("")

    def _save(self) -> None:
        """After every step; a state folder that cannot be written is a warning, once."""
        from advisor.cli.inputs import warn_of_card
        from advisor.cli.machines import unknown_card
        from advisor.errors import InputError
        from advisor.interview import saved

        card = unknown_card(self.interview.facts())
        if card is not None:
            warn_of_card(str(card))
        if not self.can_save:
            return
        try:
            if not self.replaces_saved:  # a new conversation never replaces the saved one before it is put aside
                saved.put_aside()
                self.replaces_saved = True
            saved.save(self.interview.progress, self.interview.school.value)
        except InputError as error:
            self.can_save = False
            warn("The answers cannot be saved for later", str(error.problems[0]))

    def _complete(self, facts: FactBase) -> FactBase:
        from advisor.cli.machines import with_published

        return with_published(self.inputs.knowledge, facts)

    def _advise(self, facts: FactBase, school: School, detail: Detail) -> Plan:
        """What was measured on this machine before counts where it is in scope, as in `advisor recommend`."""
        from advisor.agent.scope import advise_here
        from advisor.cli.inputs import recalled, tried

        machine = self.inputs.machine
        if self.outcomes is None:
            self.outcomes = [*(recalled(machine) if machine is not None else ()), *tried(self.inputs.facts)]
        return advise_here(self.inputs.knowledge, facts, machine, self.outcomes, school, detail)
