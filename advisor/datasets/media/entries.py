"""Entries of a folder and of the folders in it: files, and what can be no example, each with the reason."""

from __future__ import annotations

import errno
import os
import stat
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

DEEPEST = 8
"""Folders within folders that are looked into."""
MOST_ENTRIES = 1_000_000
"""Of a folder, and of all in it, that are looked at."""
LEFT_BEHIND = frozenset(
    [
        "__macosx",
        "@eadir",
        "#recycle",
        "#snapshot",
        "@recycle",
        "@recently-snapshot",
        "$recycle.bin",
        "recycler",
        "lost+found",
        "__pycache__",
        "_vti_cnf",
    ]
) | {"system volume information", "network trash folder", "temporary items"}
"""Folders that systems and programs make among the files of others: copies, previews, waste. Hidden ones are left out anyway."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file, or something else in its place."""

    name: str
    """Relative to the folder."""
    size: int = 0
    """Bytes."""
    is_linked_folder: bool = False
    """True for a link to a folder; it is not followed, so that no links can lead around in a circle."""
    is_left_behind: bool = False
    """True for a folder that a program left behind; it is not looked into."""
    fault: str = ""
    """The reason why it can be no example; empty for files and linked folders."""

    @property
    def suffix(self) -> str:
        """The ending of its name in small letters."""
        return os.path.splitext(self.name)[1].casefold()  # noqa: PTH122  a path object for each is slow

    @property
    def stem(self) -> str:
        """The name without folders and ending."""
        return os.path.splitext(os.path.basename(self.name))[0]  # noqa: PTH119, PTH122  as above

    @property
    def is_file(self) -> bool:
        return not self.is_linked_folder and not self.is_left_behind and not self.fault


def entries_below(folder: Path, deepest: int = DEEPEST) -> Iterator[Entry]:
    """The entries of a folder and of those in it, by name within each, without hidden ones and those in
    folders that programs left behind.

    An entry that cannot be read costs itself alone. Raises OSError where the folder itself cannot be read.
    """
    waiting = deque([("", 0)])
    while waiting:
        below, depth = waiting.popleft()
        try:
            with os.scandir(folder / below) as found:
                shown = (entry for entry in islice(found, MOST_ENTRIES) if not entry.name.startswith("."))
                inside = sorted(shown, key=lambda one: one.name)
        except OSError as error:
            if depth == 0:
                raise
            yield Entry(below, fault=f"a folder: {_reason(error)}")
            continue
        for one in inside:
            name = f"{below}/{one.name}" if below else one.name
            if not one.is_dir(follow_symlinks=False):
                yield _entry(name, one)
            elif one.name.casefold() in LEFT_BEHIND:
                yield Entry(name, is_left_behind=True)
            elif depth < deepest:
                waiting.append((name, depth + 1))
            else:
                yield Entry(name, fault=f"a folder more than {deepest} deep")


def _entry(name: str, found: os.DirEntry[str]) -> Entry:
    try:
        status = found.stat()
    except OSError as error:
        return Entry(name, fault=_reason(error))
    if stat.S_ISREG(status.st_mode):
        return Entry(name, status.st_size)
    if stat.S_ISDIR(status.st_mode):
        return Entry(name, is_linked_folder=True)
    return Entry(name, fault="a pipe, a socket or a device")


def _reason(error: OSError) -> str:
    told = {
        errno.ENOENT: "a link to nothing",
        errno.ELOOP: "a link to itself",
        errno.EACCES: "it may not be read",
        errno.EPERM: "it may not be read",
    }
    return told.get(error.errno or 0) or error.strerror or type(error).__name__
