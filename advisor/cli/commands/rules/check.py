"""`advisor rules check`: every problem and every oddity of the rule base."""

from __future__ import annotations

import datetime
import sys
from typing import Annotated

import typer

from advisor.cli.commands.rules.solver import has_solver
from advisor.cli.console import DONE, FAILED, say, write, write_json
from advisor.cli.options import Packs, PlainFormat, PlainFormatOption, as_packs
from advisor.errors import Problem, input_error
from advisor.knowledge import loader
from advisor.knowledge.lint import lint
from advisor.knowledge.model import Knowledge
from advisor.resources import rules_folder
from advisor.wording import shorten


def check(
    packs: Packs = None,
    format_: PlainFormatOption = PlainFormat.TEXT,
    today: Annotated[
        str | None, typer.Option("--today", metavar="YYYY-MM-DD", help="Judge dates as of this day.")
    ] = None,
) -> None:
    day = _day(today)
    knowledge = loader.load(rules_folder(), as_packs(packs))  # never from the cache
    proven, note = _proven(knowledge)
    remarks = list(dict.fromkeys([*lint(knowledge, day), *proven]))
    if format_ is PlainFormat.JSON:
        write_json([{"where": r.where, "what": r.what, "remedy": r.remedy} for r in remarks])
    else:
        for remark in remarks:
            say(str(remark))
        write(f"{len(knowledge.rules)} rules, {len(knowledge.topics)} topics, {len(remarks)} remarks")
    if note:
        print(note, file=sys.stderr)
    raise typer.Exit(FAILED if remarks else DONE)


def _day(text: str | None) -> datetime.date:
    try:
        return datetime.date.fromisoformat(text) if text else datetime.date.today()
    except ValueError:
        remedy = "Write it as 2026-11-21."
        raise input_error("This is not a day", shorten(text), where="--today", remedy=remedy) from None


def _proven(knowledge: Knowledge) -> tuple[tuple[Problem, ...], str]:
    """The remarks that need the solver, and what has to be said of its work."""
    if not has_solver():
        return (), "Without z3-solver, a development dependency, remarks that need proof were left out."
    from advisor.knowledge.solver.lint import prove  # z3 may not be installed; it takes 45 ms

    proven = prove(knowledge)
    several = "question" if proven.unanswered == 1 else "questions"
    return proven.remarks, f"{proven.unanswered} {several} the solver could not answer." if proven.unanswered else ""
