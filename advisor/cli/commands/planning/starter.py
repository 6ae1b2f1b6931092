"""`advisor starter`: a plan as a small training project of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from advisor.cli.console import say, warn_once
from advisor.cli.options import (
    Answers,
    DataPath,
    MachineName,
    Packs,
    SchoolName,
    SchoolOption,
    Sets,
    TargetColumn,
    as_packs,
    named_path,
)
from advisor.errors import input_error
from advisor.report.plan.json_plan import read_plan
from advisor.session.data import inspected
from advisor.session.inputs import gather, knowledge_for, plan_of
from advisor.starter.project import project_files, refuse_unreadable
from advisor.starter.writing import write_project
from advisor.wording import printable


def starter(
    output: Annotated[
        Path, typer.Option("--output", metavar="DIR", help="The folder of the project.", parser=named_path)
    ],
    plan: Annotated[
        Path | None, typer.Option("--plan", metavar="FILE", help="A plan that `recommend --format json` has saved.")
    ] = None,
    answers: Answers = None,
    sets: Sets = None,
    data: DataPath = None,
    target: TargetColumn = None,
    machine: MachineName = "auto",
    school: SchoolOption = SchoolName.TODAY,
    packs: Packs = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace files of the project in a folder that is not empty.")
    ] = False,
) -> None:
    if plan is not None:
        _refuse_both(answers, sets)
        knowledge = knowledge_for(as_packs(packs))
        found = read_plan(plan, knowledge)
        inspection = inspected(data) if data is not None and data.exists() and not _is_graph(data) else None
    else:
        inputs = gather(answers, sets, machine, school, packs, data=data, target=target, complain=warn_once)
        knowledge, found, inspection = inputs.knowledge, plan_of(inputs), inputs.inspection
    if inspection is not None:
        refuse_unreadable(inspection, target)
    files = project_files(found, knowledge, data, target, "," if inspection is None else inspection.delimiter)
    write_project(output, files, force=force)
    say(printable(f"{output}: {len(files)} files. Read README.md there first."))


def _is_graph(data: Path) -> bool:
    """True for a folder that projects read as a graph, and inspections do not."""
    return (data / "nodes.csv").is_file()


def _refuse_both(answers: Path | None, sets: list[str] | None) -> None:
    """A saved plan was made from answers of its own."""
    given = [name for name, value in (("--answers", answers), ("--set", sets)) if value]
    if given:
        what = "a saved plan was made from answers of its own"
        raise input_error("A plan cannot be changed", what, where=given[0], remedy="Leave it out, or leave --plan out.")
