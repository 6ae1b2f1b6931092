"""A journal on disk: lines that are there as soon as they are written, whatever happens to the program afterwards.

One file for each question that was asked; it is deleted when the run has ended by itself.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from advisor.machine.state import StateError, state_folder

_LONGEST = 16_000_000


class JournalFile:
    """JSON objects, one a line, locked for this run."""

    def __init__(self, path: Path, lock: int) -> None:
        self.path = path
        self._lock: int | None = lock

    @classmethod
    def open(cls, question: Mapping[str, Any], ending: str = ".jsonl") -> JournalFile | None:
        """The journal of this question; None while another run writes it.

        Args:
            question: JSON that tells this run from others.

        Raises StateError where the folder or the file cannot be written.
        """
        folder = state_folder() / "journal"
        key = hashlib.sha256(json.dumps(question, sort_keys=True, default=str).encode()).hexdigest()[:16]
        path = folder / f"{key}{ending}"
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            remedy = "The work goes on all the same. Name a folder that can be written in ADVISOR_STATE."
            raise StateError(path, f"cannot be written ({error.strerror}).", remedy) from error
        if not _locked(lock):
            os.close(lock)
            return None
        _cut_half_line(path)
        return cls(path, lock)

    def read(self) -> list[Any]:
        """The lines up to the first that is no JSON: a run that was killed while writing leaves half a line."""
        try:
            with self.path.open("rb") as file:
                lines = file.read(_LONGEST).split(b"\n")
        except OSError:
            return []
        found: list[Any] = []
        for line in lines[:-1]:
            try:
                found.append(json.loads(line))
            except (ValueError, RecursionError):
                break
        return found

    def write(self, entry: Mapping[str, Any]) -> None:
        """One line, on the disk when this returns. Raises StateError where that fails."""
        try:
            with self.path.open("ab") as file:
                file.write(json.dumps(entry, allow_nan=False).encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            remedy = "Work goes on, but a killed run would lose this result."
            raise StateError(self.path, f"cannot be written ({error.strerror}).", remedy) from error

    def empty(self) -> None:
        """Begin the file anew."""
        with contextlib.suppress(OSError):
            os.truncate(self.path, 0)

    def close(self, *, finished: bool) -> None:
        """Give the lock back; a finished run leaves no file."""
        if finished:
            self.path.unlink(missing_ok=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _cut_half_line(path: Path) -> None:
    """A run that was killed while writing leaves half a line, to which the next one would be appended."""
    with contextlib.suppress(OSError), path.open("rb+") as file:
        content = file.read(_LONGEST)
        file.truncate(content.rfind(b"\n") + 1)


def _locked(descriptor: int) -> bool:
    try:
        import fcntl  # Windows has none
    except ImportError:  # Windows: two runs of one question at once are not told apart
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
