"""`advisor glossary [TERM]`: technical terms in plain words, the facts that can be stated, the topics that are recommended."""

from __future__ import annotations

from typing import Annotated

import typer

from advisor.cli.completing import complete_topic, rules
from advisor.cli.console import look, write, write_json
from advisor.cli.options import Packs, PlainFormat, PlainFormatOption, as_packs
from advisor.report.rules.glossary import find_term, glossary_page, whole_glossary
from advisor.session.inputs import knowledge_for


def _complete_term(incomplete: str) -> list[str]:
    names = [*rules().terms, *rules().vocabulary.facts]
    return [*(name for name in names if name.startswith(incomplete)), *complete_topic(incomplete)]


def glossary(
    term: Annotated[
        str | None,
        typer.Argument(
            metavar="TERM", autocompletion=_complete_term, help="A technical term, a fact, a topic or a value."
        ),
    ] = None,
    packs: Packs = None,
    format_: PlainFormatOption = PlainFormat.TEXT,
) -> None:
    knowledge = knowledge_for(as_packs(packs))
    entries = whole_glossary(knowledge) if term is None else find_term(knowledge, term)
    if format_ is PlainFormat.JSON:
        write_json(entries.to_json())
    else:
        write(glossary_page(entries, look()))
