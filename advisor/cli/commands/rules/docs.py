"""`advisor rules docs`: the whole rule base as a book."""

from __future__ import annotations

import typer

from advisor.cli.commands.rules.options import RulesDocs
from advisor.cli.console import DONE, FAILED, error_panel
from advisor.cli.delivering import deliver
from advisor.cli.options import as_packs
from advisor.errors import input_error
from advisor.knowledge.cache import knowledge_for
from advisor.report.rules.rule_book import rule_book


def docs(options: RulesDocs) -> None:
    book = rule_book(knowledge_for(as_packs(options.packs)))
    compare = options.compare
    if compare is None:
        deliver(book, options.output, options.force)
        return
    try:
        current = compare.read_text(encoding="utf-8") == book
    except (OSError, ValueError):  # none there, or not ours
        current = False
    if not current:
        error_panel(input_error("The book of rules is out of date", str(compare), remedy="Run `make docs`."))
    raise typer.Exit(DONE if current else FAILED)
