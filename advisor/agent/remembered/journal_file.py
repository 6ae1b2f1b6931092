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

from advisor.files.locking import try_lock
from advisor.files.private import NotOursError, is_named, open_private, read_up_to, write_all
from advisor.files.whole import sync_folder
from advisor.machine.state import NEWER, StateError, make_private, newer, state_folder

_LARGEST = 1e150
"""Of the numbers in a journal; squares of larger ones would be infinite."""
_LONGEST = 16_000_000
_REMEDY = "The work goes on all the same. Name a folder that can be written in ADVISOR_STATE."


class JournalFile:
    """JSON objects, one a line, locked for this run. One descriptor does everything, whatever becomes of the name."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor: int | None = descriptor

    @classmethod
    def open(cls, question: Mapping[str, Any], ending: str = ".jsonl") -> JournalFile | None:
        """The journal of this question; None while another run writes it.

        Args:
            question: JSON that tells this run from others.

        Raises StateError where the folder or the file cannot be written, or somebody else could change it.
        """
        folder = state_folder() / "journal"
        make_private(folder)
        key = hashlib.sha256(json.dumps(question, sort_keys=True, default=str).encode()).hexdigest()[:16]
        path = folder / f"{key}{ending}"
        try:
            while True:
                descriptor = open_private(path, os.O_RDWR | os.O_CREAT)
                if not _locked(descriptor):
                    os.close(descriptor)
                    return None
                if is_named(descriptor, path):
                    break
                os.close(descriptor)  # the run that held the lock has ended and deleted it meanwhile
        except NotOursError as error:
            raise StateError(path, f"is not trusted: {error.strerror} ({error.filename}).", _REMEDY) from error
        except OSError as error:
            raise StateError(path, f"cannot be written ({error.strerror}).", _REMEDY) from error
        sync_folder(folder)
        found = cls(path, descriptor)
        found._cut_half_line()
        return found

    def read(self) -> list[Any]:
        """The lines up to the first that is no JSON, as a run that was killed while writing leaves half a line, or that holds
        a number larger than any that is written here."""
        found: list[Any] = []
        for line in self._content().split(b"\n")[:-1]:
            try:
                entry = json.loads(line)
                if not _within_bounds(entry):
                    break
            except (ValueError, RecursionError):
                break
            found.append(entry)
        return found

    def write(self, entry: Mapping[str, Any]) -> None:
        """One line, on the disk when this returns; all of it or, where that fails, nothing. Raises StateError."""
        line = json.dumps(entry, allow_nan=False).encode() + b"\n"
        end = os.lseek(self._open, 0, os.SEEK_END)
        try:
            write_all(self._open, line)
            os.fsync(self._open)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._open, end)
            remedy = "Work goes on, but a killed run would lose this result."
            raise StateError(self.path, f"cannot be written ({error.strerror}).", remedy) from error

    def keep(self, lines: int) -> None:
        """Cut the file after so many lines: what follows an entry that does not count would never be read."""
        parts = self._content().split(b"\n", lines)
        if parts[-1]:
            self._cut(sum(len(part) + 1 for part in parts[:lines]))

    def refuse_newer(self, schema: str) -> None:
        """Raise StateError where a newer version of this program has written it, which would go on from there."""
        found = newer(next(iter(self.read()), None), schema)
        if found:
            self.close(finished=False)
            raise StateError(self.path, f"{NEWER} ({found}).", "The work goes on all the same.")

    def empty(self) -> None:
        """Begin the file anew."""
        self._cut(0)

    @property
    def _open(self) -> int:
        assert self._descriptor is not None  # noqa: S101 - nobody goes on with a closed one
        return self._descriptor

    def close(self, *, finished: bool) -> None:
        """Give the lock back; a finished run leaves no file."""
        if self._descriptor is None:
            return
        if finished and is_named(self._descriptor, self.path):
            self.path.unlink(missing_ok=True)
        os.close(self._descriptor)
        self._descriptor = None

    def _content(self) -> bytes:
        try:
            os.lseek(self._open, 0, os.SEEK_SET)
            return read_up_to(self._open, _LONGEST)
        except OSError:
            return b""

    def _cut_half_line(self) -> None:
        """A run that was killed while writing leaves half a line, to which the next one would be appended."""
        self._cut(self._content().rfind(b"\n") + 1)

    def _cut(self, length: int) -> None:
        with contextlib.suppress(OSError):
            os.ftruncate(self._open, length)


def _locked(descriptor: int) -> bool:
    """False while another run holds the lock; where there are none, two runs of one question are not told apart."""
    try:
        return try_lock(descriptor)
    except OSError:
        return True


def _within_bounds(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_within_bounds, value.values()))
    if isinstance(value, list):
        return all(map(_within_bounds, value))
    return not isinstance(value, int | float) or abs(value) <= _LARGEST
