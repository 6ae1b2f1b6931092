"""What can be carried away of a conversation, and how each is made and written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from advisor.errors import input_error
from advisor.wording import shorten

if TYPE_CHECKING:
    from advisor.inference.plan import Plan
    from advisor.knowledge.model import Knowledge
    from advisor.tui.desk import Desk

Made: TypeAlias = str | Mapping[str, str]
"""The text of a file, or the texts of the files of a folder."""


@dataclass(frozen=True, slots=True)
class Kind:
    """`make` may take a second, and touches the rules: it is called through `Wizard.think`, with the desk where the plan is
    that of its conversation, and None where it was saved by somebody."""

    name: str
    title: str
    meaning: str
    file: str
    make: Callable[[Plan, Knowledge, Desk | None], Made]


def _markdown(plan: Plan, knowledge: Knowledge, _desk: Desk | None) -> str:
    from advisor.report.plan.markdown import report_text

    return report_text(plan, knowledge, _today())


def _html(plan: Plan, knowledge: Knowledge, desk: Desk | None) -> str:
    from advisor.report.evidence import NOTHING
    from advisor.report.html.plan_report import plan_html

    return plan_html(plan, knowledge, _today(), NOTHING if desk is None else desk.evidence(plan))


def _json(plan: Plan, _knowledge: Knowledge, _desk: Desk | None) -> str:
    from advisor.report.plan.json_plan import plan_text

    return plan_text(plan) + "\n"


def _answers(_plan: Plan, knowledge: Knowledge, desk: Desk | None) -> str:
    from advisor.facts.answers import answers_text

    assert desk is not None  # noqa: S101 - a saved plan has no answers to offer
    heading = ["Answers given to the advisor's wizard."]
    if unused := desk.interview.unused():
        heading.append(f"Kept, but not used beside the others: {', '.join(unused)}.")
    return answers_text(knowledge.vocabulary, desk.interview.progress.said(), "\n".join(heading))


def _starter(plan: Plan, knowledge: Knowledge, desk: Desk | None) -> Mapping[str, str]:
    from advisor.starter.project import project_files

    seen = None if desk is None else desk.inspection
    data, target = (None, None) if seen is None else (Path(seen.path), seen.target)
    return project_files(plan, knowledge, data, target)


KINDS = (
    Kind("markdown", "Report as Markdown", "plan, reasons and sources to read and send on", "report.md", _markdown),
    Kind("html", "Report as HTML", "the same as one page for a browser, with pictures", "report.html", _html),
    Kind("json", "Plan as JSON", "for `advisor report` and other programs", "plan.json", _json),
    Kind("answers", "Answers as YAML", "to go on with, or for `advisor recommend`", "answers.yaml", _answers),
    Kind("starter", "Starter project", "a folder with a training project for this plan", "starter", _starter),
)  # fmt: skip
ANSWERS, FOLDER = "answers", "starter"
"""The kind that only a conversation has, and the one that is a folder."""


def path_of(name: str, kind: Kind, desk: Desk) -> Path:
    """Where to save. Raises InputError where that is no place, or where the data lie."""
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
    """What would be replaced, as a question's details; empty where nothing would."""
    if kind.name == FOLDER:
        inhabited = path.is_dir() and any(path.iterdir())
        return "Files of the project are replaced; all others in it stay." if inhabited else ""
    return "What it holds is lost then." if path.is_file() else ""


def write(path: Path, made: Made, *, force: bool) -> None:
    """Raises InputError where it cannot be written."""
    if isinstance(made, str):
        from advisor.files import write_text

        write_text(path, made, force=force)
    else:
        from advisor.starter.writing import write_project

        write_project(path, made, force=force)


def _today() -> str:
    return date.today().isoformat()
