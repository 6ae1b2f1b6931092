"""Names for what is written before it takes its place, and what killed programs have left under them."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from advisor.files.locking import try_lock

_RANDOM_BYTES = 8
_TRIES = 20
_LOOKING = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC"))
_Descriptor = TypeVar("_Descriptor", int, int | None)


def name_aside(path: Path) -> str:
    """A new hidden name for what is to become this file or folder."""
    return f"{_beginning(path)}{secrets.token_hex(_RANDOM_BYTES)}"


def make_aside(path: Path, folder: Path, make: Callable[[Path], _Descriptor]) -> tuple[Path, _Descriptor]:
    """Make something new in a folder that is to become this file or folder, and lock it where there are locks.

    Args:
        make: makes and opens it; None where it cannot be opened.

    Raises OSError.
    """
    for _ in range(_TRIES):
        place = folder / name_aside(path)
        descriptor = make(place)
        if (descriptor is None or lock(descriptor)) and place.exists():
            return place, descriptor
        if descriptor is not None:  # before it was locked, another program has taken it for abandoned
            os.close(descriptor)
    raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN), str(folder))


@contextlib.contextmanager
def folder_aside(path: Path, parent: Path) -> Iterator[Path]:
    """A folder for what is not to be seen yet, gone in the end unless it has taken its place; where the program is killed,
    `remove_abandoned` removes it later. Raises OSError."""
    aside, descriptor = make_aside(path, parent, _new_folder)
    try:
        yield aside
    finally:
        shutil.rmtree(aside, ignore_errors=True)
        if descriptor is not None:
            os.close(descriptor)


def remove_abandoned(path: Path, parent: Path) -> None:
    """Remove folders that killed programs have left, which were to become this one."""
    for left in abandoned(path, parent):
        shutil.rmtree(left, ignore_errors=True)


def _new_folder(place: Path) -> int | None:
    place.mkdir()
    with contextlib.suppress(OSError):  # Windows opens no folders
        return os.open(place, os.O_RDONLY)
    return None


def lock(descriptor: int) -> bool:
    """Say so while it is written; False where another program has it. Without locks nothing is taken for abandoned."""
    try:
        return try_lock(descriptor)
    except OSError:
        return True


def abandoned(path: Path, folder: Path) -> Iterator[Path]:
    """All in this folder that was to become this file or folder, and that nobody has locked any more."""
    for place in folder.glob(f"{_beginning(path)}{'[0-9a-f]' * 2 * _RANDOM_BYTES}"):
        with contextlib.suppress(OSError):
            descriptor = os.open(place, os.O_RDONLY | _LOOKING)
            try:
                if try_lock(descriptor):
                    yield place
            finally:
                os.close(descriptor)


def _beginning(path: Path) -> str:
    return f".advisor-{hashlib.blake2s(os.fsencode(path.absolute().name), digest_size=4).hexdigest()}-"
