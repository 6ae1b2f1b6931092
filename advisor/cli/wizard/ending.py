"""What the wizard offers when there is nothing left to ask: measuring, and files to keep."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from advisor.cli.console import error_panel, look, write
from advisor.cli.wizard.lines import read, say
from advisor.errors import InputError, Problem, input_error
from advisor.wording import shorten

if TYPE_CHECKING:
    from advisor.cli.inputs import Inputs
    from advisor.inference.plan import Plan
    from advisor.interview.interview import Interview

PROBE_SECONDS = 20.0


class Ending:
    """The offers at the end of one conversation."""

    def __init__(self, inputs: Inputs, interview: Interview) -> None:
        self.inputs = inputs
        self.interview = interview
        self.measured: Plan | None = None

    def offer(self) -> None:
        """All of them, until the end of input."""
        try:
            self._offer_probe()
            self._offer("report", "the report", self.save_report)
            self._offer("answers", "the answers", self._save_answers)
        except EOFError:
            write("")

    def _offer_probe(self) -> None:
        from advisor.agent.agent import settle, worthwhile

        plan = self.interview.plan()
        if self.inputs.machine is None or not worthwhile(plan):
            return
        answer = ""
        while answer not in ("y", "yes"):
            prompt = f"[probe] Measure this machine for {PROBE_SECONDS:.0f} s and see what changes? yes or no: "
            answer = read(prompt).strip().casefold()
            if answer in ("", "n", "no", "!"):
                return
        from advisor.agent.events import MeasuringEvent, ProbeFinished
        from advisor.agent.remembered.memory import LAST
        from advisor.cli.measuring import keep
        from advisor.cli.progress import MeasuringProgress
        from advisor.report.found.measured import measured_page

        machine = self.inputs.machine
        with MeasuringProgress(PROBE_SECONDS) as progress:

            def listener(event: MeasuringEvent) -> None:
                progress(event)
                if isinstance(event, ProbeFinished) and event.outcome.measured:
                    keep(machine, event.outcome, LAST, progress.line)

            revision = settle(
                self.inputs.knowledge, self.interview.facts(), machine, PROBE_SECONDS,
                school=self.interview.school, on_event=listener,
            )  # fmt: skip
        self.measured = revision.after
        say("")
        write(measured_page(revision, look()))

    def _offer(self, prompt: str, what: str, save: Any) -> None:
        while True:
            name = read(f"[{prompt}] Save {what} to which file? (empty line: nowhere) ").strip()
            if not name or name == "!" or save(name):
                return

    def save_report(self, name: str) -> bool:
        from advisor.report.plan.markdown import report_text

        plan = self.measured or self.interview.plan()
        return _written(name, report_text(plan, self.inputs.knowledge, date.today().isoformat()), "report")

    def _save_answers(self, name: str) -> bool:
        from advisor.facts.answers import answers_text

        vocabulary = self.inputs.knowledge.vocabulary
        heading = ["Answers given to the advisor's wizard."]
        if unused := self.interview.unused():
            heading.append(f"Kept, but not used beside the others: {', '.join(unused)}.")
        return _written(name, answers_text(vocabulary, self.interview.progress.said(), "\n".join(heading)), "answers")


def _written(name: str, text: str, what: str) -> bool:
    """Saves under the name; one that ends with `!` goes over a file that exists. What goes wrong is said."""
    from advisor.files import write_text

    force = name.endswith("!")
    try:
        path = _path(name.removesuffix("!").strip())
        write_text(path, text, force=force)
    except InputError as error:
        mended = [
            Problem(p.where, p.what, f"Name another file, or write {name}! to replace it." if _exists(p) else p.remedy)
            for p in error.problems
        ]
        error_panel(InputError(error.title, mended))
        return False
    say(f"Saved the {what} to {path}.")
    return True


def _exists(problem: Problem) -> bool:
    return "--force" in problem.remedy


def _path(name: str) -> Path:
    try:
        return Path(name).expanduser()
    except RuntimeError:
        raise input_error(
            "The output cannot be written",
            "there is no such home folder",
            where=shorten(name),
            remedy="Check the name.",
        ) from None
