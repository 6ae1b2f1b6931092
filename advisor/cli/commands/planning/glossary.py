"""`advisor glossary [TERM]`: technical terms in plain words, the facts that can be stated, the topics that are recommended."""

from __future__ import annotations

from advisor.cli.commands.options import Glossary
from advisor.cli.console import look, write, write_json
from advisor.cli.options import PlainFormat, as_packs
from advisor.knowledge.cache import knowledge_for
from advisor.report.rules.glossary import find_term, glossary_page, overview_page, whole_glossary


def glossary(options: Glossary) -> None:
    knowledge = knowledge_for(as_packs(options.packs))
    entries = whole_glossary(knowledge) if options.term is None else find_term(knowledge, options.term)
    if options.format_ is PlainFormat.JSON:
        write_json(entries.to_json())
    elif options.term is None and not options.all_:
        write(overview_page(entries, look()))
    else:
        write(glossary_page(entries, look()))
