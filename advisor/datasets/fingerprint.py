"""A short name for what data are, so that a trial on the same data with the same target is recognised."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from advisor.datasets.dataset import Task

READ_WHOLE = 64 * 2**20
PLACES = 256
PIECE = 4096


def of_file(path: Path, target: str | None) -> str:
    """16 hexadecimal digits of a file's content; of one above 64 MiB its size and pieces from 256 places.

    The name and age of the file play no part, so that a copy is the same data. Raises OSError.
    """
    digest = _begin(target)
    size = path.stat().st_size
    digest.update(f"{size}\n".encode())
    with path.open("rb") as file:
        if size <= READ_WHOLE:
            while block := file.read(2**20):
                digest.update(block)
        else:
            for place in range(PLACES):
                file.seek(place * (size - PIECE) // (PLACES - 1))
                digest.update(file.read(PIECE))
    return digest.hexdigest()


def of_listing(entries: Iterable[tuple[str, int]], target: str | None = None, *, files: Sequence[Path] = ()) -> str:
    """The same of a folder, from the names of its files (relative to it), their sizes and the ends of 256 of `files`.

    The end tells more than the beginning: headers of sounds and pictures of one size are alike.
    """
    digest = _begin(target)
    for place in range(min(PLACES, len(files))):
        with contextlib.suppress(OSError), files[place * len(files) // min(PLACES, len(files))].open("rb") as file:
            file.seek(-min(PIECE, file.seek(0, os.SEEK_END)), os.SEEK_END)
            digest.update(file.read(PIECE))
    for name, size in sorted(entries):
        digest.update(f"{name}\0{size}\n".encode(errors="surrogateescape"))
    return digest.hexdigest()


def read_for(fingerprint: str, task: Task) -> str:
    """The name of the same data where the target is read for another task than it seems to be for."""
    return hashlib.blake2b(f"{fingerprint} {task}".encode(), digest_size=8).hexdigest()


def _begin(target: str | None) -> hashlib.blake2b:
    digest = hashlib.blake2b(digest_size=8)
    digest.update(repr((target, "")).encode(errors="surrogateescape"))
    return digest
