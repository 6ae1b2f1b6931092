"""Symbols, words and colours of what a probe or a trial came to, and what it changes in the plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from advisor.inference.plan import Plan
from advisor.interview.changes import changes
from advisor.knowledge.model import Knowledge
from advisor.report.changes import VERDICTS
from advisor.report.page import Page, Style
from advisor.report.words import STATUS_WORDS, advice_words

SYMBOLS: Mapping[str, str] = {
    "confirmed": "✓",
    "overturned": "↻",
    "no_difference": "=",
    "undecided": "?",
    "failed": "✗",
    "stopped": "■",
    "measured": "◆",
}
"""Each always stands beside its word."""
STYLES: Mapping[str, str] = {
    "confirmed": "$text-success",
    "overturned": "bold $text-warning",
    "failed": "$text-error",
    "undecided": "$text-muted",
    "stopped": "$text-muted",
}
WORDS: Mapping[str, str] = {
    **VERDICTS,
    "failed": "failed",
    "stopped": "stopped by hand",
    "measured": "measured",
}


def finding_words(found: str) -> str:
    """`✓ confirmed`, `= no difference that matters`."""
    return f"{SYMBOLS[found]} {WORDS[found]}"


def counted(findings: Iterable[str]) -> list[tuple[str, str]]:
    """`✓ 2 confirmed   ↻ 1 overturned   `, each with its style."""
    counts = Counter(findings)
    return [
        (f"{symbol} {counts[kind]} {WORDS[kind]}   ", STYLES.get(kind, ""))
        for kind, symbol in SYMBOLS.items()
        if counts[kind]
    ]


def add_changes(page: Page, before: Plan, after: Plan, knowledge: Knowledge) -> None:
    """Add every recommendation that differs between two plans, below a heading."""
    page.heading("what changes in the plan")
    moved = changes(before, after)
    if not moved:
        page.add("Nothing: every recommendation stays as it was.")
    for change in moved:
        was, now = (
            f"{advice_words(knowledge, entry, explained=False)} ({STATUS_WORDS[entry.status]})"
            for entry in (change.before, change.after)
        )
        page.add((change.after.title, Style.STRONG), f": {was} -> {now}", first="» ")
