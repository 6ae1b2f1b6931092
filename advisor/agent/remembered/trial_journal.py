"""The journal of `advisor try`: a killed run goes on from its last finished trial, and what was spent stays spent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from advisor.agent.remembered.journal_file import JournalFile
from advisor.plain import encode
from advisor.training.child.request import MESSAGES, Began, Finals, Message, Ready
from advisor.training.ladder.insight import Insight
from advisor.training.ladder.trial_record import Stage, Trial

SCHEMA = "advisor/trial-journal/2"
"""2: the losses of a trial are refined Brier scores."""
KEPT_FOR = timedelta(days=1)
"""The age from which a trial is repeated."""


_LONGEST = 1e9
"""Seconds that no run has spent."""


@dataclass
class Known:
    """Everything that a run has found out so far."""

    ready: Ready | None = None
    trials: list[Trial] = field(default_factory=list)
    finals: Finals | None = None
    insight: Insight | None = None
    notes: list[str] = field(default_factory=list)
    spent: float = 0.0
    """Seconds of the budget that earlier runs have used."""
    resumed: int = 0
    """Of the trials, those that an earlier run had finished."""
    costly: dict[str, float] = field(default_factory=dict)
    """Seconds that something would take which was left out for that."""
    began: dict[str, tuple[int, Began]] = field(default_factory=dict)
    """The number of times each unfinished trial was begun, except when somebody ended the run in the middle of it."""


class TrialJournal:
    """The trials that a run has begun and finished, on disk."""

    def __init__(self, file: JournalFile) -> None:
        self._file = file

    @classmethod
    def open(cls, question: dict[str, Any], *, fresh: bool) -> TrialJournal | None:
        """None while another run writes it. Raises StateError where it cannot be written."""
        file = JournalFile.open({"try": question}, ".trial.jsonl")
        if file is None:
            return None
        file.refuse_newer(SCHEMA)
        if fresh:
            file.empty()
        journal = cls(file)
        file.keep(sum(1 for _ in journal._entries()))
        return journal

    def known(self) -> Known:
        """The records of an earlier run; nothing where they are too old, or of another version."""
        known = Known()
        for entry in self._entries():
            message, known.spent = MESSAGES.of(entry["what"], entry["content"]), float(entry["spent"])
            match message:
                case Ready():
                    known.ready = message
                case Trial():
                    known.trials.append(message)
                    known.began.pop(message.key, None)
                case Began(stage=Stage()):
                    key = f"{message.name}#{message.rung}"
                    times = known.began.get(key, (0, message))[0] + (-1 if entry.get("by_hand") else 1)
                    known.began[key] = (times, message)
                case Finals():
                    known.finals = message
                case Insight():
                    known.insight = message
        known.resumed = len(known.trials)
        return known

    def _entries(self) -> Iterator[dict[str, Any]]:
        for entry in self._file.read():
            try:
                fresh = datetime.now(UTC) - datetime.fromisoformat(entry["date"]) < KEPT_FOR
                MESSAGES.of(entry["what"], entry["content"])
                fresh = fresh and 0 <= float(entry["spent"]) < _LONGEST
            except (ValueError, TypeError, KeyError, AttributeError):
                return
            if entry.get("schema") != SCHEMA or not fresh:
                return
            yield entry

    def write(self, message: Message, spent: float, *, by_hand: bool = False) -> None:
        """Raises StateError.

        Args:
            by_hand: of a trial that began: somebody ended the run in the middle of it, which says nothing against it.
        """
        date = datetime.now(UTC).isoformat(timespec="seconds")
        what = type(message).__name__
        entry = {"schema": SCHEMA, "date": date, "what": what, "spent": spent, "content": encode(message)}
        self._file.write(entry | ({"by_hand": True} if by_hand else {}))

    def close(self, *, finished: bool) -> None:
        self._file.close(finished=finished)
