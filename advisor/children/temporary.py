"""A folder for a child's temporary files that is gone when the child is, however it ended.

What libraries keep there (multiprocessing its sockets, torch what it compiles) they remove themselves only where nobody
kills them. So the parent makes the folder, and removes it.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from advisor.files.locking import try_lock
from advisor.files.private import opened

PREFIX = "advisor-child-"
_LOCKED = ".held"
"""At the end of the name of a folder once it is locked: one that is not locked any more is abandoned."""
_MADE = re.compile(PREFIX + r"[a-z0-9_]{8}(\.held)?")
"""The names that tempfile makes: a folder that somebody has called advisor-child-notes is none of ours."""
GRACE_SECONDS = 60.0
"""Between making a folder and locking it, nobody may take it for an abandoned one. One of the future was made before the
clock was set back."""


@contextlib.contextmanager
def temporary_folder(base: Path | None = None) -> Iterator[Path]:
    """Made in the system's folder of temporary files, locked while it is in use, removed in the end.

    Args:
        base: the folder to make it in instead.

    A process that is killed leaves its folder behind; the next one removes it. The lock says whether the process it
    belongs to is still alive; where the system or the file system has none, such a folder stays.
    """
    base = Path(tempfile.gettempdir()) if base is None else base
    remove_abandoned(base)
    with contextlib.ExitStack() as closing:
        made = tempfile.TemporaryDirectory(prefix=PREFIX, dir=base, ignore_cleanup_errors=True)
        folder = Path(closing.enter_context(made))
        with contextlib.suppress(OSError):
            closing.enter_context(_locked(folder))
            folder = folder.rename(f"{folder}{_LOCKED}")
            made.name = str(folder)
        yield folder


def variables(folder: Path) -> dict[str, str]:
    """The variables that tell a process on any system to put its temporary files there."""
    return dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))


def remove_abandoned(base: Path | None = None) -> None:
    """Remove the folders of processes that were killed: called where work begins, since the next child may come late."""
    now = time.time()
    for folder in (Path(tempfile.gettempdir()) if base is None else base).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            held = folder.suffix == _LOCKED
            if _MADE.fullmatch(folder.name) and (held or abs(now - folder.lstat().st_mtime) > GRACE_SECONDS):
                with _locked(folder):
                    shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Raises OSError where another process holds the lock, the folder belongs to somebody else, or nothing can be locked."""
    if sys.platform == "win32":
        raise OSError("folders have no locks there")
    with opened(folder, os.O_RDONLY | os.O_DIRECTORY) as descriptor:
        if not try_lock(descriptor):
            raise BlockingIOError
        yield
