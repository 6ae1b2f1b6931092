"""Terms, facts and topics as one searchable list, the best matches first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from textual.content import Content

from advisor.errors import InputError
from advisor.facts.values import number_text
from advisor.facts.vocabulary import Fact
from advisor.knowledge.model import Knowledge, Topic
from advisor.knowledge.terms import Term, phrase, terms_in
from advisor.report.rules.glossary import find_term, whole_glossary
from advisor.tui.text import lines, plain
from advisor.wording import printable

Item: TypeAlias = Term | Fact | Topic


@dataclass(frozen=True, slots=True)
class Word:
    """An entry, found by its `names`, or else by what it has `mentioned`: its values, meanings, question."""

    kind: str
    title: str
    item: Item
    names: tuple[str, ...]
    mentioned: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return f"{self.kind} {self.title}"


def entries(knowledge: Knowledge) -> list[Word]:
    everything = whole_glossary(knowledge)
    return [
        *(_term(term) for term in everything.terms),
        *(
            Word("fact", fact.name, fact, (fact.name,), (*fact.choice_names, *(m for _, m in fact.choices), fact.question))
            for fact in everything.facts
        ),
        *(
            Word("topic", topic.name, topic, (topic.name, topic.title), (*topic.values, *topic.values.values()))
            for topic in everything.topics
        ),
    ]  # fmt: skip


def _term(term: Term) -> Word:
    return Word("term", term.term, term, term.spellings, (term.text,))


def entries_within(knowledge: Knowledge, text: str) -> list[Word]:
    """The terms that a text uses, in its order."""
    return [_term(term) for term in terms_in(knowledge.phrases, text)]


def found(everything: list[Word], sought: str) -> list[Word]:
    """The entries that match: equal names first, then beginnings, then parts of names, then mentions."""
    wanted = _spelled(sought)
    if not wanted:
        return everything
    ranked = [(rank, entry) for entry in everything if (rank := _rank(entry, wanted)) is not None]
    return [entry for _, entry in sorted(ranked, key=lambda pair: pair[0])]


def _rank(entry: Word, wanted: str) -> int | None:
    names = [_spelled(name) for name in entry.names]
    if wanted in names:
        return 0
    if any(name.startswith(wanted) for name in names):
        return 1
    if any(f" {wanted}" in name for name in names):
        return 2
    if len(wanted) < 3:
        return None
    if any(wanted in name for name in names):
        return 3
    return 4 if any(wanted in _spelled(text) for text in entry.mentioned) else None


def _spelled(text: str) -> str:
    """The text without differences of case and punctuation."""
    return phrase(text).casefold()


def nothing_found(knowledge: Knowledge, sought: str) -> str:
    """The message when nothing matches, with what may have been meant."""
    try:
        find_term(knowledge, sought)
    except InputError as error:
        remedy = error.problems[0].remedy
        return f"Nothing is called that. {remedy if remedy.startswith('Did you') else 'Write fewer letters.'}"
    return "Nothing is called that."


def explained(knowledge: Knowledge, entry: Word) -> Content:
    """Everything that is declared about an entry."""
    match entry.item:
        case Term() as term:
            parts = _term_parts(term)
        case Fact() as fact:
            parts = _fact_parts(knowledge, fact)
        case topic:
            parts = _topic_parts(topic)
    return lines([Content.assemble((printable(entry.title), "bold"), (f"  {entry.kind}", "dim")), *parts])


def _term_parts(term: Term) -> Iterator[Content]:
    yield plain(term.text)
    if term.aliases:
        yield _faint(f"also: {', '.join(term.aliases)}")
    if term.see:
        yield plain(f"see: {', '.join(term.see)}")


def _fact_parts(knowledge: Knowledge, fact: Fact) -> Iterator[Content]:
    yield plain(fact.question)
    kind = f"{fact.type.value}{f' in {fact.unit}' if fact.unit else ''}"
    if fact.numeric:
        kind += f", from {number_text(fact.minimum)} to {number_text(fact.maximum)}"
    yield _faint(f"{kind}; {knowledge.vocabulary.groups.get(fact.group, fact.group)}")
    if fact.help:
        yield plain(fact.help)
    if fact.only_when:
        yield _faint(f"means something only when {fact.only_when}")
    if fact.derive:
        yield _faint(f"computed as {fact.derive}")
    elif fact.assume:
        yield _faint(f"assumed when nobody knows: {fact.assume}")
    yield from _values(dict(fact.choices))


def _topic_parts(topic: Topic) -> Iterator[Content]:
    yield plain(f"{topic.title}{f' (in {topic.unit})' if topic.unit else ''}")
    if topic.applies:
        yield _faint(f"means something only when {topic.applies}")
    if topic.probe:
        yield _faint(f"can be measured: the probe {topic.probe}")
    yield from _values(dict(topic.values))


def _values(values: dict[str, str]) -> Iterator[Content]:
    for name, meaning in values.items():
        yield Content.assemble("- ", (printable(name), "bold"), f": {printable(meaning)}" if meaning != name else "")


def _faint(text: str) -> Content:
    return Content.styled(printable(text), "dim")
