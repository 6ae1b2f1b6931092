"""`advisor recommend`: answers, flags, data and this machine to a plan."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.cli.data import DataPath, TargetColumn
from advisor.cli.evidence import evidence_of
from advisor.cli.inputs import (
    Answers,
    Force,
    Format,
    FormatOption,
    MachineName,
    Output,
    Packs,
    SchoolName,
    SchoolOption,
    Sets,
    deliver,
    deliver_json,
    gather,
    plan_of,
    refuse_rewriting,
)

if TYPE_CHECKING:
    from advisor.inference.plan import Plan
    from advisor.knowledge.model import Knowledge
    from advisor.report.evidence import Evidence


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
    inputs = gather(answers, sets, machine, school, packs, data=data, target=target)
    plan = plan_of(inputs)
    deliver_plan(plan, inputs.knowledge, format_, output, force, lambda: evidence_of(inputs, plan))


def deliver_plan(
    plan: Plan,
    knowledge: Knowledge,
    format_: Format,
    output: Path | None,
    force: bool,
    evidence: Callable[[], Evidence] | None = None,
) -> None:
    """A plan in the wanted form, to a file or to stdout. Raises InputError when the file cannot be written.

    Args:
        evidence: what HTML shows beside the plan.
    """
    if format_ is Format.JSON:
        deliver_json(plan.to_json(), output, force)
    elif format_ is Format.MARKDOWN:
        from datetime import date

        from advisor.report.plan.markdown import report_text

        deliver(report_text(plan, knowledge, date.today().isoformat()), output, force)
    elif format_ is Format.HTML:
        from datetime import date

        from advisor.report.evidence import NOTHING
        from advisor.report.html.plan_report import plan_html

        shown = evidence() if evidence is not None else NOTHING
        deliver(plan_html(plan, knowledge, date.today().isoformat(), shown), output, force)
    else:
        from advisor.cli.console import look
        from advisor.report.page import Look
        from advisor.report.plan.text import plan_page

        deliver(plan_page(plan, knowledge, look() if output is None else Look()), output, force)
