"""`advisor compare A.yaml B.yaml`: two sets of answers, and where their plans differ."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from advisor.cli.inputs import (
    MachineName,
    Packs,
    PlainFormat,
    PlainFormatOption,
    SchoolName,
    SchoolOption,
    Sets,
    gather,
    plan_of,
)


def compare(
    a: Annotated[Path, typer.Argument(metavar="A.yaml", help="A file of answers.")],
    b: Annotated[Path, typer.Argument(metavar="B.yaml", help="Another one.")],
    sets: Sets = None,
    machine: MachineName = "auto",
    school: SchoolOption = SchoolName.TODAY,
    packs: Packs = None,
    format_: PlainFormatOption = PlainFormat.TEXT,
) -> None:
    from advisor.cli.console import look, write, write_json
    from advisor.errors import InputError, Problem
    from advisor.inference.advise import Detail
    from advisor.report.comparison import compare_plans, comparison_page

    plans = []
    problems: list[Problem] = []
    titles: list[str] = []
    for path in (a, b):
        try:
            inputs = gather(path, sets, machine, school, packs)
            plans.append(plan_of(inputs, Detail(flips=False, questions=False)))
        except InputError as error:
            titles.append(error.title)
            problems += [problem for problem in error.problems if problem not in problems]
    if problems:
        raise InputError(titles[0], problems)
    comparison = compare_plans(inputs.knowledge, str(a), plans[0], str(b), plans[1])
    if format_ is PlainFormat.JSON:
        write_json(comparison.to_json())
    else:
        write(comparison_page(comparison, look()))
