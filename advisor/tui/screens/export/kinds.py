"""The kinds of files that can be saved, and how each is made and written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from advisor.errors import input_error
from advisor.files import write_text
from advisor.report.contents import NOTHING
from advisor.session.reporting import report_of
from advisor.wording import shorten

if TYPE_CHECKING:
    from advisor.inference.plan import Plan
    from advisor.knowledge.model import Knowledge
    from advisor.session.desk import Desk

Made: TypeAlias = str | Mapping[str, str]
"""The text of a file, or the texts of the files of a folder."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Call `make` through `Host.think`: it may take a second, and touches the rules. Its desk is None for a saved plan."""

    name: str
    title: str
    meaning: str
    file: str
    make: Callable[[Plan, Knowledge, Desk | None], Made]


def _report(format_: str) -> Callable[[Plan, Knowledge, Desk | None], str]:
    def made(plan: Plan, knowledge: Knowledge, desk: Desk | None) -> str:
        text = report_of(plan, knowledge, format_, lambda: NOTHING if desk is None else desk.evidence(plan))
        return text.rstrip("\n") + "\n"

    return made


def _answers(_plan: Plan, _knowledge: Knowledge, desk: Desk | None) -> str:
    assert desk is not None  # noqa: S101 - a saved plan has no answers to offer
    return desk.interview.answers_text()


def _starter(plan: Plan, knowledge: Knowledge, desk: Desk | None) -> Mapping[str, str]:
    from advisor.starter.project import project_files, refuse_unreadable

    seen = None if desk is None else desk.inspection
    if seen is None:
        return project_files(plan, knowledge)
    refuse_unreadable(seen, seen.target)
    return project_files(plan, knowledge, Path(seen.path), seen.target, seen.delimiter)


KINDS = (
    Kind("markdown", "Report as Markdown", "plan, reasons and sources to read and send on", "report.md", _report("markdown")),
    Kind("html", "Report as HTML", "the same as one page for a browser, with pictures", "report.html", _report("html")),
    Kind("json", "Plan as JSON", "for `advisor report` and other programs", "plan.json", _report("json")),
    Kind("answers", "Answers as YAML", "to go on with, or for `advisor recommend`", "answers.yaml", _answers),
    Kind("starter", "Starter project", "a folder with a training project for this plan", "starter", _starter),
)  # fmt: skip
ANSWERS, FOLDER = "answers", "starter"
"""The kind that needs a conversation, and the one that is a folder."""


def path_of(name: str, kind: Kind, desk: Desk) -> Path:
    """The path to save to. Raises InputError if it is no valid path, or that of the dataset."""
    title = "This cannot be saved there"
    if not name.strip():
        raise input_error(title, "there is no name", remedy=f"Write one, such as {kind.file}.")
    try:
        path = Path(name.strip()).expanduser().absolute()
        seen = None if desk is None else desk.inspection
        is_the_data = seen is not None and path.exists() and path.samefile(seen.path)
    except (OSError, RuntimeError, ValueError):
        raise input_error(title, "this is no name of a file", where=shorten(name), remedy="Check it.") from None
    if is_the_data:
        raise input_error(title, "these are the data", where=shorten(path, 200), remedy="They are never rewritten.")
    return path


def in_the_way(path: Path, kind: Kind) -> str:
    """The details of a question about replacing files; empty if nothing would be replaced."""
    if kind.name == FOLDER:
        inhabited = path.is_dir() and any(path.iterdir())
        return "Files of the project are replaced; all others in it stay." if inhabited else ""
    return "What it holds is lost then." if path.is_file() else ""


def write(path: Path, made: Made, *, force: bool) -> None:
    """Write a file or a folder. Raises InputError if that fails."""
    if isinstance(made, str):
        write_text(path, made, force=force)
    else:
        from advisor.starter.writing import write_project

        write_project(path, made, force=force)
