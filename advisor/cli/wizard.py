"""`advisor wizard`: the conversation on a terminal or through a pipe, ending in a plan and a report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from advisor.cli.console import BAD_INPUT, error_panel, interactive, look, panel, warn, write
from advisor.cli.inputs import MachineName, Packs, SchoolName, SchoolOption, gather

if TYPE_CHECKING:
    from advisor.cli.inputs import Inputs
    from advisor.inference.plan import Plan
    from advisor.interview.interview import Interview

PROBE_SECONDS = 20.0


def wizard(
    plain: Annotated[bool, typer.Option("--plain", help="Line by line, for pipes and screen readers.")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the conversation saved last.")] = False,
    machine: MachineName = "auto",
    school: SchoolOption = SchoolName.TODAY,
    packs: Packs = None,
) -> None:
    if not plain and not interactive():
        panel("There is no terminal for the wizard", ["`advisor wizard --plain` works through a pipe."])
        raise typer.Exit(BAD_INPUT)
    sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]
    inputs = gather(machine=machine, school=school, packs=packs)
    _Conversation(inputs, resume).run()


class _Conversation:
    def __init__(self, inputs: Inputs, resume: bool) -> None:
        from advisor.interview import saved
        from advisor.interview.interview import Interview, restored
        from advisor.knowledge.model import School

        self.inputs = inputs
        self.can_save = True
        self.resumed = resume
        self.measured: Plan | None = None
        self.interview: Interview = Interview(inputs.knowledge, inputs.facts, inputs.school)
        if resume:
            found = saved.load(inputs.knowledge.vocabulary)
            self.interview.school = School(found.school)
            restored(self.interview, dict(found.answers), found.later)
            write(f"Resumed with {len(found.answers)} answers.")

    def run(self) -> None:
        from advisor.interview.plain import PlainFace

        self._introduce()
        face = PlainFace(
            interview=self.interview,
            read=_read,
            say=_say,
            after_step=self._save,
            save_report=self._save_report,
            complain=error_panel,
        )
        finished = face.run()
        _say("")
        self._print_plan()
        if finished:
            try:
                self._offer_probe()
                self._offer_report()
                self._offer_answers()
            except EOFError:
                write("")
        else:
            _say("Stopped. `advisor wizard --plain --resume` goes on from here.")

    def _introduce(self) -> None:
        from advisor.facts.values import describe

        facts = self.inputs.knowledge.vocabulary.facts
        found = [(name, self.inputs.facts.known(name)) for name in facts]
        lines = [f"  {name}: {describe(facts[name], known.value)}" for name, known in found if known is not None]
        lines += [f"  not known: {note}" for note in (self.inputs.machine.notes if self.inputs.machine else ())]
        if lines:
            _say("Found on this machine (`change NAME` corrects it):")
            for line in lines:
                _say(line)
            _say("")

    def _save(self) -> None:
        """After every step; a state folder that cannot be written is a warning, once."""
        from advisor.errors import InputError
        from advisor.interview import saved

        if not self.can_save:
            return
        try:
            if not self.resumed:  # a new conversation never replaces the saved one before it is put aside
                saved.put_aside()
                self.resumed = True
            saved.save(self.interview.progress, self.interview.school.value)
        except InputError as error:
            self.can_save = False
            warn("The answers cannot be saved for later", str(error.problems[0]))

    def _plan(self) -> Plan:
        from advisor.cli.inputs import Inputs, plan_of

        if self.measured is not None:
            return self.measured
        return plan_of(
            Inputs(self.inputs.knowledge, self.interview.facts(), self.interview.school, self.inputs.machine)
        )

    def _print_plan(self) -> None:
        from advisor.report.text import plan_lines

        write("\n".join(plan_lines(self._plan(), self.inputs.knowledge, look())))

    def _offer_probe(self) -> None:
        from advisor.agent.agent import settle, worthwhile

        plan = self.interview.plan()
        if self.inputs.machine is None or not worthwhile(plan):
            return
        answer = ""
        while answer not in ("y", "yes"):
            prompt = f"[probe] Measure this machine for {PROBE_SECONDS:.0f} s and see what changes? yes or no: "
            answer = _read(prompt).strip().casefold()
            if answer in ("", "n", "no", "!"):
                return
        from advisor.cli.probe import announce, keep
        from advisor.report.changes import change_lines

        machine = self.inputs.machine

        def listener(what: str, about: Any) -> None:
            announce(what, about)
            if what == "finished" and about.measured:
                keep(machine, about)

        revision = settle(
            self.inputs.knowledge, self.interview.facts(), self.inputs.machine, PROBE_SECONDS,
            school=self.interview.school, on_event=listener,
        )  # fmt: skip
        self.measured = revision.after
        _say("")
        for line in change_lines(revision.after):
            _say(line)

    def _offer_report(self) -> None:
        while True:
            name = _read("[report] Save the report to which file? (empty line: nowhere) ").strip()
            if not name or name == "!" or self._save_report(name):
                return

    def _save_report(self, name: str) -> bool:
        from datetime import date

        from advisor.report.markdown import report_text

        text = report_text(self._plan(), self.inputs.knowledge, date.today().isoformat())
        return self._written(name, text, "report")

    def _offer_answers(self) -> None:
        from advisor.facts.answers import answers_text

        while True:
            name = _read("[answers] Save the answers to which file? (empty line: nowhere) ").strip()
            if not name or name == "!":
                return
            vocabulary = self.inputs.knowledge.vocabulary
            text = answers_text(vocabulary, self.interview.progress.said(), "Answers given to the advisor's wizard.")
            if self._written(name, text, "answers"):
                return

    def _written(self, name: str, text: str, what: str) -> bool:
        from advisor.errors import InputError
        from advisor.files import write_text

        try:
            write_text(Path(name), text)
        except InputError as error:
            error_panel(error)
            return False
        _say(f"Saved the {what} to {name}.")
        return True


def _say(line: str) -> None:
    import shutil
    import textwrap

    from advisor.cli.console import say

    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 10_000
    hanging = " " * (len(line) - len(line.lstrip()) + 2)
    wrapped = textwrap.wrap(line, max(width - 1, 20), subsequent_indent=hanging, drop_whitespace=True)
    for part in wrapped if len(line) >= width else [line]:
        say(part)


def _read(prompt: str) -> str:
    """One line from the user. Raises EOFError at the end of input."""
    sys.stdout.write(prompt)
    sys.stdout.flush()
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    if not sys.stdin.isatty():
        sys.stdout.write("\n")  # the reader of a transcript sees each prompt on its own line
    return line.rstrip("\n")
