"""What can be stated and what is recommended, in words: the declarations of facts and topics for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from advisor.errors import did_you_mean, input_error, shorten
from advisor.facts.values import number_text
from advisor.facts.vocabulary import Fact
from advisor.knowledge.model import Knowledge, Topic
from advisor.report.page import Look, Page, Style


@dataclass(frozen=True, slots=True)
class Glossary:
    """Facts and topics, with the titles of the groups of facts. `about` tells how they match what was looked up."""

    facts: tuple[Fact, ...]
    topics: tuple[Topic, ...]
    groups: dict[str, str]
    about: str = ""

    def to_json(self) -> dict[str, Any]:
        return {
            "schema": "advisor/glossary/1",
            "facts": [_fact_json(fact) for fact in self.facts],
            "topics": [_topic_json(topic) for topic in self.topics],
        }


def _fact_json(fact: Fact) -> dict[str, Any]:
    return {
        "name": fact.name, "group": fact.group, "type": fact.type.value, "unit": fact.unit,
        "choices": dict(fact.choices), "question": fact.question, "help": fact.help,
        **({"minimum": fact.minimum, "maximum": fact.maximum} if fact.numeric else {}),
        "only_when": fact.only_when, "assume": fact.assume, "derive": fact.derive,
    }  # fmt: skip


def _topic_json(topic: Topic) -> dict[str, Any]:
    return {
        "name": topic.name, "title": topic.title, "policy": topic.policy.value, "type": topic.type,
        "unit": topic.unit, "values": dict(topic.values), "applies": topic.applies, "probe": topic.probe,
    }  # fmt: skip


def whole_glossary(knowledge: Knowledge) -> Glossary:
    vocabulary = knowledge.vocabulary
    return Glossary(tuple(vocabulary.facts.values()), tuple(knowledge.topics.values()), vocabulary.groups)


def find_term(knowledge: Knowledge, term: str) -> Glossary:
    """The facts and topics that a term names: by their own name, a part of it, a title, or one of their values.

    Raises:
        InputError: nothing is called that.
    """
    wanted = term.strip().casefold()
    everything = whole_glossary(knowledge)
    for matches in (_is_called, _has_value, _mentions):
        facts = tuple(fact for fact in everything.facts if matches(wanted, fact.name, "", dict(fact.choices)))
        topics = tuple(t for t in everything.topics if matches(wanted, t.name, t.title, dict(t.values)))
        if wanted and (facts or topics):
            names = ", ".join([*(fact.name for fact in facts), *(topic.name for topic in topics)])
            about = f"{shorten(term)} is a value of {names}." if matches is _has_value else ""
            return Glossary(facts, topics, everything.groups, about)
    known = [*knowledge.vocabulary.facts, *knowledge.topics]
    known += [name for fact in everything.facts for name in fact.choice_names]
    known += [name for topic in everything.topics for name in topic.values]
    remedy = did_you_mean(wanted, dict.fromkeys(known)) or "`advisor glossary` alone lists everything."
    raise input_error("Nothing is called that", f"{shorten(term)!r}", where="TERM", remedy=remedy)


def _is_called(wanted: str, name: str, title: str, _values: dict[str, str]) -> bool:
    return wanted in (name, title.casefold()) or name.startswith(f"{wanted}.")


def _has_value(wanted: str, _name: str, _title: str, values: dict[str, str]) -> bool:
    spelled = wanted.replace("-", "_").replace(" ", "_")
    return spelled in values or wanted in (text.casefold() for text in values.values())


def _mentions(wanted: str, name: str, title: str, values: dict[str, str]) -> bool:
    return len(wanted) > 2 and any(wanted in text.casefold() for text in (name, title, *values, *values.values()))


# --- text ---------------------------------------------------------------------------------------------------------


def glossary_page(glossary: Glossary, look: Look) -> str:
    page = Page(look)
    if glossary.about:
        page.add(glossary.about)
    for group, title in glossary.groups.items():
        facts = [fact for fact in glossary.facts if fact.group == group]
        if facts:
            page.heading(f"FACTS: {title}")
        for fact in facts:
            _fact(page, fact)
    if glossary.topics:
        page.heading("TOPICS: What is recommended")
    for topic in glossary.topics:
        _topic(page, topic)
    return page.text()


def _fact(page: Page, fact: Fact) -> None:
    page.add((fact.name, Style.STRONG), f": {fact.question}")
    kind = f"{fact.type.value}{f' in {fact.unit}' if fact.unit else ''}"
    if fact.numeric:
        kind += f", from {number_text(fact.minimum)} to {number_text(fact.maximum)}"
    page.add((kind, Style.FAINT), first="    ")
    if fact.help:
        page.add(fact.help, first="    ")
    if fact.only_when:
        page.add((f"means something only when {fact.only_when}", Style.FAINT), first="    ")
    if fact.assume or fact.derive:
        how = f"computed as {fact.derive}" if fact.derive else f"assumed when nobody knows: {fact.assume}"
        page.add((how, Style.FAINT), first="    ")
    _values(page, dict(fact.choices))


def _topic(page: Page, topic: Topic) -> None:
    unit = f" (in {topic.unit})" if topic.unit else ""
    page.add((topic.name, Style.STRONG), f": {topic.title}{unit}")
    _values(page, dict(topic.values))


def _values(page: Page, values: dict[str, str]) -> None:
    for name, text in values.items():
        page.add((name, Style.STRONG), f": {text}" if text != name else "", first="    - ")
