"""One recommendation as the HTML report shows it: advice, reasons, what lost, what would flip it, what to do."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.inference.plan import Plan, Recommendation, Status
from advisor.knowledge.model import Knowledge
from advisor.report import contents, words
from advisor.report.changes import sentence
from advisor.report.page import Look
from advisor.report.plan.explanation import explain
from advisor.report.plan.text import symbol

UNICODE = Look(unicode=True)


@dataclass(frozen=True, slots=True)
class StatusWords:
    """A status by symbol and by word; `key` names its colour, which nothing hangs on."""

    key: str
    symbol: str
    word: str
    means: str = ""


def status_words(status: Status) -> StatusWords:
    return StatusWords(
        status.value, symbol(status, UNICODE)[0], words.STATUS_WORDS[status], words.STATUS_MEANS.get(status, "")
    )


def grouped_topics(plan: Plan, knowledge: Knowledge) -> list[tuple[str, list[dict[str, object]]]]:
    """Every recommendation that says something, by group, as the values of its template."""
    return [(title, [_view(plan, knowledge, entry) for entry in entries]) for title, entries in words.grouped(plan)]


def _view(plan: Plan, knowledge: Knowledge, entry: Recommendation) -> dict[str, object]:
    """Everything in words. `lost` are rules that hold and were superseded: what they advised and why that lost."""
    explained = explain(plan, knowledge, entry.topic)
    return {
        "entry": entry,
        "anchor": f"topic-{entry.topic.replace('.', '-').replace('_', '-')}",
        "advice": words.advice_words(knowledge, entry),
        "status": status_words(entry.status),
        "grounds": explained.grounds,
        "lost": explained.lost,
        "notes": [
            (note, errata)
            for note, errata in contents.notes_on(knowledge, entry)
            if not any(f"{lost.rule} advised" in note for lost in explained.lost)
        ],
        "alternatives": [
            (
                words.value_words(knowledge, entry.topic, other.value, entry.unit),
                other.why_not,
                words.errata_quoted(knowledge, entry.topic, other.why_not),
            )
            for other in entry.alternatives
        ],
        "flips": [(flip.fact, *words.flip_words(knowledge, entry, flip)) for flip in entry.flips],
        "measured": sentence(entry.measured, entry.unit) if entry.measured is not None else "",
    }
