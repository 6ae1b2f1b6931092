"""`advisor glossary [TERM]`: the facts that can be stated, the topics that are recommended, and their values."""

from __future__ import annotations

from typing import Annotated

import typer

from advisor.cli.inputs import Packs, PlainFormat, PlainFormatOption, complete_topic, knowledge_for


def _complete_term(incomplete: str) -> list[str]:
    facts = knowledge_for(()).vocabulary.facts
    return [*(name for name in facts if name.startswith(incomplete)), *complete_topic(incomplete)]


def glossary(
    term: Annotated[
        str | None,
        typer.Argument(metavar="TERM", autocompletion=_complete_term, help="A fact, a topic or one of their values."),
    ] = None,
    packs: Packs = None,
    format_: PlainFormatOption = PlainFormat.TEXT,
) -> None:
    from advisor.cli.console import look, write, write_json
    from advisor.report.glossary import find_term, glossary_page, whole_glossary

    knowledge = knowledge_for(tuple(packs or ()))
    entries = whole_glossary(knowledge) if term is None else find_term(knowledge, term)
    if format_ is PlainFormat.JSON:
        write_json(entries.to_json())
    else:
        write(glossary_page(entries, look()))
