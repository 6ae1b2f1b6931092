"""Terms, facts and topics for people: technical words, facts that can be stated, recommendations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from advisor.errors import did_you_mean, input_error
from advisor.facts.values import number_text
from advisor.facts.vocabulary import Fact
from advisor.knowledge.model import Knowledge, Topic
from advisor.knowledge.terms import Term, phrase
from advisor.plain import encode_fields
from advisor.report.page import Look, Page, Piece, Style
from advisor.wording import shorten

Entry: TypeAlias = Term | Fact | Topic
OWN = "advisor"
"""The term that the advisor's own words refer to."""


@dataclass(frozen=True, slots=True)
class Glossary:
    """Terms, facts and topics, with the titles of the groups of facts. `about` tells how they match what was looked up."""

    facts: tuple[Fact, ...]
    topics: tuple[Topic, ...]
    groups: dict[str, str]
    about: str = ""
    terms: tuple[Term, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "schema": "advisor/glossary/1",
            "terms": [encode_fields(term, "term", "aliases", "text", "see") for term in self.terms],
            "facts": [_fact_json(fact) for fact in self.facts],
            "topics": [
                encode_fields(topic, "name", "title", "policy", "type", "unit", "values", "applies", "probe")
                for topic in self.topics
            ],
        }


def _fact_json(fact: Fact) -> dict[str, Any]:
    bounds = ("minimum", "maximum") if fact.numeric else ()
    return {
        **encode_fields(fact, "name", "group", "type", "unit"),
        "choices": dict(fact.choices),
        "synonyms": {name: list(words) for name in fact.choice_names if (words := fact.synonyms_of(name))},
        **encode_fields(fact, "question", "help", *bounds, "only_when", "assume", "derive"),
    }


def whole_glossary(knowledge: Knowledge) -> Glossary:
    vocabulary, topics = knowledge.vocabulary, tuple(knowledge.topics.values())
    terms = tuple(sorted(knowledge.terms.values(), key=lambda term: term.term.casefold()))
    return Glossary(tuple(vocabulary.facts.values()), topics, vocabulary.groups, terms=terms)


def find_term(knowledge: Knowledge, term: str) -> Glossary:
    """The entries of this name: terms of the glossary by name or alias, facts and topics by name, title or one of their values;
    failing that, whatever has these letters in its name.

    Raises:
        InputError: nothing is called that.
    """
    everything = whole_glossary(knowledge)
    wanted = term.strip().casefold()
    terms = _terms_called(knowledge, term)
    for matches in (_is_called, _has_value):
        found = _matching(everything, wanted, matches)
        if found.facts or found.topics:
            names = ", ".join([*(fact.name for fact in found.facts), *(topic.name for topic in found.topics)])
            about = f"{shorten(term)} is a value of {names}." if matches is _has_value else ""
            return replace(found, about=about, terms=terms)
    if terms:
        return Glossary((), (), everything.groups, terms=terms)
    if len(wanted) == 1 and wanted.isalpha():
        begun = tuple(entry for entry in everything.terms if _letter(entry) == wanted.upper())
        return Glossary((), (), everything.groups, f"Words that begin with {wanted.upper()}.", begun)
    found = _matching(everything, wanted, _mentions)
    found = replace(found, terms=tuple(entry for entry in everything.terms if _has_letters(wanted, entry)))
    if found.facts or found.topics or found.terms:
        return found
    raise input_error("Nothing is called that", f"{shorten(term)!r}", where="TERM", remedy=_remedy(everything, wanted))


def _matching(everything: Glossary, wanted: str, matches: Callable[[str, str, str, dict[str, str]], bool]) -> Glossary:
    known = [
        fact for fact in everything.facts if matches is _is_called or not fact.closed
    ]  # the topic has these values
    facts = (fact for fact in known if matches(wanted, fact.name, "", {**dict(fact.choices), **dict(fact.synonyms)}))
    topics = (topic for topic in everything.topics if matches(wanted, topic.name, topic.title, dict(topic.values)))
    return Glossary(tuple(facts), tuple(topics), everything.groups) if wanted else Glossary((), (), everything.groups)


def _terms_called(knowledge: Knowledge, text: str) -> tuple[Term, ...]:
    """The term spelled exactly so, otherwise those spelled so in other cases."""
    wanted = phrase(text)
    exact = knowledge.phrases.get(wanted)
    if exact is not None:
        return (exact,)
    near = [term for spelling, term in knowledge.phrases.items() if spelling.casefold() == wanted.casefold()]
    return tuple({term.term: term for term in near}.values())


def _has_letters(wanted: str, term: Term) -> bool:
    return len(wanted) > 2 and any(phrase(wanted) in phrase(spelling).casefold() for spelling in term.spellings)


def _remedy(everything: Glossary, wanted: str) -> str:
    known = [*(fact.name for fact in everything.facts), *(topic.name for topic in everything.topics)]
    known += [name for fact in everything.facts for name in fact.choice_names]
    known += [name for topic in everything.topics for name in topic.values]
    known += [spelling for term in everything.terms for spelling in term.spellings]
    return did_you_mean(wanted, dict.fromkeys(known)) or "`advisor glossary --all` lists everything."


def _is_called(wanted: str, name: str, title: str, _values: dict[str, str]) -> bool:
    return wanted in (name, title.casefold()) or name.startswith(f"{wanted}.")


def _has_value(wanted: str, _name: str, _title: str, values: dict[str, str]) -> bool:
    spelled = wanted.replace("-", "_").replace(" ", "_")
    return spelled in values or wanted in (text.casefold() for text in values.values())


def _mentions(wanted: str, name: str, title: str, values: dict[str, str]) -> bool:
    return len(wanted) > 2 and any(wanted in text.casefold() for text in (name, title, *values, *values.values()))


# --- text ---------------------------------------------------------------------------------------------------------


def overview_page(everything: Glossary, look: Look) -> str:
    """A short page on all that can be looked up: letters of words, groups of facts, names of topics."""
    page = Page(look)
    page.add('`advisor glossary NAME` explains a word, a fact, a topic or a value: `advisor glossary "batch size"`.')
    page.add("`advisor glossary B` lists the words with B, `advisor glossary data` a group, `--all` everything.")
    letters = Counter(map(_letter, everything.terms))
    page.heading("TERMS: What the words mean")
    page.add(", ".join(f"{letter} {count}" for letter, count in sorted(letters.items())))
    page.add("The advisor's own: ", ", ".join(term.term for term in everything.terms if OWN in term.see))
    page.heading("FACTS: What can be stated")
    for group, title in everything.groups.items():
        count = sum(fact.group == group for fact in everything.facts)
        page.add((group, Style.STRONG), f": {title} ({count})")
    page.heading("TOPICS: What is recommended")
    page.add(", ".join(topic.name for topic in everything.topics))
    return page.text()


def _letter(term: Term) -> str:
    """The letter that the term stands under; # for one that begins with something else."""
    first = term.term[:1].upper()
    return first if first.isascii() and first.isalpha() else "#"


def glossary_page(glossary: Glossary, look: Look) -> str:
    page = Page(look)
    if glossary.about:
        page.add(glossary.about)
    terms: list[tuple[str, str, Entry]] = [(term.term, term.text, term) for term in glossary.terms]
    sections = [("TERMS: What the words mean", terms)]
    for group, title in glossary.groups.items():
        facts = [fact for fact in glossary.facts if fact.group == group]
        sections.append((f"FACTS: {title}", [(fact.name, fact.question, fact) for fact in facts]))
    topics: list[tuple[str, str, Entry]] = [(topic.name, topic_title(topic), topic) for topic in glossary.topics]
    for heading, entries in [*sections, ("TOPICS: What is recommended", topics)]:
        if entries:
            page.heading(heading)
        for name, says, entry in entries:
            page.add((name, Style.STRONG), f": {says}")
            for mark, pieces in details(entry):
                page.add(*pieces, first=f"    {mark}")
    return page.text()


def topic_title(topic: Topic) -> str:
    return f"{topic.title}{f' (in {topic.unit})' if topic.unit else ''}"


def details(entry: Entry) -> Iterator[tuple[str, list[Piece]]]:
    """The lines below an entry: what each begins with, and its text."""
    match entry:
        case Term():
            if entry.aliases:
                yield "", [(f"also: {', '.join(entry.aliases)}", Style.FAINT)]
            if entry.see:
                yield "", [f"see: {', '.join(entry.see)}"]
        case Fact():
            kind = f"{entry.type.value}{f' in {entry.unit}' if entry.unit else ''}"
            if entry.numeric:
                kind += f", from {number_text(entry.minimum)} to {number_text(entry.maximum)}"
            yield "", [(kind, Style.FAINT)]
            if entry.help:
                yield "", [entry.help]
            if entry.only_when:
                yield "", [(f"means something only when {entry.only_when}", Style.FAINT)]
            if entry.default or entry.derive:
                how = f"computed as {entry.derive}" if entry.derive else f"assumed when nobody knows: {entry.default}"
                yield "", [(how, Style.FAINT)]
            yield from _values({name: _with_synonyms(entry, name, text) for name, text in entry.choices})
        case Topic():
            yield from _values(entry.values)


def _with_synonyms(fact: Fact, choice: str, text: str) -> str:
    """The meaning of a choice, with the other words for it that are understood."""
    words = [word.replace("_", " ") for word in fact.synonyms_of(choice)]
    return f"{text} (also: {', '.join(words)})" if words else text


def _values(values: Mapping[str, str]) -> Iterator[tuple[str, list[Piece]]]:
    for name, text in values.items():
        yield "- ", [(name, Style.STRONG), f": {text}" if text != name else ""]
