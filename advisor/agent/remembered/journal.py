"""The journal of a running measurement: what is finished is on disk at once, so that a killed run goes on where it stopped.

One file for each question that was asked (the facts, the machine, the library versions, the probes that were named); JSON
lines, each written whole. It is deleted when the run has ended by itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from advisor.agent.remembered.journal_file import JournalFile
from advisor.agent.remembered.profile import checked
from advisor.plain import decode, encode
from advisor.probes.catalogue import probe_named
from advisor.probes.outcome import Outcome

SCHEMA = "advisor/journal/2"
KEPT_FOR = timedelta(days=1)
"""The age from which a measurement is repeated."""


@dataclass(frozen=True)
class Entry:
    """A probe that began or ended, and the seconds of the budget that were spent by then."""

    probe: str
    spent: float
    outcome: Outcome | None = None
    """None where it only began."""
    by_hand: bool = False
    """True if somebody ended the run in the middle of it, which says nothing against the probe."""


@dataclass
class Journal:
    """The probes that one run has begun and finished; a run that finds entries of a killed one continues from them."""

    file: JournalFile
    entries: list[Entry] = field(default_factory=list)

    @classmethod
    def open(cls, question: Mapping[str, Any]) -> Journal | None:
        """The journal of this question, locked; None while another run writes it.

        Args:
            question: JSON that tells this run from others.

        Raises StateError where the folder or the file cannot be written.
        """
        file = JournalFile.open(question)
        if file is None:
            return None
        file.refuse_newer(SCHEMA)
        entries = _read(file)
        file.keep(len(entries))
        return cls(file, entries)

    @property
    def path(self) -> Path:
        return self.file.path

    @property
    def outcomes(self) -> list[Outcome]:
        return [entry.outcome for entry in self.entries if entry.outcome is not None]

    @property
    def stopped_in(self) -> str | None:
        """The probe that an earlier run had begun and not ended."""
        last = self.entries[-1] if self.entries else None
        return last.probe if last is not None and last.outcome is None else None

    @property
    def tries(self) -> Mapping[str, int]:
        """The number of times each probe began, except when somebody ended the run in the middle of it."""
        tries: Counter[str] = Counter()
        for entry in self.entries:
            if entry.outcome is None:
                tries[entry.probe] += -1 if entry.by_hand else 1
        return +tries

    @property
    def spent(self) -> float:
        """Seconds of the budget that earlier runs have used, up to the start of the probe that was running."""
        return self.entries[-1].spent if self.entries else 0.0

    def begin(self, probe: str, spent: float) -> None:
        """Note that a probe begins: one that ends the whole run must not do so again and again. Raises StateError."""
        self._write(Entry(probe, spent))

    def stopped(self, probe: str) -> None:
        """Note that somebody ended the run in the middle of this probe. Raises StateError."""
        self._write(Entry(probe, self.spent, by_hand=True))

    def add(self, outcome: Outcome, spent: float) -> None:
        """Write a finished probe at once. Raises StateError where that fails; the entry is kept in memory."""
        self._write(Entry(outcome.probe, spent, outcome))

    def _write(self, entry: Entry) -> None:
        self.entries.append(entry)
        self.file.write({"schema": SCHEMA, **encode(entry)})

    def forget(self) -> None:
        """Begin anew: whatever an earlier run has finished counts no longer."""
        self.entries.clear()
        self.file.empty()

    def close(self, *, finished: bool) -> None:
        """Give the lock back; a finished run leaves no file."""
        self.file.close(finished=finished)


def _read(file: JournalFile) -> list[Entry]:
    """Entries up to the first line that is none."""
    found: list[Entry] = []
    for line in file.read():
        entry = _entry(line)
        if entry is None:
            break
        found.append(entry)
    return found if _fresh(found) else []


def _entry(data: Any) -> Entry | None:
    try:
        entry = decode(Entry, data, "entry")
        probe_named(entry.probe)
        if entry.outcome is not None:
            checked(entry.outcome)
    except ValueError:
        return None
    return entry if data.get("schema") == SCHEMA else None


def _fresh(entries: Sequence[Entry]) -> bool:
    try:
        dates = [datetime.fromisoformat(entry.outcome.date) for entry in entries if entry.outcome is not None]
        return all(datetime.now(UTC) - date < KEPT_FOR for date in dates)
    except (ValueError, TypeError):  # no date, or one without a time zone, which no probe has written
        return False
