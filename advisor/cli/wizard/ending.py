"""Offers of the plain wizard when there is nothing left to ask: measuring, and files to keep."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from advisor.agent.worth import worthwhile
from advisor.children.stopping import Stop
from advisor.cli.console import error_panel, look, write
from advisor.cli.progress import MeasuringProgress
from advisor.cli.signals import told_to
from advisor.cli.wizard.lines import read, say
from advisor.errors import InputError, Problem, input_error
from advisor.files.output import write_text
from advisor.inference.plan import Plan
from advisor.report.found.measured import measured_page
from advisor.session.desk import Desk
from advisor.session.reporting import report_of
from advisor.wording import shorten

PROBE_SECONDS = 20.0


class Ending:
    """The offers at the end of one conversation."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
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
        if not self.desk.inputs.here or not worthwhile(self.desk.interview.plan()):
            return
        answer = ""
        while answer not in ("y", "yes"):
            prompt = f"[probe] Measure this machine for {PROBE_SECONDS:.0f} s and see what changes? yes or no: "
            answer = read(prompt).strip().casefold()
            if answer in ("", "n", "no", "!"):
                return
        stop = Stop()
        with told_to(stop.everything), MeasuringProgress(PROBE_SECONDS) as progress:
            revision = self.desk.measure(PROBE_SECONDS, None, progress, stop)
        if stop.all:
            raise KeyboardInterrupt
        self.measured = revision.after
        say("")
        write(measured_page(revision, look()))

    def _offer(self, prompt: str, what: str, save: Callable[[str], bool]) -> None:
        while True:
            name = read(f"[{prompt}] Save {what} to which file? (empty line: nowhere) ").strip()
            if not name or name == "!" or save(name):
                return

    def save_report(self, name: str) -> bool:
        plan = self.measured or self.desk.interview.plan()
        text = report_of(plan, self.desk.knowledge, "markdown", lambda: self.desk.evidence(plan))
        return _written(name, text, "report")

    def _save_answers(self, name: str) -> bool:
        return _written(name, self.desk.interview.answers_text(), "answers")


def _written(name: str, text: str, what: str) -> bool:
    """Save under the name; one that ends with `!` goes over a file that exists. What goes wrong is said."""
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
