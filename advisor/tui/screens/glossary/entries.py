"""Terms, facts and topics as one searchable list, the best matches first."""

from __future__ import annotations

from dataclasses import dataclass

from textual.content import Content

from advisor.errors import InputError
from advisor.facts.vocabulary import Fact
from advisor.knowledge.model import Knowledge
from advisor.knowledge.terms import Term, phrase, terms_in
from advisor.report.rules.glossary import Entry, details, find_term, topic_title, whole_glossary
from advisor.tui.text import content, lines, plain
from advisor.wording import printable


@dataclass(frozen=True, slots=True)
class Word:
    """An entry, found by its `names`, or else by what it has `mentioned`: its values, meanings, question."""

    kind: str
    title: str
    item: Entry
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


def explained(knowledge: Knowledge, word: Word) -> Content:
    """Everything that is declared about an entry."""
    kind, about = word.kind, []
    match word.item:
        case Term() as term:
            says = term.text
        case Fact() as fact:
            kind, says = f"fact: {knowledge.vocabulary.groups.get(fact.group, fact.group)}", fact.question
        case topic:
            says = topic_title(topic)
            about = [f"means something only when {topic.applies}"] if topic.applies else []
            about += [f"can be measured: the probe {topic.probe}"] if topic.probe else []
    heading = Content.assemble((printable(word.title), "bold"), (f"  {printable(kind)}", "dim"))
    faint = [Content.styled(printable(text), "dim") for text in about]
    return lines([heading, plain(says), *faint, *(content([mark, *pieces]) for mark, pieces in details(word.item))])
