"""The conversation that was saved last, in a few words for the start."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from advisor.errors import InputError
from advisor.interview import saved
from advisor.knowledge.model import Knowledge
from advisor.report.words import fact_words
from advisor.tui.labels import choice_label

_TOLD = ("task.kind", "data.modality", "data.examples")
"""Answers by which a conversation is recognised."""
_DAY = 86400


@dataclass(frozen=True, slots=True)
class Last:
    """`told` is what it was about; `data` the path of its data, empty where it had none."""

    told: str
    data: str = ""


def last_conversation(knowledge: Knowledge) -> Last | None:
    """None where nothing was saved, or it cannot be read: whoever goes on with it is told why."""
    try:
        file = saved.session_file()
        found = saved.load(knowledge.vocabulary)
        written = file.stat().st_mtime
    except (InputError, OSError):
        return None
    known = [(name, found.answers.get(name)) for name in _TOLD]
    words = [
        choice_label(value) if isinstance(value, str) else fact_words(knowledge, name, value)
        for name, value in known
        if value is not None
    ]
    count = len(found.answers)
    words += [f"{count} answer{'s' if count != 1 else ''}", ago(time.time() - written)]
    return Last(", ".join(words), "" if found.data is None else str(Path(found.data.path)))


def ago(seconds: float) -> str:
    """`just now`, `20 minutes ago`, `yesterday`, `12 days ago`."""
    if seconds < 60:
        return "just now"
    if seconds < _DAY:
        size, unit = (3600, "hour") if seconds >= 3600 else (60, "minute")
        count = int(seconds // size)
        return f"{count} {unit}{'s' if count != 1 else ''} ago"
    days = int(seconds // _DAY)
    return "yesterday" if days == 1 else f"{days} days ago"
