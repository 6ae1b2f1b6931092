"""One recommendation as the HTML report shows it: advice, reasons, what lost, what would flip it, what to do."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.inference.plan import Plan, Recommendation, Status
from advisor.knowledge.model import Knowledge
from advisor.report import contents, words
from advisor.report.changes import sentence
from advisor.report.page import Look
from advisor.report.plan.explanation import Explanation, Ground, Lost, explain
from advisor.report.plan.text import symbol

UNICODE = Look(unicode=True)


@dataclass(frozen=True, slots=True)
class StatusWords:
    """A status by symbol and by word; `key` names its colour, which nothing hangs on."""

    key: str
    symbol: str
    word: str
    means: str = ""


@dataclass(frozen=True, slots=True)
class Flip:
    fact: str
    to: str
    then: str


@dataclass(frozen=True, slots=True)
class TopicView:
    """Everything in words. `survey` are rules that hold and were superseded: what they advised and why that lost."""

    entry: Recommendation
    anchor: str
    advice: str
    status: StatusWords
    grounds: tuple[Ground, ...]
    survey: tuple[Lost, ...]
    notes: tuple[tuple[str, list[str]], ...]
    alternatives: tuple[tuple[str, str, list[str]], ...]
    """A value, why not, and the errata that belong to that"""
    flips: tuple[Flip, ...]
    measured: str


def status_words(status: Status) -> StatusWords:
    return StatusWords(
        status.value, symbol(status, UNICODE)[0], words.STATUS_WORDS[status], words.STATUS_MEANS.get(status, "")
    )


def grouped_topics(plan: Plan, knowledge: Knowledge) -> list[tuple[str, list[TopicView]]]:
    """Every recommendation that says something, by group."""
    return [(title, [_view(plan, knowledge, entry) for entry in entries]) for title, entries in words.grouped(plan)]


def _view(plan: Plan, knowledge: Knowledge, entry: Recommendation) -> TopicView:
    explained: Explanation = explain(plan, knowledge, entry.topic)
    flips = tuple(
        Flip(
            flip.fact,
            words.fact_words(knowledge, flip.fact, flip.to),
            words.value_words(knowledge, entry.topic, flip.then, entry.unit, explained=False),
        )
        for flip in entry.flips
    )
    alternatives = tuple(
        (
            words.value_words(knowledge, entry.topic, other.value, entry.unit),
            other.why_not,
            words.errata_quoted(knowledge, entry.topic, other.why_not),
        )
        for other in entry.alternatives
    )
    return TopicView(
        entry=entry,
        anchor=f"topic-{entry.topic.replace('.', '-').replace('_', '-')}",
        advice=words.advice_words(knowledge, entry),
        status=status_words(entry.status),
        grounds=explained.grounds,
        survey=explained.lost,
        notes=tuple(
            (note, errata)
            for note, errata in contents.notes_on(knowledge, entry)
            if not any(f"{lost.rule} advised" in note for lost in explained.lost)
        ),
        alternatives=alternatives,
        flips=flips,
        measured=sentence(entry.measured, entry.unit) if entry.measured is not None else "",
    )
