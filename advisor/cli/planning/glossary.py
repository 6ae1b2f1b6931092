"""`advisor glossary [TERM]`: technical terms in plain words, the facts that can be stated, the topics that are recommended."""

from __future__ import annotations

from typing import Annotated

import typer

from advisor.cli.inputs import Packs, PlainFormat, PlainFormatOption, complete_topic, knowledge_for


def _complete_term(incomplete: str) -> list[str]:
    knowledge = knowledge_for(())
    names = [*knowledge.terms, *knowledge.vocabulary.facts]
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
    from advisor.cli.console import look, write, write_json
    from advisor.report.rules.glossary import find_term, glossary_page, whole_glossary

    knowledge = knowledge_for(tuple(packs or ()))
    entries = whole_glossary(knowledge) if term is None else find_term(knowledge, term)
    if format_ is PlainFormat.JSON:
        write_json(entries.to_json())
    else:
        write(glossary_page(entries, look()))
