"""The words of a text that the glossary does not explain."""

from __future__ import annotations

import re

from advisor.knowledge.model import Knowledge
from advisor.knowledge.terms import uses

_WORD = re.compile(r"[^\W_]+")


def unexplained(knowledge: Knowledge, text: str) -> tuple[str, ...]:
    """The words that belong to no term of the glossary and to no name; everyday words among them."""
    covered = [(use.start, use.end) for use in uses(knowledge.phrases, text)]
    known = {word for name in knowledge.names for word in _WORD.findall(name)}
    return tuple(
        word[0]
        for word in _WORD.finditer(text)
        if word[0] not in known and not any(start <= word.start() < end for start, end in covered)
    )
