"""Files that appear whole or not at all, and last when they are there."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from io import BufferedWriter
from pathlib import Path

from advisor.files.aside import abandoned, lock, make_aside, name_aside

NEW = 0o666
"""The rights of a new file that a user asks for, of which the umask takes away."""
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_OPEN_FILES = Path("/proc/self/fd")


def remove_abandoned_files(path: Path) -> None:
    """Remove files that killed programs have left, which were to become this one."""
    for left in abandoned(path, path.parent):
        with contextlib.suppress(OSError):
            left.unlink()


def replace(path: Path, content: bytes, mode: int = NEW, like: os.stat_result | None = None) -> None:
    """Write a file in one step: readers see what was there before or all of this, whatever happens between.

    Nothing is left behind where it fails. A program that is killed meanwhile may leave a file of a hidden name, which the
    next writing of this file removes where there are locks; where the system has files without a name, that can only
    happen between giving the new file a name and replacing the old one by it.

    Args:
        mode: the rights of a new file, of which the umask takes away.
        like: what is replaced, whose rights, and where possible whose owner and group the new file gets.

    Raises OSError: no folder, no permission, no space.
    """
    remove_abandoned_files(path)
    rights = mode if like is None else 0o600
    if not _replace_by_nameless(path, content, rights, like):
        _replace_by_named(path, content, rights, like)
    sync_folder(path.parent)


def _replace_by_nameless(path: Path, content: bytes, rights: int, like: os.stat_result | None) -> bool:
    """Write a file that gets a name when it is whole; False where there is no such thing, or it cannot get one."""
    descriptor = _nameless(path.parent, rights)
    if descriptor is None:
        return False
    with os.fdopen(descriptor, "wb") as file:
        lock(descriptor)
        _fill(file, content, like)
        place = path.with_name(name_aside(path))
        with _gone_if_it_fails(place):
            try:
                # With a descriptor of a folder, Python follows the link to the open file, as is asked for here.
                os.link(_OPEN_FILES / str(descriptor), place, src_dir_fd=descriptor, follow_symlinks=True)
            except OSError:  # a sandbox, or a file system without links; what else is wrong comes up again
                return False
            place.replace(path)  # as long as it is locked
    return True


def _replace_by_named(path: Path, content: bytes, rights: int, like: os.stat_result | None) -> None:
    place, descriptor = make_aside(path, path.parent, lambda new: os.open(new, _CREATE, rights))
    with _gone_if_it_fails(place):
        with os.fdopen(descriptor, "wb") as file:
            _fill(file, content, like)
            if os.name == "posix":
                place.replace(path)  # as long as it is locked
        if os.name != "posix":  # Windows has no such locks, and renames nothing that is open
            place.replace(path)


def _fill(file: BufferedWriter, content: bytes, like: os.stat_result | None) -> None:
    if like is not None:
        _take_after(file.fileno(), like)
    file.write(content)
    file.flush()
    os.fsync(file.fileno())


@contextlib.contextmanager
def _gone_if_it_fails(place: Path) -> Iterator[None]:
    try:
        yield
    except BaseException:
        place.unlink(missing_ok=True)
        raise


def sync_folder(folder: Path) -> None:
    """Let the names in this folder last, where the system can."""
    with contextlib.suppress(OSError):  # Windows opens no folders; some file systems have nothing to sync
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
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
