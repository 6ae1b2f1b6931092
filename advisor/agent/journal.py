"""The journal of a running measurement: what is finished is on disk at once, so that a killed run goes on where it stopped.

One file for each question that was asked (the facts, the machine, the library versions, the probes that were named); JSON
lines, each written whole. It is deleted when the run has ended by itself.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from advisor.errors import InputError
from advisor.machine.state import StateError, state_folder
from advisor.probes.catalogue import probe_named
from advisor.probes.outcome import ProbeOutcome

SCHEMA = "advisor/journal/2"
KEPT_FOR = timedelta(days=1)
"""What was measured longer ago is measured anew."""
_LONGEST = 16_000_000


@dataclass(frozen=True)
class Entry:
    """A probe that began or ended, and the seconds of the budget that were spent by then."""

    probe: str
    spent: float
    outcome: ProbeOutcome | None = None
    """None where it only began."""


@dataclass
class Journal:
    """What one run has begun and finished; a run that finds entries of a killed one goes on from them."""

    path: Path
    entries: list[Entry] = field(default_factory=list)
    _lock: int | None = None

    @classmethod
    def open(cls, question: Mapping[str, Any]) -> Journal | None:
        """The journal of this question, locked; None while another run writes it.

        Args:
            question: JSON that tells this run from others.

        Raises StateError where the folder or the file cannot be written.
        """
        folder = state_folder() / "journal"
        key = hashlib.sha256(json.dumps(question, sort_keys=True, default=str).encode()).hexdigest()[:16]
        path = folder / f"{key}.jsonl"
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            remedy = "Measuring goes on, but could not be resumed. Name a folder that can be written in ADVISOR_STATE."
            raise StateError(path, f"cannot be written ({error.strerror}).", remedy) from error
        if not _locked(lock):
            os.close(lock)
            return None
        return cls(path, _read(path), lock)

    @property
    def outcomes(self) -> list[ProbeOutcome]:
        return [entry.outcome for entry in self.entries if entry.outcome is not None]

    @property
    def stopped_in(self) -> str | None:
        """The probe that an earlier run had begun and not ended."""
        last = self.entries[-1] if self.entries else None
        return last.probe if last is not None and last.outcome is None else None

    @property
    def spent(self) -> float:
        """Seconds of the budget that earlier runs have used, up to the start of the probe that was running."""
        return self.entries[-1].spent if self.entries else 0.0

    def begin(self, probe: str, spent: float) -> None:
        """Notes that a probe begins: one that ends the whole run must not do so again and again. Raises StateError."""
        self._write(Entry(probe, spent))

    def add(self, outcome: ProbeOutcome, spent: float) -> None:
        """Writes a finished probe at once. Raises StateError where that fails; the entry is kept in memory."""
        self._write(Entry(outcome.probe, spent, outcome))

    def _write(self, entry: Entry) -> None:
        self.entries.append(entry)
        outcome = entry.outcome.to_json() if entry.outcome is not None else None
        line = json.dumps({"schema": SCHEMA, "probe": entry.probe, "spent": entry.spent, "outcome": outcome})
        try:
            with self.path.open("ab") as file:
                file.write(line.encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            remedy = "Measuring goes on, but a killed run would lose this result."
            raise StateError(self.path, f"cannot be written ({error.strerror}).", remedy) from error

    def forget(self) -> None:
        """Begins anew: whatever an earlier run has finished counts no longer."""
        self.entries.clear()
        with contextlib.suppress(OSError):
            os.truncate(self.path, 0)

    def close(self, *, finished: bool) -> None:
        """Gives the lock back; a finished run leaves no file."""
        if finished:
            self.path.unlink(missing_ok=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _locked(descriptor: int) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows: two runs of one question at once are not told apart
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _read(path: Path) -> list[Entry]:
    """Entries up to the first line that is no entry: a run that was killed while writing leaves half a line."""
    try:
        with path.open("rb") as file:
            lines = file.read(_LONGEST).split(b"\n")
    except OSError:
        return []
    found: list[Entry] = []
    for line in lines[:-1]:
        entry = _entry(line)
        if entry is None:
            break
        found.append(entry)
    return found if _fresh(found) else []


def _entry(line: bytes) -> Entry | None:
    from advisor.agent.machine_profile import checked

    try:
        data = json.loads(line)
        if data["schema"] != SCHEMA:
            return None
        outcome = data["outcome"]
        found = checked(ProbeOutcome.from_json(outcome)) if outcome is not None else None
        return Entry(probe_named(data["probe"]).name, float(data["spent"]), found)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, InputError):
        return None


def _fresh(entries: Sequence[Entry]) -> bool:
    try:
        dates = [datetime.fromisoformat(entry.outcome.date) for entry in entries if entry.outcome is not None]
    except ValueError:
        return False
    return all(datetime.now(UTC) - date < KEPT_FOR for date in dates)
