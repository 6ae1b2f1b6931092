"""Choices as people type them: by number, by name, or by as much of the beginning as is needed to tell them apart."""

from __future__ import annotations

import re

from advisor.errors import input_error
from advisor.facts.values import UNKNOWN_WORDS
from advisor.facts.vocabulary import Fact, FactType
from advisor.wording import join_names, shorten


def spelled_out(fact: Fact, text: str) -> str:
    """Write every choice in the text by its full name; anything else stays as it is.

    Raises:
        InputError: a number beyond the list, or a beginning that several choices share.
    """
    folded = text.strip().casefold().replace("’", "'")
    if fact.type is FactType.CHOICE and folded not in UNKNOWN_WORDS:
        return _choice(fact, text.strip())
    if fact.type is FactType.SET and folded not in (*UNKNOWN_WORDS, "none"):
        parts = [part for part in re.split(r"[,\s]+", text.strip(" []{}()")) if part]
        return ", ".join(_choice(fact, part) for part in parts)
    return text


def _choice(fact: Fact, text: str) -> str:
    names, folded = fact.choice_names, text.casefold()
    spelled = re.sub(r"[\s-]", "_", folded)
    same = [name for name, meaning in fact.choices if spelled == name.casefold() or folded == meaning.casefold()]
    if same:
        return same[0]
    if text.isdecimal():
        number = int(text[:9])
        if not 1 <= number <= len(names):
            remedy = f"Give a number from 1 to {len(names)}, or a name."
            raise input_error("There is no such choice", shorten(text), where=fact.name, remedy=remedy)
        return names[number - 1]
    called = fact.choice_called(text)
    if called is not None:
        return called
    begun = [
        name
        for name, meaning in fact.choices
        if spelled and (name.casefold().startswith(spelled) or meaning.casefold().startswith(folded))
    ]
    if len(begun) > 1:
        remedy = "Write a letter more, or give its number."
        what = f"{shorten(text)!r} could be {join_names(begun, 'or')}"
        raise input_error("This could be several choices", what, where=fact.name, remedy=remedy)
    return begun[0] if begun else text
