"""The technical terms of the rule base in a beginner's words, and where a text uses them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from advisor.errors import Problem, did_you_mean
from advisor.reading import Reader
from advisor.safe_yaml import Node
from advisor.wording import shorten

_WORD = re.compile(r"[^\W_]+")
_WITHIN = re.compile(r"\s+|[-_/.]")
"""Separators that may stand between the words of one term: `mini-batch`, `batch_norm`, `wav2vec 2.0`."""


@dataclass(frozen=True)
class Term:
    """An entry of the glossary. `aliases` are its other spellings, plurals among them; `see` names related terms.

    A spelling with capitals counts as written (`LAMB` is no lamb), one without them in any case.
    """

    term: str
    text: str
    aliases: tuple[str, ...] = ()
    see: tuple[str, ...] = ()
    where: str = ""

    @property
    def spellings(self) -> tuple[str, ...]:
        return (self.term, *self.aliases)


@dataclass(frozen=True, slots=True)
class Use:
    """A place in a text where a term stands."""

    start: int
    end: int
    term: Term


def phrase(text: str) -> str:
    """The words of a spelling with one blank between them, so that hyphens and underscores make no difference."""
    return " ".join(_WORD.findall(text))


def phrases(terms: Iterable[Term]) -> dict[str, Term]:
    """Every term by each of its spellings, as `phrase` gives them."""
    return {phrase(spelling): term for term in terms for spelling in term.spellings}


def uses(by_phrase: Mapping[str, Term], text: str) -> Iterator[Use]:
    """The places where the text uses terms, from left to right; of several that start at one word the longest."""
    words = list(_WORD.finditer(text))
    longest = max((spelling.count(" ") + 1 for spelling in by_phrase), default=0)
    first = {spelling.partition(" ")[0].lower() for spelling in by_phrase}
    position = 0
    while position < len(words):
        if words[position][0].lower() not in first:
            position += 1
            continue
        size = _run(words, position, longest, text)
        for count in range(size, 0, -1):
            found = " ".join(word[0] for word in words[position : position + count])
            term = next((by_phrase[form] for form in _forms(found) if form in by_phrase), None)
            if term is not None:
                yield Use(words[position].start(), words[position + count - 1].end(), term)
                position += count
                break
        else:
            position += 1


def _forms(found: str) -> tuple[str, ...]:
    """As written, as it would stand within a sentence, and in small letters."""
    return found, found[0].lower() + found[1:], found.lower()


def _run(words: list[re.Match[str]], first: int, longest: int, text: str) -> int:
    """Count the words from this one on, at most `longest`, that could be one term: no comma or full stop between them."""
    count = 1
    while count < longest and first + count < len(words):
        if not _WITHIN.fullmatch(text, words[first + count - 1].end(), words[first + count].start()):
            break
        count += 1
    return count


def terms_in(by_phrase: Mapping[str, Term], text: str) -> tuple[Term, ...]:
    """The terms of the glossary that a text uses, each once, in the order in which they first appear."""
    return tuple({use.term.term: use.term for use in uses(by_phrase, text)}.values())


# --- glossary.yaml of the rule base and of packs -------------------------------------------------------------------

_TERM_KEYS = ("text", "aliases", "see")


@dataclass
class GlossaryTexts:
    """The glossaries of all layers together. A later layer's term replaces an earlier one of the same name."""

    terms: dict[str, Term] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)

    def read(self, node: Node | None, reader: Reader) -> None:
        root = reader.mapping(node, "glossary.yaml", ("terms", "names"))
        if root is None:
            return
        for name, value, line in reader.pairs(root.items["terms"], "terms") if "terms" in root.items else ():
            what = f"term {shorten(name)}"
            entry = reader.mapping(value, what, _TERM_KEYS)
            if not phrase(name):
                reader.note(line, f"{what} has no word in it.", "Name the term.")
            elif entry is not None:
                self.terms[name] = reader.record(
                    Term, entry, what, ("text",), term=name, where=f"{reader.where}:{line}"
                )
        self.names += (name for name in reader.texts(root, "names", "glossary.yaml") if name not in self.names)


def check_terms(terms: Mapping[str, Term]) -> Iterator[Problem]:
    """Spellings that two terms claim, or one term twice, and references to terms that do not exist."""
    claimed: dict[str, Term] = {}
    for term in terms.values():
        what = f"term {shorten(term.term)}:"
        for spelling in term.spellings:
            key = phrase(spelling)
            other = claimed.get(key)
            if not key:
                yield Problem(term.where, f"{what} {spelling!r} has no word in it.", "Delete it.")
            elif other is term:
                yield Problem(term.where, f"{what} {shorten(spelling)!r} is there twice.", "Delete one.")
            elif other is not None:
                remedy = "A spelling belongs to one term; use `see` for what is related."
                what_else = f"{shorten(spelling)!r} belongs to {shorten(other.term)} at {other.where} already."
                yield Problem(term.where, f"{what} {what_else}", remedy)
            claimed.setdefault(key, term)
        for name in term.see:
            if name not in terms:
                yield Problem(term.where, f"{what} see {shorten(name)!r} is no term.", did_you_mean(name, terms))
            elif name == term.term:
                yield Problem(term.where, f"{what} it refers to itself.", "Name other terms only.")
