"""Symbols, words and colours of what a probe or a trial came to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from advisor.report.changes import VERDICTS

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
