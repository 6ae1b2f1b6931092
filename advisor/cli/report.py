"""`advisor report --plan FILE`: a saved plan as a report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from advisor.cli.inputs import Force, Format, FormatOption, Output, Packs, knowledge_for


def report(
    plan: Annotated[
        Path, typer.Option("--plan", metavar="FILE", help="A plan that `recommend --format json` has saved.")
    ],
    packs: Packs = None,
    format_: FormatOption = Format.MARKDOWN,
    output: Output = None,
    force: Force = False,
) -> None:
    from advisor.cli.recommend import deliver_plan
    from advisor.report.json_plan import read_plan

    knowledge = knowledge_for(tuple(packs or ()))
    deliver_plan(read_plan(plan, knowledge), knowledge, format_, output, force)
