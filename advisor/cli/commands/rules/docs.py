"""`advisor rules docs`: the whole rule base as a book."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from advisor.cli.console import DONE, FAILED, error_panel
from advisor.cli.delivering import deliver
from advisor.cli.options import Force, Output, Packs, as_packs
from advisor.errors import input_error
from advisor.report.rules.rule_book import rule_book
from advisor.session.inputs import knowledge_for


def docs(
    packs: Packs = None,
    output: Output = None,
    force: Force = False,
    compare: Annotated[
        Path | None, typer.Option("--check", metavar="FILE", help="Only say whether this file is up to date.")
    ] = None,
) -> None:
    book = rule_book(knowledge_for(as_packs(packs)))
    if compare is None:
        deliver(book, output, force)
        return
    try:
        current = compare.read_text(encoding="utf-8") == book
    except (OSError, ValueError):  # none there, or not ours
        current = False
    if not current:
        error_panel(input_error("The book of rules is out of date", str(compare), remedy="Run `make docs`."))
    raise typer.Exit(DONE if current else FAILED)
