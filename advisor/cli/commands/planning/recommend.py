"""`advisor recommend`: answers, flags, data and this machine to a plan."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from advisor.cli.console import warn_once
from advisor.cli.delivering import deliver_plan, refuse_rewriting
from advisor.cli.options import (
    Answers,
    DataPath,
    Force,
    Format,
    FormatOption,
    MachineName,
    Output,
    Packs,
    SchoolName,
    SchoolOption,
    Sets,
    TargetColumn,
)
from advisor.session.inputs import gather, plan_of

if TYPE_CHECKING:
    from advisor.report.contents import Evidence


def recommend(
    answers: Answers = None,
    sets: Sets = None,
    data: DataPath = None,
    target: TargetColumn = None,
    machine: MachineName = "auto",
    school: SchoolOption = SchoolName.TODAY,
    packs: Packs = None,
    format_: FormatOption = Format.TEXT,
    output: Output = None,
    force: Force = False,
) -> None:
    refuse_rewriting(output, answers, Path(machine))
    if output is not None and data is not None:
        refuse_rewriting(output, data, what="this is the file that holds the data, and it is never rewritten")
    inputs = gather(answers, sets, machine, school, packs, data=data, target=target, complain=warn_once)
    plan = plan_of(inputs)

    def evidence() -> Evidence:
        from advisor.session.evidence import evidence_of  # 25 ms, and only HTML shows it

        return evidence_of(inputs, plan)

    deliver_plan(plan, inputs.knowledge, format_, output, force, evidence)
