"""`advisor report --plan FILE`: a saved plan as a report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from advisor.cli.delivering import deliver_plan, refuse_rewriting
from advisor.cli.options import Force, Format, FormatOption, Output, Packs, as_packs
from advisor.report.plan.json_plan import read_outcomes, read_plan
from advisor.session.evidence import evidence
from advisor.session.inputs import knowledge_for


def report(
    plan: Annotated[
        Path,
        typer.Option("--plan", metavar="FILE", help="A plan that `recommend` or `probe` has saved with --format json."),
    ],
    packs: Packs = None,
    format_: FormatOption = Format.MARKDOWN,
    output: Output = None,
    force: Force = False,
) -> None:
    knowledge = knowledge_for(as_packs(packs))
    saved = read_plan(plan, knowledge)
    refuse_rewriting(output, plan, what="this is the plan that was saved, and it is never rewritten")
    deliver_plan(saved, knowledge, format_, output, force, lambda: evidence(saved, None, read_outcomes(plan)))
