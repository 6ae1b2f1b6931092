"""Reader of glossary.yaml in the rule base and in packs; every spelling means one thing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from advisor.errors import Problem, did_you_mean
from advisor.knowledge.model import Knowledge
from advisor.knowledge.terms import Term, phrase, terms_in
from advisor.reading import Reader
from advisor.safe_yaml import Node
from advisor.wording import shorten

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


def unexplained_names(knowledge: Knowledge) -> Iterator[Problem]:
    """Titles and values of topics that no term explains, where there is a glossary. What is longer than three words says
    itself what it means."""
    for topic in knowledge.topics.values() if knowledge.terms else ():
        for name, words in [("", topic.title), *topic.values.items()]:
            short = phrase(words).count(" ") < 3 and name != "none"
            if short and not terms_in(knowledge.phrases, words) and not terms_in(knowledge.phrases, name):
                what = f"topic {topic.name}: the glossary does not explain {shorten(words)!r}."
                yield Problem(topic.where, what, "Add a term to glossary.yaml.")
