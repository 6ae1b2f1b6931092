"""Files that appear whole or not at all, and last when they are there."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import stat
from pathlib import Path

from advisor.files.locking import try_lock

NEW = 0o666
"""The rights of a new file that a user asks for, of which the umask takes away."""
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_OPEN_FILES = Path("/proc/self/fd")


def replace(path: Path, content: bytes, mode: int = NEW, like: os.stat_result | None = None) -> None:
    """Write a file in one step: readers see what was there before or all of this, whatever happens between.

    Nothing is left behind where it fails, and where the program is killed while it writes; if that comes between giving the
    new file a name and replacing the old one by it, the next writing of this file removes it.

    Args:
        mode: the rights of a new file, of which the umask takes away.
        like: what is replaced, whose rights, and where possible whose owner and group the new file gets.

    Raises OSError: no folder, no permission, no space.
    """
    _remove_abandoned(path)
    beside = path.with_name(f".advisor-{secrets.token_hex(8)}")
    named = False
    try:
        descriptor = _nameless(path.parent, mode if like is None else 0o600)
        if nameless := descriptor is not None:
            beside = path.with_name(f"{_beside(path)}{secrets.token_hex(8)}")
            with contextlib.suppress(OSError):  # no locks there: then what is abandoned cannot be told from what is not
                try_lock(descriptor)
        else:
            descriptor = os.open(beside, _CREATE, mode if like is None else 0o600)
            named = True
        with os.fdopen(descriptor, "wb") as file:
            if like is not None:
                _take_after(descriptor, like)
            file.write(content)
            file.flush()
            os.fsync(descriptor)
            if nameless:
                named = True
                # With a descriptor of a folder, Python follows the link to the open file, as is asked for here.
                os.link(_OPEN_FILES / str(descriptor), beside, src_dir_fd=descriptor, follow_symlinks=True)
                beside.replace(path)  # as long as it is locked
        if not nameless:
            beside.replace(path)
    except BaseException:
        if named:
            beside.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Let the names in this folder last, where the system can."""
    with contextlib.suppress(OSError):  # Windows opens no folders; some file systems have nothing to sync
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _beside(path: Path) -> str:
    """The beginning of the names that new files get before they replace this one."""
    return f".advisor-{hashlib.blake2s(os.fsencode(path.name), digest_size=4).hexdigest()}-"


def _remove_abandoned(path: Path) -> None:
    """Remove what programs have left that were killed before they could replace this file: nobody has it locked any more."""
    for other in path.parent.glob(f"{_beside(path)}*"):
        with contextlib.suppress(OSError):
            descriptor = os.open(other, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            try:
                if try_lock(descriptor):
                    other.unlink()
            finally:
                os.close(descriptor)


def _nameless(folder: Path, mode: int) -> int | None:
    """A file without a name, which is gone when the program is; None where there is no such thing."""
    if not hasattr(os, "O_TMPFILE") or not _OPEN_FILES.is_dir():
        return None
    try:
        return os.open(folder, os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, mode)
    except OSError:  # a file system without them; what else is wrong comes up again
        return None


def _take_after(descriptor: int, like: os.stat_result) -> None:
    if not hasattr(os, "fchown"):
        return
    mine = os.fstat(descriptor)
    for owner, group in ((like.st_uid, -1), (-1, like.st_gid)):
        if (owner, group) not in ((mine.st_uid, -1), (-1, mine.st_gid)):
            with contextlib.suppress(OSError):  # only root gives files away
                os.fchown(descriptor, owner, group)
    os.fchmod(descriptor, stat.S_IMODE(like.st_mode) & 0o777)
